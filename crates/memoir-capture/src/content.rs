//! What stands in a message or a result: a text, blocks, or whatever else a client writes there. Every value comes out
//! somewhere: as a text, as a note of an attachment, or as a block that nobody knows.

use crate::lenient::{List, Raw, Text, Words, lenient};
use crate::media::Media;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A part of some content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    Text(Cow<'a, str>),
    Media(Media),
    Unknown(Unknown<'a>),
}

/// A block of a kind that nobody knows, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unknown<'a> {
    pub kind: String,
    pub json: &'a str,
}

/// What a tool returned, as the model sees it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Returned<'a> {
    pub text: String,
    pub unknown: Vec<Unknown<'a>>,
}

lenient! {
    struct Block<'a> {
        kind: Text<'a> = "type",
        text: Words<'a> = "text",
        refusal: Words<'a> = "refusal",
        image_url: Raw<'a> = "image_url",
        url: Text<'a> = "url",
        path: Text<'a> = "path",
        data: Text<'a> = "data",
        mime_type: Text<'a> = "mimeType",
        source: Source<'a> = "source",
        tool_name: Text<'a> = "tool_name",
        resource: Resource<'a> = "resource",
        uri: Text<'a> = "uri",
    }
}

lenient! {
    struct Source<'a> {
        media_type: Text<'a> = "media_type",
        data: Text<'a> = "data",
    }
}

lenient! {
    struct Resource<'a> {
        text: Text<'a> = "text",
        blob: Text<'a> = "blob",
        mime_type: Text<'a> = "mimeType",
    }
}

lenient! {
    struct Address<'a> {
        url: Text<'a> = "url",
    }
}

lenient! {
    struct Answer<'a> {
        kind: Text<'a> = "type",
        text: Text<'a> = "text",
        content: Raw<'a> = "content",
    }
}

/// The content of a message, piece by piece.
pub(crate) fn pieces(content: Raw<'_>) -> Vec<Piece<'_>> {
    let Some(json) = content.get() else { return Vec::new() };
    let parts: List<Raw<'_>> = content.read();
    match json.as_bytes().first() {
        // A list of numbers is no list of blocks.
        Some(b'[') if parts.0.iter().any(|part| part.is_text() || part.is_object()) => {
            parts.0.into_iter().filter_map(piece).collect()
        }
        Some(b'[') if parts.0.is_empty() => Vec::new(),
        Some(b'{') if !is_block(content) => vec![Piece::Text(json.into())],
        _ => piece(content).into_iter().collect(),
    }
}

/// What a tool returned, piece by piece: other than a message it may be any value of a program's.
pub(crate) fn pieces_of_result(content: Raw<'_>) -> Vec<Piece<'_>> {
    if content.is_object() {
        let answer: Answer<'_> = content.read();
        let is_all = || {
            let fields: BTreeMap<Cow<'_, str>, Raw<'_>> = content.read();
            fields.keys().all(|name| matches!(name.as_ref(), "content" | "success" | "isError"))
        };
        if answer.content.is_list() || answer.content.is_text() && is_all() {
            return pieces_of_result(answer.content);
        }
        // An object that says its type need not be a block: tools have types of their own.
        let whole = || Piece::Text(content.get().unwrap_or_default().into());
        let known = piece(content).filter(|piece| is_block(content) && !matches!(piece, Piece::Unknown(_)));
        return vec![known.unwrap_or_else(whole)];
    }
    let parts: List<Raw<'_>> = content.read();
    match content.get() {
        Some(json) if !parts.0.is_empty() && !parts.0.iter().any(|part| is_block(*part)) => {
            vec![Piece::Text(json.into())]
        }
        _ => pieces(content),
    }
}

/// The same as one text, a line for each piece.
pub(crate) fn returned(content: Raw<'_>) -> Returned<'_> {
    let (mut lines, mut unknown) = (Vec::new(), Vec::new());
    for piece in pieces_of_result(content) {
        match piece {
            Piece::Text(text) => lines.push(text.into_owned()),
            Piece::Media(media) => lines.push(media.note()),
            Piece::Unknown(block) => unknown.push(block),
        }
    }
    Returned { text: lines.join("\n"), unknown }
}

/// The content of a message as one text, whatever it is.
pub(crate) fn text(content: Raw<'_>) -> Option<String> {
    let lines: Vec<String> = pieces(content).into_iter().map(Piece::into_text).collect();
    Some(lines.join("\n")).filter(|text| !text.trim().is_empty())
}

impl Piece<'_> {
    fn into_text(self) -> String {
        match self {
            Piece::Text(text) => text.into_owned(),
            Piece::Media(media) => media.note(),
            Piece::Unknown(block) => block.json.to_owned(),
        }
    }
}

/// Whether an object says that it is a block, or can be nothing else.
fn is_block(raw: Raw<'_>) -> bool {
    let answer: Answer<'_> = raw.read();
    raw.is_object() && (answer.kind.get().is_some() || answer.text.get().is_some())
}

/// One value: a block, or what stands in the place of one.
fn piece(raw: Raw<'_>) -> Option<Piece<'_>> {
    let json = raw.get()?;
    if !raw.is_object() {
        return raw.read::<Words<'_>>().0.0.map(Piece::Text);
    }
    let block: Block<'_> = raw.read();
    let unknown = |kind: &str| Some(Piece::Unknown(Unknown { kind: kind.to_owned(), json }));
    let known = match block.kind.get() {
        Some("text" | "Text" | "input_text" | "output_text" | "summary_text" | "reasoning_text") => {
            block.text.0.0.map(Piece::Text)
        }
        Some("refusal") => block.refusal.0.0.or(block.text.0.0).map(Piece::Text),
        Some("image" | "document" | "input_image" | "local_image" | "input_file") => {
            Some(Piece::Media(block.picture()))
        }
        Some("audio" | "input_audio" | "local_audio") => {
            Some(Piece::Media(Media { kind: "audio".to_owned(), bytes: None }))
        }
        Some("tool_reference") => block.tool_name.0.map(Piece::Text),
        Some("resource_link") => block.uri.0.map(Piece::Text),
        Some("resource") => match (block.resource.text.0, block.resource.blob.get()) {
            (Some(text), _) => Some(Piece::Text(text)),
            (None, Some(blob)) => {
                let kind = block.resource.mime_type.said().unwrap_or("resource");
                Some(Piece::Media(Media::of_base64(kind, blob)))
            }
            (None, None) => None,
        },
        // What only the server can read, and what the text beside it names too.
        Some("encrypted_content" | "skill" | "mention") => return None,
        Some(kind) => return unknown(kind),
        None if block.image_url.get().is_some() => Some(Piece::Media(block.picture())),
        None => block.text.0.0.map(Piece::Text),
    };
    known.or_else(|| unknown(block.kind.said().unwrap_or("block")))
}

impl Block<'_> {
    fn picture(&self) -> Media {
        let kind = self.kind.get().unwrap_or("image").trim_start_matches("input_").trim_start_matches("local_");
        if let Some(path) = self.path.said() {
            return Media { kind: format!("{kind} {path}"), bytes: None };
        }
        let inner: Address<'_> = self.image_url.read();
        let named = self.image_url.read::<Text<'_>>();
        if let Some(url) = named.said().or_else(|| inner.url.said()).or_else(|| self.url.said()) {
            return Media::of_url(url);
        }
        match (self.source.data.get(), self.data.get()) {
            (Some(data), _) => Media::of_base64(self.source.media_type.said().unwrap_or(kind), data),
            (None, Some(data)) => Media::of_base64(self.mime_type.said().unwrap_or(kind), data),
            (None, None) => Media { kind: self.source.media_type.said().unwrap_or(kind).to_owned(), bytes: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn raw(json: &str) -> Raw<'_> {
        serde_json::from_str(json).unwrap()
    }

    fn shown(pieces: Vec<Piece<'_>>) -> Vec<String> {
        let shown = |piece: Piece<'_>| match piece {
            Piece::Unknown(block) => format!("{}? {}", block.kind, block.json),
            piece => piece.into_text(),
        };
        pieces.into_iter().map(shown).collect()
    }

    #[test]
    fn every_value_of_a_message_comes_out_somewhere() {
        for (json, expected) in [
            (r#""hello""#, vec!["hello"]),
            (r#"["loose",{"type":"output_text","text":5},7,null]"#, vec!["loose", "5", "7"]),
            (
                r#"[{"type":"newkind","text":"a"},{"type":"text","text":"b"}]"#,
                vec![r#"newkind? {"type":"newkind","text":"a"}"#, "b"],
            ),
            (r#"[{"odd":1},{"type":"text"}]"#, vec![r#"block? {"odd":1}"#, r#"text? {"type":"text"}"#]),
            (r#"[{"type":"input_image","image_url":"data:image/png;base64,aGVsbG8="}]"#, vec!["[image/png, 5 bytes]"]),
            (r#"[{"type":"image","data":"aGVsbG8=","mimeType":"image/gif"}]"#, vec!["[image/gif, 5 bytes]"]),
            ("[1,2,3]", vec!["[1,2,3]"]),
            (r#"{"a":1}"#, vec![r#"{"a":1}"#]),
            (r#"{"type":"text","text":"one"}"#, vec!["one"]),
            ("42", vec!["42"]),
            ("true", vec!["true"]),
            ("null", vec![]),
            ("[]", vec![]),
        ] {
            assert_eq!(shown(pieces(raw(json))), expected, "{json}");
        }
    }

    #[test]
    fn what_a_program_returns_may_be_any_value() {
        for (json, expected) in [
            (r#"["strings","in a list"]"#, vec![r#"["strings","in a list"]"#]),
            (r#"[{"odd":1}]"#, vec![r#"[{"odd":1}]"#]),
            (
                r#"{"content":[{"type":"text","text":"a"},{"type":"newkind"}],"isError":true}"#,
                vec!["a", r#"newkind? {"type":"newkind"}"#],
            ),
            (r#"{"type":"create","path":"a"}"#, vec![r#"{"type":"create","path":"a"}"#]),
            (r#"{"type":"text","text":"a"}"#, vec!["a"]),
            (r#"{"content":"plain"}"#, vec!["plain"]),
            (r#"{"content":"a","more":1}"#, vec![r#"{"content":"a","more":1}"#]),
            (r#"{"content":5,"more":1}"#, vec![r#"{"content":5,"more":1}"#]),
            ("false", vec!["false"]),
        ] {
            assert_eq!(shown(pieces_of_result(raw(json))), expected, "{json}");
        }
    }

    proptest! {
        #[test]
        fn no_value_is_lost(number in 100_000u32.., shape in proptest::sample::select(vec![
            "N", "[N]", "{\"a\":N}", "[{\"type\":\"text\",\"text\":N}]", "[{\"type\":\"new\",\"b\":[N]}]", "[\"N\"]", "[[N],{}]",
            "{\"type\":\"text\",\"text\":{\"c\":N}}", "[{\"text\":N}]", "{\"content\":N}", "{\"content\":[\"N\"]}",
        ])) {
            let json = shape.replace('N', &number.to_string());
            for pieces in [pieces(raw(&json)), pieces_of_result(raw(&json))] {
                prop_assert!(shown(pieces).concat().contains(&number.to_string()), "{}", json);
            }
        }
    }
}
