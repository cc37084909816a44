//! What people read on a terminal. Colours only there, and never with `NO_COLOR`.

use std::io::{self, IsTerminal, Write};

/// Standard output, buffered, with colours if it is a terminal.
pub struct Out {
    buffer: io::BufWriter<io::Stdout>,
    colours: bool,
}

/// A way to stress a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A heading or a hit.
    Bold,
    /// Less important.
    Dim,
    /// Good.
    Green,
    /// Bad.
    Red,
}

impl Style {
    const fn code(self) -> &'static str {
        match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Green => "32",
            Style::Red => "31",
        }
    }

    /// The text in that style, for a terminal.
    pub fn paint(self, text: &str) -> String {
        format!("\x1b[{}m{text}\x1b[0m", self.code())
    }
}

impl Out {
    /// Standard output.
    pub fn new() -> Out {
        let stdout = io::stdout();
        let colours = stdout.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Out { buffer: io::BufWriter::new(stdout), colours }
    }

    /// Writes one line.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        self.buffer.write_all(text.as_bytes())?;
        self.buffer.write_all(b"\n")
    }

    /// Writes one JSON value on a line.
    pub fn json(&mut self, value: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.buffer, value)?;
        self.buffer.write_all(b"\n")
    }

    /// The text in that style, if the terminal shows styles.
    pub fn styled(&self, style: Style, text: &str) -> String {
        if self.colours { style.paint(text) } else { text.to_owned() }
    }

    /// A hit in a snippet: bold on a terminal, in brackets elsewhere.
    pub fn mark(&self, hit: &str) -> String {
        if self.colours { self.styled(Style::Bold, hit) } else { format!("[{hit}]") }
    }

    /// Makes everything written so far visible.
    pub fn flush(&mut self) -> io::Result<()> {
        self.buffer.flush()
    }
}

/// Writes lines whose columns stand below each other: the first to the left, numbers to the right.
pub fn table(out: &mut Out, heads: &[&str], lines: &[Vec<String>]) -> io::Result<()> {
    let cell = |line: &[String], at: usize| line.get(at).map(|text| one_line(text, 60)).unwrap_or_default();
    let width = |at: usize| {
        let widest = lines.iter().map(|line| cell(line, at).chars().count()).max().unwrap_or(0);
        widest.max(heads.get(at).map_or(0, |head| head.chars().count()))
    };
    let is_number = |at: usize| {
        let starts =
            |text: String| text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit() || "$-".contains(c));
        at > 0 && !lines.is_empty() && lines.iter().all(|line| starts(cell(line, at)))
    };
    let row = |cells: Vec<String>| {
        let padded = cells.iter().enumerate().map(|(at, text)| {
            let pad = " ".repeat(width(at).saturating_sub(text.chars().count()));
            if is_number(at) { format!("{pad}{text}") } else { format!("{text}{pad}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    let head = row(heads.iter().map(|head| (*head).to_owned()).collect());
    let head = out.styled(Style::Dim, &head);
    out.line(&head)?;
    for line in lines {
        out.line(&row((0..heads.len()).map(|at| cell(line, at)).collect()))?;
    }
    Ok(())
}

/// The difference between two texts, as people read it: lines that go, lines that come, a few around them.
pub fn diff(out: &mut Out, path: &std::path::Path, before: &str, after: &str) -> io::Result<()> {
    let file = path.display().to_string();
    let (old, new) =
        (if before.is_empty() { "/dev/null" } else { &file }, if after.is_empty() { "/dev/null" } else { &file });
    let diff = similar::TextDiff::from_lines(before, after);
    let text = diff.unified_diff().context_radius(2).header(old, new).to_string();
    for line in text.lines() {
        let line = tame(line);
        let line = match line.get(..1) {
            Some("+") if !line.starts_with("+++") => out.styled(Style::Green, &line),
            Some("-") if !line.starts_with("---") => out.styled(Style::Red, &line),
            _ => out.styled(Style::Dim, &line),
        };
        out.line(&line)?;
    }
    Ok(())
}

/// Text from outside, safe to show: what moves the cursor or turns the text round cannot reach the terminal.
pub fn tame(text: &str) -> String {
    let moves = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if moves(c) { '\u{fffd}' } else { c }).collect()
}

/// The first line of a text, cut to a width.
pub fn one_line(text: &str, chars_max: usize) -> String {
    let joined: String = tame(text.trim()).split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(chars_max) {
        Some((end, _)) => format!("{}…", joined.get(..end).unwrap_or_default()),
        None => joined,
    }
}

/// Says something on standard error, where it cannot get into a pipe.
pub fn warn(message: &str) {
    let line = format!("memoir: {}\n", tame(message).replace('\n', " "));
    let _ = io::stderr().write_all(line.as_bytes());
}

/// `1 record`, `2 records`.
pub fn count(number: u64, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Bytes in a unit that people read.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut unit = "B";
    let mut whole = bytes;
    let mut tenths = 0;
    for larger in UNITS {
        if whole < 1024 {
            break;
        }
        tenths = whole % 1024 * 10 / 1024;
        whole /= 1024;
        unit = larger;
    }
    if unit == "B" { format!("{whole} B") } else { format!("{whole}.{tenths} {unit}") }
}

/// Progress of long work, on standard error and only on a terminal.
pub struct Progress {
    what: &'static str,
    shown: bool,
    last: std::time::Instant,
}

impl Progress {
    /// Progress of that work; nothing is shown in its first half second.
    pub fn new(what: &'static str) -> Progress {
        Progress { what, shown: false, last: std::time::Instant::now() + std::time::Duration::from_millis(400) }
    }

    /// So much is done.
    pub fn at(&mut self, done: u64, total: u64) {
        let now = std::time::Instant::now();
        if io::stderr().is_terminal() && now > self.last + std::time::Duration::from_millis(100) {
            let percent = done.saturating_mul(100) / total.max(1);
            let _ = write!(io::stderr(), "\r{} {percent:3} % ({done} of {total})\x1b[K", self.what);
            self.shown = true;
            self.last = now;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_noun() {
        assert_eq!(
            [count(0, "record"), count(1, "record"), count(2, "record")],
            ["0 records", "1 record", "2 records"]
        );
    }

    #[test]
    fn sizes_read_well() {
        assert_eq!([size(0), size(1023), size(1536), size(5 << 30)], ["0 B", "1023 B", "1.5 KiB", "5.0 GiB"]);
    }

    #[test]
    fn text_from_outside_cannot_move_the_cursor() {
        assert_eq!(tame("a\x1b[2Jb\u{9b}c\r"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}");
        assert_eq!(tame("a\u{202e}b"), "a\u{fffd}b");
        assert_eq!(one_line("  a\n\tb   c ", 4), "a b …");
    }
}
