//! What new files may be: memoir's own are private; those of programs that it runs are the user's to decide.

#[cfg(unix)]
mod unix {
    use rustix::fs::Mode;
    use rustix::process::umask;
    use std::sync::OnceLock;

    static OF_THE_USER: OnceLock<Mode> = OnceLock::new();

    pub fn make_private() {
        let before = umask(Mode::from_raw_mode(0o077));
        OF_THE_USER.get_or_init(|| before);
    }

    pub fn as_the_user<T>(work: impl FnOnce() -> T) -> T {
        umask(*OF_THE_USER.get().unwrap_or(&Mode::from_raw_mode(0o022)));
        let done = work();
        umask(Mode::from_raw_mode(0o077));
        done
    }
}

#[cfg(not(unix))]
mod unix {
    pub const fn make_private() {}

    pub fn as_the_user<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
}

/// From now on, whatever a library creates is for the owner alone. Called once, first of all.
pub fn make_private() {
    unix::make_private();
}

/// Starts something whose files are to be as the user's own commands make them. No other thread may create files now.
pub fn as_the_user<T>(work: impl FnOnce() -> T) -> T {
    unix::as_the_user(work)
}
