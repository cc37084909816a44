//! Google Gemini CLI.

mod chat;
mod hook;
mod log;
mod stream;
mod tools;

pub use chat::{Chat, ChatPlace, read_chat_json};
pub(crate) use hook::{name_of_kind, read_hook};
pub use log::{AfterClear, read_log_json};
pub use stream::ExecStream;
