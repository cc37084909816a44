//! Any bytes are lines of a Gemini CLI chat, in however many sittings they are read, or a whole chat or log of old.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memoir_capture::gemini::{Chat, ChatPlace, read_chat_json, read_log_json};

fuzz_target!(|bytes: &[u8]| {
    memoir_fuzz::read_in_sittings(bytes, || Chat::new(ChatPlace::default()), Chat::resume);
    let _ = read_chat_json(bytes, ChatPlace::default(), "session", &mut |_| {});
    let _ = read_log_json(bytes, None, &mut |_, _| Some("next".to_owned()), &mut |_| {});
});
