//! Tells the user's words from everything else that stands in a user's message: injected memory, hook output,
//! instructions, environment, notifications, commands to the client itself. Block by block, never by whole messages.

use std::borrow::Cow;

/// What a text in a user's message turns out to be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sorted<'a> {
    /// What the user said.
    pub speech: Option<Cow<'a, str>>,
    /// What else was there: its name, and its text where it is worth keeping.
    pub context: Vec<(&'static str, Option<String>)>,
}

/// A block that begins and ends with marks of its own.
struct Wrapper {
    /// `<name`, whatever attributes follow.
    open: &'static str,
    close: &'static str,
    name: &'static str,
    place: Place,
    keep: Keep,
}

/// Where a wrapper is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the beginning of any line: plugins put these beside the user's words.
    AnyLine,
    /// Only where a block begins: clients put these in blocks of their own.
    Start,
}

/// Whether what stands in a wrapper is worth keeping.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Yes,
    No,
}

const fn any(open: &'static str, close: &'static str, name: &'static str) -> Wrapper {
    Wrapper { open, close, name, place: Place::AnyLine, keep: Keep::No }
}

const fn start(open: &'static str, close: &'static str, name: &'static str) -> Wrapper {
    Wrapper { open, close, name, place: Place::Start, keep: Keep::No }
}

const fn kept(open: &'static str, close: &'static str, name: &'static str) -> Wrapper {
    Wrapper { open, close, name, place: Place::Start, keep: Keep::Yes }
}

/// Everything that is known to be put into users' messages.
const WRAPPERS: [Wrapper; 45] = [
    any("<memoir-context", "</memoir-context>", "memoir-context"),
    any("<openviking-context", "</openviking-context>", "openviking-context"),
    any("<relevant-memories", "</relevant-memories>", "relevant-memory"),
    any("<relevant-memory", "</relevant-memory>", "relevant-memory"),
    any("<hook_context", "</hook_context>", "hook-context"),
    any("<hook_prompt", "</hook_prompt>", "hook-context"),
    any("<user-prompt-submit-hook", "</user-prompt-submit-hook>", "hook-context"),
    any("<system-reminder", "</system-reminder>", "system-reminder"),
    any("<system_reminder", "</system_reminder>", "system-reminder"),
    start("<current_datetime", "</current_datetime>", "environment"),
    start("<environment_context", "</environment_context>", "environment"),
    start("<environment_details", "</environment_details>", "environment"),
    start("<session_context", "</session_context>", "environment"),
    start("<user_instructions", "</user_instructions>", "instructions"),
    start("<INSTRUCTIONS", "</INSTRUCTIONS>", "instructions"),
    start("<permissions instructions", "</permissions instructions>", "instructions"),
    start("<skills_instructions", "</skills_instructions>", "instructions"),
    start("<apps_instructions", "</apps_instructions>", "instructions"),
    start("<plugins_instructions", "</plugins_instructions>", "instructions"),
    start("<agents_instructions", "</agents_instructions>", "instructions"),
    start("<collaboration_mode", "</collaboration_mode>", "instructions"),
    start("<multi_agent_mode", "</multi_agent_mode>", "instructions"),
    start("<multi_agent_role", "</multi_agent_role>", "instructions"),
    start("<recommended_plugins", "</recommended_plugins>", "plugin-list"),
    start("<skill>", "</skill>", "instructions"),
    start("<goal_context", "</goal_context>", "instructions"),
    start("<codex_internal_context", "</codex_internal_context>", "instructions"),
    start("<extension_context", "</extension_context>", "environment"),
    start("<turn_aborted", "</turn_aborted>", "interrupt"),
    start("<user_action", "</user_action>", "instructions"),
    start("<image_resize_notice", "</image_resize_notice>", "environment"),
    start("<local-command-caveat", "</local-command-caveat>", "command-output"),
    start("<ide_opened_file", "</ide_opened_file>", "environment"),
    start("<ide_selection", "</ide_selection>", "environment"),
    start("<ide_diagnostics", "</ide_diagnostics>", "environment"),
    start("<user-memory-input", "</user-memory-input>", "slash-command"),
    start("<teammate-message", "</teammate-message>", "task-notification"),
    kept("<task-notification", "</task-notification>", "task-notification"),
    kept("<subagent_notification", "</subagent_notification>", "task-notification"),
    kept("<user_shell_command", "</user_shell_command>", "shell-command"),
    kept("<bash-input", "</bash-input>", "shell-command"),
    kept("<bash-stdout", "</bash-stderr>", "command-output"),
    kept("<local-command-stdout", "</local-command-stdout>", "command-output"),
    kept("<local-command-stderr", "</local-command-stderr>", "command-output"),
    kept("<stdin>", "</stdin>", "standard-input"),
];

/// Texts without an end mark that open a block which is none of the user's.
const HEADS: [(&str, &str); 9] = [
    ("# AGENTS.md instructions", "instructions"),
    ("Another language model started to solve this problem", "summary"),
    ("This session is being continued from a previous conversation", "summary"),
    ("You were originally given instructions from a user over one or more turns", "summary"),
    ("Caveat: The messages below were generated by the user while running local commands", "command-output"),
    ("Warning: The maximum number of unified exec processes", "instructions"),
    ("Warning: apply_patch was requested via", "instructions"),
    ("Warning: Your account was flagged", "instructions"),
    ("This is the Gemini CLI. We are setting up the context for our chat.", "environment"),
];

/// The heading of a digest that some plugins put into prompts without any wrapper.
const BARE_DIGEST: &str = "OpenViking memory digest:";

/// What follows this in a prompt of an IDE is what the user typed.
const IDE_REQUESTS: [&str; 2] = ["## My request for Codex:", "## My request:"];

/// Whole messages that only acknowledge.
const ACKS: [&str; 20] = [
    "ok",
    "okay",
    "k",
    "kk",
    "yes",
    "y",
    "yep",
    "yeah",
    "no",
    "n",
    "nope",
    "thanks",
    "thank you",
    "thx",
    "ty",
    "got it",
    "sure",
    "好的",
    "谢谢",
    "danke",
];

/// Sorts the text of one block of a user's message.
pub(crate) fn sort(text: &str) -> Sorted<'_> {
    let mut sorted = Sorted::default();
    let rest = without_wrappers(text, &mut sorted.context, Scope::Everything);
    let rest = match rest {
        Cow::Borrowed(rest) => Cow::Borrowed(rest.trim()),
        Cow::Owned(rest) => Cow::Owned(rest.trim().to_owned()),
    };
    if rest.is_empty() {
        return sorted;
    }
    if let Some((_, name)) = HEADS.iter().find(|(head, _)| rest.starts_with(head)) {
        sorted.context.push((name, None));
        return sorted;
    }
    if let Some(command) = slash_command(&rest) {
        sorted.context.push(("slash-command", Some(command)));
        return sorted;
    }
    if is_interrupt(&rest) {
        sorted.context.push(("interrupt", None));
        return sorted;
    }
    if is_ack(&rest) {
        sorted.context.push(("ack", Some(rest.into_owned())));
        return sorted;
    }
    sorted.speech = Some(of_ide(rest, &mut sorted.context));
    sorted
}

/// A tool's output without what clients and plugins put into it.
pub(crate) fn without_injected<'a>(text: &'a str, out: &mut crate::out::Out) -> Cow<'a, str> {
    let is_there = WRAPPERS.iter().any(|wrapper| wrapper.place == Place::AnyLine && text.contains(wrapper.open));
    if !is_there {
        return Cow::Borrowed(text);
    }
    let mut context = Vec::new();
    let rest = without_wrappers(text, &mut context, Scope::Injected);
    context.iter().for_each(|(name, _)| out.context(name));
    match rest {
        Cow::Owned(rest) => Cow::Owned(rest.trim_end().to_owned()),
        rest => rest,
    }
}

/// Which blocks are taken out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Whatever is not a user's.
    Everything,
    /// Only what is put beside the words of others.
    Injected,
}

/// Takes wrapped blocks and bare digests out.
fn without_wrappers<'a>(
    text: &'a str,
    context: &mut Vec<(&'static str, Option<String>)>,
    scope: Scope,
) -> Cow<'a, str> {
    // Nearly every text has none of it: one look tells.
    if !text.contains('<') && !text.contains(BARE_DIGEST) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut done = 0;
    let mut at = 0;
    let mut changed = false;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start().len();
        let body = rest.get(blanks..).unwrap_or_default();
        let only_blanks_before = scope == Scope::Everything
            && out.trim().is_empty()
            && text.get(done..at).unwrap_or_default().trim().is_empty();
        if let Some((wrapper, inner, end)) = wrapped(body, only_blanks_before) {
            out.push_str(text.get(done..at).unwrap_or_default());
            let kept = (wrapper.keep == Keep::Yes).then(|| kept_text(wrapper, inner));
            context.push((wrapper.name, kept));
            at += blanks + end;
            done = at;
            changed = true;
            continue;
        }
        if body.starts_with(BARE_DIGEST) {
            out.push_str(text.get(done..at).unwrap_or_default());
            context.push(("openviking-context", None));
            at += blanks + digest_end(body);
            done = at;
            changed = true;
            continue;
        }
        at += blanks;
        // On to the next line, or to a mark that stands right in this one.
        let line = text.get(at..).unwrap_or_default();
        let next_line = line.find('\n').map_or(line.len(), |end| end + 1);
        let inside = WRAPPERS
            .iter()
            .filter(|wrapper| wrapper.place == Place::AnyLine)
            .filter_map(|wrapper| line.get(..next_line)?.get(1..)?.find(wrapper.open).map(|found| found + 1))
            .filter(|found| is_closed(line.get(*found..).unwrap_or_default()))
            .min();
        at += inside.unwrap_or(next_line).max(1);
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    if !changed {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

fn is_closed(text: &str) -> bool {
    wrapped(text, false).is_some()
}

/// The wrapper that a text begins with, what is inside, and where it ends.
fn wrapped(text: &str, is_start: bool) -> Option<(&'static Wrapper, &str, usize)> {
    if !text.starts_with('<') {
        return None;
    }
    let wrapper = WRAPPERS.iter().find(|wrapper| {
        let fits = wrapper.place == Place::AnyLine || is_start;
        fits && text
            .strip_prefix(wrapper.open)
            .is_some_and(|after| wrapper.open.ends_with('>') || after.starts_with(['>', ' ', '\n', '\t', '\r']))
    });
    if let Some(wrapper) = wrapper {
        let open_end = if wrapper.open.ends_with('>') { wrapper.open.len() } else { text.find('>')? + 1 };
        let close = text.get(open_end..)?.find(wrapper.close)? + open_end;
        return Some((wrapper, text.get(open_end..close)?, close + wrapper.close.len()));
    }
    command_tags(text)
}

fn kept_text(wrapper: &Wrapper, inner: &str) -> String {
    if wrapper.close.is_empty() { typed_command(inner) } else { inner.trim().to_owned() }
}

/// The command as it was typed, from the tags that a client makes of it.
fn typed_command(tags: &str) -> String {
    let inside = |tag: &str| {
        let (_, rest) = tags.split_once(&format!("<{tag}>"))?;
        rest.split_once(&format!("</{tag}>")).map(|(text, _)| text.trim())
    };
    let name = inside("command-name").unwrap_or_default();
    let args = inside("command-args").unwrap_or_default();
    let slash = if name.starts_with('/') { "" } else { "/" };
    format!("{slash}{name} {args}").trim_end().to_owned()
}

/// `<command-name>/x</command-name>` and its like, in any order, are one slash command.
fn command_tags(text: &str) -> Option<(&'static Wrapper, &str, usize)> {
    static COMMAND: Wrapper = kept("<command-", "", "slash-command");
    let mut end = 0;
    let mut rest = text;
    while let Some(tag) = ["command-name", "command-message", "command-args", "command-contents"]
        .iter()
        .find(|tag| rest.strip_prefix('<').is_some_and(|rest| rest.starts_with(*tag)))
    {
        let close = format!("</{tag}>");
        let after = rest.find(&close)? + close.len();
        end += after;
        rest = rest.get(after..)?;
        let blanks = rest.len() - rest.trim_start().len();
        if !rest.trim_start().starts_with("<command-") {
            break;
        }
        end += blanks;
        rest = rest.get(blanks..)?;
    }
    (end > 0).then(|| text.get(..end).map(|inner| (&COMMAND, inner, end))).flatten()
}

/// Where a digest without a wrapper ends: after its list.
fn digest_end(text: &str) -> usize {
    let mut end = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let shown = line.trim();
        let belongs =
            at == 0 || shown.starts_with(['-', '*', '•']) || line.starts_with([' ', '\t']) && !shown.is_empty();
        if !belongs {
            break;
        }
        end += line.len();
    }
    end
}

/// `/status`, `/hello world`: an order to the client. A path is none.
pub(crate) fn slash_command(text: &str) -> Option<String> {
    let name = text.strip_prefix('/')?.split_whitespace().next()?;
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'));
    (is_name && text.lines().count() <= 3).then(|| text.to_owned())
}

fn is_interrupt(text: &str) -> bool {
    text.starts_with("[Request interrupted by user") && text.ends_with(']')
}

fn is_ack(text: &str) -> bool {
    let plain = text.trim_end_matches(['.', '!', '…', '。', '！']).trim();
    let is_word = || ACKS.iter().any(|ack| plain.eq_ignore_ascii_case(ack));
    let has_word = plain.chars().any(char::is_alphanumeric);
    !has_word && !text.contains('?') || is_word()
}

/// The words behind what an IDE puts before them.
fn of_ide<'a>(text: Cow<'a, str>, context: &mut Vec<(&'static str, Option<String>)>) -> Cow<'a, str> {
    if !text.starts_with("# Context from my IDE setup:") {
        return text;
    }
    let request = IDE_REQUESTS.iter().find_map(|mark| text.split_once(mark).map(|(_, words)| words.trim().to_owned()));
    match request.filter(|words| !words.is_empty()) {
        Some(words) => {
            context.push(("environment", None));
            Cow::Owned(words)
        }
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn speech(text: &str) -> Option<String> {
        sort(text).speech.map(Cow::into_owned)
    }

    fn names(text: &str) -> Vec<&'static str> {
        sort(text).context.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn injected_memory_is_taken_out_whatever_its_attributes_and_the_users_words_stay() {
        for (text, expected) in [
            (
                "<openviking-context source=\"auto-recall\" format=\"digest\">\nOpenViking memory digest:\n- x\n</openviking-context>\nfix it",
                Some("fix it"),
            ),
            ("fix it\n\n<memoir-context source=\"recall\">\n- old\n</memoir-context>", Some("fix it")),
            ("a\n<relevant-memories>\nx\n</relevant-memories>\nb <relevant-memory>y</relevant-memory>", Some("a\nb")),
            ("<hook_context>CTX</hook_context>\n\nfirst prompt", Some("first prompt")),
            (
                "OpenViking memory digest:\n- one\n  more of it\n- two\n\nand now my question",
                Some("and now my question"),
            ),
            ("<openviking-context source=\"resume\">only memory</openviking-context>", None),
        ] {
            assert_eq!(
                speech(text).map(|text| text.replace("\n\n", "\n").trim().to_owned()).as_deref(),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn envelopes_and_orders_to_the_client_are_nobodys_words() {
        for (text, name) in [
            ("<environment_context>\n  <cwd>/p</cwd>\n</environment_context>", "environment"),
            ("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nbe good\n</INSTRUCTIONS>", "instructions"),
            ("<recommended_plugins>\n- x\n</recommended_plugins>", "plugin-list"),
            ("<task-notification>\n<task-id>a</task-id>\n</task-notification>", "task-notification"),
            ("/status", "slash-command"),
            ("/hello world", "slash-command"),
            (
                "<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args></command-args>",
                "slash-command",
            ),
            ("[Request interrupted by user for tool use]", "interrupt"),
            ("ok", "ack"),
            ("Thanks!", "ack"),
            ("...", "ack"),
        ] {
            assert_eq!((speech(text), names(text)), (None, vec![name]), "{text}");
        }
    }

    #[test]
    fn a_command_is_kept_as_it_was_typed() {
        let tags = "<command-message>hello</command-message>\n<command-name>/hello</command-name>\n<command-args>big world</command-args>";
        assert_eq!(sort(tags).context, [("slash-command", Some("/hello big world".to_owned()))]);
        assert_eq!(sort("/hello big world").context, [("slash-command", Some("/hello big world".to_owned()))]);
    }

    #[test]
    fn a_tools_output_loses_what_was_put_into_it_and_nothing_else() {
        let mut out = crate::out::Out::default();
        let text = "1\tfn main() {}\n<environment_context>stays</environment_context>\n\n<system-reminder>\nbe kind\n</system-reminder>\n";
        assert_eq!(
            without_injected(text, &mut out),
            "1\tfn main() {}\n<environment_context>stays</environment_context>"
        );
        assert_eq!(out.tally.context.get("system-reminder"), Some(&1));
        assert!(matches!(without_injected("plain <b>", &mut out), Cow::Borrowed("plain <b>")));
    }

    #[test]
    fn what_the_user_says_about_such_things_is_the_users() {
        for text in [
            "what is <system-reminder> good for?",
            "remove the <environment_context> tag",
            "/home/me/project is broken",
            "please explain\n<environment_context>\nx\n</environment_context>",
            "??",
            "ok, but use tabs",
            "a < b && c > d",
            "<div>hello</div>",
        ] {
            assert_eq!(speech(text).as_deref(), Some(text), "{text}");
        }
    }

    #[test]
    fn what_an_ide_adds_is_cut_off() {
        let text = "# Context from my IDE setup:\n\n## Active file: a.rs\n\n## My request for Codex:\nfix a.rs";
        assert_eq!((speech(text).as_deref(), names(text)), (Some("fix a.rs"), vec!["environment"]));
    }

    #[test]
    fn a_block_that_is_never_closed_is_left_alone() {
        assert_eq!(speech("<memoir-context>\nhalf").as_deref(), Some("<memoir-context>\nhalf"));
    }

    proptest! {
        #[test]
        fn any_text_is_sorted_and_plain_words_are_kept(text in "\\PC{0,80}", words in "[a-z]{3,8} [a-z]{3,8}") {
            let _ = sort(&text);
            let _ = sort(&format!("<openviking-context {text}"));
            let wrapped = format!("<memoir-context a=\"b\">{}</memoir-context>\n{words}", text.replace('<', ""));
            prop_assert_eq!(speech(&wrapped), Some(words.clone()));
            prop_assert_eq!(speech(&words), Some(words));
        }
    }
}
