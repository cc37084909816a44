use crate::support::{Fake, Home, home, item, text};
use memoir_journal::{Depth, Seq};
use memoir_model::{Embedder, ModelError};
use memoir_vectors::{CatchUp, Removed};
use std::fs;

/// The coarse and the finer bytes of every vector that the files hold, as they stand there.
fn holds(home: &Home, needle: &[u8]) -> bool {
    home.files().iter().any(|file| {
        let bytes = fs::read(file).unwrap();
        bytes.windows(needle.len()).any(|window| window == needle)
    })
}

/// Some bytes that only the vector of that text has, as the coarse file holds them.
fn trace(text: &str) -> Vec<u8> {
    let alone = home();
    alone.say(&[text]);
    alone.catch_up(&alone.vectors(), &Fake::new("m", 64));
    let bytes = fs::read(alone.vectors_dir().join("coarse")).unwrap();
    bytes[bytes.len() - 64..].to_vec()
}

#[test]
fn what_is_removed_leaves_no_byte() {
    let home = home();
    home.say_many(0, 100);
    let (vectors, model) = (home.vectors(), Fake::new("m", 64));
    home.catch_up(&vectors, &model);
    let traces = [trace(&text(10)), trace(&text(11))];
    assert!(traces.iter().all(|trace| holds(&home, trace)));
    home.forget("f", &[11], Depth::Purge);
    assert_eq!(vectors.remove(&mut |seq| seq == 11).unwrap(), Removed::Done(1));
    assert_eq!((holds(&home, &traces[0]), holds(&home, &traces[1])), (false, true));
    assert_eq!(home.all(&vectors, &model).len(), 99);
    assert_eq!(vectors.remove(&mut |seq| seq == 11).unwrap(), Removed::Done(0));
    assert_eq!(home.files().len(), 2);
    assert_eq!(home.catch_up(&vectors, &model), CatchUp::Current);
    home.say_many(100, 5);
    home.catch_up(&vectors, &model);
    assert!(!holds(&home, &traces[0]));
    assert_eq!(home.all(&home.vectors(), &model).len(), 104);
    assert_eq!(vectors.remove(&mut |_| true).unwrap(), Removed::Done(104));
    assert_eq!(home.all(&home.vectors(), &model), Vec::<Seq>::new());
    assert!(home.files().iter().all(|file| fs::metadata(file).unwrap().len() < 300));
}

#[test]
fn older_vectors_and_what_a_killed_writer_left_go_too() {
    let home = home();
    home.append(vec![item("a", "first the old words")]);
    let (vectors, model) = (home.vectors(), Fake::new("m", 64));
    home.catch_up(&vectors, &model);
    home.append(vec![item("a", "first the old words and then many new ones")]);
    home.say_many(0, 3);
    home.catch_up(&vectors, &model);
    let old = trace("first the old words");
    assert!(holds(&home, &old));
    assert_eq!(vectors.remove(&mut |_| false).unwrap(), Removed::Done(0));
    assert!(!holds(&home, &old));
    let coarse = home.vectors_dir().join("coarse");
    let mut bytes = fs::read(&coarse).unwrap();
    bytes.extend_from_slice(&old);
    fs::write(&coarse, bytes).unwrap();
    fs::write(home.vectors_dir().join("fine-00000000000000aa"), &old).unwrap();
    assert_eq!(vectors.remove(&mut |_| false).unwrap(), Removed::Done(0));
    assert!(!holds(&home, &old));
    assert_eq!(home.all(&home.vectors(), &model).len(), 4);
    fs::write(&coarse, &old).unwrap();
    assert_eq!(home.vectors().remove(&mut |_| false).unwrap(), Removed::Done(0));
    assert_eq!(home.files().len(), 0, "what cannot be read may hold anything");
}

#[test]
fn removing_where_there_is_nothing_does_nothing() {
    let home = home();
    assert_eq!(home.vectors().remove(&mut |_| true).unwrap(), Removed::Done(0));
    assert!(home.vectors().delete().unwrap());
    assert!(!home.vectors_dir().exists());
}

/// A model that is slow enough for somebody to purge what it was just given.
struct Purging<'a> {
    home: &'a Home,
    inner: Fake,
}

impl Embedder for Purging<'_> {
    fn model(&self) -> &str {
        self.inner.model()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let vectors = self.inner.embed(texts);
        self.home.forget("meanwhile", &[2], Depth::Purge);
        assert_eq!(self.home.vectors().remove(&mut |seq| seq == 2).unwrap(), Removed::Done(0));
        vectors
    }
}

#[test]
fn what_is_purged_while_the_model_has_it_gets_no_vector() {
    let home = home();
    home.say(&["one thing", "another thing", "a third thing"]);
    let model = Purging { home: &home, inner: Fake::new("m", 64) };
    let vectors = home.vectors();
    home.catch_up(&vectors, &model);
    assert_eq!(home.all(&vectors, &model.inner), [1, 3]);
    assert!(!holds(&home, &trace("another thing")));
}
