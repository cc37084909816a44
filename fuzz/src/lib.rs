//! What fuzz targets share.

use memoir_capture::{Captured, Out, Parser};

/// Reads lines at one sitting, and again from the parser's own state after every line where it is settled: both give
/// the same events.
pub fn read_in_sittings<P: Parser>(bytes: &[u8], new: impl Fn() -> P, resume: impl Fn(&str) -> Option<P>) {
    let text = String::from_utf8_lossy(bytes);
    let at_once = read(&text, new(), |parser| parser);
    let in_sittings = read(&text, new(), |parser| {
        if parser.is_settled() { resume(&parser.state()).expect("a parser reads its own state") } else { parser }
    });
    assert_eq!(at_once, in_sittings);
}

fn read<P: Parser>(text: &str, mut parser: P, between: impl Fn(P) -> P) -> Vec<Captured> {
    let mut out = Out::default();
    for (number, line) in (1..).zip(text.lines()) {
        parser.line(number, line, &mut out);
        parser = between(parser);
    }
    parser.pause(&mut out);
    out.events
}
