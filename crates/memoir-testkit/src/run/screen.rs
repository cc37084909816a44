//! What a terminal shows: as many control sequences as the clients use, and answers to what they ask a terminal.

pub(super) const ROWS: u16 = 50;
pub(super) const COLUMNS: u16 = 160;

/// A grid of letters and the place of the cursor.
pub(super) struct Screen {
    grid: Vec<Vec<char>>,
    row: usize,
    column: usize,
    saved: (usize, usize),
    pending: Vec<u8>,
}

impl Screen {
    pub fn new() -> Screen {
        Screen { grid: vec![blank(); ROWS.into()], row: 0, column: 0, saved: (0, 0), pending: Vec::new() }
    }

    /// The text, a line per row, without blanks at the ends.
    pub fn text(&self) -> String {
        let lines: Vec<String> =
            self.grid.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// Takes what a program writes; what the terminal answers to it comes back.
    pub fn feed(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.pending);
        let whole = match std::str::from_utf8(&all) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Ok(_) | Err(_) => all.len(),
        };
        let text = String::from_utf8_lossy(&all[..whole]).into_owned();
        let mut answers = String::new();
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let used = match first {
                '\x1b' => self.sequence(rest, &mut answers),
                _ => Some(self.letter(first)),
            };
            // A sequence that is not complete waits for more.
            let Some(used) = used else { break };
            rest = &rest[used..];
        }
        self.pending = [rest.as_bytes(), &all[whole..]].concat();
        answers
    }

    fn letter(&mut self, letter: char) -> usize {
        match letter {
            '\r' => self.column = 0,
            '\n' => self.line_feed(),
            '\x08' => self.column = self.column.saturating_sub(1),
            letter if letter.is_control() => {}
            letter => {
                if self.column >= COLUMNS.into() {
                    self.column = 0;
                    self.line_feed();
                }
                self.grid[self.row][self.column] = letter;
                self.column += 1;
            }
        }
        letter.len_utf8()
    }

    fn line_feed(&mut self) {
        if self.row + 1 == self.grid.len() {
            self.grid.remove(0);
            self.grid.push(blank());
        } else {
            self.row += 1;
        }
    }

    /// Obeys the escape sequence at the start of the text; its length, or none when it goes on.
    fn sequence(&mut self, text: &str, answers: &mut String) -> Option<usize> {
        match text[1..].chars().next()? {
            '[' => {
                let end = 2 + text[2..].find(|letter: char| ('@'..='~').contains(&letter))?;
                self.control(&text[2..end], text.as_bytes()[end] as char, answers);
                Some(end + 1)
            }
            // Titles, colours and the like, up to a bell or a terminator.
            ']' | 'P' | '_' | '^' => {
                let (bell, terminator) = (text.find('\x07'), text[2..].find("\x1b\\"));
                bell.map(|at| at + 1).into_iter().chain(terminator.map(|at| at + 4)).min()
            }
            '(' | ')' => text.chars().nth(2).map(|letter| 2 + letter.len_utf8()),
            letter => {
                match letter {
                    '7' => self.saved = (self.row, self.column),
                    '8' => (self.row, self.column) = self.saved,
                    _ => {}
                }
                Some(1 + letter.len_utf8())
            }
        }
    }

    fn control(&mut self, words: &str, letter: char, answers: &mut String) {
        let numbers: Vec<usize> = words.split(';').map(|word| word.parse().unwrap_or(0)).collect();
        let number = |at: usize| numbers.get(at).copied().unwrap_or(0);
        let (count, columns) = (number(0).max(1), usize::from(COLUMNS));
        match letter {
            'h' if words == "?1049" => self.grid.fill(blank()),
            _ if words.starts_with(['?', '>', '<', '=']) => {}
            'A' => self.row = self.row.saturating_sub(count),
            'B' => self.row += count,
            'C' => self.column += count,
            'D' => self.column = self.column.saturating_sub(count),
            'G' => self.column = count - 1,
            'd' => self.row = count - 1,
            'H' => (self.row, self.column) = (count - 1, number(1).max(1) - 1),
            'J' | 'K' => {
                let (row, column) = (self.row, self.column);
                let (before, after) = (number(0) != 0, number(0) != 1);
                self.grid[row][if before { 0 } else { column }..if after { columns } else { column }].fill(' ');
                if letter == 'J' {
                    let (from, to) = (if before { 0 } else { row + 1 }, if after { self.grid.len() } else { row });
                    self.grid[from..to].fill(blank());
                }
            }
            'n' if number(0) == 6 => answers.push_str(&format!("\x1b[{};{}R", self.row + 1, self.column + 1)),
            'c' => answers.push_str("\x1b[?62;c"),
            _ => {}
        }
        (self.row, self.column) = (self.row.min(self.grid.len() - 1), self.column.min(columns));
    }
}

fn blank() -> Vec<char> {
    vec![' '; COLUMNS.into()]
}

#[cfg(test)]
mod tests {
    use super::Screen;

    #[test]
    fn text_stands_where_the_cursor_was_sent_and_questions_are_answered() {
        let mut screen = Screen::new();
        assert_eq!(screen.feed(b"\x1b]0;title\x07first\r\nsecond\x1b[1;7Hline\x1b[6n"), "\x1b[1;11R");
        assert_eq!(screen.text(), "first line\nsecond");
        assert_eq!(screen.feed(b"\x1b[2;1H\x1b[2Kthird\x1b["), "");
        assert_eq!(screen.feed(b"31m red \xe2\x80"), "");
        assert_eq!(screen.feed(b"\xa6"), "");
        assert_eq!(screen.text(), "first line\nthird red …");
    }

    #[test]
    fn a_full_screen_scrolls() {
        let mut screen = Screen::new();
        screen.feed("line\r\n".repeat(60).as_bytes());
        screen.feed(b"last");
        assert_eq!(screen.text().lines().count(), 50);
        assert!(screen.text().ends_with("line\nlast"));
        screen.feed(b"\x1b[2J\x1b[Hempty");
        assert_eq!(screen.text(), "empty");
    }
}
