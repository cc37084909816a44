//! Digests of memory that plugins put into prompts without a mark around them: where one ends.

/// The heading of such a digest.
pub(super) const BARE_DIGEST: &str = "OpenViking memory digest:";

/// Where a memory is kept, by which its lines are known.
const ADDRESS: &str = "viking://";

/// Whole memories may stand there instead of a line for each.
const MEMORY: (&str, &str) = ("<memory ", "</memory>");

/// Where the digest ends that a text begins with: behind its list, and the hint that may follow. None if the heading
/// is somebody's words.
pub(super) fn digest_end(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(BARE_DIGEST)?;
    let beside = rest.split('\n').next().unwrap_or_default();
    if rest.trim().is_empty() {
        return Some(text.len());
    }
    let mut lines = Lines { text, at: (BARE_DIGEST.len() + beside.len() + 1).min(text.len()) };
    // Words beside the heading are the user's, unless memories stand there or below.
    let is_list = beside.trim().is_empty() || is_entry(beside.trim());
    let mut is_digest = is_entry(beside.trim());
    if beside.trim().is_empty() {
        lines.skip_blanks(is_entry);
    }
    while let Some(end) = lines.entry(is_digest) {
        is_digest |= is_list || lines.text.get(lines.at..end).is_some_and(|entry| entry.contains(ADDRESS));
        lines.at = end;
        // Behind a blank line a list may be the user's.
        lines
            .skip_blanks(|line| line.starts_with(MEMORY.0) || is_item(line) && line.contains(ADDRESS) || is_hint(line));
    }
    is_digest.then_some(lines.at)
}

/// The lines of a text, from somewhere on.
struct Lines<'t> {
    text: &'t str,
    at: usize,
}

impl Lines<'_> {
    fn line(&self) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.split_inclusive('\n').next().unwrap_or_default()
    }

    /// Where the next line of the digest ends, if it is one; only below an entry may it go on further in.
    fn entry(&self, is_below_entry: bool) -> Option<usize> {
        let line = self.line();
        if line.trim_start().starts_with(MEMORY.0) {
            let rest = self.text.get(self.at..)?;
            let close = rest.find(MEMORY.1).map_or(line.len(), |close| close + MEMORY.1.len());
            let after = rest.get(close..)?.split_inclusive('\n').next().filter(|after| after.trim().is_empty());
            return Some(self.at + close + after.map_or(0, str::len));
        }
        let shown = line.trim();
        let goes_on = is_below_entry && line.starts_with([' ', '\t']) && !shown.is_empty();
        (goes_on || is_entry(shown) || is_hint(shown)).then_some(self.at + line.len())
    }

    /// Goes over blank lines, if something follows them that belongs here.
    fn skip_blanks(&mut self, belongs: impl Fn(&str) -> bool) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let below = rest.trim_start();
        let line = below.split('\n').next().unwrap_or_default().trim();
        let blanks = rest.get(..rest.len() - below.len()).unwrap_or_default();
        if let Some(end) = blanks.rfind('\n').filter(|_| belongs(line)) {
            self.at += end + 1;
        }
    }
}

/// Whether a line names a memory: in a list, or by its address.
fn is_entry(line: &str) -> bool {
    is_item(line) || line.starts_with(MEMORY.0) || line.contains(ADDRESS)
}

/// Whether a line is of a list.
fn is_item(line: &str) -> bool {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_numbered = || line.get(digits..).is_some_and(|rest| rest.starts_with(". ") || rest.starts_with(") "));
    line.starts_with(['-', '*', '•']) || digits > 0 && is_numbered()
}

/// Whether a line tells the agent where to find more.
fn is_hint(line: &str) -> bool {
    line.contains("OpenViking MCP") && (line.starts_with("More detail") || line.contains(ADDRESS))
}
