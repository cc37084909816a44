//! The client's process. Signals that reach memoir alone are passed on to it, and memoir ends as it ends.

use super::client_args::Shape;
use crate::exit::Done;
use anyhow::{Context as _, Result};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// A running client.
pub struct Child {
    process: std::process::Child,
    ended: Option<ExitStatus>,
    #[cfg(unix)]
    signals: signals::Passing,
}

impl Child {
    /// Starts the program with that input and our error output; its output is ours to read.
    pub fn start(program: &OsStr, shape: &Shape, input: Stdio) -> Result<Child> {
        #[cfg(unix)]
        let waiting = signals::Waiting::new()?;
        let mut command = Command::new(program);
        command.args(&shape.args).envs(shape.variables.iter().copied()).stdin(input).stdout(Stdio::piped());
        let process = crate::umask::as_the_user(|| command.spawn());
        let process = process.map_err(|error| {
            let name = program.to_string_lossy();
            match error.kind() {
                ErrorKind::NotFound => anyhow::anyhow!("there is no program `{name}`: install it, or pass --program"),
                _ => anyhow::anyhow!("cannot run `{name}`: {error}"),
            }
        })?;
        #[cfg(unix)]
        let signals = waiting.pass_to(process.id());
        Ok(Child {
            process,
            ended: None,
            #[cfg(unix)]
            signals,
        })
    }

    /// Where its input goes, if that is ours to write.
    pub fn input(&mut self) -> Option<ChildStdin> {
        self.process.stdin.take()
    }

    /// Where its output comes from.
    pub fn output(&mut self) -> Result<ChildStdout> {
        self.process.stdout.take().context("the output of the client is taken already")
    }

    /// Whether it has ended; something that it started may still hold its output open.
    pub fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.process.try_wait().ok().flatten();
        }
        self.ended.is_some()
    }

    /// Waits for its end, and tells how memoir has to end.
    pub fn wait(mut self) -> Result<Done> {
        let status = match self.ended {
            Some(status) => status,
            None => self.process.wait().context("the client cannot be waited for")?,
        };
        #[cfg(unix)]
        {
            self.signals.stop();
            if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
                return Ok(Done::Signal(signal));
            }
        }
        Ok(match status.code() {
            Some(0) => Done::Well,
            code => Done::Code(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        })
    }
}

#[cfg(unix)]
mod signals {
    use anyhow::Result;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
    use signal_hook::iterator::exfiltrator::origin::WithOrigin;
    use signal_hook::iterator::{Handle, SignalsInfo};
    use signal_hook::low_level::siginfo::Cause;

    /// Signals are held back from ending memoir; nobody gets them yet.
    pub struct Waiting(SignalsInfo<WithOrigin>);

    /// Signals are passed on.
    pub struct Passing(Handle);

    impl Waiting {
        pub fn new() -> Result<Waiting> {
            Ok(Waiting(SignalsInfo::<WithOrigin>::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2])?))
        }

        pub fn pass_to(mut self, process: u32) -> Passing {
            let handle = self.0.handle();
            std::thread::spawn(move || {
                for origin in &mut self.0 {
                    // What the terminal sends, it sends to the client as well.
                    if origin.cause != Cause::Kernel {
                        pass(process, origin.signal);
                    }
                }
            });
            Passing(handle)
        }
    }

    impl Passing {
        pub fn stop(&self) {
            self.0.close();
        }
    }

    fn pass(process: u32, signal: i32) {
        let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
        let signal = rustix::process::Signal::from_named_raw(signal);
        if let (Some(process), Some(signal)) = (process, signal) {
            let _ = rustix::process::kill_process(process, signal);
        }
    }
}
