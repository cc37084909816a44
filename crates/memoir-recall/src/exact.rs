//! Codes, paths, numbers and names from code in a query: looked up as they are in commands, errors and tool output, which
//! do not vote in free text.

use crate::field::Voices;
use memoir_event::Kind;
use memoir_index::{Index, IndexError, Query, Window, Word};
use memoir_journal::{Journal, JournalError, Selection, Seq, StoredEvent, View};
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// So many of them are looked up.
const TERMS_MAX: usize = 6;
/// And so many events are found.
const HITS_MAX: usize = 12;
/// A shorter number is in everything; `404` and `137` tell something.
const NUMBER_DIGITS_MIN: usize = 3;
/// A query of so many words may be meant as it is, all of it: a command, a line of an error.
const VERBATIM_WORDS: RangeInclusive<usize> = 2..=32;
/// Where they are looked for.
const KINDS: [Kind; 6] =
    [Kind::Command, Kind::Error, Kind::ToolResult, Kind::FileChange, Kind::ToolCall, Kind::Context];

/// What in a query can only be meant as it is: something in quotes or backticks, or a word that no prose has.
pub(crate) fn terms(query: &str) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    let mut rest = query;
    while let Some(at) = rest.find(['`', '"']) {
        let quote = if rest.get(at..).is_some_and(|rest| rest.starts_with('`')) { '`' } else { '"' };
        let inside = rest.get(at + 1..).unwrap_or_default();
        let Some(end) = inside.find(quote) else { break };
        terms.extend(inside.get(..end).map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned));
        rest = inside.get(end + 1..).unwrap_or_default();
    }
    let words = query.split(|c: char| c.is_whitespace() || matches!(c, '`' | '"' | '(' | ')' | ','));
    for word in words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())) {
        if is_code(word) && !terms.iter().any(|known| known.contains(word)) {
            terms.push(word.to_owned());
        }
    }
    terms.truncate(TERMS_MAX);
    terms
}

/// The whole query, if it is short and says enough to be looked up as it is.
pub(crate) fn verbatim(query: &str, words: &[Word]) -> Option<String> {
    let typed = query.split_whitespace().count();
    let is_telling = words.len() >= *VERBATIM_WORDS.start() && VERBATIM_WORDS.contains(&typed);
    is_telling.then(|| query.trim_matches(|c: char| c.is_whitespace() || matches!(c, '`' | '"')).to_owned())
}

/// Whether a word has what words of prose have not: letters and digits mixed, capitals inside, joints of code.
fn is_code(word: &str) -> bool {
    let has = |test: fn(char) -> bool| word.chars().any(test);
    let letters = has(char::is_alphabetic);
    let mixed = letters && has(|c| c.is_ascii_digit());
    let inner_capital = word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let joined = word.contains(['_', '/', '\\', ':', '=', '#', '@']) || word.trim_end_matches('.').contains('.');
    let long_number = !letters && word.chars().filter(char::is_ascii_digit).count() >= NUMBER_DIGITS_MIN;
    let shouted = word.len() >= 5 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    word.chars().count() >= 3 && (mixed || inner_capital || joined || long_number || shouted)
}

/// The events that have them, the best first.
pub(crate) fn find(
    journal: &dyn Journal,
    index: &Index,
    voices: &Voices,
    terms: &[String],
    anything: &Selection,
) -> Result<Vec<(Seq, f32)>, IndexError> {
    let shapes = voices.shapes_of(|kind| KINDS.contains(&kind));
    let shapes = match &anything.shapes {
        Some(wanted) => shapes.into_iter().filter(|shape| wanted.binary_search(shape).is_ok()).collect(),
        None => shapes,
    };
    let selection = Selection { shapes: Some(shapes), ..anything.clone() };
    let quoted: Vec<String> = terms.iter().map(|term| format!("\"{}\"", term.replace('"', " "))).collect();
    let query = Query::parse(&quoted.join(" "));
    let hits = index.search(journal, &query, &selection, Window { skip: 0, limit: HITS_MAX }, &mut |_, _| false)?;
    Ok(hits.hits.into_iter().map(|hit| (hit.seq, hit.score)).collect())
}

/// Those of the hits that only tell that an agent touched something, not what came of it.
pub(crate) fn traces(journal: &dyn Journal, hits: &[(Seq, f32)]) -> Result<HashSet<Seq>, JournalError> {
    let seqs: Vec<Seq> = hits.iter().map(|(seq, _)| *seq).collect();
    let is_trace = |stored: &StoredEvent| matches!(stored.event.kind(), Kind::FileChange | Kind::ToolCall);
    let events = journal.events(&seqs, &View::owner_all())?;
    Ok(events.into_iter().filter(is_trace).map(|stored| stored.seq).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_code_has_is_looked_up_as_it_is() {
        assert_eq!(terms("why ECONNREFUSED on port 5432?"), ["ECONNREFUSED", "5432"]);
        assert_eq!(terms("exit code 137 in 12 runs"), ["137"]);
        assert_eq!(terms("fix getUserName in src/auth.rs (E0502)"), ["getUserName", "src/auth.rs", "E0502"]);
        assert_eq!(terms("what did `cargo test` say about \"os error 111\"?"), ["cargo test", "os error 111"]);
        assert_eq!(terms("How do we deploy the staging server? I'd like that."), Vec::<String>::new());
        assert_eq!(terms("an `open quote"), Vec::<String>::new());
    }

    #[test]
    fn a_short_query_of_several_telling_words_may_be_meant_as_it_is() {
        let verbatim = |query: &str| verbatim(query, &Word::all(query));
        assert_eq!(verbatim(" cargo update -p tokio ").as_deref(), Some("cargo update -p tokio"));
        for query in ["tokio", "the tokio", "is it", "", &"word and another ".repeat(20)] {
            assert_eq!(verbatim(query), None, "{query}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_looked_through(query in ".*") {
            proptest::prop_assert!(terms(&query).len() <= TERMS_MAX);
        }
    }
}
