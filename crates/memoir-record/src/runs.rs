//! Which run a stream is of. A run may be seen while it streams, and again in files that it was saved to, whole or not:
//! it is known by how it begins.

use memoir_capture::Salt;
use memoir_event::{Client, KeyHasher};
use memoir_journal::{Cursor, Journal, JournalError};

/// What the names of runs' cursors begin with.
pub(crate) const PREFIX: &str = "run|";

/// What a private run is marked with.
const PRIVATE: &str = "private ";

/// What a run is marked with whose digests were made without the journal's key.
const UNKEYED: &str = "unkeyed ";

/// A run is known by so many of its first lines.
const LINES_MAX: usize = 64;

/// And by so much of each of them.
const LINE_BYTES: usize = 4 << 10;

/// So much of a file shows how the run in it begins.
pub const RUN_HEAD_BYTES: u64 = (LINES_MAX * LINE_BYTES) as u64;

/// A run of a client, and how it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    client: Client,
    name: String,
    /// Digests of its first lines.
    lines: Vec<u64>,
    is_private: bool,
    /// Whether the digests were made without the journal's key, for there was none.
    is_unkeyed: bool,
}

impl Run {
    /// A run that nobody has seen yet.
    pub fn new(client: Client, name: String) -> Run {
        Run { client, name, lines: Vec::new(), is_private: false, is_unkeyed: false }
    }

    /// The same run, to be seen from its beginning.
    #[must_use]
    pub fn again(&self) -> Run {
        Run { lines: Vec::new(), ..self.clone() }
    }

    /// The same run, which is private if that is so: nothing of it is recorded, nor of what its stream is saved to.
    #[must_use]
    pub fn private(self, is_private: bool) -> Run {
        Run { is_private, ..self }
    }

    /// Whether nothing of it is recorded.
    pub const fn is_private(&self) -> bool {
        self.is_private
    }

    /// Its name, which no other run has.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Takes the next line; says whether it is one of the first.
    pub(crate) fn take(&mut self, line: &[u8], salt: Salt) -> bool {
        let is_first = self.lines.len() < LINES_MAX;
        if is_first {
            self.lines.push(digest(line, salt));
        }
        is_first
    }

    /// How a journal keeps it.
    pub(crate) fn cursor(&self) -> Cursor {
        let lines: String = self.lines.iter().map(|digest| format!("{digest:016x}")).collect();
        let marks = [(self.is_unkeyed, UNKEYED), (self.is_private, PRIVATE)];
        let marks: String = marks.iter().filter(|(is_so, _)| *is_so).map(|(_, mark)| *mark).collect();
        let position = format!("{marks}{lines}");
        let sequence = u64::try_from(self.lines.len()).unwrap_or(u64::MAX);
        Cursor { stream: format!("{PREFIX}{}|{}", self.client, self.name), sequence, position }
    }

    fn of_cursor(cursor: &Cursor) -> Option<Run> {
        let (client, name) = cursor.stream.strip_prefix(PREFIX)?.split_once('|')?;
        let client = *Client::ALL.iter().find(|known| known.as_str() == client)?;
        let (is_unkeyed, marked) = without(&cursor.position, UNKEYED);
        let (is_private, digits) = without(marked, PRIVATE);
        let digits = digits.as_bytes().chunks(16);
        let lines = digits.map(|digits| u64::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        Some(Run { client, name: name.to_owned(), lines: lines.collect::<Option<_>>()?, is_private, is_unkeyed })
    }

    /// The run that both of these cursors are of: it is private if one says so, and begins as the longer one says.
    pub(crate) fn of_both(one: &Cursor, other: &Cursor) -> Option<Cursor> {
        let (one, other) = (Run::of_cursor(one)?, Run::of_cursor(other)?);
        let is_private = one.is_private || other.is_private;
        let fuller = if other.lines.len() > one.lines.len() { other } else { one };
        Some(fuller.private(is_private).cursor())
    }

    /// How many lines both begin with, if none tells them apart.
    fn shared_lines(&self, other: &Run) -> Option<usize> {
        let pairs = self.lines.iter().zip(&other.lines);
        let shared = pairs.clone().count();
        let is_alike = self.client == other.client && self.is_unkeyed == other.is_unkeyed;
        (is_alike && shared > 0 && pairs.into_iter().all(|(a, b)| a == b)).then_some(shared)
    }
}

/// The runs that a journal knows.
#[derive(Debug, Default)]
pub struct Runs(Vec<Run>);

impl Runs {
    /// All that the journal knows.
    pub fn of(journal: &dyn Journal) -> Result<Runs, JournalError> {
        Ok(Runs(journal.cursors(PREFIX)?.iter().filter_map(Run::of_cursor).collect()))
    }

    /// The run that a stream is of which begins like that: the one of that name, a known one if it may be one, or a new
    /// one.
    pub fn find(&mut self, client: Client, name: Option<&str>, head: &[u8], salt: Salt) -> Run {
        let begun = |salt: Salt| {
            let mut found = Run::new(client, name.unwrap_or_default().to_owned());
            for line in whole_lines(head) {
                found.take(line, salt);
            }
            found
        };
        let mut found = begun(salt);
        let unkeyed = self.0.iter().any(|run| run.is_unkeyed).then(|| Run { is_unkeyed: true, ..begun(no_salt()) });
        let may_be = |run: &Run| name.is_none_or(|name| run.name == name);
        let shared = |run: &Run| run.shared_lines(&found).or_else(|| run.shared_lines(unkeyed.as_ref()?));
        let known = self.0.iter_mut().filter(|run| may_be(run)).filter_map(|run| Some((shared(run)?, run)));
        if let Some((_, known)) = known.max_by_key(|(shared, _)| *shared) {
            if known.lines.len() <= found.lines.len() {
                (known.lines, known.is_unkeyed) = (found.lines, false);
            }
            return known.clone();
        }
        // Named after how it begins, so that whoever reads it again without this journal's memory calls it the same.
        if name.is_none() {
            let lines = found.lines.iter().flat_map(|digest| digest.to_le_bytes());
            let beginning: Vec<u8> = client.as_str().bytes().chain(lines).collect();
            found.name = blake3::keyed_hash(&salt.0, &beginning).to_hex().chars().take(32).collect();
        }
        self.0.push(found.clone());
        found
    }
}

/// What digests of a client's words are made with: another for each journal.
pub fn salt_of(hasher: &KeyHasher) -> Salt {
    Salt(hasher.hash(b"memoir capture state"))
}

/// What digests are made with where no journal is there.
fn no_salt() -> Salt {
    salt_of(&KeyHasher::new([0; 32]))
}

/// The cursor of a run that was seen when no journal was there, marked as such.
pub(crate) fn unkeyed(cursor: &Cursor) -> Option<Cursor> {
    Some(Run { is_unkeyed: true, ..Run::of_cursor(cursor)? }.cursor())
}

/// Whether a text begins with a mark, and the text without it.
fn without<'a>(text: &'a str, mark: &str) -> (bool, &'a str) {
    text.strip_prefix(mark).map_or((false, text), |rest| (true, rest))
}

/// The lines of which enough is there to know them.
fn whole_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n") || line.len() >= LINE_BYTES)
}

fn digest(line: &[u8], salt: Salt) -> u64 {
    let line = line.get(..LINE_BYTES).unwrap_or(line).trim_ascii();
    let hash = blake3::keyed_hash(&salt.0, line);
    hash.as_bytes().iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: Salt = Salt([3; 32]);

    fn find(runs: &mut Runs, head: &str) -> String {
        runs.find(Client::Codex, None, head.as_bytes(), SALT).name
    }

    #[test]
    fn a_stream_is_the_run_that_begins_like_it_whole_or_not() {
        let mut runs = Runs::default();
        let first = find(&mut runs, "a\nb\n");
        assert_eq!(find(&mut runs, "a\nb\nc\nd\n"), first, "it has grown");
        assert_eq!(find(&mut runs, "a\nb\nc\n"), first, "a copy of less");
        assert_eq!(find(&mut runs, "a\nb\nc\nd"), first, "a line that is not whole");
        let other = find(&mut runs, "a\nb\nx\n");
        assert_ne!(other, first, "another run that begins alike");
        assert_eq!(find(&mut runs, "a\nb\nx\ny\n"), other);
        assert_ne!(runs.find(Client::Claude, None, b"a\nb\n", SALT).name, first);
        assert_eq!(find(&mut Runs::default(), "a\nb\n"), first, "named by how it begins");
    }

    #[test]
    fn a_run_survives_its_cursor_and_long_lines_count_by_how_they_begin() {
        let mut run = Run::new(Client::Gemini, "r".to_owned());
        assert!((0..LINES_MAX).all(|line| run.take(line.to_string().as_bytes(), SALT)));
        assert!(!run.take(b"one more", SALT));
        assert_eq!(Run::of_cursor(&run.cursor()), Some(run.clone()));
        let private = run.private(true);
        assert_eq!(Run::of_cursor(&private.cursor()), Some(private.clone()));
        let again = private.again();
        assert!(again.is_private() && again.lines.is_empty());
        let long = "x".repeat(3 * LINE_BYTES);
        let mut runs = Runs::default();
        assert_eq!(find(&mut runs, &long), find(&mut runs, &format!("{long}y\n")));
        assert!(Run::of_cursor(&Cursor { stream: "run|codex|r".into(), sequence: 1, position: "é".into() }).is_none());
    }
}
