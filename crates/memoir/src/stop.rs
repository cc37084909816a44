//! Ctrl-C and SIGTERM: long work notices them and ends well.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that a signal sets. The second Ctrl-C ends the process at once.
pub fn on_signal() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

/// Ready when a signal has come, for what runs in a runtime.
pub fn signalled() -> anyhow::Result<impl Future<Output = ()>> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// A limit on the size of files is an error like a full disk, and no reason to be killed.
pub fn survive_file_limits() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), Arc::new(AtomicBool::new(false)));
}

/// Whether a signal has come.
pub fn requested(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}
