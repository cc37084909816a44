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

/// A limit on the size of files is an error like a full disk, and no reason to be killed.
pub fn survive_file_limits() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), Arc::new(AtomicBool::new(false)));
}

/// Whether a signal has come.
pub fn requested(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}
