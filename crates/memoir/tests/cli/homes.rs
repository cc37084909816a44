//! Homes that cannot be used as they are; permission cases run under another user, because root passes them.

use crate::support::{Home, MEMOIR, Ran, event, run, set_mode, to_lines};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

const NOBODY: u32 = 65_534;

/// Runs memoir as somebody who is not root, in a directory of his own.
struct Other {
    home: Home,
    binary: PathBuf,
}

impl Other {
    /// None, said loudly, where we are not root.
    fn new() -> Option<Other> {
        if !rustix::process::geteuid().is_root() {
            eprintln!("SKIPPED: only root can run a process as another user; run the suite as root once");
            return None;
        }
        let home = Home::new();
        set_mode(home.top(), 0o755);
        let binary = home.top().join("memoir");
        fs::hard_link(MEMOIR, &binary).or_else(|_| fs::copy(MEMOIR, &binary).map(drop)).unwrap();
        set_mode(&binary, 0o755);
        Some(Other { home, binary })
    }

    fn with_home() -> Option<Other> {
        let other = Other::new()?;
        fs::create_dir(other.home.dir()).unwrap();
        set_mode(&other.home.dir(), 0o700);
        chown(other.home.dir(), Some(NOBODY), Some(NOBODY)).unwrap();
        other.run(&["ingest"], &to_lines(&[event("kept from before")])).succeeded();
        assert_eq!(fs::metadata(other.home.journal()).unwrap().uid(), NOBODY);
        Some(other)
    }

    fn run(&self, args: &[&str], input: &str) -> Ran {
        let mut command = self.home.command_of(&self.binary, args);
        command.uid(NOBODY).gid(NOBODY);
        run(command, input.as_bytes())
    }

    fn texts(&self) -> Vec<String> {
        let exported = self.run(&["export", "--everything"], "").succeeded();
        exported.json_lines().iter().map(crate::support::text_of).collect()
    }
}

fn everything_in(dir: &Path, directories: u32, files: u32) {
    for path in crate::files::walk(dir).iter().rev() {
        set_mode(path, if path.is_dir() { directories } else { files });
    }
}

#[test]
fn a_home_that_belongs_to_somebody_else_is_refused() {
    let Some(other) = Other::new() else { return };
    other.home.ingest(&[event("root's own")]).succeeded();
    for mode in [0o755, 0o777, 0o700] {
        set_mode(&other.home.dir(), mode);
        for args in [&["ingest"][..], &["timeline"], &["config", "set", "actor", "x"], &["serve", "--port", "0"]] {
            let ran = other.run(args, &to_lines(&[event("not yours")]));
            let ran = ran.failed_in_one_line(1, &["home"]);
            assert!(
                ran.err.contains("MEMOIR_HOME") || ran.err.contains("ermission denied"),
                "{mode:o} {args:?} {ran:?}"
            );
        }
    }
    set_mode(&other.home.dir(), 0o700);
    assert_eq!(other.home.texts(), ["root's own"]);
    assert_eq!(other.home.verified(), 1);
}

#[test]
fn a_read_only_home_is_said_and_not_harmed() {
    let Some(other) = Other::with_home() else { return };
    everything_in(&other.home.dir(), 0o500, 0o400);
    let before = fs::read(other.home.journal()).unwrap();
    let ran = other.run(&["ingest"], &to_lines(&[event("nowhere to go")]));
    let ran = ran.failed(1, &["read-only", "permission"]);
    assert!(ran.err.contains("lost 1") || !ran.err.contains("stored"), "the loss is said: {ran:?}");
    for args in [&["timeline"][..], &["search", "kept"], &["status"], &["verify"]] {
        assert!(other.run(args, "").succeeded().err.is_empty(), "reading needs no writing: {args:?}");
    }
    let doctor = other.run(&["doctor"], "");
    assert_eq!(doctor.code(), 1);
    assert!(doctor.out.contains("home cannot be written"), "{}", doctor.out);
    assert_eq!(fs::read(other.home.journal()).unwrap(), before);
    everything_in(&other.home.dir(), 0o700, 0o600);
    assert_eq!(other.texts(), ["kept from before"]);
    other.run(&["ingest"], &to_lines(&[event("again")])).succeeded();
    other.run(&["verify"], "").succeeded();
}

#[test]
fn a_journal_that_may_not_be_opened_sends_events_to_the_spool() {
    let Some(other) = Other::with_home() else { return };
    set_mode(&other.home.journal(), 0o000);
    let ran = other.run(&["ingest"], &to_lines(&[event("waits")]));
    ran.failed(1, &["cannot open the journal", "journal.db", "spooled 1"]);
    other.run(&["timeline"], "").failed_in_one_line(1, &["cannot open the journal", "journal.db"]);
    set_mode(&other.home.journal(), 0o600);
    assert_eq!(other.texts(), ["kept from before", "waits"]);
}

#[test]
fn a_home_that_cannot_be_created_is_said() {
    let Some(other) = Other::new() else { return };
    let ran = other.run(&["ingest"], &to_lines(&[event("x")]));
    ran.failed_in_one_line(1, &["cannot create the home", "home", "ermission denied"]);
    let ran = other.run(&["config", "set", "actor", "x"], "");
    ran.failed_in_one_line(1, &["cannot create the home"]);
    assert!(other.run(&["timeline"], "").succeeded().out.is_empty());
}

#[test]
fn settings_that_may_not_be_read_are_said() {
    let Some(other) = Other::with_home() else { return };
    let config = other.home.dir().join("config.toml");
    fs::write(&config, "actor = 'x'\n").unwrap();
    set_mode(&config, 0o000);
    for args in [&["ingest"][..], &["status"], &["config"]] {
        let ran = other.run(args, &to_lines(&[event("x")]));
        assert!(ran.code() == 1 || ran.code() == 2, "{ran:?}");
        let code = ran.code();
        ran.failed_in_one_line(code, &["cannot read", "config.toml", "ermission denied"]);
    }
}

#[test]
fn a_spool_that_cannot_be_written_is_said_by_the_doctor() {
    let Some(other) = Other::with_home() else { return };
    let spool = other.home.spool();
    fs::create_dir_all(&spool).unwrap();
    chown(&spool, Some(NOBODY), Some(NOBODY)).unwrap();
    set_mode(&spool, 0o500);
    let ran = other.run(&["doctor"], "");
    assert_eq!(ran.code(), 1);
    assert!(ran.out.contains("fail spool - cannot write to the spool"), "{}", ran.out);
    other.run(&["ingest"], &to_lines(&[event("the journal still works")])).succeeded();
}

#[test]
fn a_home_that_is_a_file_is_refused() {
    let home = Home::new();
    fs::write(home.dir(), "a file").unwrap();
    for args in [&["ingest"][..], &["config", "set", "actor", "x"]] {
        let ran = home.feed(args, to_lines(&[event("x")]));
        ran.failed_in_one_line(1, &["is not a directory", "MEMOIR_HOME"]);
    }
    for args in [&["timeline"][..], &["status"], &["serve", "--port", "0"], &["doctor"]] {
        let ran = home.run(args);
        assert!((ran.err.clone() + &ran.out).contains("irectory"), "{args:?} {ran:?}");
        assert_eq!(ran.code(), 1, "{args:?} {ran:?}");
    }
    assert_eq!(fs::read_to_string(home.dir()).unwrap(), "a file");
}

#[test]
fn a_directory_of_other_things_is_never_closed_nor_used_while_open() {
    let home = Home::new();
    fs::create_dir(home.dir()).unwrap();
    fs::write(home.dir().join("thesis.tex"), "precious").unwrap();
    set_mode(&home.dir(), 0o755);
    home.ingest(&[event("x")]).failed_in_one_line(1, &["open to other users", "chmod 700"]);
    assert_eq!(fs::metadata(home.dir()).unwrap().permissions().mode() & 0o777, 0o755);
    assert!(!home.journal().exists());
    fs::remove_file(home.dir().join("thesis.tex")).unwrap();
    home.ingest(&[event("x")]).succeeded();
    assert_eq!(fs::metadata(home.dir()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_spool_that_is_open_or_a_link_or_a_file_is_refused_before_anything_is_read() {
    let home = Home::new();
    let url = format!("http://127.0.0.1:{}", crate::support::dead_port());
    let spool = home.top().join("spool");
    let send = || {
        let args = ["ingest", "--server-url", &url, "--spool-dir", spool.to_str().unwrap()];
        home.feed(&args, to_lines(&[event("x")]))
    };
    fs::create_dir(&spool).unwrap();
    set_mode(&spool, 0o755);
    send().failed_in_one_line(1, &["open to other users (mode 755)", "chmod 700"]);
    fs::remove_dir(&spool).unwrap();
    fs::create_dir(home.top().join("real")).unwrap();
    set_mode(&home.top().join("real"), 0o700);
    symlink(home.top().join("real"), &spool).unwrap();
    send().failed_in_one_line(1, &["is a symbolic link"]);
    fs::remove_file(&spool).unwrap();
    symlink(home.top().join("nowhere"), &spool).unwrap();
    send().failed_in_one_line(1, &["is a symbolic link"]);
    fs::remove_file(&spool).unwrap();
    fs::write(&spool, "file").unwrap();
    send().failed_in_one_line(1, &["is not a directory"]);
}

#[test]
fn a_server_without_keys_serves_its_own_user_only() {
    let Some(other) = Other::with_home() else { return };
    let ours = Home::with_one_event();
    let server = ours.serve();
    let ran = other.run(&["ingest", "--server-url", &server.url()], &to_lines(&[event("from next door")]));
    ran.failed(1, &["does not let us in", "serves only its own user"]);
    assert_eq!(ours.texts().len(), 1);
    ours.feed(&["ingest", "--server-url", &server.url()], to_lines(&[event("from here")])).succeeded();
    assert_eq!(ours.texts().len(), 2);
}
