//! What says no more than the query itself: the same asked before. It fits best and tells nothing, and what it leads is
//! worth less for standing behind it.

use crate::rank::RankedUnit;
use memoir_index::speech_of;
use memoir_journal::{Journal, JournalError, Seq, View};
use std::collections::HashSet;

/// So many of the best are looked at.
const LOOKED_AT: usize = 24;
/// Fewer words may be an answer as well as a question.
const WORDS_MIN: usize = 3;

/// Takes out what only repeats the query.
pub(crate) fn leave_out(journal: &dyn Journal, query: &str, units: &mut Vec<RankedUnit>) -> Result<(), JournalError> {
    let asked = words(query);
    if asked.len() < WORDS_MIN {
        return Ok(());
    }
    let seqs: Vec<Seq> = units.iter().take(LOOKED_AT).map(|unit| unit.spoken.unit.seq).collect();
    let mut echoes: HashSet<Seq> = HashSet::new();
    for stored in journal.events(&seqs, &View::owner_all())? {
        if speech_of(&stored.event).is_some_and(|said| words(&said) == asked) {
            echoes.insert(stored.seq);
        }
    }
    units.retain(|unit| !echoes.contains(&unit.spoken.unit.seq));
    Ok(())
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_echo_has_the_same_words_however_they_are_set() {
        assert_eq!(words("Run the tests."), words("run  THE tests"));
        assert_ne!(words("Run the tests."), words("run the tests twice"));
    }
}
