//! Sessions of coding agents, made up as large and as many as wanted: the files that each client would leave behind.

use crate::words::{Dice, Vocabulary};
use anyhow::Result;
use memoir_testkit::Client;
use memoir_testkit::files::{Call, End, Manner, Recording, Reply, Run, Scenario, Turn, record};
use std::ops::RangeInclusive;
use std::path::Path;

/// How long the texts of a session are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Records {
    /// Short commands with hardly any output: many events to the megabyte.
    Short,
    /// What tools return is some kilobytes, as when files are read and tests are run.
    Long,
    /// What tools return is tens of kilobytes, as in the largest sessions.
    Longest,
}

impl Records {
    /// Bytes that a tool returns.
    const fn output_bytes(self) -> RangeInclusive<usize> {
        match self {
            Records::Short => 20..=200,
            Records::Long => 1_000..=9_000,
            Records::Longest => 10_000..=30_000,
        }
    }

    /// Bytes of what the user asks and of what the model says at last.
    const fn speech_bytes(self) -> RangeInclusive<usize> {
        match self {
            Records::Short => 30..=150,
            Records::Long | Records::Longest => 200..=1_500,
        }
    }
}

/// Makes up sessions.
pub struct Author {
    vocabulary: Vocabulary,
}

impl Author {
    pub fn new() -> Author {
        Author { vocabulary: Vocabulary::new() }
    }

    /// What a client leaves behind of session `number`, which has these turns, below `home`.
    pub fn session(&self, client: Client, number: u32, lengths: &[Records], home: &Path) -> Recording {
        let mut dice = Dice::new(u64::from(number) + 1);
        let turns = lengths.iter().map(|records| self.turn(&mut dice, *records)).collect();
        record(client, &Scenario { number, manner: Manner::Typed, turns, fork: None }, home)
    }

    /// As many turns as so many bytes of files hold; at least one.
    pub fn turns(&self, client: Client, records: Records, bytes: u64, home: &Path) -> Vec<Records> {
        const SAMPLE: usize = 8;
        let sample = self.session(client, 0, &[records; SAMPLE], home);
        let turn_bytes = bytes_of(&sample) / SAMPLE as u64;
        vec![records; usize::try_from(bytes / turn_bytes).unwrap_or(0).max(1)]
    }

    fn turn(&self, dice: &mut Dice, records: Records) -> Turn {
        Turn {
            pause_s: 20,
            prompt: self.speech(dice, records),
            blocks: Vec::new(),
            compaction: None,
            replies: (0..2).map(|_| self.reply(dice, records)).collect(),
            end: End::Answer(Reply { calls: Vec::new(), ..self.reply(dice, records) }),
        }
    }

    fn reply(&self, dice: &mut Dice, records: Records) -> Reply {
        let output = dice.between(*records.output_bytes().start(), *records.output_bytes().end());
        let run = Run {
            command: self.vocabulary.prose(dice, 40),
            output: self.vocabulary.code(dice, output).trim_end().to_owned(),
            exit_code: 0,
        };
        Reply {
            thought: Some(self.speech(dice, records)),
            texts: vec![self.speech(dice, records)],
            calls: vec![Call::Run(run)],
            tokens: (4_000, 300),
        }
    }

    fn speech(&self, dice: &mut Dice, records: Records) -> String {
        let bytes = dice.between(*records.speech_bytes().start(), *records.speech_bytes().end());
        self.vocabulary.prose(dice, bytes).trim_end().to_owned()
    }
}

/// Bytes of all files of a session.
fn bytes_of(session: &Recording) -> u64 {
    session.files().iter().map(|(_, text)| text.len() as u64).sum()
}

/// Writes the files of a session below `home`; gives their bytes.
pub fn write(session: &Recording, home: &Path) -> Result<u64> {
    let mut bytes = 0;
    for (file, text) in session.files() {
        let path = home.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(home))?;
        std::fs::write(&path, &text)?;
        bytes += text.len() as u64;
    }
    Ok(bytes)
}

/// A directory with a repository that has an address: the one that sessions below `home` work in.
pub fn make_work(home: &Path) -> Result<()> {
    let git = home.join("work/.git");
    std::fs::create_dir_all(&git)?;
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    std::fs::write(git.join("config"), "[remote \"origin\"]\n\turl = https://example.com/made/up.git\n")?;
    Ok(())
}
