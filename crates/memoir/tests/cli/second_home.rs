//! Hooks of more than one home of memoir's: one takes over from the other, and nothing is left of either.

use crate::install::{files, read, terse_user};
use crate::support::{Home, Ran};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// memoir with another home.
fn in_home(home: &Home, name: &str, args: &[&str]) -> Ran {
    let dir = home.top().join(name);
    let args: Vec<&str> = ["--home", dir.to_str().unwrap()].into_iter().chain(args.iter().copied()).collect();
    home.run(&args)
}

/// Every file of the clients.
fn settings(home: &Home) -> BTreeMap<PathBuf, (String, u32)> {
    let mut all = files(home);
    all.retain(|path, _| [".codex", ".claude"].iter().any(|dir| path.starts_with(home.top().join(dir))));
    all
}

#[test]
fn hooks_of_a_home_that_is_gone_leave_nothing_behind_whoever_takes_them_out() {
    for with_init in [false, true] {
        let home = terse_user();
        let before = files(&home);
        in_home(&home, "m1", &["init", "--yes", "--no-import"]).succeeded();
        fs::remove_dir_all(home.top().join("m1")).unwrap();
        if with_init {
            in_home(&home, "m2", &["init", "--yes", "--no-import"]).succeeded();
        }
        in_home(&home, "m2", &["uninstall", "--yes"]).succeeded();
        assert_eq!(files(&home), before);
    }
}

#[test]
fn another_home_takes_the_hooks_over_and_leaves_nothing_behind() {
    let home = terse_user();
    let before = settings(&home);
    in_home(&home, "m1", &["init", "--yes", "--no-import"]).succeeded();
    let said = in_home(&home, "m2", &["init", "--yes", "--no-import"]).succeeded().out;
    let m1 = home.top().join("m1");
    assert!(said.contains(&format!("so far it is for another home, {}", m1.display())), "{said}");
    assert!(!settings(&home).values().any(|(text, _)| text.contains("/m1/")));
    assert_eq!(read(&home, ".codex/config.toml").matches("trusted_hash").count(), 12);
    in_home(&home, "m2", &["uninstall", "--yes"]).succeeded();
    assert_eq!(settings(&home), before);
    // And back and forth.
    for name in ["m1", "m2", "m1"] {
        in_home(&home, name, &["init", "--yes", "--no-import"]).succeeded();
    }
    in_home(&home, "m1", &["uninstall", "--yes"]).succeeded();
    assert_eq!(settings(&home), before);
}

#[test]
fn a_home_does_not_take_out_the_hooks_of_another() {
    let home = terse_user();
    let before = settings(&home);
    in_home(&home, "m1", &["init", "--yes", "--no-import"]).succeeded();
    in_home(&home, "m2", &["init", "--yes", "--no-import"]).succeeded();
    let installed = settings(&home);
    let told = in_home(&home, "m1", &["uninstall", "--yes"]).succeeded();
    let m2 = home.top().join("m2");
    assert!(told.err.contains(&format!("`memoir --home {} uninstall`", m2.display())), "{told:?}");
    assert_eq!(settings(&home), installed);
    assert!(!home.top().join("m1/bin").exists());
    in_home(&home, "m2", &["uninstall", "--yes"]).succeeded();
    assert_eq!(settings(&home), before);
}

#[test]
fn another_home_takes_over_without_trust_and_still_leaves_nothing_behind() {
    let home = terse_user();
    let before = settings(&home);
    in_home(&home, "m1", &["init", "--yes", "--no-import"]).succeeded();
    in_home(&home, "m2", &["init", "--yes", "--no-import", "--no-trust"]).succeeded();
    in_home(&home, "m2", &["uninstall", "--yes"]).succeeded();
    assert_eq!(settings(&home), before);
}
