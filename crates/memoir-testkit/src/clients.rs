//! Finds the real clients, or installs them with npm at the versions that the tests are written for.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use crate::Client;

/// The packages and the versions that the facts in this kit were measured with.
const PACKAGES: [(&str, &str); 3] =
    [("@openai/codex", "0.166.0"), ("@anthropic-ai/claude-code", "2.1.325"), ("@google/gemini-cli", "0.61.0")];

const INSTALL_LIMIT: Duration = Duration::from_secs(600);
/// How long a failed install is believed, so that a hundred tests do not wait for the same network.
const FAILURE_LASTS: Duration = Duration::from_secs(300);

/// The installed clients.
#[derive(Clone, Debug)]
pub struct Clients {
    modules: PathBuf,
}

impl Clients {
    /// The clients from `MEMOIR_CLIENTS_DIR` or the `clients` directory in `target`, installed there when missing.
    ///
    /// None when they cannot be had; a line on stderr then says why, and the test shall return.
    pub fn get() -> Option<Clients> {
        static CLIENTS: OnceLock<Result<Clients, String>> = OnceLock::new();
        match CLIENTS.get_or_init(|| find_or_install(&directory())) {
            Ok(clients) => Some(clients.clone()),
            Err(reason) => {
                let test = thread::current().name().unwrap_or("a test").to_owned();
                eprintln!("clients: skipped {test}, because {reason}");
                None
            }
        }
    }

    /// The program of a client.
    pub fn program(&self, client: Client) -> PathBuf {
        match client {
            Client::Codex => self.modules.join(".bin/codex"),
            Client::Claude => native_claude(&self.modules).expect("it was there when the clients were found"),
            Client::Gemini => self.modules.join(".bin/gemini"),
        }
    }
}

fn directory() -> PathBuf {
    match std::env::var_os("MEMOIR_CLIENTS_DIR") {
        Some(directory) => directory.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients"),
    }
}

fn find_or_install(directory: &Path) -> Result<Clients, String> {
    runs("node")?;
    if let Some(clients) = complete_now(directory) {
        return Ok(clients);
    }
    runs("npm")?;
    fs::create_dir_all(directory).map_err(|error| format!("{} cannot be made: {error}", directory.display()))?;
    let lock = open_lock(directory).map_err(|error| format!("the lock cannot be taken: {error}"))?;
    // Another process may have installed, or failed to, while this one waited for the lock.
    if let Some(clients) = complete(directory) {
        return Ok(clients);
    }
    let failure = directory.join("install.failed");
    if let Some(reason) = fresh_failure(&failure) {
        return Err(reason);
    }
    let done = install(directory).and_then(|()| complete(directory).ok_or_else(|| "npm left them incomplete".into()));
    match &done {
        Ok(_) => drop(fs::remove_file(&failure)),
        Err(reason) => drop(fs::write(&failure, reason)),
    }
    drop(lock);
    done
}

/// The clients, unless another process is at installing them.
fn complete_now(directory: &Path) -> Option<Clients> {
    let lock = File::open(directory.join("install.lock"));
    let waited = lock.as_ref().map(File::lock_shared);
    drop(waited);
    complete(directory)
}

/// The clients, when each package is there in its version.
fn complete(directory: &Path) -> Option<Clients> {
    let modules = fs::canonicalize(directory.join("node_modules")).ok()?;
    for (package, version) in PACKAGES {
        let manifest = fs::read(modules.join(package).join("package.json")).ok()?;
        let manifest: Value = serde_json::from_slice(&manifest).ok()?;
        (manifest["version"] == version).then_some(())?;
    }
    // npm links the commands last of all.
    let linked = [".bin/codex", ".bin/gemini"].iter().all(|link| modules.join(link).exists());
    (linked && native_claude(&modules).is_some()).then_some(Clients { modules })
}

/// Without install scripts the `claude` command is a stub; the program is in the package for the platform.
fn native_claude(modules: &Path) -> Option<PathBuf> {
    let packages = fs::read_dir(modules.join("@anthropic-ai")).ok()?;
    let programs = packages.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let program = entry.path().join("claude");
        (name.starts_with("claude-code-") && program.is_file()).then_some((name.len(), program))
    });
    // Where npm took the musl package too, the shorter name is the ordinary one.
    programs.min().map(|(_, program)| program)
}

fn open_lock(directory: &Path) -> std::io::Result<File> {
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(directory.join("install.lock"))?;
    lock.lock()?;
    Ok(lock)
}

fn fresh_failure(note: &Path) -> Option<String> {
    let age = SystemTime::now().duration_since(fs::metadata(note).ok()?.modified().ok()?).ok()?;
    (age < FAILURE_LASTS).then(|| fs::read_to_string(note).unwrap_or_default())
}

fn install(directory: &Path) -> Result<(), String> {
    let manifest = directory.join("package.json");
    let written = fs::write(&manifest, "{\"private\": true}\n");
    written.map_err(|error| format!("{} cannot be written: {error}", manifest.display()))?;
    let packages = PACKAGES.map(|(package, version)| format!("{package}@{version}"));
    eprintln!("clients: installing {} into {}", packages.join(" "), directory.display());
    let log = File::create(directory.join("install.log")).map_err(|error| format!("no log: {error}"))?;
    let mut npm = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact"])
        .args(packages)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(|error| format!("no log: {error}"))?)
        .stderr(log)
        .spawn()
        .map_err(|error| format!("npm cannot be started: {error}"))?;
    let end = Instant::now() + INSTALL_LIMIT;
    loop {
        match npm.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => {
                return Err(format!("npm install failed ({status}), see install.log beside the clients"));
            }
            Err(error) => return Err(format!("npm was lost: {error}")),
            Ok(None) if Instant::now() > end => {
                let _ = npm.kill();
                let _ = npm.wait();
                return Err("npm install took too long".into());
            }
            Ok(None) => thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn runs(program: &str) -> Result<(), String> {
    let mut quiet = Command::new(program);
    quiet.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match quiet.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) | Err(_) => Err(format!("{program} is not there")),
    }
}

#[cfg(test)]
mod tests {
    use super::{PACKAGES, complete, find_or_install, runs};

    #[test]
    fn another_version_is_not_taken_for_the_clients() {
        let directory = tempfile::tempdir().expect("a directory");
        let modules = directory.path().join("node_modules");
        for path in [".bin", "@anthropic-ai/claude-code-linux-x64"] {
            std::fs::create_dir_all(modules.join(path)).expect("a directory");
        }
        for path in [".bin/codex", ".bin/gemini", "@anthropic-ai/claude-code-linux-x64/claude"] {
            std::fs::write(modules.join(path), "").expect("a file");
        }
        let put = |package: &str, version: &str| {
            std::fs::create_dir_all(modules.join(package)).expect("a directory");
            std::fs::write(modules.join(package).join("package.json"), format!("{{\"version\": \"{version}\"}}"))
                .expect("a manifest");
        };
        PACKAGES.iter().for_each(|(package, version)| put(package, version));
        assert!(complete(directory.path()).is_some());
        put(PACKAGES[2].0, "0.0.1");
        assert!(complete(directory.path()).is_none());
    }

    #[test]
    fn a_failed_install_is_not_tried_again_at_once() {
        if runs("node").is_err() || runs("npm").is_err() {
            return;
        }
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("install.failed"), "of the weather").expect("a note");
        assert_eq!(find_or_install(directory.path()).err(), Some("of the weather".into()));
    }
}
