//! The project's conventions in its instructions files.

use crate::support::Home;
use std::fs;
use std::path::PathBuf;

/// A project with a convention, and the flag that names it.
fn project(home: &Home) -> (PathBuf, String) {
    let dir = home.top().join("project");
    fs::create_dir_all(&dir).unwrap();
    let name = dir.to_str().unwrap().to_owned();
    home.run(&["remember", "we use four spaces for tabs", "--project", &name, "--kind", "convention"]).succeeded();
    home.run(&["remember", "the office has a red door", "--project", &name]).succeeded();
    home.run(&["remember", "I like short answers", "--user", "--kind", "convention"]).succeeded();
    (dir, name)
}

#[test]
fn wherever_in_a_project_somebody_is_its_files_are_at_its_top() {
    let home = Home::new();
    let (dir, _) = project(&home);
    let below = dir.join("app/sub");
    fs::create_dir_all(&below).unwrap();
    fs::create_dir_all(dir.join(".git")).unwrap();
    fs::write(dir.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(dir.join("AGENTS.md"), "- always run make\n").unwrap();
    let run = |args: &[&str]| {
        let mut command = home.command(args);
        command.current_dir(&below);
        crate::support::run(command, b"").succeeded()
    };
    run(&["agents-md", "--write", "--yes"]);
    assert!(fs::read_to_string(dir.join("AGENTS.md")).unwrap().contains("- we use four spaces for tabs"));
    assert_eq!(fs::read_dir(&below).unwrap().count(), 0);
    run(&["agents-md", "--read"]);
    assert!(home.run(&["memories"]).out.contains("always run make"));
}

#[test]
fn conventions_are_written_once_changed_in_place_and_taken_out() {
    let home = Home::new();
    let (dir, name) = project(&home);
    let file = dir.join("AGENTS.md");
    let shown = home.run(&["agents-md", "--dir", &name]).succeeded();
    assert!(shown.out.contains("+- we use four spaces for tabs"), "{shown:?}");
    assert!(!file.exists() && shown.err.contains("--write writes it"), "{shown:?}");
    home.run(&["agents-md", "--dir", &name, "--write"]).failed_in_one_line(2, &["pass --yes"]);
    home.run(&["agents-md", "--dir", &name, "--write", "--yes"]).succeeded();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("- we use four spaces for tabs\n<!-- memoir:end -->\n"), "{text}");
    assert!(!text.contains("red door") && !text.contains("short answers"), "{text}");
    let again = home.run(&["agents-md", "--dir", &name, "--write"]).succeeded();
    assert_eq!(again.out, "nothing is to be changed\n");
    home.run(&["remember", "commits are signed", "--project", &name, "--kind", "convention"]).succeeded();
    home.run(&["agents-md", "--dir", &name, "--write", "--yes"]).succeeded();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("commits are signed") && text.matches("memoir:begin").count() == 1, "{text}");
    home.run(&["agents-md", "--dir", &name, "--remove", "--yes"]).succeeded();
    assert!(!file.exists());
}

#[test]
fn what_others_wrote_stays_and_links_are_refused() {
    let home = Home::new();
    let (dir, name) = project(&home);
    let ours = "# House rules\n\nBe kind.\n";
    fs::write(dir.join("CLAUDE.md"), ours).unwrap();
    home.run(&["agents-md", "--dir", &name, "--write", "--yes"]).succeeded();
    assert!(!dir.join("AGENTS.md").exists());
    let text = fs::read_to_string(dir.join("CLAUDE.md")).unwrap();
    assert!(text.starts_with(ours) && text.contains("four spaces"), "{text}");
    home.run(&["agents-md", "--dir", &name, "--remove", "--yes"]).succeeded();
    assert_eq!(fs::read_to_string(dir.join("CLAUDE.md")).unwrap(), ours);
    let elsewhere = home.top().join("elsewhere.md");
    fs::write(&elsewhere, ours).unwrap();
    std::os::unix::fs::symlink(&elsewhere, dir.join("AGENTS.md")).unwrap();
    home.run(&["agents-md", "--dir", &name, "--write", "--yes"]).failed_in_one_line(1, &["symbolic link"]);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), ours);
    fs::remove_file(dir.join("AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("CLAUDE.md", dir.join("AGENTS.md")).unwrap();
    home.run(&["agents-md", "--dir", &name, "--write", "--yes"]).succeeded();
    assert_eq!(fs::read_to_string(dir.join("CLAUDE.md")).unwrap().matches("memoir:begin").count(), 1);
}

#[test]
fn what_the_files_say_is_read_as_conventions_until_it_is_gone() {
    let home = Home::new();
    let (dir, name) = project(&home);
    let file = dir.join("AGENTS.md");
    fs::write(&file, "# Rules\n\n- run cargo nextest before you push\n- never touch the vendored code\n").unwrap();
    home.run(&["agents-md", "--dir", &name, "--write", "--yes"]).succeeded();
    let read = || home.run(&["agents-md", "--dir", &name, "--read"]).succeeded().out;
    assert_eq!(read(), "2 conventions taken in, 0 known, 0 no longer there\n");
    assert_eq!(read(), "0 conventions taken in, 2 known, 0 no longer there\n");
    let known = || home.run(&["memories", "--project", &name, "--kind", "convention"]).succeeded().out;
    assert!(known().contains("run cargo nextest") && known().contains("vendored code"), "{}", known());
    // What was read is not written back into the file that it is from.
    home.run(&["agents-md", "--dir", &name, "--write"]).succeeded();
    assert_eq!(fs::read_to_string(&file).unwrap().matches("cargo nextest").count(), 1);
    fs::write(&file, "- run cargo nextest before you push\n").unwrap();
    assert_eq!(read(), "0 conventions taken in, 1 known, 1 no longer there\n");
    assert!(known().contains("run cargo nextest") && !known().contains("vendored code"), "{}", known());
}

#[test]
fn what_is_forgotten_or_purged_goes_out_of_the_files_that_memoir_wrote_and_nothing_else_does() {
    for (way, told) in [("forget", "taken out of memoir's part of"), ("purge", "AGENTS.md that are kept elsewhere")] {
        let home = Home::new();
        let (dir, name) = project(&home);
        let (file, other) = (dir.join("AGENTS.md"), dir.join("NOTES.md"));
        let ours = "# House rules\n\n- we use four spaces for tabs\n";
        fs::write(&file, ours).unwrap();
        home.run(&["remember", "commits are signed", "--project", &name, "--kind", "convention"]).succeeded();
        for flags in [&[][..], &["--file", "NOTES.md"]] {
            home.run(&[&["agents-md", "--dir", &name, "--write", "--yes"], flags].concat()).succeeded();
        }
        let ran = home.run(&[way, "--text", "four spaces", "--yes"]).succeeded();
        assert!(ran.out.contains(told), "{ran:?}");
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(ours) && text.contains("- commits are signed\n"), "{text}");
        assert_eq!(text.matches("four spaces").count(), 1, "{text}");
        assert!(!fs::read_to_string(&other).unwrap().contains("four spaces"));
        // With its last line the part goes, and a file that has no other.
        home.run(&[way, "--text", "commits are", "--yes"]).succeeded();
        assert_eq!(fs::read_to_string(&file).unwrap(), ours);
        assert!(!other.exists());
        let last = home.run(&[way, "--text", "red door", "--yes"]).succeeded();
        assert!(!last.out.contains("not there now"), "{last:?}");
    }
}

#[test]
fn files_of_memoirs_that_cannot_be_reached_are_named() {
    let home = Home::new();
    let (dir, name) = project(&home);
    home.run(&["agents-md", "--dir", &name, "--write", "--yes"]).succeeded();
    let moved = home.top().join("moved");
    fs::rename(&dir, &moved).unwrap();
    let ran = home.run(&["forget", "--text", "red door", "--yes"]).succeeded();
    assert!(ran.out.contains("AGENTS.md, which is not there now"), "{ran:?}");
    fs::rename(&moved, &dir).unwrap();
    fs::write(dir.join("AGENTS.md"), "<!-- memoir:begin -->\n- we use four spaces for tabs\n").unwrap();
    let ran = home.run(&["forget", "--text", "four spaces", "--yes"]);
    assert!(ran.err.contains("AGENTS.md may still have it"), "{ran:?}");
}
