//! Where a block ends that may hold others of its kind: memories quote memories.

use super::blocks::Wrapper;

/// Where the inside of a block ends whose opening mark stands before the text.
///
/// What is opened inside is closed inside. A mark inside that nobody closes must not reach for the end of a block further
/// down: then the first end counts behind which every end has a beginning.
pub(super) fn inner_end(text: &str, wrapper: &Wrapper) -> Option<usize> {
    let mut marks = Vec::new();
    let mut depth = 0_usize;
    for at in text.match_indices('<').map(|(at, _)| at) {
        let rest = text.get(at..).unwrap_or_default();
        if wrapper.is_closed(rest) {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
            marks.push((at, true));
        } else if wrapper.is_opened(rest) {
            depth += 1;
            marks.push((at, false));
        }
    }
    let mut end = None;
    // Ends below that are without a beginning there.
    let mut stray = 0_usize;
    for (at, is_end) in marks.into_iter().rev() {
        if is_end {
            end = if stray == 0 { Some(at) } else { end };
            stray += 1;
        } else {
            stray = stray.saturating_sub(1);
        }
    }
    end
}

/// Whether a text begins so, in capitals or not.
pub(super) fn begins_with(text: &str, mark: &str) -> bool {
    text.as_bytes().get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark.as_bytes()))
}
