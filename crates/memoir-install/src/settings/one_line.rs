//! Settings on one line stay on one line, whatever is put in or taken out.

/// What the tree of a text became, on one line if the text was on one: the tree gives each member a line of its own.
pub(super) fn as_it_was(before: &str, after: String) -> String {
    let inner = before.trim();
    let is_one_line = !inner.contains(['\n', '\r']) && inner.chars().any(|c| !c.is_whitespace() && !"{}".contains(c));
    if !is_one_line || !after.trim().contains('\n') {
        return after;
    }
    let (pad, gap) = (blanks_behind(inner, '{').unwrap_or(""), blanks_behind(inner, ',').unwrap_or(" "));
    let mut joined = String::with_capacity(after.len());
    let text = after.trim_end();
    let (mut chars, mut quoted) = (text.chars().peekable(), Quoted::default());
    while let Some(c) = chars.next() {
        if quoted.holds(c) || !matches!(c, '\n' | '\r') {
            joined.push(c);
            continue;
        }
        while chars.peek().is_some_and(|c| c.is_whitespace()) {
            chars.next();
        }
        joined.truncate(joined.trim_end().len());
        let is_end = matches!(chars.peek(), Some('}' | ']'));
        joined.push_str(match joined.chars().last() {
            Some('{' | '[') if is_end => "",
            Some(',') => gap,
            _ => pad,
        });
    }
    joined + after.get(text.len()..).unwrap_or_default()
}

/// The blanks behind the first such sign that stands in no string.
fn blanks_behind(text: &str, sign: char) -> Option<&str> {
    let mut quoted = Quoted::default();
    let (at, _) = text.char_indices().find(|(_, c)| !quoted.holds(*c) && *c == sign)?;
    let rest = text.get(at + sign.len_utf8()..)?;
    rest.get(..rest.len() - rest.trim_start().len())
}

/// Whether a sign stands in a string, told one after the other.
#[derive(Default)]
struct Quoted {
    is_inside: bool,
    is_escaped: bool,
}

impl Quoted {
    fn holds(&mut self, c: char) -> bool {
        let was_inside = self.is_inside;
        match c {
            _ if self.is_escaped => self.is_escaped = false,
            '\\' if self.is_inside => self.is_escaped = true,
            '"' => self.is_inside = !self.is_inside,
            _ => {}
        }
        was_inside
    }
}

#[cfg(test)]
mod tests {
    use crate::settings::{with_hooks, with_server, without_hooks, without_server};
    use memoir_event::Client;

    #[test]
    fn settings_on_one_line_stay_on_it_whoever_edits_them_meanwhile() {
        let (hook, server) = ("exec /h/memoir hook claude", ["/h/.memoir/bin/memoir".to_owned(), "mcp".to_owned()]);
        for before in [
            r#"{"model":"opus","permissions":{"allow":["Bash"]}}"#,
            "{ \"model\": \"a\\\"},\\n\", \"b\": [1, 2] }\n",
            r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"mcpServers":{"a":{"command":"b"}}}"#,
            "{\"a\": 1} // mine",
        ] {
            let with = with_hooks(Client::Claude, before, hook).unwrap();
            let with = with_server(Client::Claude, &with, &server).unwrap();
            assert_eq!(with.trim().lines().count(), 1, "{with}");
            let edited = with.replacen('{', r#"{"added": true, "#, 1);
            let left = without_hooks(Client::Claude, &edited, &|_| true).unwrap();
            let left = without_server(Client::Claude, &left, &|_| true).unwrap();
            let wanted = before.replacen('{', r#"{"added": true, "#, 1);
            let bare = |text: &str| text.replace(' ', "");
            assert_eq!((bare(&left), left.trim().lines().count()), (bare(&wanted), 1), "{left}");
        }
        let lines = with_hooks(Client::Claude, "{\n  \"a\": 1\n}\n", hook).unwrap();
        assert!(lines.lines().count() > 5, "{lines}");
        assert!(with_hooks(Client::Claude, "{}", hook).unwrap().lines().count() > 5);
    }
}
