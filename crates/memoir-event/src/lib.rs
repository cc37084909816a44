//! The event envelope: ids, keys, kinds, times and scopes, and the capture events that become events.
//!
//! Owns what an event *is*. Pure: it reads no file, no environment and no clock, and knows nothing of storage.

mod access;
mod archive;
mod capture;
mod content;
mod envelope;
mod event;
mod fold;
mod id;
mod key;
mod kind;
mod memory;
mod meta;
mod nearest;
mod project;
mod source;
mod telling;
mod time;

pub use access::{Reasoning, Secrecy, Speaker, Visibility};
pub use archive::{ARCHIVE_POINTS_MAX, Archive, POINT_EVENTS_MAX, Point, Section, Trigger};
pub use capture::{CaptureError, CaptureEvent, EVENT_BYTES_MAX};
pub use content::{Content, Json, without_lone_surrogates};
pub use envelope::Envelope;
pub use event::{Event, Identity, Said};
pub use fold::{fold_into, is_invisible};
pub use id::{EventId, IdError, RecordUuid};
pub use key::{Key, KeyError, KeyHasher, Keys};
pub use kind::{Kind, Shape};
pub use memory::{
    MEMORY_ALIASES_MAX, MEMORY_CHARS_MAX, MEMORY_NAME_CHARS_MAX, Memory, MemoryKind, MemoryScope, MemorySource,
    MemoryStatus,
};
pub use meta::{MetaError, check_meta};
pub use nearest::nearest;
pub use project::repo_id_of_path;
pub use source::{Client, Source};
pub use telling::{Telling, ToldLine};
pub use time::{Time, TimeError, format_ms, parse_ms};
