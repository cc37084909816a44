//! The name under which hooks call memoir: it stays the same when memoir is upgraded or moved. And which home a hook
//! that is there calls memoir for.

use crate::InstallError;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A link in memoir's home that leads to the program.
#[derive(Debug, Clone)]
pub struct Launcher {
    link: PathBuf,
}

impl Launcher {
    /// The launcher in that home.
    pub fn in_home(home: &Path) -> Launcher {
        let name = if cfg!(windows) { "memoir.exe" } else { "memoir" };
        Launcher { link: home.join("bin").join(name) }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.link
    }

    /// What it leads to; none if it is not there.
    pub fn target(&self) -> Option<PathBuf> {
        fs::read_link(&self.link).ok()
    }

    /// Whether it leads to a program.
    pub fn is_alive(&self) -> bool {
        fs::metadata(&self.link).is_ok_and(|metadata| metadata.is_file())
    }

    /// Whether it is there and leads nowhere.
    pub fn is_dangling(&self) -> bool {
        fs::symlink_metadata(&self.link).is_ok() && !self.is_alive()
    }

    /// Lets it lead to `program`.
    pub fn point_at(&self, program: &Path) -> Result<(), InstallError> {
        let io = |error| InstallError::io("link", &self.link)(error);
        if self.target().as_deref() == Some(program) {
            return Ok(());
        }
        let dir = self.link.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir).map_err(io)?;
        let partial = dir.join(format!(".memoir-{}", std::process::id()));
        let _ = fs::remove_file(&partial);
        #[cfg(unix)]
        std::os::unix::fs::symlink(program, &partial).map_err(io)?;
        // Links need a right there that users do not have.
        #[cfg(not(unix))]
        fs::copy(program, &partial).map_err(io)?;
        fs::rename(&partial, &self.link).map_err(io)
    }

    /// Takes it away.
    pub fn remove(&self) -> Result<(), InstallError> {
        match fs::remove_file(&self.link) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(InstallError::io("remove", &self.link)(error)),
            _ => {
                let _ = self.link.parent().map(fs::remove_dir);
                Ok(())
            }
        }
    }

    /// The command that a client's hooks run: memoir, or if the launcher leads nowhere the one on the search path, and
    /// nothing, successfully, if there is none. `home` is named if it is not the usual one.
    ///
    /// Every shell that a client may use has to understand it, fish among them: no variables, no substitutions.
    pub fn command(&self, client: memoir_event::Client, home: Option<&Path>) -> String {
        let program = quoted(&self.link);
        let home = home.map(|home| format!(" --home {}", quoted(home))).unwrap_or_default();
        let rest = format!("{home} hook {client}");
        if cfg!(windows) {
            return format!("{program}{rest}");
        }
        // Codex trusts a command as it stands, and goes on whatever becomes of it. The others' prompts could be blocked by
        // a program that is cut short, or of another kind of machine: none of them is `exec`, and the hook ends well.
        if client == memoir_event::Client::Codex {
            return format!(
                "[ -x {program} ] && exec {program}{rest}; command -v memoir > /dev/null && memoir{rest}; exit 0"
            );
        }
        format!("[ -x {program} ] && {program}{rest}; [ -x {program} ] || memoir{rest} 2> /dev/null; exit 0")
    }

    /// The home for which a command like that, of this or an earlier version, calls memoir.
    pub(crate) fn home_in(command: &str) -> Option<PathBuf> {
        words_of_home(&words(command))
    }

    /// Whether a command is one that memoir writes, in this or an earlier version, for any place and home: all of it.
    pub(crate) fn wrote(client: memoir_event::Client, command: &str) -> bool {
        let found = words(command);
        let is_program = |word: &&String| {
            let name = Path::new(word.as_str()).file_name().unwrap_or_default();
            name == "memoir" || name == "memoir.exe"
        };
        let Some(program) = found.iter().find(is_program) else { return false };
        let home = found.iter().position(|word| word == "--home").and_then(|at| found.get(at + 1));
        let home = home.map(|home| format!(" --home {}", quoted(Path::new(home)))).unwrap_or_default();
        let (program, rest) = (quoted(Path::new(program)), format!("{home} hook {client}"));
        let forms = [
            format!("[ -x {program} ] && exec {program}{rest}; command -v memoir > /dev/null && memoir{rest}; exit 0"),
            format!("[ -x {program} ] && {program}{rest}; [ -x {program} ] || memoir{rest} 2> /dev/null; exit 0"),
            format!("[ -x {program} ] || exit 0; exec {program}{rest}"),
            format!("exec {program}{rest}"),
            format!("{program}{rest}"),
        ];
        forms.iter().any(|form| words(form) == found)
    }

    /// What clients run as an MCP server, word by word; they use no shell for that.
    pub fn server(&self, home: Option<&Path>) -> Vec<String> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let home = home.map(|home| ["--home".to_owned(), text(home)]).into_iter().flatten();
        std::iter::once(text(&self.link)).chain(home).chain(["mcp".to_owned()]).collect()
    }
}

/// The home for which those words call memoir.
pub(crate) fn words_of_home(words: &[String]) -> Option<PathBuf> {
    let named = words.iter().position(|word| word == "--home").and_then(|at| words.get(at + 1));
    let launcher = || {
        let link = words.iter().map(Path::new).find(|word| word.is_absolute() && word.ends_with("bin/memoir"))?;
        Some(link.parent()?.parent()?.to_owned())
    };
    named.map(PathBuf::from).or_else(launcher)
}

/// Whether something of memoir's installation is in that home: if so, hooks that call memoir for it are not forgotten
/// ones.
pub(crate) fn is_inhabited(home: &Path) -> bool {
    crate::Ledger::file_in(home).exists() || fs::symlink_metadata(Launcher::in_home(home).path()).is_ok()
}

/// Whether two homes are one.
pub(crate) fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    a == b || real(a) == real(b)
}

/// A path as one word of a shell's language.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    if cfg!(windows) { format!("\"{path}\"") } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// The words of a command, as far as [`quoted`] and blanks make them.
fn words(command: &str) -> Vec<String> {
    let (mut all, mut word, mut within) = (Vec::new(), String::new(), false);
    let mut rest = command.chars();
    while let Some(c) = rest.next() {
        match c {
            '\'' => within = !within,
            '\\' if !within => word.extend(rest.next()),
            c if c.is_whitespace() && !within => all.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    all.push(word);
    all.retain(|word| !word.is_empty());
    all
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::Client;

    /// What a shell makes of the hook's command if that is the program.
    fn ran(client: Client, make: &dyn Fn(&Path)) -> (Option<i32>, String) {
        use std::io::Write;
        let home = tempfile::tempdir().unwrap();
        let launcher = Launcher::in_home(home.path());
        fs::create_dir_all(home.path().join("bin")).unwrap();
        make(launcher.path());
        let command = launcher.command(client, None);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &command]).env("PATH", "/usr/bin:/bin");
        shell.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut shell = shell.stderr(std::process::Stdio::null()).spawn().unwrap();
        let _ = shell.stdin.take().unwrap().write_all(b"{}");
        let output = shell.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    }

    fn script(text: &'static str) -> impl Fn(&Path) {
        use std::os::unix::fs::PermissionsExt;
        move |path: &Path| {
            fs::write(path, text).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    #[test]
    fn a_program_that_cannot_run_blocks_no_prompt() {
        for client in [Client::Gemini, Client::Claude] {
            let answers = "#!/bin/sh\ncat > /dev/null; echo '{}'";
            assert_eq!(ran(client, &script(answers)), (Some(0), "{}\n".to_owned()));
            let nothing = (Some(0), String::new());
            assert_eq!(ran(client, &|_| {}), nothing, "missing");
            assert_eq!(ran(client, &|path| fs::create_dir(path).unwrap()), nothing, "a directory");
            for broken in
                ["\x7fELF\x02\x01\x01", "#!/no/such/loader\n", "#!/bin/sh\nkill -SEGV $$", "#!/bin/sh\nexit 7"]
            {
                assert_eq!(ran(client, &script(broken)), nothing, "{broken:?}");
            }
        }
    }

    #[test]
    fn a_command_is_memoirs_only_if_all_of_it_is() {
        for home in ["/home/you/.memoir", "/it's a/home", "/with 'quotes'/and --home/in it"] {
            let launcher = Launcher::in_home(Path::new(home));
            let link = quoted(launcher.path());
            for client in [Client::Codex, Client::Claude, Client::Gemini] {
                for named in [None, Some(Path::new(home))] {
                    assert!(Launcher::wrote(client, &launcher.command(client, named)), "{home}");
                }
                assert!(Launcher::wrote(client, &format!("[ -x {link} ] || exit 0; exec {link} hook {client}")));
            }
            assert!(!Launcher::wrote(Client::Claude, &launcher.command(Client::Codex, None)));
        }
        for users in [
            "/home/me/bin/memoir-notes.sh hook claude",
            "echo memoir has run; my hook claude",
            "tee -a /tmp/log | memoir hook claude",
            "memoir hook claude && say done",
            "/opt/memoir/run hook claude",
            "memoir hook claude-notify",
        ] {
            assert!(!Launcher::wrote(Client::Claude, users), "{users}");
        }
        assert!(Launcher::wrote(Client::Claude, "/usr/local/bin/memoir hook claude"));
    }

    #[test]
    fn a_command_tells_for_which_home_it_calls_memoir() {
        for home in ["/home/you/.memoir", "/it's a/home", "/with 'quotes'/and --home/in it"] {
            let launcher = Launcher::in_home(Path::new(home));
            for named in [None, Some(Path::new(home))] {
                let command = launcher.command(Client::Codex, named);
                assert_eq!(Launcher::home_in(&command).as_deref(), Some(Path::new(home)), "{command}");
            }
            let link = quoted(launcher.path());
            let earlier = format!("[ -x {link} ] || exit 0; exec {link} hook codex");
            assert_eq!(Launcher::home_in(&earlier).as_deref(), Some(Path::new(home)));
        }
        assert_eq!(Launcher::home_in("memoir hook codex"), None);
    }
}
