//! What a record says: the blocks of the wire on one side, the content of an event on the other.
//!
//! One plain text block is a text and one JSON block is a JSON document. Everything else becomes one JSON object
//! that keeps the blocks, so that recall can give back what came in:
//! `{"memoir_blocks":1,"blocks":[{"modality":…,"format":…,"text"|"json"|"base64":…,"embedding":…}],"summary":…}`.

use super::base64;
use super::error::WireError;
use super::record::{Block, Modality, RawContent};
use memoir_event::{Content, Json};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;

const TEXT_FORMAT: &str = "text/plain";
const JSON_FORMAT: &str = "application/json";
const KEPT_VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Kept<'a> {
    memoir_blocks: u32,
    #[serde(borrow)]
    blocks: Vec<KeptBlock<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct KeptBlock<'a> {
    modality: Modality,
    format: String,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    json: Option<&'a RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none", borrow)]
    base64: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    embedding: Option<Json>,
}

/// The blocks of an event's content.
pub fn to_blocks(content: &Content) -> RawContent {
    match content {
        Content::Text(text) => one(Modality::Text, TEXT_FORMAT, text),
        Content::Json(json) => {
            kept_blocks(json).unwrap_or_else(|| one(Modality::Structured, JSON_FORMAT, json.as_str()))
        }
        Content::Payload(json) => one(Modality::Structured, JSON_FORMAT, json.as_str()),
    }
}

fn one(modality: Modality, format: &str, text: &str) -> RawContent {
    let block = Block { modality, format: format.to_owned(), data: text.as_bytes().to_vec(), embedding: None };
    RawContent { blocks: vec![block], summary: None }
}

fn kept_blocks(json: &Json) -> Option<RawContent> {
    let kept = read_kept(json.as_str())?;
    let blocks = kept.blocks.into_iter().map(|block| Block {
        modality: block.modality,
        format: block.format,
        data: match (block.text, block.json, block.base64) {
            (Some(text), _, _) => text.into_owned().into_bytes(),
            (None, Some(json), _) => json.get().as_bytes().to_vec(),
            // What redaction took out of the middle of it is no base64 any more: the text says so.
            (None, None, Some(text)) => base64::decode(&text).unwrap_or_else(|| text.into_owned().into_bytes()),
            (None, None, None) => Vec::new(),
        },
        embedding: block.embedding,
    });
    Some(RawContent { blocks: blocks.collect(), summary: kept.summary })
}

fn read_kept(json: &str) -> Option<Kept<'_>> {
    // Most documents are not ours; the marker is looked for before anything is parsed.
    json.contains("\"memoir_blocks\"").then(|| serde_json::from_str(json).ok()).flatten()
}

/// The content of an event, from checked blocks.
pub fn from_blocks(content: RawContent) -> Result<Content, WireError> {
    check(&content)?;
    let RawContent { mut blocks, summary } = content;
    if summary.is_none()
        && blocks.len() == 1
        && let Some(block) = blocks.pop_if(|block| block.embedding.is_none())
    {
        match alone(block)? {
            Ok(content) => return Ok(content),
            Err(block) => blocks.push(block),
        }
    }
    keep(&blocks, summary)
}

/// The content that a single block is, or the block again if it has to be kept as one.
fn alone(block: Block) -> Result<Result<Content, Block>, WireError> {
    match (block.modality, block.format.as_str()) {
        (Modality::Text, TEXT_FORMAT) => {
            let text = String::from_utf8(block.data).map_err(|_| WireError::NotUtf8 { block: 0 })?;
            Ok(Ok(Content::Text(text)))
        }
        (Modality::Structured, JSON_FORMAT) => Ok(document(&block.data).map(Content::Json).ok_or(block)),
        _ => Ok(Err(block)),
    }
}

/// The document in `data`, if it gives exactly these bytes back and cannot be taken for kept blocks.
fn document(data: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(data).ok()?;
    let json = Json::parse(text.to_owned()).ok()?;
    (json.as_str().len() == text.len() && read_kept(text).is_none()).then_some(json)
}

fn keep(blocks: &[Block], summary: Option<String>) -> Result<Content, WireError> {
    let kept = Kept { memoir_blocks: KEPT_VERSION, blocks: blocks.iter().map(keep_block).collect(), summary };
    let text = serde_json::to_string(&kept).map_err(|error| WireError::Shape(error.to_string()))?;
    Json::parse(text).map(Content::Json).map_err(|error| WireError::Shape(error.to_string()))
}

fn keep_block(block: &Block) -> KeptBlock<'_> {
    let mut kept = KeptBlock {
        modality: block.modality,
        format: block.format.clone(),
        text: None,
        json: None,
        base64: None,
        embedding: block.embedding.clone(),
    };
    let text = std::str::from_utf8(&block.data).ok();
    let json = text
        .filter(|_| block.modality == Modality::Structured)
        .and_then(|text| serde_json::from_str::<&RawValue>(text).ok().filter(|raw| raw.get().len() == text.len()));
    match (json, text) {
        (Some(json), _) => kept.json = Some(json),
        (None, Some(text)) => kept.text = Some(Cow::Borrowed(text)),
        (None, None) => kept.base64 = Some(Cow::Owned(base64::encode(&block.data))),
    }
    kept
}

fn check(content: &RawContent) -> Result<(), WireError> {
    if content.blocks.is_empty() {
        return Err(WireError::NoBlocks);
    }
    content.blocks.iter().enumerate().try_for_each(|(at, block)| check_block(at, block))
}

fn check_block(at: usize, block: &Block) -> Result<(), WireError> {
    let bytes = block.data.len();
    if let Some(bytes_max) = block.modality.bytes_max().filter(|max| bytes > *max) {
        return Err(WireError::TooLarge { block: at, modality: block.modality.as_str(), bytes, bytes_max });
    }
    match block.modality {
        Modality::Text => {
            std::str::from_utf8(&block.data).map_err(|_| WireError::NotUtf8 { block: at })?;
        }
        Modality::Structured => {
            let reason = |error: serde_json::Error| WireError::NotJson { block: at, reason: error.to_string() };
            serde_json::from_slice::<&RawValue>(&block.data).map_err(reason)?;
        }
        _ => {}
    }
    let vector = block.embedding.as_ref().is_none_or(|json| serde_json::from_str::<Vec<f64>>(json.as_str()).is_ok());
    if vector { Ok(()) } else { Err(WireError::Embedding { block: at }) }
}
