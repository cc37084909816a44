//! Applies the user's wishes to what was captured, in the order in which it happened.

use crate::policy::{Policy, Reason};
use crate::private::{Place, PrivateRequests, digest, name_of};
use crate::spool::Note;
use memoir_capture::codex::ANY_TOOL;
use memoir_capture::{Captured, Salt};
use memoir_event::{Client, Event, Kind};
use memoir_journal::{Cursor, TakenBack};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// So many calls of excluded tools are remembered at once.
const CALLS_MAX: usize = 4096;

/// So many turns are remembered as not private: what they leave behind may come after the next prompt.
const PUBLIC_MAX: usize = 16;

/// Says what of a file, a stream or a hook call may be recorded.
#[derive(Debug, Default)]
pub struct Judge {
    salt: Salt,
    known: PrivateRequests,
    /// Everything is private, whatever it is.
    hides_all: bool,
    /// The private request that each session is at.
    open: HashMap<Place, String>,
    /// Turns that are not private, the latest.
    public: VecDeque<(Place, String)>,
    /// Turns that are about to begin with words that are not private.
    coming: Vec<(Place, String)>,
    /// Requests that a journal has to hear of.
    changed: BTreeSet<(Place, String)>,
    /// Requests that began here, for when no journal is there to hear of them.
    begun: Vec<Note>,
    /// Calls of excluded tools.
    calls: Vec<String>,
    dirs: HashMap<String, bool>,
}

/// What the user asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// In words.
    Words,
    /// By an order to the client, which may be about what went before.
    Order,
}

impl Judge {
    /// A judge who shares what is known of private requests.
    pub(crate) fn new(salt: Salt, known: PrivateRequests) -> Judge {
        Judge { salt, known, ..Judge::default() }
    }

    /// Begins with another file, in which these sessions were at a private request.
    pub(crate) fn begin(&mut self, open: impl IntoIterator<Item = (Place, String)>) {
        self.hides_all = false;
        self.open = open.into_iter().collect();
        self.public.clear();
        self.coming.clear();
        self.calls.clear();
        self.begun.clear();
    }

    /// Goes on with a session where it is now: at a private request, if nothing has ended it.
    pub fn go_on(&mut self, client: Client, session: &str) {
        let place = Place::new(client, session, self.salt);
        if let Some(request) = self.known.open(&place) {
            self.open.insert(place, request);
        }
    }

    /// Whatever comes is private.
    pub fn hide_all(&mut self) {
        self.hides_all = true;
    }

    /// The private request that each session is at.
    pub(crate) fn open(&self) -> impl Iterator<Item = (&Place, &str)> {
        self.open.iter().map(|(place, request)| (place, request.as_str()))
    }

    /// What has become known of private requests since the last time, for the journal to keep.
    pub fn take_changed(&mut self) -> Vec<Cursor> {
        let changed = std::mem::take(&mut self.changed);
        changed.iter().filter_map(|(place, request)| self.known.cursor(place, request)).collect()
    }

    /// The private requests that have begun since the last time, for when no journal is there to hear of them.
    pub fn take_begun(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.begun)
    }

    /// Looks at what is about to be judged: what stands beside the user's words belongs to them.
    pub fn look_at(&mut self, policy: &Policy, coming: &[Captured]) {
        self.coming.clear();
        if self.open.is_empty() {
            return;
        }
        for Captured { event, .. } in coming {
            if asks(event) == Some(Asks::Words) && !policy.is_private(&event.content.plain()) {
                let turn = self.turn(event);
                self.coming.extend(turn.map(|turn| (self.place(event), turn)));
            }
        }
    }

    /// Why something must not be recorded; none if it may.
    pub fn forbids(&mut self, policy: &Policy, captured: &Captured) -> Option<Reason> {
        let event = &captured.event;
        // Decided first: whether a request is private has to be known also of what is left out for another reason.
        let is_private = self.is_private(policy, captured);
        if let Some(dir) = captured.cwd.as_deref()
            && *self.dirs.entry(dir.to_owned()).or_insert_with(|| policy.excludes_dir(dir))
        {
            return Some(Reason::Path);
        }
        if event.time.as_ref().is_some_and(|time| policy.is_paused(time.ms())) {
            return Some(Reason::Paused);
        }
        if is_private {
            return Some(Reason::Private);
        }
        let is_excluded = policy.excludes_tools() && self.is_of_excluded_tool(policy, captured);
        let by_tool = is_excluded.then_some(Reason::Tool);
        by_tool.or_else(|| policy.excludes_text(&event.content.plain()).then_some(Reason::Pattern))
    }

    fn place(&self, event: &Event) -> Place {
        Place::new(event.client.unwrap_or(Client::Codex), &event.session, self.salt)
    }

    fn turn(&self, event: &Event) -> Option<String> {
        event.turn.as_deref().filter(|turn| !turn.is_empty()).map(|turn| digest(turn, self.salt))
    }

    fn is_private(&mut self, policy: &Policy, captured: &Captured) -> bool {
        let event = &captured.event;
        if self.hides_all {
            return true;
        }
        if event.thread.as_ref().is_some_and(|thread| *thread != event.session) {
            return self.is_private_agent(captured);
        }
        let asks = asks(event);
        if asks.is_some() {
            let said = event.content.plain();
            // The request before, if it was private, was never recorded: nothing but the session can be taken back.
            let is_open = self.open.contains_key(&self.place(event));
            if policy.is_private(&said) || is_open && policy.takes_back(&said) {
                let is_heard = policy.taken_back(&said).is_some_and(|what| what == TakenBack::Session || !is_open);
                self.begin_request(event);
                return !is_heard;
            }
        }
        // Most users have no private request at all.
        if self.open.is_empty() && !self.known.any() && asks.is_none() {
            return false;
        }
        let (place, turn) = (self.place(event), self.turn(event));
        if let Some(is_private) = self.is_in_open_request(&place, turn.as_deref(), asks, captured) {
            return is_private;
        }
        if asks == Some(Asks::Words) {
            self.begin_public(&place, turn.as_deref(), captured);
        }
        if !self.known.any() {
            return false;
        }
        match turn {
            _ if captured.is_recap && self.known.any_before(&place, at_ms(event)) => true,
            Some(turn) => self.known.has(&place, &turn),
            // It may come late, after the words that ended the request.
            None => asks.is_none() && self.known.covers(&place, at_ms(event)),
        }
    }

    /// The user said something that is not private.
    fn begin_public(&mut self, place: &Place, turn: Option<&str>, captured: &Captured) {
        if let Some(turn) = turn {
            if self.public.len() >= PUBLIC_MAX {
                self.public.pop_front();
            }
            self.public.push_back((place.clone(), turn.to_owned()));
        }
        if !self.known.any() {
            return;
        }
        let ended = self.known.end(place, at_ms(&captured.event));
        let had = turn.filter(|_| captured.begins_turn).map(|turn| self.known.take_back(place, turn));
        let changed = ended.into_iter().chain(had.into_iter().flatten());
        self.changed.extend(changed.map(|request| (place.clone(), request)));
    }

    /// Whether something is private because its session is at a private request; none if it is at none.
    fn is_in_open_request(
        &mut self,
        place: &Place,
        turn: Option<&str>,
        asks: Option<Asks>,
        captured: &Captured,
    ) -> Option<bool> {
        let event = &captured.event;
        let request = self.open.get(place)?.clone();
        let is_added = !captured.begins_turn && turn.is_some_and(|turn| self.known.is_of(place, &request, turn));
        if asks == Some(Asks::Words) && !is_added {
            self.open.remove(place);
            return None;
        }
        if let Some(turn) = turn {
            let is_it = |(of, known): &(Place, String)| of == place && known == turn;
            let is_beside = event.kind() == Kind::Context && self.coming.iter().any(is_it);
            if is_beside || self.public.iter().any(is_it) {
                return Some(false);
            }
            // The client goes on by itself, for instance when a sub-agent is done: it is still about the same.
            if is_work(event.kind()) && self.known.add(place, &request, turn) {
                self.changed.insert((place.clone(), request));
            }
        }
        Some(true)
    }

    fn begin_request(&mut self, event: &Event) {
        let (place, turn, at_ms) = (self.place(event), self.turn(event), at_ms(event));
        let name = name_of(turn.as_deref(), at_ms, self.salt);
        let client = event.client.unwrap_or(Client::Codex);
        self.begun.push(Note::Private { client, session: event.session.clone(), turn: event.turn.clone(), at_ms });
        if self.open.contains_key(&place) {
            let ended = self.known.end(&place, at_ms);
            self.changed.extend(ended.into_iter().map(|request| (place.clone(), request)));
        }
        self.public.retain(|(of, known)| *of != place || turn.as_ref() != Some(known));
        self.known.begin(&place, &name, turn.as_deref(), at_ms);
        self.changed.insert((place.clone(), name.clone()));
        self.open.insert(place, name);
    }

    /// A sub-agent works for a turn of its session.
    fn is_private_agent(&mut self, captured: &Captured) -> bool {
        if !self.known.any() {
            return false;
        }
        let event = &captured.event;
        let place = self.place(event);
        let thread = event.thread.as_deref().unwrap_or_default();
        let agent = digest(thread, self.salt);
        let asked = captured.asked.as_deref().map(|turn| digest(turn, self.salt));
        let Some(request) = self.known.of_agent(&place, &agent, asked.as_deref(), at_ms(event)) else { return false };
        // Some threads are named after their session: any sub-agent's lines may be in them.
        let is_one_agent = event.kind() == Kind::SessionStarted && !thread.starts_with(&event.session);
        if is_one_agent && self.known.add(&place, &request, &agent) {
            self.changed.insert((place, request));
        }
        true
    }

    fn is_of_excluded_tool(&mut self, policy: &Policy, captured: &Captured) -> bool {
        let event = &captured.event;
        let call = event.action.as_deref().unwrap_or_default();
        let by_name = captured.tools.iter().any(|tool| tool == ANY_TOOL || policy.excludes_tool(tool));
        // A command is a shell's, whoever ran it; a change that names no tool was made by one that changes files.
        let by_kind = match event.kind() {
            Kind::Command => policy.excludes_tool("Bash"),
            Kind::FileChange if captured.tools.is_empty() => policy.excludes_tool("apply_patch"),
            _ => false,
        };
        let is_known = || !call.is_empty() && self.calls.iter().any(|known| known == call);
        let is_excluded = by_name || by_kind || is_known();
        if is_excluded && event.kind() == Kind::ToolCall && !call.is_empty() {
            if self.calls.len() >= CALLS_MAX {
                self.calls.clear();
            }
            self.calls.push(call.to_owned());
        }
        is_excluded
    }
}

/// What the user asks for with this, if it is the user's.
fn asks(event: &Event) -> Option<Asks> {
    match event.kind() {
        Kind::UserMessage => Some(Asks::Words),
        Kind::Context => {
            let text = event.content.verbatim();
            let is_order = ["slash-command", "shell-command"]
                .iter()
                .any(|label| text.strip_prefix("{\"type\":\"").is_some_and(|rest| rest.starts_with(label)));
            is_order.then_some(Asks::Order)
        }
        _ => None,
    }
}

/// Whether this is an agent at work.
const fn is_work(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::AssistantMessage
            | Kind::Reasoning
            | Kind::ToolCall
            | Kind::ToolResult
            | Kind::Command
            | Kind::FileChange
            | Kind::Usage
            | Kind::TurnCompleted
            | Kind::Error
    )
}

fn at_ms(event: &Event) -> Option<i64> {
    event.time.as_ref().map(memoir_event::Time::ms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::{Content, Source, Time};

    fn policy() -> Policy {
        let markers = vec!["[private]".to_owned()];
        Policy::new(
            vec!["/secret/place".into()],
            vec!["Web*".into(), "Bash".into()],
            &["(?i)acme corp".into()],
            markers,
        )
        .unwrap()
    }

    fn captured(kind: Kind, turn: &str, content: Content) -> Captured {
        let mut event = Event::new(Source::ClaudeCodeHistory, "s", kind, content);
        event.turn = Some(turn.to_owned());
        event.client = Some(Client::Claude);
        Captured { cwd: Some("/work".into()), ..Captured::new(event) }
    }

    fn text(kind: Kind, turn: &str, text: &str) -> Captured {
        captured(kind, turn, Content::Text(text.to_owned()))
    }

    #[test]
    fn a_private_prompt_takes_its_whole_turn_with_it_and_not_the_next() {
        let (policy, mut judge) = (policy(), Judge::default());
        assert_eq!(judge.forbids(&policy, &text(Kind::UserMessage, "1", "hi")), None);
        assert_eq!(judge.forbids(&policy, &text(Kind::UserMessage, "2", "[Private] my salary")), Some(Reason::Private));
        assert_eq!(judge.forbids(&policy, &text(Kind::AssistantMessage, "2", "ok")), Some(Reason::Private));
        assert_eq!(judge.forbids(&policy, &text(Kind::ToolResult, "2", "out")), Some(Reason::Private));
        assert_eq!(judge.forbids(&policy, &text(Kind::UserMessage, "3", "and now?")), None);
        assert_eq!(judge.forbids(&policy, &text(Kind::AssistantMessage, "3", "this")), None);
    }

    /// What a judge says of each, one after another.
    fn judged(judge: &mut Judge, all: &[Captured]) -> Vec<bool> {
        let policy = policy();
        all.iter().map(|one| judge.forbids(&policy, one) == Some(Reason::Private)).collect()
    }

    fn at(mut captured: Captured, ms: i64) -> Captured {
        captured.event.time = Some(Time::from_ms(ms));
        captured
    }

    /// Something that a sub-agent does; `asked` is the user's turn.
    fn by_agent(kind: Kind, agent: &str, asked: Option<&str>, ms: i64) -> Captured {
        let mut captured = at(text(kind, "its own", "x"), ms);
        captured.event.thread = Some(agent.to_owned());
        captured.asked = asked.map(Into::into);
        captured
    }

    #[test]
    fn a_request_stays_private_over_turns_that_the_client_begins_by_itself() {
        let mut judge = Judge::default();
        let notice = captured(Kind::Context, "2", context("task-notification", "done"));
        let all = [
            text(Kind::UserMessage, "0", "hi"),
            text(Kind::UserMessage, "1", "[private] go"),
            text(Kind::Usage, "0", "what the turn before cost"),
            notice,
            text(Kind::AssistantMessage, "2", "it is done"),
            captured(Kind::Context, "3", context("ack", "yes")),
            text(Kind::ToolCall, "3", "ls"),
            text(Kind::UserMessage, "4", "and now?"),
            text(Kind::Usage, "2", "what the notice cost"),
            text(Kind::Usage, "4", "what this cost"),
        ];
        let expected = [false, true, false, true, true, true, true, false, true, false];
        assert_eq!(judged(&mut judge, &all), expected);
    }

    #[test]
    fn who_takes_back_what_they_said_last_is_heard_once_and_what_comes_of_it_is_private() {
        let hears = |text: &str| match text {
            "don't save that" => Some(TakenBack::ThisToo),
            "don't save that, go on" => Some(TakenBack::TurnBefore),
            "do not save this session" => Some(TakenBack::Session),
            _ => None,
        };
        let policy = policy().hearing(|text| text.contains("save") && !text.ends_with("go on"), hears);
        let mut judge = Judge::default();
        let mut judged = |kind, turn, said| judge.forbids(&policy, &text(kind, turn, said)) == Some(Reason::Private);
        assert!(!judged(Kind::UserMessage, "1", "the partner is Hooli"));
        assert!(!judged(Kind::UserMessage, "2", "don't save that"));
        assert!(judged(Kind::AssistantMessage, "2", "I will not save Hooli"));
        assert!(judged(Kind::UserMessage, "3", "don't save that"), "what was before is private already");
        assert!(!judged(Kind::UserMessage, "4", "now run the tests"));
        assert!(judged(Kind::UserMessage, "5", "my pin is 4711, do not save it"));
        assert!(judged(Kind::UserMessage, "6", "don't save that"));
        assert!(judged(Kind::UserMessage, "7", "don't save that, go on"), "it would take back another turn");
        assert!(!judged(Kind::UserMessage, "8", "do not save this session"), "the journal has to hear it");
        assert!(!judged(Kind::UserMessage, "9", "and now?"));
        assert!(!judged(Kind::UserMessage, "10", "don't save that, go on"), "the task is recorded");
        assert!(!judged(Kind::AssistantMessage, "10", "gone on"));
    }

    #[test]
    fn an_order_to_the_client_can_be_private_and_ends_nothing() {
        let order = |text: &str| captured(Kind::Context, "1", context("slash-command", text));
        let all = [order("/review [private]"), text(Kind::AssistantMessage, "1", "x"), order("/compact")];
        assert_eq!(judged(&mut Judge::default(), &all), [true; 3]);
    }

    #[test]
    fn what_stands_beside_the_words_that_end_a_request_is_not_private() {
        let mut judge = Judge::default();
        judged(&mut judge, &[text(Kind::UserMessage, "1", "[private] go")]);
        let beside = captured(Kind::Context, "2", context("standard-input", "a table"));
        let next = [beside, text(Kind::UserMessage, "2", "sum it up")];
        judge.look_at(&policy(), &next);
        assert_eq!(judged(&mut judge, &next), [false, false]);
    }

    #[test]
    fn sub_agents_of_a_private_request_are_private_by_turn_by_time_and_once_they_have_begun() {
        let known = PrivateRequests::default();
        let mut judge = Judge::new(Salt::default(), known.clone());
        let prompts = [
            at(text(Kind::UserMessage, "0", "hi"), 500),
            at(text(Kind::UserMessage, "1", "[private] go"), 1_000),
            at(text(Kind::UserMessage, "2", "and now?"), 2_000),
        ];
        judged(&mut judge, &prompts);
        // Its file is read by somebody else.
        let mut other = Judge::new(Salt::default(), known);
        let all = [
            by_agent(Kind::ToolCall, "a", Some("1"), 9_000),
            by_agent(Kind::ToolCall, "b", Some("0"), 1_500),
            by_agent(Kind::ToolCall, "c", None, 1_500),
            by_agent(Kind::ToolCall, "c", None, 2_500),
            by_agent(Kind::SessionStarted, "d", None, 1_500),
            by_agent(Kind::ToolCall, "d", None, 2_500),
            by_agent(Kind::SessionStarted, "s/sidechain", None, 1_500),
            by_agent(Kind::ToolCall, "s/sidechain", None, 2_500),
        ];
        assert_eq!(judged(&mut other, &all), [true, false, true, false, true, true, true, false]);
    }

    #[test]
    fn a_summary_of_a_session_with_a_private_request_in_it_is_private() {
        let mut judge = Judge::default();
        let recap = |ms| Captured { is_recap: true, ..at(text(Kind::SessionSummary, "9", "so far"), ms) };
        let all = [
            at(text(Kind::UserMessage, "1", "[private] go"), 1_000),
            at(text(Kind::UserMessage, "2", "and now?"), 2_000),
            recap(3_000),
            at(text(Kind::SessionSummary, "9", "waiting"), 3_000),
            recap(900),
        ];
        assert_eq!(judged(&mut judge, &all), [true, false, true, false, false]);
    }

    #[test]
    fn what_is_known_of_a_request_is_kept_and_taken_up_again() {
        let mut judge = Judge::default();
        judged(&mut judge, &[text(Kind::UserMessage, "1", "[private] go")]);
        assert_eq!(judge.take_changed().len(), 1);
        assert!(judge.take_changed().is_empty());
        let open: Vec<(Place, String)> = judge.open().map(|(place, name)| (place.clone(), name.to_owned())).collect();
        let mut later = Judge::default();
        later.begin(open);
        assert_eq!(judged(&mut later, &[text(Kind::ToolCall, "1", "x")]), [true]);
        let mut next = Judge::new(Salt::default(), judge.known.clone());
        next.go_on(Client::Claude, "s");
        assert_eq!(
            judged(&mut next, &[text(Kind::ToolCall, "7", "x"), text(Kind::UserMessage, "8", "y")]),
            [true, false]
        );
        assert_eq!(next.take_changed().len(), 1);
        next.hide_all();
        assert_eq!(judged(&mut next, &[text(Kind::UserMessage, "9", "z")]), [true]);
    }

    #[test]
    fn a_prompt_in_an_excluded_place_is_private_where_it_goes_on() {
        let mut prompt = text(Kind::UserMessage, "1", "[private] go");
        prompt.cwd = Some("/secret/place".into());
        let (policy, mut judge) = (policy(), Judge::default());
        assert_eq!(judge.forbids(&policy, &prompt), Some(Reason::Path));
        assert_eq!(judge.forbids(&policy, &text(Kind::ToolCall, "1", "x")), Some(Reason::Private));
    }

    #[test]
    fn what_happened_in_a_pause_is_not_recorded_afterwards() {
        let (policy, mut judge) = (policy().with_pauses(vec![(1_000, 2_000)]), Judge::default());
        let at = |ms| {
            let mut captured = text(Kind::UserMessage, "1", "hi");
            captured.event.time = Some(memoir_event::Time::from_ms(ms));
            captured
        };
        assert_eq!(judge.forbids(&policy, &at(999)), None);
        assert_eq!(judge.forbids(&policy, &at(1_500)), Some(Reason::Paused));
        assert_eq!(judge.forbids(&policy, &at(2_000)), None);
    }

    #[test]
    fn excluded_paths_tools_and_patterns_are_kept_out() {
        let (policy, mut judge) = (policy(), Judge::default());
        let mut inside = text(Kind::UserMessage, "1", "hi");
        inside.cwd = Some("/secret/place/deep".into());
        assert_eq!(judge.forbids(&policy, &inside), Some(Reason::Path));
        assert_eq!(judge.forbids(&policy, &text(Kind::UserMessage, "1", "for ACME Corp")), Some(Reason::Pattern));
        let call = of_tool(Kind::ToolCall, "WebFetch", "c1");
        assert_eq!(judge.forbids(&policy, &call), Some(Reason::Tool));
        assert_eq!(judge.forbids(&policy, &of_tool(Kind::FileChange, "", "c1")), Some(Reason::Tool));
        assert_eq!(judge.forbids(&policy, &of_tool(Kind::ToolResult, "Bash", "")), Some(Reason::Tool));
        assert_eq!(judge.forbids(&policy, &of_tool(Kind::FileChange, "", "c2")), None);
    }

    /// Something about a call of that tool.
    fn of_tool(kind: Kind, tool: &str, call: &str) -> Captured {
        let mut captured = text(kind, "1", "x");
        captured.event.action = Some(call.to_owned()).filter(|call| !call.is_empty());
        captured.tools = Some(tool.to_owned()).filter(|tool| !tool.is_empty()).into_iter().collect();
        captured
    }

    #[test]
    fn a_shell_is_excluded_by_any_of_its_names_and_commands_with_it() {
        let (policy, mut judge) = (policy(), Judge::default());
        for tool in ["shell_command", "write_stdin", "BashOutput"] {
            assert_eq!(judge.forbids(&policy, &of_tool(Kind::ToolCall, tool, "")), Some(Reason::Tool), "{tool}");
        }
        assert_eq!(judge.forbids(&policy, &of_tool(Kind::Command, "", "of a call before")), Some(Reason::Tool));
        assert_eq!(judge.forbids(&policy, &text(Kind::FileChange, "1", "a.txt")), None);
    }

    #[test]
    fn a_script_is_excluded_with_the_tools_that_it_calls() {
        let (policy, mut judge) = (policy(), Judge::default());
        for (tool, expected) in [("exec_command", Some(Reason::Tool)), (ANY_TOOL, Some(Reason::Tool)), ("view", None)] {
            for kind in [Kind::ToolCall, Kind::ToolResult] {
                let mut script = of_tool(kind, "exec", "");
                script.tools.push(tool.to_owned());
                assert_eq!(judge.forbids(&policy, &script), expected, "{tool}");
            }
        }
    }

    /// Something that stands beside what the user says.
    fn context(label: &str, text: &str) -> Content {
        let json = serde_json::json!({"type": label, "text": text}).to_string();
        Content::Payload(memoir_event::Json::parse(json).unwrap())
    }
}
