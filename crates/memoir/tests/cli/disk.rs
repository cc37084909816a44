//! A full disk and a read-only one, in a mount namespace of our own.

use crate::support::{Home, MEMOIR, Ran, identified, run, to_lines};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs a shell script with the home on a small disk of its own; none, said loudly, where that is not permitted.
pub fn on_small_disk(home: &Home, size: &str, script: &str) -> Option<Ran> {
    let can = Command::new("unshare")
        .args(["-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no mount namespace with a tmpfs can be had here; run the suite as root once");
        return None;
    }
    fs::create_dir_all(home.dir()).unwrap();
    let whole = format!(
        "set -u; memoir={MEMOIR}; mount -t tmpfs -o size={size},mode=700 none \"$MEMOIR_HOME\" || exit 99\n{script}"
    );
    let ran = run(home.command_of(Path::new("unshare"), &["-m", "sh", "-c", &whole]), b"");
    assert_ne!(ran.code(), 99, "{ran:?}");
    Some(ran)
}

fn events(count: usize) -> Vec<serde_json::Value> {
    // Text that zstd cannot shrink to nothing, so that the disk does fill.
    (0..count)
        .map(|n| {
            let words: String = (0..60u64)
                .map(|k| format!("{:x} ", (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15 ^ (k << 32))))
                .collect();
            identified(&format!("event {n} {words}"))
        })
        .collect()
}

pub fn read(home: &Home, name: &str) -> String {
    fs::read_to_string(home.top().join(name)).unwrap()
}

fn counted(said: &str, what: &str) -> usize {
    let at = said.find(&format!("{what} ")).map(|at| at + what.len() + 1);
    at.map_or(0, |at| said[at..].split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap())
}

#[test]
fn on_a_full_disk_no_client_is_changed_and_one_sentence_says_so() {
    let home = Home::new();
    let settings = [(".codex/config.toml", "model = \"x\"\n"), (".claude/settings.json", "{\"a\": 1}")];
    for (file, text) in settings {
        fs::create_dir_all(home.top().join(file).parent().unwrap()).unwrap();
        fs::write(home.top().join(file), text).unwrap();
    }
    let script = "
        dd if=/dev/zero of=\"$MEMOIR_HOME/fill\" bs=1k 2> /dev/null
        $memoir init --yes --no-import > out 2> err; echo $? > code
        rm \"$MEMOIR_HOME/fill\"
        $memoir uninstall --yes > left 2>&1";
    let Some(ran) = on_small_disk(&home, "300k", script) else { return };
    ran.succeeded();
    let (out, err) = (read(&home, "out"), read(&home, "err"));
    assert_eq!(read(&home, "code"), "1\n", "{out}{err}");
    for client in ["codex", "claude"] {
        let said: Vec<&str> = err.lines().filter(|line| line.contains(&format!("{client}: "))).collect();
        assert_eq!(said.len(), 1, "{err}");
        assert!(said[0].ends_with(": the disk is full; nothing of it was changed"), "{err}");
    }
    assert!(!out.contains("tools are in") && !out.contains("hooks are in"), "{out}");
    for (file, text) in settings {
        assert_eq!(read(&home, file), text);
        let dir = home.top().join(file).parent().unwrap().to_owned();
        assert_eq!(fs::read_dir(dir).unwrap().count(), 1, "{file}");
    }
    assert!(!home.top().join(".claude.json").exists());
}

#[test]
fn a_full_disk_is_said_and_what_was_stored_is_whole() {
    let home = Home::new();
    let all = events(3000);
    fs::write(home.top().join("first"), to_lines(&all[..5])).unwrap();
    fs::write(home.top().join("all"), to_lines(&all)).unwrap();
    let script = "
        $memoir ingest < first || exit 98
        $memoir ingest < all 2> said; echo $? > code
        $memoir verify > verified; echo $? >> code
        $memoir export > exported; echo $? >> code
        $memoir status > status 2>&1; echo $? >> code
        $memoir doctor > doctor 2>&1; echo $? >> code
        mount -o remount,size=64m \"$MEMOIR_HOME\"
        $memoir ingest < all 2> again; echo $? >> code
        $memoir verify >> verified; echo $? >> code
        $memoir export > exported-again";
    let Some(ran) = on_small_disk(&home, "1m", script) else { return };
    ran.succeeded();
    let said = read(&home, "said");
    assert!(said.contains("the disk is full") || said.contains("No space left"), "{said}");
    assert!(said.lines().all(|line| line.starts_with("memoir: ")) && !said.contains("panicked"), "{said}");
    let codes: Vec<String> = read(&home, "code").lines().map(str::to_owned).collect();
    assert_eq!(codes, ["1", "0", "0", "0", "1", "0", "0"], "{said} {} {}", read(&home, "status"), read(&home, "again"));
    assert!(read(&home, "doctor").contains("fail disk - only "), "{}", read(&home, "doctor"));
    let stored = counted(&said, "stored");
    assert!(stored > 0 && stored < 2995, "{said}");
    assert_eq!(read(&home, "exported").lines().count(), stored + 5 + counted(&said, "spooled"), "{said}");
    assert_eq!(read(&home, "exported-again").lines().count(), 3000, "{}", read(&home, "again"));
}

#[test]
fn a_server_on_a_full_disk_refuses_and_the_recorder_keeps_everything() {
    let home = Home::new();
    fs::write(home.top().join("all"), to_lines(&events(3000))).unwrap();
    let script = "
        $memoir serve --port 0 > listens 2> log & server=$!
        for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -s listens ] && break; sleep 0.1; done
        url=$(sed 's/.* //' listens)
        MEMOIR_HOME=$HOME/client $memoir ingest --server-url $url < all 2> said; echo $? > code
        $memoir verify > verified; echo $? >> code
        mount -o remount,size=64m \"$MEMOIR_HOME\"
        MEMOIR_HOME=$HOME/client $memoir spool flush --server-url $url > flushed 2>&1; echo $? >> code
        $memoir export > exported; echo $? >> code
        $memoir verify >> verified; echo $? >> code
        kill $server; wait $server; echo $? >> code";
    let Some(ran) = on_small_disk(&home, "1m", script) else { return };
    ran.succeeded();
    let said = read(&home, "said");
    assert!(counted(&said, "spooled") > 0 && !said.contains("lost") && !said.contains("set aside"), "{said}");
    let codes: Vec<String> = read(&home, "code").lines().map(str::to_owned).collect();
    assert_eq!(codes, ["0", "0", "0", "0", "0", "0"], "{said} {} {}", read(&home, "flushed"), read(&home, "log"));
    assert_eq!(read(&home, "exported").lines().count(), 3000);
}

#[test]
fn a_read_only_disk_is_said_and_not_harmed() {
    let home = Home::new();
    fs::write(home.top().join("one"), to_lines(&events(1))).unwrap();
    fs::write(home.top().join("new"), to_lines(&[identified("another")])).unwrap();
    let script = "
        $memoir ingest < one || exit 98
        mount -o remount,ro \"$MEMOIR_HOME\"
        $memoir ingest < new 2> said; echo $? > code
        for command in timeline 'search event' status verify doctor; do $memoir $command > out 2>&1; echo $? >> codes; cat out >> outs; done
        mount -o remount,rw \"$MEMOIR_HOME\"
        $memoir ingest < one 2> again; echo $? >> code
        $memoir verify; echo $? >> code";
    let Some(ran) = on_small_disk(&home, "8m", script) else { return };
    ran.succeeded();
    let said = read(&home, "said");
    assert!(said.contains("read-only") || said.contains("Read-only"), "{said}");
    assert!(said.contains("lost 1") || !said.contains("stored"), "the loss is said: {said}");
    assert_eq!(read(&home, "code"), "1\n0\n0\n", "{said}");
    assert_eq!(read(&home, "again"), "memoir: stored 0, duplicate 1\n");
    let outs = read(&home, "outs");
    assert!(
        !outs.contains("panicked") && read(&home, "codes").lines().all(|code| code == "0" || code == "1"),
        "{outs}"
    );
}

#[test]
fn a_limit_on_file_size_is_a_full_disk_too() {
    let home = Home::new();
    let all = events(2000);
    home.ingest(&all[..5]).succeeded();
    fs::write(home.top().join("all"), to_lines(&all)).unwrap();
    let script = format!("trap '' XFSZ; ulimit -f 1024; exec {MEMOIR} ingest < all");
    let ran = run(home.command_of(Path::new("sh"), &["-c", &script]), b"");
    let ran = ran.failed(1, &["stored "]);
    assert!(!ran.err.contains("stored 1995"), "the limit was never met: {ran:?}");
    home.verified();
    let again = home.ingest(&all).succeeded();
    assert!(again.err.contains("duplicate"), "{again:?}");
    assert_eq!(home.texts().len(), 2000);
    home.verified();
}

#[test]
fn a_full_disk_costs_a_hooks_client_nothing_and_what_is_lost_is_said() {
    let home = Home::new();
    let payload = |n: usize| {
        serde_json::json!({"session_id": "s", "turn_id": format!("t{n}"), "hook_event_name": "UserPromptSubmit", "cwd": "/p",
            "prompt": format!("prompt {n} {}", "word ".repeat(200))})
    };
    let lines: Vec<serde_json::Value> = (0..5).map(payload).collect();
    fs::write(home.top().join("payloads"), to_lines(&lines)).unwrap();
    let script = "
        head -1 payloads | $memoir hook codex > first || exit 98
        dd if=/dev/zero of=\"$MEMOIR_HOME/filler\" bs=4k > /dev/null 2>&1
        tail -4 payloads | while read -r line; do echo \"$line\" | $memoir hook codex; echo $?; done > answers 2> said
        rm \"$MEMOIR_HOME/filler\"
        $memoir export > exported 2> drained; $memoir verify > verified || exit 97
        $memoir doctor > doctor 2>&1; true
    ";
    let Some(ran) = on_small_disk(&home, "400k", script) else { return };
    ran.succeeded();
    assert_eq!(read(&home, "answers"), "{}\n0\n".repeat(4));
    let stored = read(&home, "exported").lines().count();
    assert!((1..=5).contains(&stored), "{stored}");
    if stored < 5 {
        assert!(!read(&home, "said").is_empty());
    }
}

#[test]
fn what_a_hook_can_keep_nowhere_is_counted_on_a_full_disk_too() {
    let home = Home::new();
    let words: String = events(300).iter().map(ToString::to_string).collect();
    let prompt = serde_json::json!({"session_id": "s", "turn_id": "t", "transcript_path": null, "cwd": "/p",
        "hook_event_name": "UserPromptSubmit", "prompt": words});
    fs::write(home.top().join("first"), to_lines(&events(1))).unwrap();
    fs::write(home.top().join("prompt"), prompt.to_string()).unwrap();
    let script = "
        $memoir ingest < first || exit 98
        dd if=/dev/zero of=$MEMOIR_HOME/filler bs=512 2> /dev/null
        $memoir hook codex < prompt > answer 2> said; echo $? > code
        $memoir hook codex < prompt >> answer 2>> said; echo $? >> code
        $memoir status --json > status; $memoir doctor > doctor
        rm $MEMOIR_HOME/filler; $memoir import > imported 2>&1
        $memoir status --json > after";
    let Some(ran) = on_small_disk(&home, "1m", script) else { return };
    ran.succeeded();
    assert_eq!((read(&home, "code").as_str(), read(&home, "answer").as_str()), ("0\n0\n", "{}\n{}\n"));
    let dropped =
        |name: &str| serde_json::from_str::<serde_json::Value>(&read(&home, name)).unwrap()["dropped"].clone();
    assert_eq!(dropped("status"), 2, "{}", read(&home, "said"));
    assert!(read(&home, "doctor").contains("2 events nowhere"), "{}", read(&home, "doctor"));
    assert_eq!(dropped("after"), 0, "{}", read(&home, "imported"));
}
