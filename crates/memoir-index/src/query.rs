//! Reads what people type. Any text is a query: what is not an operator is a word.
//!
//! Words are alternatives, `"…"` is a phrase, `+x` must be there, `-x` must not, `pre*` is a beginning and
//! `field:value` narrows. Must not know how any of it is looked up.

/// Longer queries are cut here.
pub const QUERY_BYTES_MAX: usize = 4096;
/// Further clauses are left out.
pub const CLAUSES_MAX: usize = 64;

/// A query as it was meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    pub(crate) clauses: Vec<Clause>,
    cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub sign: Sign,
    pub what: What,
}

/// Whether a clause may, must or must not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    May,
    Must,
    Not,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// One word, with whatever punctuation it came with.
    Word(String),
    /// Words in this order.
    Phrase(String),
    /// The beginning of a word.
    Prefix(String),
    /// A field and its value.
    Field { field: Field, value: String },
}

/// What `field:value` can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    Session,
    Thread,
    Repo,
    Actor,
    Source,
    Type,
    Speaker,
    Client,
    Topic,
    Turn,
    Action,
}

impl Field {
    fn parse(name: &str) -> Option<Field> {
        Some(match name.to_ascii_lowercase().as_str() {
            "session" | "session_id" => Field::Session,
            "thread" | "thread_id" => Field::Thread,
            "repo" | "repo_id" | "project" => Field::Repo,
            "actor" | "actor_id" => Field::Actor,
            "source" => Field::Source,
            "type" | "kind" | "event_type" | "item_type" => Field::Type,
            "speaker" => Field::Speaker,
            "client" => Field::Client,
            "topic" | "topic_id" => Field::Topic,
            "turn" | "turn_id" => Field::Turn,
            "action" | "action_id" => Field::Action,
            _ => return None,
        })
    }

    /// The name people see.
    pub const fn name(self) -> &'static str {
        match self {
            Field::Session => "session",
            Field::Thread => "thread",
            Field::Repo => "repo",
            Field::Actor => "actor",
            Field::Source => "source",
            Field::Type => "type",
            Field::Speaker => "speaker",
            Field::Client => "client",
            Field::Topic => "topic",
            Field::Turn => "turn",
            Field::Action => "action",
        }
    }
}

impl Query {
    /// Reads any text.
    pub fn parse(text: &str) -> Query {
        let mut rest = text.get(..text.floor_char_boundary(QUERY_BYTES_MAX)).unwrap_or_default();
        let mut query = Query { clauses: Vec::new(), cut: rest.len() < text.len() };
        loop {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c.is_control());
            if rest.is_empty() {
                return query;
            }
            if query.clauses.len() == CLAUSES_MAX {
                query.cut = true;
                return query;
            }
            let (clause, after) = clause(rest);
            rest = after;
            if let Some(clause) = clause.filter(|clause| !query.clauses.contains(clause)) {
                query.clauses.push(clause);
            }
        }
    }

    /// Whether it asks for nothing.
    pub const fn is_empty(&self) -> bool {
        self.clauses.is_empty()
    }

    /// Whether it was too long and its end was left out.
    pub const fn is_cut(&self) -> bool {
        self.cut
    }
}

/// The clause at the start of `text`, which is not blank, and what follows it.
fn clause(text: &str) -> (Option<Clause>, &str) {
    let (sign, body) = sign(text);
    let clause = |what: Option<What>| what.map(|what| Clause { sign, what });
    if let Some((phrase, rest)) = quoted(body) {
        return (clause(says_something(phrase).then(|| What::Phrase(phrase.to_owned()))), rest);
    }
    let end = body.find(|c: char| c.is_whitespace() || c.is_control()).unwrap_or(body.len());
    let (word, rest) = body.split_at(end);
    if let Some((field, value)) = field(word) {
        if let Some((value, rest)) = body.get(word.len() - value.len()..).and_then(quoted) {
            let what = (!value.trim().is_empty()).then(|| What::Field { field, value: value.trim().to_owned() });
            return (clause(what), rest);
        }
        let value = value.trim_matches('"');
        if !value.is_empty() {
            return (clause(Some(What::Field { field, value: value.to_owned() })), rest);
        }
    }
    let what = match word.strip_suffix('*') {
        Some(begin) if begin.ends_with(char::is_alphanumeric) => Some(What::Prefix(begin.to_owned())),
        _ => says_something(word).then(|| What::Word(word.to_owned())),
    };
    (clause(what), rest)
}

/// A sign stands directly before what it signs; `--release` and a lone `-` have none.
fn sign(text: &str) -> (Sign, &str) {
    let signed =
        |rest: &str| rest.starts_with(|c: char| !c.is_whitespace() && !c.is_control() && !matches!(c, '+' | '-'));
    match (text.strip_prefix('-'), text.strip_prefix('+')) {
        (Some(rest), _) if signed(rest) => (Sign::Not, rest),
        (_, Some(rest)) if signed(rest) => (Sign::Must, rest),
        _ => (Sign::May, text),
    }
}

/// What stands between quotes at the start of `text`; a quote that is never closed is no quote.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (rest, close) = match (text.strip_prefix('"'), text.strip_prefix('\u{201c}')) {
        (Some(rest), _) => (rest, '"'),
        (_, Some(rest)) => (rest, '\u{201d}'),
        _ => return None,
    };
    rest.split_once(close)
}

/// `repo:memoir`, but not `repo:`, `repo::path` or `http://…`.
fn field(word: &str) -> Option<(Field, &str)> {
    let (name, value) = word.split_once(':')?;
    if value.is_empty() || value.starts_with([':', '/', '=']) {
        return None;
    }
    Field::parse(name).map(|field| (field, value))
}

fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        let list: Vec<String> = Query::parse(text)
            .clauses
            .iter()
            .map(|clause| {
                let sign = match clause.sign {
                    Sign::May => "",
                    Sign::Must => "+",
                    Sign::Not => "-",
                };
                match &clause.what {
                    What::Word(word) => format!("{sign}{word}"),
                    What::Phrase(phrase) => format!("{sign}<{phrase}>"),
                    What::Prefix(begin) => format!("{sign}{begin}…"),
                    What::Field { field, value } => format!("{sign}{}={value}", field.name()),
                }
            })
            .collect();
        list.join(" | ")
    }

    #[test]
    fn operators_are_read() {
        assert_eq!(
            shown(r#"hello +must -not "two words" -"no way" pre*"#),
            "hello | +must | -not | <two words> | -<no way> | pre…"
        );
        assert_eq!(
            shown(r#"session:demo -type:command repo:"my repo" kind:error"#),
            "session=demo | -type=command | repo=my repo | type=error"
        );
    }

    #[test]
    fn punctuation_is_never_an_operator_by_accident() {
        assert_eq!(shown("src/main.rs:42 --release don't foo(bar)"), "src/main.rs:42 | --release | don't | foo(bar)");
        assert_eq!(shown("error: x [redacted:x] type: y repo::z"), "error: | x | [redacted:x] | type: | y | repo::z");
        assert_eq!(shown("- + -- * : \" \u{0} () -\" +\""), "");
        assert_eq!(shown("say \"hello wor"), "say | \"hello | wor");
    }

    #[test]
    fn a_long_query_is_cut_and_says_so() {
        let query = Query::parse(&"x".repeat(1 << 20));
        assert!(query.is_cut() && query.clauses.len() == 1);
        let words: Vec<String> = (0..200).map(|n| format!("w{n}")).collect();
        let query = Query::parse(&words.join(" "));
        assert!(query.is_cut() && query.clauses.len() == CLAUSES_MAX);
    }

    proptest! {
        #[test]
        fn any_text_is_a_query(text in ".*") {
            let _ = Query::parse(&text);
        }

        #[test]
        fn any_heap_of_operators_is_a_query(text in "[-+\"*:a \u{201c}\u{201d}\u{0}session]{0,40}") {
            let _ = Query::parse(&text);
        }
    }
}
