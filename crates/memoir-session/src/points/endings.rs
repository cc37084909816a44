//! What an answer leaves to do: what it says is open, and what it asks the user.

use super::sentences::{says_any, sentences};

/// A question this near to the end waits for the user.
const LAST_SENTENCES: usize = 4;

const LEFT: [&str; 30] = [
    "todo",
    "fixme",
    "next step",
    "next steps",
    "still to do",
    "still need",
    "still needs",
    "still missing",
    "not yet",
    "remaining",
    "remains to",
    "left to do",
    "left open",
    "follow-up",
    "follow up",
    "open question",
    "open point",
    "unresolved",
    "not implemented",
    "will need to",
    "you need to",
    "needs to be",
    "should still",
    "could not",
    "couldn't",
    "offen",
    "noch zu tun",
    "als nächstes",
    "noch nicht",
    "nächster schritt",
];

/// The sentence of an answer that says what is left to do, or else asks the user something at its end.
pub(crate) fn loose_end_in(text: &str) -> Option<&str> {
    let all: Vec<&str> = sentences(text).collect();
    let said = all.iter().rev().find(|sentence| says_any(&sentence.to_lowercase(), &LEFT));
    let asked = || all.iter().rev().take(LAST_SENTENCES).find(|sentence| sentence.ends_with(['?', '？']));
    said.or_else(asked).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_to_do_is_found_and_a_question_at_the_end() {
        assert_eq!(
            loose_end_in("All green. The docs still need a line on ports. Bye."),
            Some("The docs still need a line on ports.")
        );
        assert_eq!(loose_end_in("Done. Shall I push it?"), Some("Shall I push it?"));
        assert_eq!(loose_end_in("Why? Because. One. Two. Three. Done."), None);
    }
}
