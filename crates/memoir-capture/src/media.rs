//! Pictures and other attachments: noted by type and size, never kept.

use crate::payload::push_text;
use memoir_event::Json;

/// What is known of an attachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Media {
    pub kind: String,
    pub bytes: Option<u64>,
}

impl Media {
    /// An attachment whose bytes stand in base64.
    pub fn of_base64(kind: &str, data: &str) -> Media {
        Media { kind: kind.to_owned(), bytes: Some(decoded_bytes(data)) }
    }

    /// An attachment given by address; a `data:` address holds it.
    pub fn of_url(url: &str) -> Media {
        let Some((kind, data)) = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) else {
            return Media { kind: "image".to_owned(), bytes: None };
        };
        Media::of_base64(kind, data)
    }

    /// A note that stands where the attachment was.
    pub fn note(&self) -> String {
        match self.bytes {
            Some(bytes) => format!("[{}, {bytes} bytes]", self.kind),
            None => format!("[{}]", self.kind),
        }
    }
}

fn decoded_bytes(base64: &str) -> u64 {
    let digits = |part: &str| u64::try_from(part.trim_end_matches('=').len()).unwrap_or(u64::MAX);
    // Of a huge one the middle was left out, and a mark says how much.
    let marked = || {
        let (head, rest) = base64.split_once("\u{2063}…[")?;
        let (left_out, rest) = rest.split_once(' ')?;
        let (_, tail) = rest.split_once('\u{2063}')?;
        Some(digits(head).saturating_add(left_out.parse().ok()?).saturating_add(digits(tail)))
    };
    marked().unwrap_or_else(|| digits(base64)).saturating_mul(3) / 4
}

/// Metadata that lists attachments; none for none.
pub(crate) fn metadata(media: &[Media]) -> Option<Json> {
    if media.is_empty() {
        return None;
    }
    let list: Vec<String> = media
        .iter()
        .map(|media| {
            let mut text = String::from("{\"type\":");
            push_text(&mut text, &media.kind);
            if let Some(bytes) = media.bytes {
                text.push_str(&format!(",\"bytes\":{bytes}"));
            }
            text + "}"
        })
        .collect();
    Json::parse(format!("{{\"attachments\":[{}]}}", list.join(","))).ok()
}

/// What stands for a message that has nothing but attachments.
pub(crate) fn notes(media: &[Media]) -> String {
    media.iter().map(Media::note).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_noted_by_type_and_size() {
        let media = Media::of_url("data:image/png;base64,aGVsbG8=");
        assert_eq!(media, Media { kind: "image/png".into(), bytes: Some(5) });
        assert_eq!(notes(std::slice::from_ref(&media)), "[image/png, 5 bytes]");
        assert_eq!(metadata(&[media]).unwrap().as_str(), r#"{"attachments":[{"type":"image/png","bytes":5}]}"#);
        assert_eq!(Media::of_url("https://x/y.png").note(), "[image]");
    }

    #[test]
    fn a_huge_picture_has_the_size_that_it_had() {
        let marked = format!("{}\u{2063}…[3990 characters left out]…\u{2063}{}==", "A".repeat(5), "A".repeat(5));
        assert_eq!(Media::of_base64("image/png", &marked).bytes, Some(3000));
        assert_eq!(Media::of_base64("image/png", "AAAA").bytes, Some(3));
    }
}
