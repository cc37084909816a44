//! What git's configuration says, read from its files with what they include. No program is run for it: a hook has no time
//! for that.

use std::fs;
use std::path::{Path, PathBuf};

/// The most of a git file that is read.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// So many files are read for one repository, with all that they include.
const FILES_MAX: usize = 64;

/// Files include files: no deeper than this.
const DEPTH_MAX: usize = 8;

/// A setting: its section, its name and its value.
pub type GitSetting = (String, String, String);

/// The files that git reads for every repository.
#[derive(Debug, Clone, Default)]
pub struct GitFiles {
    /// The user's own directory.
    pub home: Option<PathBuf>,
    /// The files; what a later one says counts more.
    pub files: Vec<PathBuf>,
}

impl GitFiles {
    /// What git is told for every repository, as it holds for this one.
    pub fn settings(&self, git_dir: Option<&Path>) -> Vec<GitSetting> {
        let mut reader = Reader { home: self.home.as_deref(), git_dir, settings: Vec::new(), files_left: FILES_MAX };
        self.files.iter().for_each(|file| reader.read(file, DEPTH_MAX));
        reader.settings
    }

    /// What a repository itself is told.
    pub fn settings_of(&self, git_dir: &Path) -> Vec<GitSetting> {
        let git = Some(git_dir);
        let mut reader =
            Reader { home: self.home.as_deref(), git_dir: git, settings: Vec::new(), files_left: FILES_MAX };
        reader.read(&git_dir.join("config"), DEPTH_MAX);
        reader.settings
    }

    /// The name under which git knows the user: in that repository, or everywhere.
    pub fn user(&self, git_dir: Option<&Path>) -> Option<String> {
        let own = git_dir.map(|git_dir| self.settings_of(git_dir)).unwrap_or_default();
        name_in(&own).or_else(|| name_in(&self.settings(git_dir)))
    }
}

fn name_in(settings: &[GitSetting]) -> Option<String> {
    let of = |section: &str, name: &str| {
        let found = settings.iter().rev().find(|(s, n, value)| s == section && n == name && !value.is_empty());
        found.map(|(_, _, value)| value.clone())
    };
    of("github", "user").or_else(|| of("user", "name"))
}

/// An address as git uses it: the beginning may stand for another.
pub(crate) fn instead_of(settings: &[GitSetting], address: &str) -> Option<String> {
    let rule = |(section, name, value): &GitSetting| {
        let base = section.strip_prefix("url ")?.trim_matches('"').to_owned();
        let rest = address.strip_prefix(value.as_str()).filter(|_| name == "insteadof" && !value.is_empty())?;
        Some((value.len(), format!("{base}{rest}")))
    };
    settings.iter().filter_map(rule).max_by_key(|(length, _)| *length).map(|(_, address)| address)
}

struct Reader<'a> {
    home: Option<&'a Path>,
    git_dir: Option<&'a Path>,
    settings: Vec<GitSetting>,
    files_left: usize,
}

impl Reader<'_> {
    fn read(&mut self, file: &Path, depth: usize) {
        if depth == 0 || self.files_left == 0 {
            return;
        }
        self.files_left -= 1;
        let Some(text) = read_small(file) else { return };
        for (section, name, value) in git_settings(&text) {
            let is_included = section == "include"
                || section.strip_prefix("includeif ").is_some_and(|condition| {
                    condition.trim_matches('"').strip_prefix("gitdir:").is_some_and(|place| self.is_at(place, file))
                });
            if is_included && name == "path" {
                let included = self.place(&value, file);
                self.read(&included, depth - 1);
            } else {
                self.settings.push((section, name, value));
            }
        }
    }

    /// A path that a file names.
    fn place(&self, path: &str, file: &Path) -> PathBuf {
        match (path.strip_prefix("~/"), self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => file.parent().unwrap_or(Path::new("/")).join(path),
        }
    }

    /// Whether the repository is where a condition says.
    fn is_at(&self, place: &str, file: &Path) -> bool {
        let Some(git_dir) = self.git_dir else { return false };
        let mut pattern = match place.starts_with("~/") || place.starts_with("./") {
            true => self.place(place.strip_prefix("./").unwrap_or(place), file).to_string_lossy().into_owned(),
            false if place.starts_with('/') => place.to_owned(),
            false => format!("**/{place}"),
        };
        if place.ends_with('/') {
            pattern = format!("{}/**", pattern.trim_end_matches('/'));
        }
        let real = fs::canonicalize(git_dir).unwrap_or_else(|_| git_dir.to_owned());
        [git_dir, &real].iter().any(|dir| fits(pattern.as_bytes(), dir.to_string_lossy().as_bytes()))
    }
}

/// Whether a path fits a pattern: `*` stands for anything within a name, `**` for anything.
fn fits(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => path.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=path.len()).any(|at| path.get(at..).is_some_and(|left| fits(rest, left))),
        [b'*', rest @ ..] => {
            let end = path.iter().position(|byte| *byte == b'/').unwrap_or(path.len());
            (0..=end).any(|at| path.get(at..).is_some_and(|left| fits(rest, left)))
        }
        [first, rest @ ..] => path.split_first().is_some_and(|(byte, left)| byte == first && fits(rest, left)),
    }
}

/// A file that is small enough for what git writes.
pub(crate) fn read_small(path: &Path) -> Option<String> {
    let small = fs::metadata(path).ok().filter(|file| file.is_file() && file.len() <= FILE_BYTES_MAX);
    small.and_then(|_| fs::read(path).ok()).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Every `name = value` of a git configuration with its section.
pub fn git_settings(text: &str) -> Vec<(String, String, String)> {
    let mut section = String::new();
    let mut settings = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(inner) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(inner, _)| inner) {
            section = match inner.split_once(char::is_whitespace) {
                Some((name, sub)) => format!("{} {}", name.to_ascii_lowercase(), sub.trim()),
                None => inner.to_ascii_lowercase(),
            };
        } else if let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with(['#', ';'])) {
            let value = value.split(" #").next().unwrap_or_default().split(" ;").next().unwrap_or_default();
            let value = value.trim().trim_matches('"').to_owned();
            settings.push((section.clone(), name.trim().to_ascii_lowercase(), value));
        }
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_knows_its_user_by_its_own_file_and_by_what_files_include() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().join("home");
        let repository = |name: &str, config: &str| {
            let dir = home.join(name).join(".git");
            fs::create_dir_all(&dir).unwrap();
            fs::write(dir.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            fs::write(dir.join("config"), config).unwrap();
            dir
        };
        let (own, plain) = (repository("own", "[user]\n\tname = Local Name\n"), repository("plain", ""));
        let work = repository("work/shop", "[remote \"origin\"]\nurl = gh:acme/shop.git\n");
        let global = home.join(".gitconfig");
        let text = "[include]\npath = more\n[includeIf \"gitdir:~/work/\"]\npath = ~/at-work\n[user]\nname = Anywhere\n\
            [includeIf \"gitdir:~/work/\"]\npath = ~/at-work\n";
        fs::write(&global, text).unwrap();
        fs::write(home.join("more"), "[url \"git@github.com:\"]\ninsteadOf = gh:\n[include]\npath = .gitconfig\n")
            .unwrap();
        fs::write(home.join("at-work"), "[user]\nname = At Work\n").unwrap();
        let git = GitFiles { home: Some(home.clone()), files: vec![global] };
        assert_eq!(git.user(Some(&own)).as_deref(), Some("Local Name"));
        assert_eq!(git.user(Some(&plain)).as_deref(), Some("Anywhere"));
        assert_eq!(git.user(Some(&work)).as_deref(), Some("At Work"));
        assert_eq!(git.user(None).as_deref(), Some("Anywhere"));
        let rules = git.settings(Some(&work));
        assert_eq!(instead_of(&rules, "gh:acme/shop.git").as_deref(), Some("git@github.com:acme/shop.git"));
        let mut projects = crate::Projects::new(Some(home.clone())).with_git(git);
        let project = projects.of(Some(&home.join("work/shop").to_string_lossy()), None);
        assert_eq!(project.id, "acme/shop");
    }

    #[test]
    fn patterns_of_places_fit_as_git_has_them() {
        let is_so = |pattern: &str, path: &str| fits(pattern.as_bytes(), path.as_bytes());
        assert!(is_so("/h/work/**", "/h/work/a/b/.git") && !is_so("/h/work/**", "/h/works/a/.git"));
        assert!(is_so("**/shop/.git", "/h/shop/.git") && is_so("/h/*/.git", "/h/a/.git"));
        assert!(!is_so("/h/*/.git", "/h/a/b/.git"));
    }
}
