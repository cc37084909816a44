//! What a hook gives to the conversation, within its time: what is not ready then is left out, and counted.

use crate::commands::Context;
use crate::commands::context::Wishes;
use crate::home::{Life, now_ms, system_clock};
use jiff::tz::TimeZone;
use memoir_capture::HookCall;
use memoir_event::Client;
use memoir_hook::{Compressor, Injector, Time, Wanted, count_late};
use memoir_index::{Index, IndexOptions};
use memoir_journal::{Journal, SqliteJournal};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// What is left of a hook's time when a compressor's is over.
const RESERVE: Duration = Duration::from_millis(500);
/// A hook indexes for no longer than this part of its time.
const INDEXING_SHARE: u32 = 2;

/// About so many characters are a token.
const TOKEN_CHARS: usize = 4;

/// What there is to say.
#[derive(Default)]
pub struct Given {
    /// The answer, if it is more than nothing.
    pub json: Option<String>,
    /// What went wrong.
    pub problem: Option<String>,
}

/// The answer to a call that was recorded.
pub fn answer(
    context: &Context,
    wishes: &Wishes,
    journal: &Arc<SqliteJournal>,
    call: HookCall,
    begun: Instant,
) -> Given {
    let wanted = wanted(context);
    if !Injector::is_about(&wanted, &call) {
        return Given::default();
    }
    let (client, limit) = (call.client, Duration::from_millis(context.settings.hooks.timeout_ms));
    let prompt = call.prompt.as_deref();
    let is_private = prompt.is_some_and(|prompt| wishes.policy.is_private(prompt));
    // Who takes back what was said asks for nothing.
    let at_prompts = wanted.at_prompts && !prompt.is_some_and(|prompt| wishes.policy.takes_back(prompt));
    let wanted = Wanted { is_private, at_prompts, ..wanted };
    // A digest that takes too long leaves time for one that does not.
    let end = begun + limit.saturating_sub(RESERVE.min(limit / 4));
    let time = Time { begin_until: begun + limit / INDEXING_SHARE, end };
    let injector = injector(context, wishes, journal, wanted);
    let (send, receive) = channel();
    // Nobody waits for this thread: when its time is over, the process ends, and everything that it writes is whole.
    std::thread::spawn(move || {
        let _ = send.send(injector.answer(&call, time).map_err(|error| error.to_string()));
    });
    match receive.recv_timeout(limit.saturating_sub(begun.elapsed())) {
        Ok(Ok(json)) => Given { json, problem: None },
        Ok(Err(problem)) => Given { json: None, problem: Some(problem) },
        Err(RecvTimeoutError::Timeout) => late(context, client),
        Err(RecvTimeoutError::Disconnected) => {
            Given { json: None, problem: Some("recall broke; please report it".to_owned()) }
        }
    }
}

fn wanted(context: &Context) -> Wanted {
    let hooks = &context.settings.hooks;
    Wanted {
        at_prompts: hooks.recall,
        at_start: hooks.essence,
        at_resume: hooks.resume,
        resume_chars_max: hooks.resume_chars_max.min(hooks.resume_token_budget.saturating_mul(TOKEN_CHARS)),
        before_tools: hooks.before_tool,
        repeat_turns: hooks.repeat_turns,
        budget_tokens: hooks.budget_tokens,
        is_private: false,
    }
}

/// Who makes digests, if somebody configured one.
fn compressor(context: &Context) -> Option<Compressor> {
    let settings = &context.settings.compressor;
    settings.is_on.then(|| Compressor {
        program: "codex".into(),
        model: settings.model.clone(),
        thinking: settings.thinking.clone(),
        detect: settings.detect,
        detect_timeout: Duration::from_millis(settings.detect_timeout_ms),
        detect_ttl_ms: i64::try_from(settings.detect_ttl_ms).unwrap_or(i64::MAX),
        profile_file: context.home.compressor_file(),
        marker: super::OWN_AGENT,
    })
}

fn injector(context: &Context, wishes: &Wishes, journal: &Arc<SqliteJournal>, wanted: Wanted) -> Injector {
    let redactor = Arc::clone(&wishes.redactor);
    Injector {
        journal: Arc::clone(journal) as Arc<dyn Journal>,
        index: Index::open(&context.home.index_dir(), IndexOptions::brief()),
        recall: context.recall(&redactor),
        blocked: context.settings.blocked.clone(),
        redactor,
        clock: system_clock(),
        zone: TimeZone::system(),
        user_home: wishes.user_home.clone(),
        wanted,
        compressor: compressor(context),
    }
}

/// The prompt goes on without memory; the journal that recall uses may be what is slow.
fn late(context: &Context, client: Client) -> Given {
    let counted = context.home.journal(&context.settings, Life::Hook).map(|journal| {
        let _ = count_late(&journal, client, now_ms());
    });
    let problem = counted.err().map(|error| format!("{error:#}"));
    Given { json: None, problem: problem.or_else(|| Some("there was no time to recall anything".to_owned())) }
}
