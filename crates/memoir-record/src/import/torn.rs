//! Lines that hold more than one record: a client that was killed while it wrote left half of one, and the next record
//! went on from there.

use serde_json::value::RawValue;

/// So many places are tried at which a record may begin.
const PLACES_MAX: usize = 1000;

/// One of these stands in every record of a session file, and with one of the others in hardly anything inside one.
const KINDS: [&str; 3] = ["type", "id", "$set"];
const PLACES: [&str; 4] = ["timestamp", "uuid", "sessionId", "$set"];

/// The records that stand whole in a line that is not one: at its beginning, or to its end.
pub(super) fn whole_records(line: &str) -> Vec<&str> {
    let mut records = Vec::new();
    let mut from = 0;
    for (at, _) in line.match_indices("{\"").take(PLACES_MAX) {
        if at < from {
            continue;
        }
        let rest = line.get(at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let Some(Ok(record)) = values.next() else { continue };
        let record = record.get();
        let is_last = rest.get(record.len()..).is_some_and(|after| after.trim_matches(is_blank).is_empty());
        let is_first = line.get(..at).is_some_and(|before| before.trim_matches(is_blank).is_empty());
        if (is_first || is_last) && is_record(record) {
            records.push(record);
            from = at + record.len();
        }
    }
    records
}

/// Blanks, and what a file system puts where nothing was written.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\0'
}

fn is_record(json: &str) -> bool {
    let Ok(fields) = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json) else { return false };
    let has = |names: &[&str]| names.iter().any(|name| fields.contains_key(*name));
    has(&KINDS) && has(&PLACES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_in_a_torn_line_is_found_and_nothing_inside_a_record() {
        let whole = r#"{"type":"user","timestamp":"t","message":{"content":[{"type":"text","timestamp":"x"}]}}"#;
        for torn in [
            r#"{"type":"user","timest"#,
            r#"{"type":"user","timestamp":"t","message":{"content":"it says {"#,
            r#"{"a":[{"type":"x","timestamp":"t"},"#,
            "\0\0\0",
            "garbage ",
        ] {
            assert_eq!(whole_records(&format!("{torn}{whole}")), [whole], "{torn}");
        }
        assert_eq!(whole_records(&format!("{whole}{whole}")), [whole, whole]);
        assert_eq!(whole_records(&format!("{whole}{{\"type\":")), [whole]);
        assert!(whole_records(r#"{"payload":{"list":[{"type":"text"}"#).is_empty());
        assert!(whole_records(&"{\"".repeat(100_000)).is_empty());
    }
}
