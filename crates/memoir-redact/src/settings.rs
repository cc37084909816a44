//! The user's own rules and exceptions.

use std::borrow::Cow;

use regex::{Regex, RegexBuilder};

use crate::scan::{Hit, Rank};

/// What the user adds to the built-in rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Further things to redact.
    pub rules: Vec<CustomRule>,
    /// Regular expressions: a secret is kept if one of them matches all of it, or all of the word it is part of.
    pub allow: Vec<String>,
}

/// A rule of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CustomRule {
    /// Stands in the marker: lower-case letters, digits and dashes.
    pub name: String,
    /// A regular expression. Only its group `secret`, or else its first group, or else all of the match is replaced.
    pub pattern: String,
}

/// Why a rule of the user cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// The pattern of a rule is not a regular expression, or is too large.
    #[error("redaction rule `{name}` has a pattern that cannot be used")]
    Pattern {
        /// The rule.
        name: String,
        /// What is wrong with its pattern.
        #[source]
        source: Box<regex::Error>,
    },
    /// The name of a rule cannot stand in a marker.
    #[error("redaction rule `{name}`: a name is lower-case letters, digits and dashes")]
    Name {
        /// The rule.
        name: String,
    },
    /// A rule would replace text of no length, everywhere.
    #[error("redaction rule `{name}` matches the empty text")]
    Empty {
        /// The rule.
        name: String,
    },
    /// An allow pattern is not a regular expression, or is too large.
    #[error("redaction allow pattern {index} (`{pattern}`) cannot be used")]
    Allow {
        /// Its place in the list, from 1.
        index: usize,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        #[source]
        source: Box<regex::Error>,
    },
}

/// Compiled patterns of the user are held to this size each.
const PATTERN_BYTES_MAX: usize = 1 << 20;
const NAME_BYTES_MAX: usize = 48;

#[derive(Debug)]
pub(crate) struct Compiled {
    name: String,
    regex: Regex,
    group: usize,
}

impl Compiled {
    pub fn find(&self, text: &str, hits: &mut Vec<Hit>) {
        for captures in self.regex.captures_iter(text) {
            if let Some(m) = captures.get(self.group).filter(|m| !m.is_empty()) {
                hits.push(Hit {
                    start: m.start(),
                    end: m.end(),
                    rule: Cow::Owned(self.name.clone()),
                    rank: Rank::Custom,
                });
            }
        }
    }
}

pub(crate) fn compile(settings: &Settings) -> Result<(Vec<Compiled>, Vec<Regex>), RuleError> {
    let rules = settings.rules.iter().map(compile_rule).collect::<Result<_, _>>()?;
    let allow = settings
        .allow
        .iter()
        .enumerate()
        .map(|(i, pattern)| {
            build(&format!("^(?:{pattern})$")).map_err(|source| RuleError::Allow {
                index: i + 1,
                pattern: pattern.clone(),
                source: Box::new(source),
            })
        })
        .collect::<Result<_, _>>()?;
    Ok((rules, allow))
}

fn compile_rule(rule: &CustomRule) -> Result<Compiled, RuleError> {
    let name = rule.name.clone();
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if name.is_empty() || name.len() > NAME_BYTES_MAX || !name.bytes().all(plain) {
        return Err(RuleError::Name { name });
    }
    let regex =
        build(&rule.pattern).map_err(|source| RuleError::Pattern { name: name.clone(), source: Box::new(source) })?;
    if regex.is_match("") {
        return Err(RuleError::Empty { name });
    }
    let named = regex.capture_names().position(|n| n == Some("secret"));
    let group = named.unwrap_or(usize::from(regex.captures_len() > 1));
    Ok(Compiled { name, regex, group })
}

fn build(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build()
}
