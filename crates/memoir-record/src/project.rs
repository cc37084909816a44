//! Which project a directory belongs to: by its repository's address, or else by where the repository is.
//!
//! Worktrees, sub-directories and symbolic links of a repository are one project. No program is run for it: a hook has
//! no time for that.

use crate::git::{GitFiles, instead_of, read_small};
use memoir_event::repo_id_of_path;
use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id: `owner/repo` of its address, or twelve hexadecimal digits that stand for its path.
    pub id: String,
    /// The id that its path alone gives it; events may be recorded under it from before it had an address.
    pub path_id: Option<String>,
    /// Its root directory, if it is there.
    pub root: Option<PathBuf>,
    /// The name under which git knows the user there.
    pub user: Option<String>,
}

/// Finds projects, each directory once.
#[derive(Debug, Default)]
pub struct Projects {
    /// The user's own directory: never taken for the project of something in it that is gone.
    user_home: Option<PathBuf>,
    git: GitFiles,
    known: HashMap<(Option<String>, Option<String>), Project>,
}

impl Projects {
    /// Finds projects; `user_home` is no project for what lies in it and is gone.
    pub fn new(user_home: Option<PathBuf>) -> Projects {
        let git = GitFiles { home: user_home.clone(), files: Vec::new() };
        Projects { user_home, git, known: HashMap::new() }
    }

    /// The same, with what git is told for every repository.
    #[must_use]
    pub fn with_git(self, git: GitFiles) -> Projects {
        Projects { git, ..self }
    }

    /// The project of a directory; `remote` is the address of the repository that a client saw there.
    pub fn of(&mut self, cwd: Option<&str>, remote: Option<&str>) -> &Project {
        let key = (cwd.map(str::to_owned), remote.map(str::to_owned));
        let (user_home, git) = (self.user_home.as_deref(), &self.git);
        self.known.entry(key).or_insert_with(|| find(cwd, remote, user_home, git))
    }
}

fn find(cwd: Option<&str>, remote: Option<&str>, user_home: Option<&Path>, git: &GitFiles) -> Project {
    let remote_id = remote.and_then(id_of_address);
    let Some(cwd) = cwd.filter(|cwd| !cwd.trim().is_empty()) else {
        return Project {
            id: remote_id.unwrap_or_else(|| "unknown".to_owned()),
            path_id: None,
            root: None,
            user: None,
        };
    };
    let Some(repository) = repository_of(Path::new(cwd), user_home) else {
        let real = fs::canonicalize(cwd).ok();
        let path_id = repo_id_of_path(&real.as_deref().unwrap_or(Path::new(cwd)).to_string_lossy());
        let id = remote_id.unwrap_or_else(|| path_id.clone());
        return Project { id, path_id: Some(path_id), root: real, user: None };
    };
    let path_id = repo_id_of_path(&repository.root.to_string_lossy());
    let own = address_in(&repository.git, git).and_then(|address| id_of_address(&address));
    let user = git.user(Some(&repository.git));
    // What is there now counts more than what a client saw once, unless nothing is there.
    let id = own.or(remote_id).unwrap_or_else(|| path_id.clone());
    Project { id, path_id: Some(path_id), root: Some(repository.root), user }
}

/// A git repository.
struct Repository {
    /// The main worktree, or the repository itself if it has none.
    root: PathBuf,
    /// The directory that all worktrees share.
    git: PathBuf,
}

/// The repository around a directory; of one that is gone, the repository around what is left of its path.
fn repository_of(dir: &Path, user_home: Option<&Path>) -> Option<Repository> {
    let mut is_gone = false;
    let real = dir.ancestors().find_map(|ancestor| match fs::canonicalize(ancestor) {
        Ok(real) => Some(real),
        Err(_) => {
            is_gone = true;
            None
        }
    })?;
    let real_home = user_home.and_then(|home| fs::canonicalize(home).ok());
    for ancestor in real.ancestors() {
        if is_gone && real_home.as_deref() == Some(ancestor) {
            return None;
        }
        let dot_git = ancestor.join(".git");
        let Ok(metadata) = fs::metadata(&dot_git) else { continue };
        if metadata.is_dir() {
            return dot_git.join("HEAD").exists().then(|| Repository { root: ancestor.to_owned(), git: dot_git });
        }
        let git_dir = read_small(&dot_git)?;
        let git_dir = ancestor.join(git_dir.trim().strip_prefix("gitdir:")?.trim());
        let common = match read_small(&git_dir.join("commondir")) {
            Some(common) => git_dir.join(common.trim()),
            // A submodule: its own repository, kept elsewhere.
            None => return Some(Repository { root: ancestor.to_owned(), git: git_dir }),
        };
        let common = fs::canonicalize(&common).unwrap_or_else(|_| lexical(&common));
        let is_dot_git = common.file_name().is_some_and(|name| name == ".git");
        let root = if is_dot_git { common.parent().map(Path::to_owned) } else { None };
        return Some(Repository { root: root.unwrap_or_else(|| common.clone()), git: common });
    }
    None
}

/// A path without `.` and `..`.
fn lexical(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut whole, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
        whole
    })
}

/// The address of `origin`, or else of the first remote, as git uses it.
fn address_in(git_dir: &Path, git: &GitFiles) -> Option<String> {
    let own = git.settings_of(git_dir);
    let remotes = || own.iter().filter(|(section, name, _)| name == "url" && section.starts_with("remote "));
    let origin = remotes().find(|(section, ..)| section == "remote \"origin\"");
    let (_, _, address) = origin.or_else(|| remotes().next())?;
    let rules: Vec<_> = git.settings(Some(git_dir)).into_iter().chain(own.iter().cloned()).collect();
    Some(instead_of(&rules, address).unwrap_or_else(|| address.clone()))
}

/// The id of a repository at an address: `owner/repo` on GitHub, `host/path` elsewhere. A path on this machine has none.
pub fn id_of_address(address: &str) -> Option<String> {
    let address = address.trim();
    let (host, path) = if let Some((_, rest)) = address.split_once("://") {
        if address.starts_with("file:") {
            return None;
        }
        let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
        rest.split_once('/')?
    } else {
        // user@host:path, as ssh has it; a lone letter before the colon is a drive.
        let (host, path) = address.split_once(':')?;
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        if host.len() < 2 || host.contains('/') || path.starts_with('\\') {
            return None;
        }
        (host, path)
    };
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    if host.is_empty() || path.is_empty() || path.split('/').any(|part| part == "..") {
        return None;
    }
    Some(if host == "github.com" || host == "www.github.com" { path.to_owned() } else { format!("{host}/{path}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id(cwd: &Path) -> String {
        Projects::default().of(Some(&cwd.to_string_lossy()), None).id.clone()
    }

    fn repository(dir: &Path, config: &str) {
        fs::create_dir_all(dir.join(".git")).unwrap();
        fs::write(dir.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(dir.join(".git/config"), config).unwrap();
    }

    #[test]
    fn an_address_has_one_id_however_it_is_spelt() {
        for address in [
            "git@github.com:owner/repo.git",
            "https://github.com/owner/repo",
            "https://user:pass@github.com/owner/repo.git/",
            "ssh://git@github.com:22/owner/repo.git",
            "git://github.com/owner/repo.git",
        ] {
            assert_eq!(id_of_address(address).as_deref(), Some("owner/repo"), "{address}");
        }
        assert_eq!(id_of_address("git@gitlab.com:group/sub/repo.git").as_deref(), Some("gitlab.com/group/sub/repo"));
        for none in
            ["/srv/git/repo.git", "../other", "file:///srv/repo.git", "C:\\repo", "", "https://github.com/", "x:../y"]
        {
            assert_eq!(id_of_address(none), None, "{none}");
        }
    }

    #[test]
    fn subdirectories_links_and_worktrees_are_one_project() {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path().join("repo");
        repository(&repo, "[core]\n\tbare = false\n");
        fs::create_dir_all(repo.join("src/deep")).unwrap();
        let worktree = dir.path().join("tree");
        fs::create_dir_all(&worktree).unwrap();
        fs::create_dir_all(repo.join(".git/worktrees/tree")).unwrap();
        fs::write(repo.join(".git/worktrees/tree/commondir"), "../..\n").unwrap();
        fs::write(worktree.join(".git"), format!("gitdir: {}\n", repo.join(".git/worktrees/tree").display())).unwrap();
        let expected = id(&repo);
        assert_eq!(expected, repo_id_of_path(&fs::canonicalize(&repo).unwrap().to_string_lossy()));
        assert_eq!(id(&repo.join("src/deep")), expected);
        assert_eq!(id(&worktree), expected);
        assert_eq!(id(&repo.join("src/gone/for/good")), expected);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&repo, dir.path().join("link")).unwrap();
            assert_eq!(id(&dir.path().join("link/src")), expected);
        }
        assert_ne!(id(dir.path()), expected);
    }

    #[test]
    fn a_repository_with_an_address_is_known_by_it_and_by_its_path() {
        let dir = tempfile::tempdir().unwrap();
        repository(
            dir.path(),
            "[remote \"up\"]\n url = git@github.com:a/b.git\n[remote \"origin\"]\n\turl = https://github.com/Owner/Repo.git # mine\n",
        );
        let mut projects = Projects::default();
        let project = projects.of(Some(&dir.path().to_string_lossy()), None);
        assert_eq!(project.id, "Owner/Repo");
        let real = fs::canonicalize(dir.path()).unwrap();
        assert_eq!(project.path_id.as_deref(), Some(repo_id_of_path(&real.to_string_lossy()).as_str()));
    }

    #[test]
    fn a_directory_that_is_gone_is_known_by_what_the_client_saw_and_never_by_the_users_home() {
        let home = tempfile::tempdir().unwrap();
        repository(home.path(), "");
        let gone = home.path().join("work/gone");
        let gone = gone.to_string_lossy();
        let mut projects = Projects::new(Some(home.path().to_owned()));
        assert_eq!(projects.of(Some(&gone), Some("git@github.com:o/r.git")).id, "o/r");
        assert_eq!(projects.of(Some(&gone), None).id, repo_id_of_path(&gone));
        assert_eq!(projects.of(None, None).id, "unknown");
    }

    proptest! {
        #[test]
        fn any_address_and_any_configuration_is_read(text in "\\PC{0,60}", config in "[\\[\\]\"= a-z\\n#;]{0,120}") {
            let _ = id_of_address(&text);
            let _ = crate::git::git_settings(&config);
        }
    }
}
