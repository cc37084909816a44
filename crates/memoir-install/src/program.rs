//! By which path memoir is best remembered: one that still leads to it after an upgrade.

use crate::Launcher;
use std::fs;
use std::path::{Path, PathBuf};

/// No chain of links is longer.
const LINKS_MAX: usize = 40;

/// The path by which to call the program from now on. A program that an upgrade puts into a new directory is found by a
/// link that stays: so if it is found on the search path, it is remembered by that, or else by the path it was called
/// by. `called_as` is the name that the process was started with.
pub fn stable_path(
    program: &Path,
    called_as: Option<&Path>,
    search: impl Iterator<Item = PathBuf>,
    launcher: &Launcher,
) -> PathBuf {
    let Ok(real) = fs::canonicalize(program) else { return program.to_owned() };
    // The launcher must not lead to itself.
    let leads_here = |path: &PathBuf| {
        path.is_absolute() && fs::canonicalize(path).is_ok_and(|found| found == real) && !passes(path, launcher.path())
    };
    let name = launcher.path().file_name().unwrap_or_default();
    let found = search.map(|dir| dir.join(name)).find(leads_here);
    // A bare name was looked up on the search path, by whatever rules.
    let called =
        || called_as.filter(|path| path.components().count() > 1).and_then(|path| std::path::absolute(path).ok());
    let known = || launcher.target();
    found
        .or_else(|| called().filter(leads_here))
        .or_else(|| known().filter(leads_here))
        .unwrap_or_else(|| program.to_owned())
}

/// Whether following `path` from link to link comes by `link`.
fn passes(path: &Path, link: &Path) -> bool {
    let place = |path: &Path| {
        let dir = path.parent().and_then(|dir| fs::canonicalize(dir).ok());
        (dir, path.file_name().map(ToOwned::to_owned))
    };
    let wanted = place(link);
    let mut at = path.to_owned();
    for _ in 0..LINKS_MAX {
        if place(&at) == wanted {
            return true;
        }
        let Ok(next) = fs::read_link(&at) else { return false };
        at = at.parent().unwrap_or(Path::new("/")).join(next);
    }
    true
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A program in a cellar, a link to it in `bin`, and a home.
    fn cellar() -> (tempfile::TempDir, PathBuf, PathBuf, Launcher) {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().canonicalize().unwrap();
        let program = dir.join("cellar/0.1.0/memoir");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        fs::write(&program, "").unwrap();
        fs::create_dir(dir.join("bin")).unwrap();
        symlink("../cellar/0.1.0/memoir", dir.join("bin/memoir")).unwrap();
        (top, program, dir.join("bin/memoir"), Launcher::in_home(&dir.join("home")))
    }

    fn none() -> std::vec::IntoIter<PathBuf> {
        Vec::new().into_iter()
    }

    #[test]
    fn a_link_on_the_search_path_counts_more_than_where_it_leads() {
        let (top, program, link, launcher) = cellar();
        let dirs = [PathBuf::from("relative"), top.path().join("cellar"), link.parent().unwrap().to_owned()];
        assert_eq!(stable_path(&program, Some(&program), dirs.into_iter(), &launcher), link);
    }

    #[test]
    fn the_name_it_was_called_by_counts_if_it_is_not_on_the_search_path() {
        let (top, program, link, launcher) = cellar();
        assert_eq!(stable_path(&program, Some(&link), none(), &launcher), link);
        let other = top.path().join("other");
        fs::write(&other, "").unwrap();
        assert_eq!(stable_path(&program, Some(&other), none(), &launcher), program);
        assert_eq!(stable_path(&program, Some(Path::new("memoir")), none(), &launcher), program);
    }

    #[test]
    fn the_launcher_never_leads_to_itself() {
        let (top, program, link, launcher) = cellar();
        launcher.point_at(&link).unwrap();
        let round = top.path().join("memoir");
        symlink(launcher.path(), &round).unwrap();
        for called_as in [launcher.path(), &round] {
            let dirs = [launcher.path().parent().unwrap().to_owned(), top.path().canonicalize().unwrap()];
            assert_eq!(stable_path(&program, Some(called_as), dirs.into_iter(), &launcher), link);
        }
        fs::remove_file(launcher.path()).unwrap();
        assert_eq!(stable_path(&program, Some(launcher.path()), none(), &launcher), program);
    }
}
