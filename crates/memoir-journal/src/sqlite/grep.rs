//! Finds events by a piece of their text, in whatever revision: nothing is missed, at the price of reading all of it.

use super::read::Reader;
use crate::body::Body;
use crate::{JournalError, Seq};
use memoir_event::{Json, fold_into, is_invisible};
use rusqlite::Connection;

/// Records are read in portions of this size, so that no reader holds back the log for long.
const PORTION: usize = 1024;

/// The events that say `text` somewhere, hidden ones too; capitals, accents, widths and blanks do not matter. `progress` gets done and
/// total; if it stops the search, there is no answer.
pub fn grep(
    connection: &Connection,
    text: &str,
    progress: &mut dyn FnMut(Seq, Seq) -> bool,
) -> Result<Option<Vec<Seq>>, JournalError> {
    let wanted = comparable(text);
    let mut found = Vec::new();
    if wanted.is_empty() {
        return Ok(Some(found));
    }
    let total: i64 = connection.query_row("SELECT coalesce(max(seq), 0) FROM record", [], |row| row.get(0))?;
    let total = u64::try_from(total).unwrap_or(0);
    let reader = Reader::new(connection);
    let mut done = 0;
    while done < total {
        let records = reader.records_after(done, PORTION)?;
        let Some(last) = records.last() else { break };
        done = last.seq;
        for record in &records {
            let Ok(mut body) = Body::decode(&record.unpacked()?) else { continue };
            let meta = [body.metadata.take(), body.meta.take()];
            let names = [body.turn.take(), body.topic.take(), body.action.take(), body.adapter.take()];
            let said = body.take_content();
            let texts = meta.iter().flatten().map(Json::as_str).chain(names.iter().flatten().map(String::as_str));
            let says = comparable(&said.plain()).contains(&wanted)
                || texts.into_iter().any(|text| comparable(text).contains(&wanted));
            if says {
                found.push(record.event.unwrap_or(record.seq));
            }
        }
        if !progress(done, total) {
            return Ok(None);
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(Some(found))
}

/// A text in lower case, without accents, widths and what nobody sees, with one blank where there are several: what is looked for is
/// compared in this form, as search does.
pub fn comparable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let begun = out.len();
        if begun > 0 {
            out.push(' ');
        }
        let bare = out.len();
        word.chars().filter(|c| !is_unseen(*c)).for_each(|c| fold_into(c, &mut out));
        if out.len() == bare {
            out.truncate(begun);
        }
    }
    out
}

/// Whether a character changes nothing of what a word is: it cannot be seen, or only says how another one looks.
fn is_unseen(c: char) -> bool {
    !c.is_ascii() && (is_invisible(c) || matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}'))
        || c.is_ascii_control()
}

#[cfg(test)]
mod tests {
    use super::comparable;

    #[test]
    fn what_nobody_sees_makes_no_difference() {
        for text in
            ["Zero\u{200b}Width  joiner", "zero\u{ad}width\u{feff} joiner", "zerowidth \u{200b} jo\u{7}iner\u{fe0f}"]
        {
            assert_eq!(comparable(text), "zerowidth joiner", "{text:?}");
        }
        assert_eq!(comparable("\u{200b}"), "");
    }
}
