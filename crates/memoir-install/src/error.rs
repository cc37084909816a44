use crate::settings::PlanError;
use std::io;
use std::path::{Path, PathBuf};

/// Why hooks were not installed or removed. Nothing is half written: each file is as it was or as planned.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// Its settings cannot be understood.
    #[error("{path} {problem}", path = .path.display())]
    Plan {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: PlanError,
    },
    /// A link: writing would change, or cut off, something elsewhere.
    #[error("{path} is a symbolic link: memoir does not write through links; replace it by the file itself", path = .0.display())]
    Symlink(PathBuf),
    /// Something other than a file.
    #[error("{path} is not a file: move it away", path = .0.display())]
    NotAFile(PathBuf),
    /// Something other than a directory.
    #[error("{path} is not a directory: move it away", path = .0.display())]
    NotADirectory(PathBuf),
    /// There already, and not to be overwritten.
    #[error("{path} exists already: pass --force to overwrite it", path = .0.display())]
    Exists(PathBuf),
    /// Somebody has been at the marks around memoir's part.
    #[error("{path} has marks of memoir's that do not pair: take `<!-- memoir:begin -->`, `<!-- memoir:end -->` and what is between them out", path = .0.display())]
    Unpaired(PathBuf),
    /// Somebody wrote to it between plan and deed.
    #[error("{path} was changed while you were asked: run the command again", path = .0.display())]
    Changed(PathBuf),
    /// The system refused.
    #[error("cannot {doing} {path}: {error}", path = .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl InstallError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> InstallError {
        let path = path.to_owned();
        move |error| InstallError::Io { doing, path, error }
    }
}
