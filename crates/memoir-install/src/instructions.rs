//! The part of an instructions file (`AGENTS.md`, `CLAUDE.md`) that is memoir's: put in, changed, taken out. What others
//! wrote is not touched, and can be read as rules.

use crate::InstallError;
use crate::change::{Change, read};
use std::path::Path;

/// What stands above memoir's part.
const OPEN: &str = "<!-- memoir:begin -->";
/// And below.
const CLOSE: &str = "<!-- memoir:end -->";
const NOTE: &str = "<!-- Written by `memoir agents-md --write` from memories: change those, not these lines. -->";
const HEADING: &str = "## Conventions";

/// So many rules of a file are read.
const RULES_MAX: usize = 200;
/// A shorter line is a heading or a word; a longer one is a text.
const RULE_CHARS: std::ops::RangeInclusive<usize> = 8..=500;

/// What has to change so that a file has these rules in memoir's part, or has no such part.
pub fn instructions_change(path: &Path, rules: Option<&[String]>) -> Result<Change, InstallError> {
    let before = read(path)?;
    let text = before.as_deref().unwrap_or_default();
    let unpaired = || InstallError::Unpaired(path.to_owned());
    let has_ours = find(text).ok_or_else(unpaired)?.is_some();
    let after = match rules {
        Some(rules) if !rules.is_empty() => Some(with_rules(text, rules).ok_or_else(unpaired)?),
        _ if has_ours => Some(without_rules(text).ok_or_else(unpaired)?).filter(|rest| !rest.is_empty()),
        _ => before.clone(),
    };
    Ok(Change { path: path.to_owned(), before, after, has_ours })
}

/// What has to change so that memoir's part of a file says none of its rules but these; nothing is put in.
pub fn instructions_without(path: &Path, kept: &[String]) -> Result<Change, InstallError> {
    let before = read(path)?;
    let text = before.as_deref().unwrap_or_default();
    let unpaired = || InstallError::Unpaired(path.to_owned());
    let Some((from, to)) = find(text).ok_or_else(unpaired)? else {
        return Ok(Change { path: path.to_owned(), after: before.clone(), before, has_ours: false });
    };
    let kept: Vec<String> = kept.iter().map(|rule| harmless(rule)).collect();
    let says = |line: &str| line.trim_end().strip_prefix("- ").map(str::to_owned);
    let stays = |line: &&str| says(line).is_none_or(|rule| kept.contains(&rule));
    let part: String = text.get(from..to).unwrap_or_default().split_inclusive('\n').filter(stays).collect();
    let after = if part.lines().any(|line| says(line).is_some()) {
        let (above, below) = (text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default());
        Some(format!("{above}{part}{below}"))
    } else {
        Some(without_rules(text).ok_or_else(unpaired)?).filter(|rest| !rest.is_empty())
    };
    Ok(Change { path: path.to_owned(), before, after, has_ours: true })
}

/// Whether a text has a part of memoir's, or marks that could be one.
pub fn has_instructions(text: &str) -> bool {
    text.contains(OPEN) || text.contains(CLOSE)
}

/// The rules that others wrote into a file, one for each item of its lists; links and what is not there have none.
pub fn rules_in(path: &Path) -> Result<Vec<String>, InstallError> {
    match read(path) {
        Ok(text) => Ok(rules_of(&text.unwrap_or_default())),
        Err(InstallError::Symlink(_)) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Where memoir's part begins and ends, with the line that it ends with; none if the marks do not pair.
fn find(text: &str) -> Option<Option<(usize, usize)>> {
    let (opens, closes) = (text.matches(OPEN).count(), text.matches(CLOSE).count());
    match (opens, closes, text.find(OPEN), text.find(CLOSE)) {
        (0, 0, ..) => Some(None),
        (1, 1, Some(open), Some(close)) if open < close => {
            let end = close + CLOSE.len();
            let rest = text.get(end..)?;
            let line_end = ["\r\n", "\n"].iter().find(|line_end| rest.starts_with(*line_end));
            Some(Some((open, end + line_end.map_or(0, |line_end| line_end.len()))))
        }
        _ => None,
    }
}

fn with_rules(text: &str, rules: &[String]) -> Option<String> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines = vec![OPEN.to_owned(), NOTE.to_owned(), HEADING.to_owned(), String::new()];
    lines.extend(rules.iter().map(|rule| format!("- {}", harmless(rule))));
    lines.push(CLOSE.to_owned());
    let block: String = lines.iter().flat_map(|line| [line, line_end]).collect();
    Some(match find(text)? {
        Some((from, to)) => format!("{}{block}{}", text.get(..from)?, text.get(to..)?),
        None if text.is_empty() => block,
        None if text.ends_with('\n') => format!("{text}{line_end}{block}"),
        None => format!("{text}{line_end}{line_end}{block}"),
    })
}

fn without_rules(text: &str) -> Option<String> {
    let Some((from, to)) = find(text)? else { return Some(text.to_owned()) };
    let (before, after) = (text.get(..from)?, text.get(to..)?);
    // The blank line above it came with it.
    let before = ["\r\n\r\n", "\n\n"].iter().find_map(|gap| {
        let kept = before.strip_suffix(gap)?;
        Some(format!("{kept}{}", gap.get(gap.len() / 2..)?))
    });
    Some(format!("{}{after}", before.unwrap_or_else(|| text.get(..from).unwrap_or_default().to_owned())))
}

/// On one line, and with nothing in it that could end the part or hide in it.
fn harmless(rule: &str) -> String {
    let line = rule.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace("<!--", "‹!--").replace("-->", "--›")
}

/// The items of the lists in a text, without memoir's part, code and comments.
fn rules_of(text: &str) -> Vec<String> {
    let text = without_rules(text).unwrap_or_else(|| text.to_owned());
    let mut rules: Vec<String> = Vec::new();
    let (mut is_code, mut is_comment, mut is_in_item) = (false, false, false);
    for line in text.lines() {
        let shown = line.trim();
        if shown.starts_with("```") || shown.starts_with("~~~") {
            is_code = !is_code;
        }
        is_comment |= shown.starts_with("<!--");
        let is_none = is_code || is_comment || shown.starts_with("```") || shown.starts_with("~~~");
        is_comment &= !shown.contains("-->");
        match item(shown).filter(|_| !is_none) {
            Some(item) => {
                rules.push(item.to_owned());
                is_in_item = true;
            }
            None if is_in_item && !is_none && line.starts_with([' ', '\t']) && !shown.is_empty() => {
                if let Some(last) = rules.last_mut() {
                    last.push(' ');
                    last.push_str(shown);
                }
            }
            None => is_in_item = false,
        }
    }
    rules.retain(|rule| RULE_CHARS.contains(&rule.chars().count()));
    rules.truncate(RULES_MAX);
    rules
}

/// What an item of a list says.
fn item(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        (rest.len() < line.len()).then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))).flatten()
    };
    let said = bullet.or_else(numbered)?;
    Some(said.strip_prefix("[ ] ").or_else(|| said.strip_prefix("[x] ")).unwrap_or(said).trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rules(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn rules_go_in_once_change_in_place_and_come_out_again() {
        for text in ["", "# Ours\n\nBe kind.\n", "# Ours\r\n\r\n- be kind to all\r\n"] {
            let one = with_rules(text, &rules(&["use four spaces"])).unwrap();
            assert!(one.starts_with(text) && one.contains("- use four spaces"), "{one}");
            assert_eq!(with_rules(&one, &rules(&["use four spaces"])).unwrap(), one);
            let two = with_rules(&one, &rules(&["use tabs"])).unwrap();
            assert!(two.contains("- use tabs") && !two.contains("four spaces"), "{two}");
            assert_eq!(without_rules(&two).unwrap(), text);
        }
        let amid = format!("above\n\n{OPEN}\nold\n{CLOSE}\nbelow\n");
        let changed = with_rules(&amid, &rules(&["use tabs"])).unwrap();
        assert!(changed.starts_with("above\n\n<!-- memoir:begin -->") && changed.ends_with("memoir:end -->\nbelow\n"));
        assert_eq!(without_rules(&amid).unwrap(), "above\nbelow\n");
    }

    #[test]
    fn marks_that_do_not_pair_are_left_to_their_owner() {
        for text in [OPEN, CLOSE, "<!-- memoir:end -->\n<!-- memoir:begin -->", &format!("{OPEN}{OPEN}{CLOSE}")] {
            assert_eq!(with_rules(text, &rules(&["use tabs"])), None, "{text}");
        }
    }

    #[test]
    fn a_rule_cannot_end_the_part_that_it_stands_in() {
        let text = with_rules("", &rules(&["a <!-- memoir:end --> b\nc"])).unwrap();
        assert_eq!(text.matches(CLOSE).count(), 1);
        assert!(text.contains("- a ‹!-- memoir:end --› b c\n"), "{text}");
    }

    #[test]
    fn what_others_wrote_is_read_item_by_item() {
        let text = "# House rules\n\n- use four spaces,\n  never tabs\n* run `cargo test` first\n1. sign all commits\n- ok\n\nA paragraph.\n\n```\n- this is code, no rule\n```\n<!--\n- this is hidden\n-->\n- [ ] no panics outside tests\n";
        let text = with_rules(text, &rules(&["this is memoir's own"])).unwrap();
        assert_eq!(
            rules_of(&text),
            ["use four spaces, never tabs", "run `cargo test` first", "sign all commits", "no panics outside tests"]
        );
    }

    proptest! {
        #[test]
        fn any_text_keeps_all_that_is_not_memoirs(text in "[a-z #\\-*`\\n]{0,80}", rule in ".{0,60}") {
            let text = if text.is_empty() || text.ends_with('\n') { text } else { text + "\n" };
            let with = with_rules(&text, std::slice::from_ref(&rule)).unwrap();
            prop_assert!(with.starts_with(&text));
            prop_assert_eq!(without_rules(&with), Some(text));
            let _ = rules_of(&with);
        }
    }
}
