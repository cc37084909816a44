//! How the text of a record is stored: a JSON object with short names, compressed on its own.
//!
//! Each body is compressed alone, so that purging one leaves nothing of it elsewhere. The dictionary that helps short
//! texts was trained once, on memoir's own sources and made-up sessions; it never learns from what users record.

use crate::JournalError;
use crate::flags::TimeSpelling;
use memoir_event::{Content, Event, Json, KeyHasher};
use serde::Deserialize;
use std::cell::RefCell;
use std::sync::LazyLock;
use zstd::dict::{DecoderDictionary, EncoderDictionary};

const PLAIN: u8 = 0;
const ZSTD_DICTIONARY_V1: u8 = 1;
/// What a purge leaves: the hash, and the spelling of the time if the header does not say it.
const ERASED: u8 = 2;
const HASH_BYTES: usize = 32;

/// Part of the format: a body packed with it can only be unpacked with it.
static DICTIONARY_V1: &[u8] = include_bytes!("dictionary-v1.zdict");

/// Fast enough for every hook, and close to the higher levels on texts of this size.
const LEVEL: i32 = 1;

/// Bodies shorter than this gain nothing from compression.
const COMPRESS_FROM_BYTES: usize = 32;

/// The largest body that is read back: far above what any way in accepts, far below what would hurt.
const BODY_BYTES_MAX: usize = 256 << 20;

/// The spelling of the event's time, if the header does not already say it.
fn spelling(event: &Event) -> Option<&str> {
    let time = event.time.as_ref()?;
    (TimeSpelling::of(Some(time)) == TimeSpelling::Body).then(|| time.given())
}

fn encode(event: &Event, time: Option<&str>, out: &mut Vec<u8>) -> Result<(), JournalError> {
    let (name, json) = match &event.content {
        Content::Text(text) => {
            out.extend_from_slice(b"{\"x\":");
            write_string(text, out)?;
            ("", None)
        }
        Content::Json(json) => ("{\"j\":", Some(json)),
        Content::Payload(json) => ("{\"p\":", Some(json)),
    };
    if let Some(json) = json {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(json.as_str().as_bytes());
    }
    let texts = [
        (",\"n\":", event.adapter.as_deref()),
        (",\"t\":", event.turn.as_deref()),
        (",\"o\":", event.topic.as_deref()),
        (",\"a\":", event.action.as_deref()),
        (",\"w\":", time),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            out.extend_from_slice(name.as_bytes());
            write_string(text, out)?;
        }
    }
    for (name, json) in [(",\"m\":", &event.metadata), (",\"e\":", &event.meta)] {
        if let Some(json) = json {
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(json.as_str().as_bytes());
        }
    }
    out.push(b'}');
    Ok(())
}

fn encode_time_only(time: &str, out: &mut Vec<u8>) -> Result<(), JournalError> {
    out.extend_from_slice(b"{\"w\":");
    write_string(time, out)?;
    out.push(b'}');
    Ok(())
}

fn write_string(text: &str, out: &mut Vec<u8>) -> Result<(), JournalError> {
    serde_json::to_writer(out, text).map_err(|error| JournalError::Io(error.to_string()))
}

/// A body ready to be stored, and its hash for the chain. The hash is keyed with the journal's secret: it outlives a
/// purge, and must not help to guess the text.
#[derive(Debug, Clone)]
pub struct Packed {
    pub bytes: Vec<u8>,
    pub hash: [u8; 32],
}

impl Packed {
    /// The body of an event.
    pub fn of(event: &Event, hasher: &KeyHasher) -> Result<Packed, JournalError> {
        let mut plain = Vec::with_capacity(event.content.verbatim().len() + 64);
        encode(event, spelling(event), &mut plain)?;
        Ok(Packed::new(&plain, hasher))
    }

    /// The body of a sighting: it says nothing new, but its id still needs the exact time it gave.
    pub fn of_sighting(event: &Event, hasher: &KeyHasher) -> Result<Packed, JournalError> {
        let mut plain = Vec::new();
        if let Some(time) = spelling(event) {
            encode_time_only(time, &mut plain)?;
        }
        Ok(Packed::new(&plain, hasher))
    }

    fn new(plain: &[u8], hasher: &KeyHasher) -> Packed {
        let mut bytes = Vec::new();
        if !plain.is_empty() {
            pack(plain, &mut bytes);
        }
        Packed { bytes, hash: hasher.hash(plain) }
    }
}

/// The parts of an event that its body holds.
#[derive(Debug, Deserialize)]
pub struct Body {
    x: Option<String>,
    j: Option<Json>,
    p: Option<Json>,
    #[serde(rename = "n")]
    pub adapter: Option<String>,
    #[serde(rename = "t")]
    pub turn: Option<String>,
    #[serde(rename = "o")]
    pub topic: Option<String>,
    #[serde(rename = "a")]
    pub action: Option<String>,
    #[serde(rename = "w")]
    pub time: Option<String>,
    #[serde(rename = "m")]
    pub metadata: Option<Json>,
    #[serde(rename = "e")]
    pub meta: Option<Json>,
}

impl Body {
    /// Reads an unpacked body.
    pub fn decode(bytes: &[u8]) -> Result<Body, String> {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    /// Takes the content out.
    pub fn take_content(&mut self) -> Content {
        match (self.x.take(), self.j.take(), self.p.take()) {
            (Some(text), ..) => Content::Text(text),
            (None, Some(json), _) => Content::Json(json),
            (None, None, Some(json)) => Content::Payload(json),
            (None, None, None) => Content::Text(String::new()),
        }
    }
}

thread_local! {
    static PACKER: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Compresses a body if that makes it smaller.
fn pack(body: &[u8], out: &mut Vec<u8>) {
    out.clear();
    if body.len() >= COMPRESS_FROM_BYTES && pack_zstd(body, out).is_some() && out.len() <= body.len() {
        return;
    }
    out.clear();
    out.push(PLAIN);
    out.extend_from_slice(body);
}

fn new_packer() -> std::io::Result<zstd::bulk::Compressor<'static>> {
    static PREPARED: LazyLock<EncoderDictionary<'static>> =
        LazyLock::new(|| EncoderDictionary::copy(DICTIONARY_V1, LEVEL));
    let mut packer = zstd::bulk::Compressor::with_prepared_dictionary(&PREPARED)?;
    packer.include_dictid(false)?;
    Ok(packer)
}

fn new_unpacker() -> std::io::Result<zstd::bulk::Decompressor<'static>> {
    static PREPARED: LazyLock<DecoderDictionary<'static>> = LazyLock::new(|| DecoderDictionary::copy(DICTIONARY_V1));
    zstd::bulk::Decompressor::with_prepared_dictionary(&PREPARED)
}

fn pack_zstd(body: &[u8], out: &mut Vec<u8>) -> Option<()> {
    PACKER.with_borrow_mut(|slot| {
        let packer = match slot {
            Some(packer) => packer,
            None => slot.insert(new_packer().ok()?),
        };
        out.resize(1 + zstd::zstd_safe::compress_bound(body.len()), 0);
        let (format, room) = out.split_first_mut()?;
        *format = ZSTD_DICTIONARY_V1;
        let written = packer.compress_to_buffer(body, room).ok()?;
        out.truncate(1 + written);
        Some(())
    })
}

/// What is left of a packed body when its text is erased; none if it was erased before.
pub fn erased(packed: &[u8], hasher: &KeyHasher) -> Result<Option<Vec<u8>>, String> {
    if packed.first() == Some(&ERASED) {
        return Ok(None);
    }
    let plain = unpack(packed)?;
    let mut left = vec![ERASED];
    left.extend_from_slice(&hasher.hash(&plain));
    if let Some(time) = Body::decode(&plain).ok().and_then(|body| body.time) {
        encode_time_only(&time, &mut left).map_err(|error| error.to_string())?;
    }
    Ok(Some(left))
}

/// The hash that a purge left in the place of a body.
pub fn erased_hash(packed: &[u8]) -> Option<[u8; HASH_BYTES]> {
    let (&ERASED, rest) = packed.split_first()? else { return None };
    rest.get(..HASH_BYTES)?.try_into().ok()
}

/// The body that was packed.
pub fn unpack(packed: &[u8]) -> Result<Vec<u8>, String> {
    match packed.split_first() {
        Some((&PLAIN, body)) => Ok(body.to_vec()),
        Some((&ZSTD_DICTIONARY_V1, frame)) => UNPACKER.with_borrow_mut(|slot| {
            let unpacker = match slot {
                Some(unpacker) => unpacker,
                None => slot.insert(new_unpacker().map_err(|error| error.to_string())?),
            };
            let size = zstd::zstd_safe::get_frame_content_size(frame).ok().flatten().unwrap_or(0);
            let room = usize::try_from(size).unwrap_or(usize::MAX).min(BODY_BYTES_MAX);
            unpacker.decompress(frame, room).map_err(|error| error.to_string())
        }),
        Some((&ERASED, left)) => Ok(left.get(HASH_BYTES..).unwrap_or_default().to_vec()),
        Some((format, _)) => Err(format!("unknown body format {format}")),
        None => Err("empty body".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::{Kind, Source};
    use proptest::prelude::*;

    fn full_event() -> Event {
        let mut event =
            Event::new(Source::Recorder, "s", Kind::ToolCall, Content::Text("hello \"you\"\n\u{0}é".into()));
        event.adapter = Some("codex".into());
        event.turn = Some("t1".into());
        event.topic = Some("topic".into());
        event.action = Some("a1".into());
        event.metadata = Some(Json::parse(r#"{"b": 2.50,"a":[1e400]}"#.into()).unwrap());
        event.meta = Some(Json::parse(r#"{"intent":"i"}"#.into()).unwrap());
        event
    }

    #[test]
    fn the_stored_body_is_as_promised() {
        let mut bytes = Vec::new();
        encode(&full_event(), Some("2026-05-10T10:00:00+02:00"), &mut bytes).unwrap();
        let golden = concat!(
            r#"{"x":"hello \"you\"\n\u0000é","n":"codex","t":"t1","o":"topic","a":"a1","w":"2026-05-10T10:00:00+02:00","#,
            r#""m":{"b": 2.50,"a":[1e400]},"e":{"intent":"i"}}"#
        );
        assert_eq!(String::from_utf8(bytes).unwrap(), golden);
    }

    #[test]
    fn a_body_survives_storage() {
        let event = full_event();
        let (mut bytes, mut packed) = (Vec::new(), Vec::new());
        encode(&event, None, &mut bytes).unwrap();
        pack(&bytes, &mut packed);
        let mut body = Body::decode(&unpack(&packed).unwrap()).unwrap();
        assert_eq!(body.take_content(), event.content);
        assert_eq!((body.turn, body.metadata, body.meta), (event.turn, event.metadata, event.meta));
    }

    #[test]
    fn an_erased_body_keeps_its_hash_and_how_its_time_was_spelt() {
        let hasher = KeyHasher::new([5; 32]);
        let (mut plain, mut packed) = (Vec::new(), Vec::new());
        encode(&full_event(), Some("2026-05-10T10:00:00+02:00"), &mut plain).unwrap();
        pack(&plain, &mut packed);
        let left = erased(&packed, &hasher).unwrap().unwrap();
        assert_eq!(erased_hash(&left), Some(hasher.hash(&plain)));
        let mut body = Body::decode(&unpack(&left).unwrap()).unwrap();
        assert_eq!((body.time.take(), body.turn.take()), (Some("2026-05-10T10:00:00+02:00".to_owned()), None));
        assert_eq!(body.take_content(), Content::Text(String::new()));
        assert_eq!(erased(&left, &hasher), Ok(None));
        assert_eq!(erased_hash(&packed), None);
    }

    proptest! {
        #[test]
        fn packing_is_undone(body in proptest::collection::vec(any::<u8>(), 0..2000)) {
            let mut packed = Vec::new();
            pack(&body, &mut packed);
            prop_assert!(packed.len() <= body.len() + 1);
            prop_assert_eq!(unpack(&packed).unwrap(), body);
        }

        #[test]
        fn any_bytes_unpack_or_fail(packed in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(body) = unpack(&packed) {
                let _ = Body::decode(&body);
            }
        }
    }
}
