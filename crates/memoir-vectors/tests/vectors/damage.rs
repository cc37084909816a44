//! Whatever happens to the files: a right answer from what is whole, and everything is there again after a catch-up.

use crate::support::{Fake, Home, home, text};
use memoir_journal::Seq;
use memoir_redact::Redactor;
use memoir_vectors::CatchUp;
use std::fs;
use std::path::Path;

fn filled(model: &Fake) -> Home {
    let home = home();
    for part in 0..3 {
        home.say_many(part * 30, 30);
        home.catch_up(&home.vectors(), model);
    }
    home
}

/// What is left is right, and a catch-up brings everything back with no more asking than there was lost.
fn mends(home: &Home, what: &str) {
    let model = Fake::new("m", 16);
    let left = home.all(&home.vectors(), &model);
    assert!(left.iter().all(|seq| (1..=90).contains(seq)), "{what}: {left:?}");
    let vectors = home.vectors();
    assert!(vectors.status(&home.journal, &Redactor::builtin()).is_ok(), "{what}");
    let outcome = home.catch_up(&vectors, &model);
    assert!(matches!(outcome, CatchUp::Done(_) | CatchUp::Current), "{what}: {outcome:?}");
    for vectors in [vectors, home.vectors()] {
        assert_eq!(home.all(&vectors, &model), (1..=90).collect::<Vec<Seq>>(), "{what}");
        for n in [0, 29, 30, 45, 89] {
            assert_eq!(home.near(&vectors, &model, &text(n), 1), [n as Seq + 1], "{what}");
        }
    }
    assert_eq!(home.catch_up(&home.vectors(), &model), CatchUp::Current, "{what}");
    assert_eq!(home.files().len(), 2, "{what}");
}

fn copy(from: &Home, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for file in from.files() {
        fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
    }
}

/// Does something to each file at each of some places, and sees that it is mended.
fn at_many_places(harm: impl Fn(&Path, usize)) {
    let home = filled(&Fake::new("m", 16));
    let whole = home.dir.path().join("whole");
    copy(&home, &whole);
    let names: Vec<_> = home.files().iter().map(|file| file.file_name().unwrap().to_owned()).collect();
    for name in names {
        let length = usize::try_from(fs::metadata(whole.join(&name)).unwrap().len()).unwrap();
        for at in (0..length).filter(|at| *at < 60 || at % 101 == 0 || length - at < 3) {
            fs::remove_dir_all(home.vectors_dir()).unwrap();
            fs::create_dir(home.vectors_dir()).unwrap();
            for entry in fs::read_dir(&whole).unwrap() {
                let path = entry.unwrap().path();
                fs::copy(&path, home.vectors_dir().join(path.file_name().unwrap())).unwrap();
            }
            harm(&home.vectors_dir().join(&name), at);
            mends(&home, &format!("{} at {at}", name.display()));
        }
    }
}

#[test]
fn a_flipped_bit_anywhere_is_found_and_mended() {
    at_many_places(|file, at| {
        let mut bytes = fs::read(file).unwrap();
        bytes[at] ^= 0x40;
        fs::write(file, bytes).unwrap();
    });
}

#[test]
fn a_file_cut_off_anywhere_is_found_and_mended() {
    at_many_places(|file, at| fs::OpenOptions::new().write(true).open(file).unwrap().set_len(at as u64).unwrap());
}

#[test]
fn zeros_where_a_power_cut_left_them_are_found_and_mended() {
    at_many_places(|file, at| {
        let mut bytes = fs::read(file).unwrap();
        bytes[at..].fill(0);
        fs::write(file, bytes).unwrap();
    });
}

/// What happens to a home, and its name.
type Harm = (&'static str, fn(&Home));

#[test]
fn missing_foreign_and_leftover_files_do_no_harm() {
    let harms: [Harm; 6] = [
        ("no coarse file", |home| fs::remove_file(home.vectors_dir().join("coarse")).unwrap()),
        ("no fine file", |home| fs::remove_file(&home.files()[1]).unwrap()),
        ("no directory", |home| fs::remove_dir_all(home.vectors_dir()).unwrap()),
        ("a text", |home| fs::write(home.vectors_dir().join("coarse"), "hello").unwrap()),
        ("an empty file", |home| fs::write(home.vectors_dir().join("coarse"), "").unwrap()),
        ("a directory", |home| {
            fs::remove_file(home.vectors_dir().join("coarse")).unwrap();
            fs::create_dir(home.vectors_dir().join("coarse")).unwrap();
            assert_eq!(home.all(&home.vectors(), &Fake::new("m", 16)), Vec::<Seq>::new());
            fs::remove_dir(home.vectors_dir().join("coarse")).unwrap();
        }),
    ];
    for (what, harm) in harms {
        let home = filled(&Fake::new("m", 16));
        harm(&home);
        mends(&home, what);
    }
    let home = filled(&Fake::new("m", 16));
    fs::write(home.vectors_dir().join("coarse.new"), "half").unwrap();
    fs::write(home.vectors_dir().join("fine-0123456789abcdef"), "half").unwrap();
    fs::write(home.vectors_dir().join("notes.txt"), "mine").unwrap();
    home.vectors().remove(&mut |_| false).unwrap();
    let names: Vec<_> = home.files().iter().map(|file| file.file_name().unwrap().to_owned()).collect();
    assert!(names.len() == 3 && names.contains(&"notes.txt".into()), "{names:?}");
}

#[test]
fn a_directory_that_cannot_be_written_is_told_in_a_sentence() {
    let home = home();
    home.say(&["x y z"]);
    fs::write(home.vectors_dir(), "a file").unwrap();
    let model = Fake::new("m", 16);
    let error = home.vectors().catch_up(&home.journal, &Redactor::builtin(), &model, &mut |_, _| true).unwrap_err();
    assert!(error.to_string().starts_with("cannot write the vectors in "), "{error}");
    assert_eq!(home.all(&home.vectors(), &model), Vec::<Seq>::new());
}
