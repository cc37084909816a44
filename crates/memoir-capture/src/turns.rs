//! What was said in which turn. A client may write a message twice, in two forms and in either order; each must come out
//! once, under a name that every form, file and hook agrees on: the turn, the text, its number among equal ones.

use crate::parser::Salt;
use serde::{Deserialize, Serialize};

/// Messages may still be written to a turn after it ended: so many turns are remembered.
const TURNS_MAX: usize = 4;

/// So many different texts of a turn are remembered; beyond them the journal alone finds what is double.
const TEXTS_MAX: usize = 512;

/// The forms in which a message may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As what the model saw or said.
    Item,
    /// As an event of the conversation.
    Event,
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Who {
    User,
    Assistant,
    Reasoning,
}

impl Who {
    pub const fn as_str(self) -> &'static str {
        match self {
            Who::User => "user",
            Who::Assistant => "assistant",
            Who::Reasoning => "reasoning",
        }
    }
}

/// The texts of the latest turns.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Turns {
    turns: Vec<Turn>,
    #[serde(skip)]
    salt: Salt,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Turn {
    id: String,
    texts: Vec<Said>,
}

/// One text of a turn: how often each form was seen, and how often it was handed over. Written without names, for it is
/// written often.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "(String, [u32; 2], u32)", into = "(String, [u32; 2], u32)")]
struct Said {
    key: String,
    seen: [u32; 2],
    given: u32,
}

impl From<(String, [u32; 2], u32)> for Said {
    fn from((key, seen, given): (String, [u32; 2], u32)) -> Said {
        Said { key, seen, given }
    }
}

impl From<Said> for (String, [u32; 2], u32) {
    fn from(said: Said) -> (String, [u32; 2], u32) {
        (said.key, said.seen, said.given)
    }
}

impl Turns {
    pub fn set_salt(&mut self, salt: Salt) {
        self.salt = salt;
    }

    /// A turn begins. If it was there before, it was a copy of others under its name: what they said is not counted.
    pub fn begin(&mut self, turn: &str) {
        self.turns.retain(|known| known.id != turn);
    }

    fn key(&self, who: Who, text: &str) -> String {
        format!("{}{}", who.as_str(), self.salt.digest(text))
    }

    /// Notes that a text was met in that form. If it was not handed over in another form before, its number among equal
    /// texts of the turn.
    pub fn meet(&mut self, turn: &str, who: Who, text: &str, form: Form) -> Option<u32> {
        let key = self.key(who, text);
        let said = self.said(turn, key)?;
        let seen = said.seen.get_mut(form as usize)?;
        *seen += 1;
        if *seen <= said.given {
            return None;
        }
        said.given = *seen;
        Some(*seen - 1)
    }

    /// Notes that something was met that is written in one form only. Its number among equal ones of the turn.
    pub fn count(&mut self, turn: &str, what: &str, text: &str) -> u32 {
        let key = format!("{what}{}", self.salt.digest(text));
        self.said(turn, key).map_or(0, |said| {
            said.given += 1;
            said.given - 1
        })
    }

    /// Whether a text in that form is the other half of one that was handed over already.
    pub fn is_other_half(&self, turn: &str, who: Who, text: &str, form: Form) -> bool {
        let key = self.key(who, text);
        let turn = self.turns.iter().find(|known| known.id == turn);
        let said = turn.and_then(|turn| turn.texts.iter().find(|said| said.key == key));
        said.is_some_and(|said| said.seen.get(form as usize).is_some_and(|seen| *seen < said.given))
    }

    fn said(&mut self, turn: &str, key: String) -> Option<&mut Said> {
        let turn = self.turn(turn);
        let at = match turn.texts.iter().position(|said| said.key == key) {
            Some(at) => at,
            None => {
                if turn.texts.len() >= TEXTS_MAX {
                    turn.texts.remove(0);
                }
                turn.texts.push(Said { key, seen: [0; 2], given: 0 });
                turn.texts.len() - 1
            }
        };
        turn.texts.get_mut(at)
    }

    fn turn(&mut self, id: &str) -> &mut Turn {
        match self.turns.iter().position(|turn| turn.id == id) {
            // The turn in use comes last, so that the first is the one to forget.
            Some(at) => {
                let turn = self.turns.remove(at);
                self.turns.push(turn);
            }
            None => {
                if self.turns.len() >= TURNS_MAX {
                    self.turns.remove(0);
                }
                self.turns.push(Turn { id: id.to_owned(), texts: Vec::new() });
            }
        }
        let last = self.turns.len() - 1;
        &mut self.turns[last]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_in_two_forms_comes_out_once_in_either_order() {
        for (first, second) in [(Form::Item, Form::Event), (Form::Event, Form::Item)] {
            let mut turns = Turns::default();
            assert_eq!(turns.meet("t", Who::User, "go", first), Some(0));
            assert_eq!(turns.meet("t", Who::User, " go\n", second), None);
            assert_eq!(turns.meet("t", Who::User, "go", first), Some(1));
            assert_eq!(turns.meet("t", Who::User, "go", second), None);
            assert_eq!(turns.meet("t", Who::Assistant, "go", second), Some(0));
            assert_eq!(turns.meet("u", Who::User, "go", second), Some(0));
        }
    }
}
