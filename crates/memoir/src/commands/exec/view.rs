//! What the user sees of a run: the client's own stream, or the agent's words on standard output and the rest, shorter,
//! on standard error.

use crate::print::{self, Style};
use memoir_capture::Captured;
use memoir_event::Kind;
use memoir_record::Shown;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};

/// So many lines of a tool's result are shown.
const RESULT_LINES: usize = 6;

/// And so much of each line.
const LINE_CHARS: usize = 160;

/// Shows a run.
pub struct View {
    is_raw: bool,
    colours: bool,
    /// How much of a growing answer is shown, by its place in the stream.
    grown: HashMap<u64, usize>,
    /// Whether the last line of standard output is open.
    is_open: bool,
}

impl View {
    pub fn new(is_raw: bool) -> View {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colours = io::stderr().is_terminal() && !no_color;
        View { is_raw, colours, grown: HashMap::new(), is_open: false }
    }

    /// Shows it. Whoever reads our output may have gone away; the run goes on.
    pub fn show(&mut self, shown: &Shown<'_>) {
        let _ = self.try_show(shown);
    }

    pub fn end(&mut self) {
        let _ = self.close_line();
    }

    fn try_show(&mut self, shown: &Shown<'_>) -> io::Result<()> {
        let mut out = io::stdout();
        match (self.is_raw, shown) {
            (true, Shown::Line(line, _)) => {
                out.write_all(line)?;
                out.write_all(b"\n")?;
                out.flush()
            }
            (true, Shown::Piece(bytes)) => {
                out.write_all(bytes)?;
                out.flush()
            }
            (true, Shown::More(_)) | (false, Shown::Piece(_)) => Ok(()),
            (false, Shown::Line(line, said)) => {
                let is_data = line.trim_ascii().is_empty() || line.trim_ascii().starts_with(b"{");
                if said.is_empty() && !is_data {
                    return self.aside(Style::Dim, &String::from_utf8_lossy(line));
                }
                said.iter().try_for_each(|captured| self.event(captured))
            }
            (false, Shown::More(said)) => said.iter().try_for_each(|captured| self.event(captured)),
        }
    }

    fn event(&mut self, captured: &Captured) -> io::Result<()> {
        let event = &captured.event;
        let plain = event.content.plain();
        match event.kind() {
            Kind::AssistantMessage => self.answer(event.sequence.unwrap_or(u64::MAX), &plain),
            Kind::Reasoning if !plain.trim().is_empty() => self.aside(Style::Dim, plain.trim()),
            Kind::Command => {
                let item = item(event.content.verbatim());
                let command = item.get("command").and_then(Value::as_str).unwrap_or(&plain);
                let code = item.get("exit_code").and_then(Value::as_i64).filter(|code| *code != 0);
                let ended = code.map(|code| format!("  (exit {code})")).unwrap_or_default();
                self.aside(Style::Bold, &format!("$ {}{ended}", print::one_line(command, LINE_CHARS)))
            }
            Kind::ToolCall => {
                let item = item(event.content.verbatim());
                let name = item.get("name").and_then(Value::as_str).unwrap_or("tool");
                let arguments = item.get("arguments").map(Value::to_string).unwrap_or_default();
                self.aside(Style::Bold, &format!("→ {name} {}", print::one_line(&arguments, LINE_CHARS)))
            }
            Kind::ToolResult => {
                let lines: Vec<String> = plain.trim().lines().take(RESULT_LINES).map(cut).collect();
                let more = plain.trim().lines().count().saturating_sub(RESULT_LINES);
                let more = if more > 0 { format!("\n… {more} more lines") } else { String::new() };
                self.aside(Style::Dim, &format!("{}{more}", lines.join("\n")))
            }
            Kind::FileChange => self.aside(Style::Bold, &format!("± {}", print::one_line(&plain, LINE_CHARS))),
            Kind::Error => self.aside(Style::Red, plain.trim()),
            _ => Ok(()),
        }
    }

    /// The agent's words; of an answer that has grown, what is new.
    fn answer(&mut self, place: u64, text: &str) -> io::Result<()> {
        let known = self.grown.get(&place).copied().unwrap_or(0);
        let Some(new) = text.get(known..).filter(|new| !new.is_empty()) else { return Ok(()) };
        if known == 0 {
            self.close_line()?;
        }
        self.grown.insert(place, text.len());
        let mut out = io::stdout();
        out.write_all(print::tame(new).as_bytes())?;
        self.is_open = !new.ends_with('\n');
        out.flush()
    }

    fn close_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_open) {
            let mut out = io::stdout();
            out.write_all(b"\n")?;
            out.flush()?;
        }
        Ok(())
    }

    fn aside(&mut self, style: Style, text: &str) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        self.close_line()?;
        let text = print::tame(text);
        let text = if self.colours { style.paint(&text) } else { text };
        io::stderr().write_all(format!("{text}\n").as_bytes())
    }
}

fn item(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    value.get("item").cloned().unwrap_or(value)
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}
