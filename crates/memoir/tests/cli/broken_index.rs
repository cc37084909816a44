//! Recall over an index that is damaged, foreign, no directory, not to be written, or just being made by others.

use crate::disk::{on_small_disk, read};
use crate::scan::files;
use crate::support::{Home, MEMOIR, Ran, run, to_lines};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const ASKED: [&str; 6] =
    ["recall", "how is the walrus service deployed?", "--json", "--limit", "20", "--min-confidence=0"];

fn said(n: usize) -> Value {
    let text = match n % 200 {
        7 => format!("the walrus service is deployed with ./ship {n}"),
        _ => format!("filler {n} about the harbour and its {} boats", n % 17),
    };
    json!({
        "session_id": format!("s{}", n / 20), "event_type": "user_message", "content": text, "turn_id": format!("t{n}"),
        "timestamp": format!("2026-05-10T08:{:02}:{:02}Z", n / 60 % 60, n % 60),
    })
}

/// A home whose index is made, and what it answers.
fn indexed() -> (Home, Vec<String>) {
    let home = Home::new();
    home.ingest(&(0..1500).map(said).collect::<Vec<_>>()).succeeded();
    let told = blocks(&home.run(&ASKED).succeeded());
    assert!(told.len() >= 5 && home.dir().join("index/meta.json").exists());
    (home, told)
}

fn blocks(ran: &Ran) -> Vec<String> {
    ran.json()["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["event_id"].as_str().unwrap().to_owned())
        .collect()
}

/// A right answer, or one clear sentence with it.
fn answers(home: &Home, told: &[String], what: &str) {
    let ran = home.run(&ASKED);
    assert_eq!(ran.code(), 0, "{what}: {ran:?}");
    assert!(ran.err.lines().all(|line| line.starts_with("memoir: ")), "{what}: {ran:?}");
    assert_eq!(blocks(&ran), told, "{what}");
    for args in
        [["search", "walrus"].as_slice(), &["memories"], &["forget", "t7", "--dry-run"], &["status"], &["doctor"]]
    {
        let ran = home.run(args);
        assert!(ran.code() <= 1 && !ran.err.contains("panicked"), "{what}: {ran:?}");
    }
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for file in files(from) {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

#[test]
fn each_file_of_the_index_may_be_spoilt() {
    let (home, told) = indexed();
    let (index, sound) = (home.dir().join("index"), home.top().join("sound"));
    copy(&index, &sound);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |length: usize| -> Vec<u8> {
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        };
        (0..length).map(next).collect()
    };
    for file in files(&sound) {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(&file).unwrap();
        let mut flipped = bytes.clone();
        if let Some(byte) = flipped.get_mut(bytes.len() / 2) {
            *byte ^= 0x55;
        }
        for (how, spoilt) in [
            ("random", random(bytes.len())),
            ("flipped", flipped),
            ("empty", Vec::new()),
            ("longer", [bytes.clone(), random(64)].concat()),
        ] {
            copy(&sound, &index);
            fs::write(index.join(&name), spoilt).unwrap();
            answers(&home, &told, &format!("{name} {how}"));
        }
        copy(&sound, &index);
        fs::remove_file(index.join(&name)).unwrap();
        answers(&home, &told, &format!("{name} gone"));
    }
}

#[test]
fn an_index_of_another_home_or_none_at_all_is_made_anew() {
    let (home, told) = indexed();
    let index = home.dir().join("index");
    let other = Home::new();
    other.ingest(&(0..1300).map(|n| said(n + 5000)).collect::<Vec<_>>()).succeeded();
    other.run(&ASKED).succeeded();
    copy(&other.dir().join("index"), &index);
    answers(&home, &told, "of another home");
    fs::remove_dir_all(&index).unwrap();
    answers(&home, &told, "gone");
    fs::remove_dir_all(&index).unwrap();
    fs::create_dir(&index).unwrap();
    fs::write(index.join("holiday.jpg"), "not ours").unwrap();
    answers(&home, &told, "with a foreign file");
    assert!(index.join("holiday.jpg").exists(), "what is not ours stays");
}

#[test]
fn an_index_that_cannot_be_is_said_and_answered_without() {
    let (home, told) = indexed();
    let index = home.dir().join("index");
    fs::remove_dir_all(&index).unwrap();
    fs::write(&index, "a file").unwrap();
    answers(&home, &told, "a file");
    let purged = home.run(&["purge", "--text", "ship 1407", "--yes"]);
    assert_eq!(purged.code(), 1, "{purged:?}");
    assert!(purged.err.lines().all(|line| line.starts_with("memoir: ")), "{purged:?}");
    assert!(!home.status()["unfinishedPurges"].as_array().unwrap().is_empty(), "{purged:?}");
    fs::remove_file(&index).unwrap();
    home.run(&["purge"]).succeeded();
    assert_eq!(crate::scan::holding(&home.dir(), "ship 1407"), Vec::<std::path::PathBuf>::new());
}

#[test]
fn a_disk_that_fills_while_the_index_is_made_costs_no_answer() {
    let home = Home::new();
    fs::write(home.top().join("all"), to_lines(&(0..1500).map(said).collect::<Vec<_>>())).unwrap();
    let asked = "recall 'how is the walrus service deployed?' --json --limit 20 --min-confidence=0";
    let script = format!(
        "
        $memoir ingest < all || exit 98
        used=$(du -sk \"$MEMOIR_HOME\" | cut -f1)
        mount -o remount,size=$((used + 60))k \"$MEMOIR_HOME\"
        $memoir {asked} > full 2> said; echo $? > code
        $memoir search walrus > found 2>> said; echo $? >> code
        mount -o remount,size=64m \"$MEMOIR_HOME\"
        $memoir {asked} > roomy 2>> said; echo $? >> code"
    );
    let Some(ran) = on_small_disk(&home, "16m", &script) else { return };
    ran.succeeded();
    let told = |name: &str| {
        let json: Value = serde_json::from_str(&read(&home, name)).unwrap();
        json["blocks"].as_array().unwrap().iter().map(|block| block["event_id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(read(&home, "code"), "0\n0\n0\n", "{}", read(&home, "said"));
    assert_eq!(told("full"), told("roomy"));
    assert!(told("full").len() >= 5);
    assert!(read(&home, "said").lines().all(|line| line.starts_with("memoir: ")), "{}", read(&home, "said"));
}

#[test]
fn a_home_that_cannot_be_written_still_recalls() {
    let (home, told) = indexed();
    let script = format!(
        "mount --bind \"$MEMOIR_HOME/index\" \"$MEMOIR_HOME/index\" && mount -o remount,ro,bind \"$MEMOIR_HOME/index\" || exit 99
         {MEMOIR} recall 'how is the walrus service deployed?' --json --limit 20 --min-confidence=0"
    );
    home.ingest(&(1500..1560).map(said).collect::<Vec<_>>()).succeeded();
    let ran = run(home.command_of(Path::new("unshare"), &["-m", "sh", "-c", &script]), b"");
    if ran.code() == 99 || ran.err.contains("unshare") {
        eprintln!("SKIPPED: no mount namespace can be had here; run the suite as root once");
        return;
    }
    assert!(told.iter().all(|id| blocks(&ran).contains(id)), "{ran:?}");
}

#[test]
fn many_who_find_no_index_all_answer() {
    let (home, told) = indexed();
    for _ in 0..4 {
        fs::remove_dir_all(home.dir().join("index")).unwrap();
        std::thread::scope(|scope| {
            let asking: Vec<_> = (0..6).map(|_| scope.spawn(|| home.run(&ASKED).succeeded())).collect();
            for ran in asking {
                assert_eq!(blocks(&ran.join().unwrap()), told);
            }
        });
    }
}
