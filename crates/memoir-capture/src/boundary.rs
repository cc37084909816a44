//! Tells the user's words from everything else that stands in a user's message: injected memory, hook output,
//! instructions, environment, notifications, commands to the client itself. Block by block, never by whole messages.

mod blocks;
mod digest;
mod nesting;
mod orders;
mod shapes;

use blocks::{Scope, may_hold_injected, without_wrappers};
use memoir_event::Client;
pub(crate) use orders::Stand;
use orders::slash_command;
use std::borrow::Cow;

/// What a text in a user's message turns out to be.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Sorted<'a> {
    /// What the user said.
    pub speech: Option<Cow<'a, str>>,
    /// What else was there: its name, and its text where it is worth keeping.
    pub context: Vec<(&'static str, Option<String>)>,
}

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

/// Sorts the text of one block of a user's message, of a client that nobody knows.
pub(crate) fn sort(text: &str) -> Sorted<'_> {
    sort_of(None, text, Stand::Sent)
}

/// Sorts the text of one block of a user's message that stands there.
pub(crate) fn sort_of(client: Option<Client>, text: &str, stand: Stand) -> Sorted<'_> {
    let mut sorted = Sorted::default();
    let rest = without_wrappers(text, &mut sorted.context, Scope::Everything);
    let rest = match rest {
        Cow::Borrowed(rest) => Cow::Borrowed(rest.trim()),
        Cow::Owned(rest) => Cow::Owned(rest.trim().to_owned()),
    };
    if rest.is_empty() {
        return sorted;
    }
    if let Some(name) = shapes::written(&rest, client) {
        sorted.context.push((name, None));
        return sorted;
    }
    if client == Some(Client::Gemini) && shapes::is_shell_of_gemini(&rest) {
        sorted.context.push(("shell-command", Some(rest.into_owned())));
        return sorted;
    }
    if let Some(command) = slash_command(&rest, stand) {
        sorted.context.push(("slash-command", Some(command)));
        return sorted;
    }
    if shapes::is_interrupt(&rest) {
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
    if !may_hold_injected(text) {
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
    use super::blocks::LOOKS_MAX;
    use super::digest::BARE_DIGEST;
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
                "<loaded_context>\n<project_context>\nof a server\n</project_context>\n</loaded_context>\nthe child's task",
                Some("the child's task"),
            ),
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
    fn a_clients_text_is_known_by_its_whole_shape_and_the_users_words_may_begin_like_it() {
        let whole = [
            ("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nnever closed", "instructions"),
            (
                "Another language model started to solve this problem and produced a summary of its thinking process. Use it to assist with your own analysis:\nDid x.",
                "summary",
            ),
            (
                "This session is being continued from a previous conversation that ran out of context. The summary below covers it.\n\nSummary:\nDid x.",
                "summary",
            ),
            (
                "This session is being continued from a previous conversation that ran out of context. The conversation is summarized below:\nAnalysis:\nDid x.",
                "summary",
            ),
            (
                "You were originally given instructions from a user over one or more turns. Here were the user messages:\n\nfix",
                "summary",
            ),
            (
                "Caveat: The messages below were generated by the user while running local commands. DO NOT respond to these messages or otherwise consider them in your response unless the user explicitly asks you to.",
                "command-output",
            ),
            (
                "Warning: The maximum number of unified exec processes you can keep open is 60 and you currently have 61 processes open. Reuse older processes or close them to prevent automatic pruning of old processes",
                "instructions",
            ),
            (
                "Warning: apply_patch was requested via shell. Use the apply_patch tool instead of exec_command.",
                "instructions",
            ),
            ("[Request interrupted by user]", "interrupt"),
            ("[Request interrupted by user for tool use]", "interrupt"),
        ];
        for (text, name) in whole {
            for client in Client::ALL {
                let sorted = sort_of(Some(*client), text, Stand::Sent);
                assert_eq!((sorted.speech, sorted.context), (None, vec![(name, None)]), "{text}");
            }
            let about = format!("{}… why does it say that?", text.lines().next().unwrap().trim_end_matches(['.', ']']));
            assert_eq!(speech(&about).as_deref(), Some(about.as_str()));
        }
        for text in [
            "# AGENTS.md instructions are ignored by codex. How do I fix that?",
            "Another language model started to solve this problem - that is in my log, why?",
            "This session is being continued from a previous conversation… why does claude print that?",
            "This session is being continued from a previous conversation that ran out of context.\nwhat does that mean",
            "Caveat: The messages below were generated by the user while running local commands. Why do I see this?",
            "Warning: apply_patch was requested via what? explain this message",
            "Warning: Your account was flagged, says my bank. What now?",
            "[Request interrupted by user] shows up in logs; why]",
            "[Request interrupted by user for tool use] is what it says. why]",
        ] {
            assert_eq!(speech(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn gemini_goes_on_by_itself_in_its_own_words_only() {
        let of = |client: Client, text: &'static str| sort_of(Some(client), text, Stand::Sent).speech.is_some();
        for text in ["Please continue.", "System: Please continue."] {
            assert!(!of(Client::Gemini, text) && of(Client::Codex, text) && of(Client::Claude, text));
        }
        for text in [
            "Please continue. Also update the parser tests.",
            "System: Please continue. is what the log says, why?",
            "Please continue",
            "Here is the user's editor context as a JSON object: where does that come from?",
            "I ran the following shell command: ls. It failed, why?",
            "This is the Gemini CLI. We are setting up the context for our chat. What does that do?",
        ] {
            assert!(of(Client::Gemini, text), "{text}");
        }
        for text in [
            "Here is the user's editor context as a JSON object. This is for your information only.\n```json\n{}\n```",
            "I ran the following shell command:\n```sh\nls\n```\n\nThis produced the following result:\n```\na\n```",
            "This is the Gemini CLI. We are setting up the context for our chat.\nToday's date is Monday.",
        ] {
            assert!(!of(Client::Gemini, text), "{text}");
        }
    }

    #[test]
    fn a_path_in_a_sentence_is_no_order() {
        let is_order = |text: &str, stand| sort_of(None, text, stand).speech.is_none();
        for text in [
            "/api returns 500, fix it",
            "/login page is broken for users with + in the email",
            "/usr is full",
            "/home/me is full",
        ] {
            for stand in [Stand::Typed, Stand::Sent, Stand::Marked] {
                assert!(!is_order(text, stand), "{text}");
            }
        }
        for text in ["/status", "/prompts:fix", "/compact"] {
            for stand in [Stand::Typed, Stand::Sent, Stand::Marked] {
                assert!(is_order(text, stand), "{text}");
            }
        }
        for text in ["/hello world", "/model gpt-5.4", "/review src/lib.rs"] {
            assert!(
                is_order(text, Stand::Typed) && is_order(text, Stand::Sent) && !is_order(text, Stand::Marked),
                "{text}"
            );
        }
        for text in ["/compact keep what was said about the parser", "/review the login code"] {
            assert!(is_order(text, Stand::Typed) && !is_order(text, Stand::Sent), "{text}");
        }
    }

    #[test]
    fn words_below_an_instructions_file_are_the_users() {
        let file = "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nwrite `<INSTRUCTIONS>` and `</INSTRUCTIONS>`\n<memoir-context>\n</INSTRUCTIONS>";
        let place = "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>";
        for text in [
            format!("{file}\n\nplease fix it"),
            format!("{file}\n{place}\nplease fix it"),
            format!(
                "{place}\n{file}\n\n# AGENTS.md instructions\n\n<INSTRUCTIONS>\nmore\n</INSTRUCTIONS>please fix it"
            ),
            format!("<memoir-context>\nold\n</memoir-context>\n{file}\nplease fix it\n"),
        ] {
            assert_eq!(speech(&text).as_deref(), Some("please fix it"), "{text}");
        }
        assert_eq!(names(&format!("{file}\n{place}\n")), ["instructions", "environment"]);
        let users = "please fix\n# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nmine\n</INSTRUCTIONS>";
        assert_eq!(speech(users).as_deref(), Some(users));
    }

    #[test]
    fn a_block_ends_where_it_is_closed_and_not_where_one_inside_it_is() {
        for tag in ["openviking-context", "memoir-context", "relevant-memories", "OpenViking-Context", "MEMOIR-CONTEXT"]
        {
            let (open, close) = (format!("<{tag}>"), format!("</{}>", tag.to_lowercase()));
            for text in [
                format!("<{tag} a=\"1\">\n- m:\n{open}\ninner\n{close}\ntail\n{close}\nreal words"),
                format!("{open}\na {open} b {open} c {close} d {close} e\n{close}\nreal words"),
                format!("real words\n{open}\n{open}x{close}\n{open}y{close}\n{close}"),
                format!("{open}\nsays {open} and no more\n{close}\nreal words"),
                format!("{open}\nsays {open} and no more\n{close}\nreal words\n\n{open}\nold\n{close}"),
            ] {
                assert_eq!(speech(&text).as_deref().map(str::trim), Some("real words"), "{text}");
            }
            let asked = format!("{open}\nold\n{close}\nwhat is `{open}` for?");
            assert_eq!(speech(&asked), Some(format!("what is `{open}` for?")));
        }
        let users = "<Instructions>\nmine\n</Instructions>\n<Skill>x</Skill>";
        assert_eq!(speech(users).as_deref(), Some(users));
    }

    #[test]
    fn a_digest_without_a_mark_goes_as_far_as_its_memories_and_its_hint() {
        const HINT: &str =
            "More detail: use the OpenViking MCP read/search tools with the cited viking:// URI if needed.";
        for digest in [
            "\n- one\n  more of it\n* two",
            "\r\n- one\r\n- two (viking://user/a.md)",
            "\n\n- one\n- two",
            "\n1. one\n2) two",
            "\nviking://user/a.md tells of one\nof two tells viking://user/b.md",
            "\n- one\n\n- two (viking://user/b.md)",
            "\n<memory uri=\"viking://user/a.md\" score=\"0.8\">\nwords\n\nmore words\n</memory>\n<memory uri=\"viking://b\">x</memory>",
            " - one (viking://user/a.md)\n- two",
            " two memories\n- one (viking://user/a.md)",
        ] {
            for hint in [String::new(), format!("\n\n{HINT}"), format!("\n{HINT}")] {
                let digest = format!("{BARE_DIGEST}{digest}{hint}");
                assert_eq!((speech(&digest), names(&digest)), (None, vec!["openviking-context"]), "{digest}");
                for text in [format!("{digest}\n\nreal words"), format!("real words\n\n{digest}")] {
                    assert_eq!(speech(&text).as_deref().map(str::trim), Some("real words"), "{text}");
                }
            }
        }
        for words in [
            " is that thing any good?",
            " what do you think?\n- is it fast\n- is it good",
            "\nis it good?",
            " is it good?\n\nMore detail would help",
        ] {
            let text = format!("{BARE_DIGEST}{words}");
            assert_eq!(speech(&text), Some(text.clone()));
        }
        for words in ["- fix this\n- fix that", "look at viking://user/a.md", "ask the OpenViking MCP"] {
            assert_eq!(speech(&format!("{BARE_DIGEST}\n- one\n\n{words}")).as_deref(), Some(words));
        }
        let shown = format!("what is this?\n```\n{BARE_DIGEST}\n- one\n```\n");
        assert_eq!(speech(&shown).as_deref(), Some(shown.trim()));
    }

    #[test]
    fn what_a_command_printed_is_kept_without_tags() {
        for (text, kept) in [
            ("<bash-stdout>a\nb</bash-stdout><bash-stderr>oops</bash-stderr>", "a\nb\noops"),
            ("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", "a"),
        ] {
            assert_eq!(sort(text).context, [("command-output", Some(kept.to_owned()))]);
        }
    }

    #[test]
    fn a_command_is_kept_as_it_was_typed() {
        let tags = "<command-message>hello</command-message>\n<command-name>/hello</command-name>\n<command-args>big world</command-args>";
        assert_eq!(sort(tags).context, [("slash-command", Some("/hello big world".to_owned()))]);
        assert_eq!(
            sort_of(None, "/hello big world", Stand::Typed).context,
            [("slash-command", Some("/hello big world".to_owned()))]
        );
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
            "Why does `<system-reminder>` appear? Here: <system-reminder>abc</system-reminder> I wrote that",
            "it said <system-reminder>abc</system-reminder>",
            "`<memoir-context>x</memoir-context>` is ours",
            "look at this:\n```\n<system-reminder>\nabc\n</system-reminder>\n```\nwhat is it?",
            "what goes into <stdin> and </stdin>?",
        ] {
            assert_eq!(speech(text).as_deref(), Some(text), "{text}");
        }
    }

    #[test]
    fn injected_blocks_stand_on_their_own() {
        for (text, expected) in [
            ("<system-reminder>be kind</system-reminder>\nfix it", "fix it"),
            ("fix it\n<system-reminder>be kind</system-reminder>", "fix it"),
            ("fix it\n\n<system-reminder>a</system-reminder> <hook_context>b</hook_context>\n", "fix it"),
            ("fix it <system-reminder>\nbe kind\n</system-reminder>", "fix it"),
            ("<hook_context>CTX</hook_context> fix it", "fix it"),
            ("```\nunclosed\n\n<system-reminder>\nbe kind\n</system-reminder>", "```\nunclosed"),
            ("fix `a` and `b`\n<memoir-context>\nold\n</memoir-context>", "fix `a` and `b`"),
            ("a\n\n<hook_prompt id=\"1\">x</hook_prompt>\n\nb", "a\n\n\nb"),
        ] {
            assert_eq!(speech(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_text_full_of_marks_is_looked_through_a_few_times_at_most() {
        let blocks = "<system-reminder>x</system-reminder>\n".repeat(LOOKS_MAX + 1);
        assert_eq!(sort(&blocks).context.len(), LOOKS_MAX);
        for text in ["<system-reminder>", "<", "`<memoir-context>", BARE_DIGEST, "<a ", "```\n<hook_context>\n"] {
            let _ = sort(&text.repeat(4_000_000 / text.len()));
        }
    }

    #[test]
    fn what_is_piped_in_below_a_prompt_is_not_the_users() {
        let text = "sum it up\n\n<stdin>\na <b>\n</stdin>\nc\n</stdin>";
        assert_eq!(speech(text).as_deref(), Some("sum it up"));
        assert_eq!(sort(text).context, [("standard-input", Some("a <b>\n</stdin>\nc".to_owned()))]);
        assert_eq!(names("<stdin>\nx\n</stdin>"), ["standard-input"]);
    }

    #[test]
    fn what_an_ide_adds_is_cut_off() {
        let text = "# Context from my IDE setup:\n\n## Active file: a.rs\n\n## My request for Codex:\nfix a.rs";
        assert_eq!((speech(text).as_deref(), names(text)), (Some("fix a.rs"), vec!["environment"]));
    }

    #[test]
    fn what_memoir_put_into_an_instructions_file_is_not_the_users() {
        let text = "look at this\n\n<!-- memoir:begin -->\n## Conventions\n\n- use tabs\n<!-- memoir:end -->\n";
        assert_eq!((speech(text).as_deref(), names(text)), (Some("look at this"), vec!["instructions"]));
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
