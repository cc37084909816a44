//! Blocks that stand beside the user's words with marks of their own, and where they end.

use super::digest::{BARE_DIGEST, digest_end};
use super::nesting::{begins_with, inner_end};
use std::borrow::Cow;

/// A block that begins and ends with marks of its own.
pub(super) struct Wrapper {
    /// `<name`, whatever attributes follow.
    pub open: &'static str,
    pub close: &'static str,
    name: &'static str,
    place: Place,
    keep: Keep,
}

/// Where a wrapper is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Beside any words, above, below or at the end of a line: plugins put their memory there.
    AnyLine,
    /// On lines of its own: clients and hooks put these beside the user's words. In the middle of a line somebody talks
    /// about them.
    OwnLines,
    /// Only where a block begins: clients put these in blocks of their own.
    Start,
    /// Where a block begins, or below all words.
    Ends,
}

/// Whether what stands in a wrapper is worth keeping.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Yes,
    No,
}

const fn own(open: &'static str, close: &'static str, name: &'static str) -> Wrapper {
    Wrapper { open, close, name, place: Place::OwnLines, keep: Keep::No }
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
const WRAPPERS: [Wrapper; 47] = [
    any("<memoir-context", "</memoir-context>", "memoir-context"),
    any("<openviking-context", "</openviking-context>", "openviking-context"),
    any("<relevant-memories", "</relevant-memories>", "relevant-memory"),
    any("<relevant-memory", "</relevant-memory>", "relevant-memory"),
    own("<hook_context", "</hook_context>", "hook-context"),
    own("<hook_prompt", "</hook_prompt>", "hook-context"),
    own("<user-prompt-submit-hook", "</user-prompt-submit-hook>", "hook-context"),
    own("<system-reminder", "</system-reminder>", "system-reminder"),
    own("<system_reminder", "</system_reminder>", "system-reminder"),
    own("<!-- memoir:begin", "<!-- memoir:end -->", "instructions"),
    start("<current_datetime", "</current_datetime>", "environment"),
    start("<environment_context", "</environment_context>", "environment"),
    start("<environment_details", "</environment_details>", "environment"),
    start("<session_context", "</session_context>", "environment"),
    start("<loaded_context", "</loaded_context>", "instructions"),
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
    Wrapper { place: Place::Ends, ..kept("<stdin>", "</stdin>", "standard-input") },
];

/// So many blocks are looked for in one text; nobody puts more into one.
pub(super) const LOOKS_MAX: usize = 500;

/// The heading that stands above the contents of an instructions file.
pub(super) const FILE_HEADING: &str = "# AGENTS.md instructions";

/// Which blocks are taken out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Whatever is not a user's.
    Everything,
    /// Only what is put beside the words of others.
    Injected,
}

/// Takes wrapped blocks and bare digests out.
pub(super) fn without_wrappers<'a>(
    text: &'a str,
    context: &mut Vec<(&'static str, Option<String>)>,
    scope: Scope,
) -> Cow<'a, str> {
    // Nearly every text has none of it: one look tells.
    if !text.contains('<') && !text.contains(BARE_DIGEST) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    // Where the rest begins that is not handed over yet, and where to look on.
    let (mut done, mut at) = (0, 0);
    let mut marks = Marks { text, digest: text.find(BARE_DIGEST) };
    // Each look may go through the whole text.
    let mut looks = 0;
    // What is not closed here is not closed further down either.
    let mut unclosed: Vec<&str> = Vec::new();
    while let Some(mark) = marks.next(at).filter(|_| looks < LOOKS_MAX) {
        let before = text.get(done..mark).unwrap_or_default();
        let is_first = scope == Scope::Everything && out.trim().is_empty();
        let before = if is_first && is_heading(before, text.get(mark..)) { "" } else { before };
        let is_start = is_first && before.trim().is_empty();
        let spot = Spot { text, mark, before, is_start, scope };
        let begun = spot.begun().filter(|open| !unclosed.contains(open));
        looks += usize::from(begun.is_some());
        let block = begun.and_then(|_| spot.wrapped().or_else(|| spot.digest()));
        let Some((name, kept, end)) = block else {
            unclosed.extend(begun.filter(|_| spot.is_unclosed()));
            at = mark + 1;
            continue;
        };
        // Blank lines above a block go with it.
        let words = before.trim_end();
        let line_end = before.get(words.len()..).and_then(|blanks| blanks.find('\n'));
        let kept_before = match line_end {
            _ if words.is_empty() => 0,
            Some(end) => words.len() + end + 1,
            None => before.len(),
        };
        out.push_str(before.get(..kept_before).unwrap_or_default());
        context.push((name, kept.map(without_seam)));
        done = mark + end;
        at = done;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}

/// What a command printed, without the tags between its output and its errors.
fn without_seam(kept: String) -> String {
    match kept.split_once("</bash-stdout><bash-stderr>") {
        Some((output, errors)) => format!("{}\n{}", output.trim_end(), errors.trim()).trim().to_owned(),
        None => kept,
    }
}

/// Finds where something may begin that is not the user's.
struct Marks<'t> {
    text: &'t str,
    /// The next bare digest.
    digest: Option<usize>,
}

impl Marks<'_> {
    fn next(&mut self, from: usize) -> Option<usize> {
        let rest = self.text.get(from..)?;
        if self.digest.is_some_and(|digest| digest < from) {
            self.digest = rest.find(BARE_DIGEST).map(|digest| from + digest);
        }
        let tag = rest.find('<').map(|tag| from + tag);
        tag.into_iter().chain(self.digest).min()
    }
}

/// A place in a text where a block may stand.
struct Spot<'t> {
    text: &'t str,
    mark: usize,
    /// What stands before it, up to the last block.
    before: &'t str,
    /// Whether nothing stands before it.
    is_start: bool,
    scope: Scope,
}

impl<'t> Spot<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.mark..).unwrap_or_default()
    }

    /// The mark of something that is not the user's, if it begins like that.
    fn begun(&self) -> Option<&'static str> {
        let rest = self.rest();
        let others = [BARE_DIGEST, "<command-"];
        let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.begins(rest)).map(|wrapper| wrapper.open);
        wrapper.or_else(|| others.into_iter().find(|open| rest.starts_with(open)))
    }

    /// Whether it begins like a block whose end is nowhere.
    fn is_unclosed(&self) -> bool {
        let rest = self.rest();
        let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.begins(rest));
        wrapper.is_some_and(|wrapper| inner_end(rest, wrapper).is_none())
    }

    /// Whether its line begins with it, blanks and other blocks aside.
    fn begins_line(&self) -> bool {
        self.before.rsplit('\n').next().unwrap_or_default().trim().is_empty()
    }

    /// Whether a line ends where it ends, blanks and other blocks aside.
    fn ends_line(&self, end: usize) -> bool {
        let mut rest = self.rest().get(end..).unwrap_or_default();
        loop {
            let line = rest.split('\n').next().unwrap_or_default();
            let next = rest.trim_start();
            match opened(next, &|_| true) {
                _ if line.trim().is_empty() => return true,
                Some((_, _, end)) => rest = next.get(end..).unwrap_or_default(),
                None => return false,
            }
        }
    }

    /// The block that stands here, if it is not the user's: what it is, what is worth keeping of it, and where it ends.
    fn wrapped(&self) -> Option<(&'static str, Option<String>, usize)> {
        let (wrapper, inner, end) = opened(self.rest(), &|wrapper| match wrapper.place {
            Place::AnyLine | Place::OwnLines => true,
            Place::Start => self.is_start,
            Place::Ends => self.scope == Scope::Everything,
        })?;
        let is_theirs = match wrapper.place {
            Place::AnyLine => self.begins_line() || self.ends_line(end),
            Place::OwnLines => {
                let has_lines = inner.contains('\n');
                let (begins, ends) = (self.begins_line(), self.ends_line(end));
                begins && ends || has_lines && (begins || ends) || self.is_start
            }
            Place::Start => true,
            Place::Ends => {
                let is_last = self.rest().get(end..).unwrap_or_default().trim().is_empty();
                self.is_start || self.begins_line() && is_last
            }
        };
        if !is_theirs || wrapper.place.is_anywhere() && is_quoted(self.text, self.mark, self.mark + end) {
            return None;
        }
        let kept = (wrapper.keep == Keep::Yes).then(|| kept_text(wrapper, inner));
        Some((wrapper.name, kept, end))
    }

    /// A digest without any mark around it.
    fn digest(&self) -> Option<(&'static str, Option<String>, usize)> {
        let rest = self.rest();
        let end = digest_end(rest).filter(|_| self.begins_line())?;
        let last = self.mark + rest.get(..end)?.trim_end().len();
        (!is_quoted(self.text, self.mark, last)).then_some(("openviking-context", None, end))
    }
}

impl Wrapper {
    /// Whether a text begins with it, whatever its attributes. Plugins write theirs in capitals as they like; what
    /// clients write differs from a user's own tags by that.
    pub fn begins(&self, text: &str) -> bool {
        if self.place.is_anywhere() { begins_with(text, self.open) } else { text.starts_with(self.open) }
    }

    /// Whether a text begins with its whole opening tag, not with a longer name.
    pub fn is_opened(&self, text: &str) -> bool {
        let after = text.get(self.open.len()..).filter(|_| self.begins(text));
        after.is_some_and(|after| self.open.ends_with('>') || after.starts_with(['>', ' ', '\n', '\t', '\r']))
    }

    /// Whether a text begins with its end.
    pub fn is_closed(&self, text: &str) -> bool {
        if self.place.is_anywhere() { begins_with(text, self.close) } else { text.starts_with(self.close) }
    }
}

impl Place {
    /// Whether it may be beside words that are not its own.
    const fn is_anywhere(self) -> bool {
        matches!(self, Place::AnyLine | Place::OwnLines)
    }
}

/// Whether somebody shows it as code: between backticks, or in a block of code that ends after it.
fn is_quoted(text: &str, from: usize, to: usize) -> bool {
    let before = text.get(..from).unwrap_or_default();
    let (above, line) = before.rsplit_once('\n').unwrap_or(("", before));
    if line.matches('`').count() % 2 == 1 {
        return true;
    }
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    let after = text.get(to..).unwrap_or_default();
    above.lines().filter(is_fence).count() % 2 == 1 && after.lines().skip(1).any(|line| is_fence(&line))
}

/// The wrapper that a text begins with, of those that fit, what is inside, and where it ends.
fn opened<'t>(text: &'t str, fits: &dyn Fn(&Wrapper) -> bool) -> Option<(&'static Wrapper, &'t str, usize)> {
    if !text.starts_with('<') {
        return None;
    }
    let wrapper = WRAPPERS.iter().find(|wrapper| wrapper.is_opened(text) && fits(wrapper));
    if let Some(wrapper) = wrapper {
        let open_end = if wrapper.open.ends_with('>') { wrapper.open.len() } else { text.find('>')? + 1 };
        let inside = text.get(open_end..)?;
        // What comes last may hold its own end mark.
        let found = if wrapper.place == Place::Ends { inside.rfind(wrapper.close) } else { inner_end(inside, wrapper) };
        let close = found? + open_end;
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

/// Whether a text is no more than the heading of an instructions file, which stands below.
fn is_heading(text: &str, below: Option<&str>) -> bool {
    let text = text.trim();
    let is_file = below.is_some_and(|below| below.starts_with("<INSTRUCTIONS>"));
    is_file && text.starts_with(FILE_HEADING) && !text.contains('\n')
}

/// Whether a text may hold blocks that are put beside the words of others.
pub(super) fn may_hold_injected(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        let rest = text.get(at..).unwrap_or_default();
        WRAPPERS.iter().any(|wrapper| wrapper.place.is_anywhere() && wrapper.begins(rest))
    })
}
