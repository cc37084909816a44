//! How many tokens the configured model may take in a day, and has taken. A model that costs something is never asked
//! beyond that, by whichever process.

use anyhow::Result;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use memoir_journal::{Cursor, Journal};

/// The row that says what was taken on its day.
const SPENT: &str = "model|spent";
/// A token has at least about so many bytes: rather too many tokens are reckoned with than too few.
const TOKEN_BYTES: u64 = 3;
/// How often it is tried to note something while others note, too.
const TRIES: usize = 16;

/// What may be taken in a day.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// So many tokens; 0 is as many as one likes.
    pub daily_tokens: u64,
}

/// Tokens that were set aside for one question.
#[derive(Debug)]
#[must_use]
pub struct Reserved {
    day: u64,
    tokens: u64,
}

impl Budget {
    /// Sets aside what that question and its answer may take; none if that is more than is left of the day.
    pub fn reserve(self, journal: &dyn Journal, question: &str, answer_tokens: u32) -> Result<Option<Reserved>> {
        let tokens = (question.len() as u64 / TOKEN_BYTES).saturating_add(u64::from(answer_tokens));
        let day = today();
        let fits = |spent: u64| self.daily_tokens == 0 || spent.saturating_add(tokens) <= self.daily_tokens;
        let noted = note(journal, day, |spent| fits(spent).then(|| spent.saturating_add(tokens)))?;
        Ok(noted.then_some(Reserved { day, tokens }))
    }

    /// How much of the day's budget is used, in words.
    pub fn described(self, journal: &dyn Journal) -> Result<String> {
        let spent = spent(journal)?;
        Ok(match self.daily_tokens {
            0 => format!("{spent} tokens today"),
            limit => format!("{spent} of {limit} tokens today"),
        })
    }

    /// Why a question is not asked.
    pub fn used_up(self, journal: &dyn Journal) -> Result<String> {
        let spent = self.described(journal)?;
        Ok(format!("the model's budget does not reach for this: {spent} (model.daily_tokens)"))
    }
}

impl Reserved {
    /// Notes what was really taken, as far as the model tells.
    pub fn settle(self, journal: &dyn Journal, tokens: Option<u64>) -> Result<()> {
        let Some(tokens) = tokens else { return Ok(()) };
        note(journal, self.day, |spent| Some(spent.saturating_sub(self.tokens).saturating_add(tokens))).map(drop)
    }

    /// Nothing was asked after all.
    pub fn give_back(self, journal: &dyn Journal) -> Result<()> {
        self.settle(journal, Some(0))
    }
}

/// What was taken today.
pub fn spent(journal: &dyn Journal) -> Result<u64> {
    Ok(journal.cursor(SPENT)?.filter(|row| row.sequence == today()).map_or(0, |row| of(&row)))
}

fn of(row: &Cursor) -> u64 {
    row.position.parse().unwrap_or(0)
}

/// Moves what was taken on that day; false if `change` does not want to, or if it is another day by now.
fn note(journal: &dyn Journal, day: u64, change: impl Fn(u64) -> Option<u64>) -> Result<bool> {
    for _ in 0..TRIES {
        let row = journal.cursor(SPENT)?;
        if row.as_ref().is_some_and(|row| row.sequence > day) {
            return Ok(false);
        }
        let spent = row.as_ref().filter(|row| row.sequence == day).map_or(0, of);
        let Some(now) = change(spent) else { return Ok(false) };
        let watched = row.unwrap_or_else(|| Cursor::gone(SPENT.to_owned()));
        let moved = Cursor { stream: SPENT.to_owned(), sequence: day, position: now.to_string() };
        if journal.append_if(&[watched], &[], &[moved])?.is_some() {
            return Ok(true);
        }
    }
    anyhow::bail!("what the model takes cannot be noted: too many ask at once")
}

/// The day that it is for the user, counted.
fn today() -> u64 {
    let now = Timestamp::now().to_zoned(TimeZone::system());
    let offset_s = i64::from(now.offset().seconds());
    let days = now.timestamp().as_second().saturating_add(offset_s).div_euclid(24 * 60 * 60);
    u64::try_from(days).unwrap_or(0).max(1)
}
