//! Code mode: the model writes a script that calls tools, and sees what the script says.

use std::ops::Range;

/// What a script may use: nobody can tell which tools it calls if it hands this name around.
const TOOLS: &str = "tools";

/// Stands for tools that cannot be told.
pub const ANY_TOOL: &str = "*";

/// What a script that goes on running says of itself.
const RUNNING: &str = "Script running with cell ID ";

/// The tools that a script calls, each once, by their names; one more name if some of them cannot be told.
pub(super) fn tools_of(script: &str) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    let asides = asides(script);
    for (at, _) in script.match_indices(TOOLS) {
        let before = script.get(..at).unwrap_or_default();
        if before.ends_with(|c: char| is_name(c) || c == '.') {
            continue;
        }
        let after = script.get(at + TOOLS.len()..).unwrap_or_default();
        if after.starts_with(is_name) {
            continue;
        }
        // A name counts wherever it stands: better one tool too many than one too few.
        let is_aside = || asides.get(asides.partition_point(|aside| aside.end <= at)).is_some_and(|a| a.start <= at);
        let Some(tool) = member(after).or_else(|| (!is_aside()).then_some(ANY_TOOL)) else { continue };
        if !tools.iter().any(|known| known == tool) {
            tools.push(tool.to_owned());
        }
    }
    tools
}

/// Where texts in quotes and comments stand: what they say is not done. Templates may hold code, and count as such.
fn asides(script: &str) -> Vec<Range<usize>> {
    let mut asides = Vec::new();
    let mut at = 0;
    while let Some(rest) = script.get(at..).filter(|rest| !rest.is_empty()) {
        let end = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest.find("*/").map_or(rest.len(), |end| end + 2),
            [quote @ (b'"' | b'\''), ..] => quoted_end(rest.as_bytes(), *quote),
            _ => {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            }
        };
        asides.push(at..at + end);
        at += end;
    }
    asides
}

/// Where the text in quotes ends that stands first; it never goes on over the end of a line.
fn quoted_end(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if *byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The name in `.name`, `?.name`, `["name"]` and the like.
fn member(after: &str) -> Option<&str> {
    let after = after.trim_start();
    let after = after.strip_prefix('?').unwrap_or(after);
    if let Some(rest) = after.strip_prefix('.').map(str::trim_start)
        && !rest.starts_with('[')
    {
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        return rest.get(..end).filter(|name| !name.is_empty());
    }
    let inside = after.trim_start_matches('.').strip_prefix('[')?.trim_start();
    let quote = inside.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let (name, rest) = inside.get(1..)?.split_once(quote)?;
    (rest.trim_start().starts_with(']') && !name.is_empty() && name.chars().all(is_name)).then_some(name)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The cell in which a script goes on, if what it said so far says so.
pub(super) fn running_cell(output: &str) -> Option<&str> {
    let rest = output.strip_prefix(RUNNING)?;
    rest.split_whitespace().next().map(|cell| cell.trim_end_matches(['.', ',', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_tells_which_tools_it_calls() {
        for (script, tools) in [
            (r#"const r = await tools.exec_command({cmd: "echo hi"}); text(r.output);"#, vec!["exec_command"]),
            ("await tools . mcp__bank__get(1); tools?.apply_patch(p); tools.exec_command(1); tools.exec_command(2)", {
                vec!["mcp__bank__get", "apply_patch", "exec_command"]
            }),
            (r#"tools["exec_command"]({}); tools?.['write_stdin']({})"#, vec!["exec_command", "write_stdin"]),
            ("const { exec_command } = tools; exec_command({})", vec![ANY_TOOL]),
            ("tools[name](); const t = tools;", vec![ANY_TOOL]),
            ("// all tools\ntext(\"the \\\" tools of\"); text('tools'); /* tools */ tools.exec_command({})", {
                vec!["exec_command"]
            }),
            ("text(`${tools[name]}`)", vec![ANY_TOOL]),
            ("text(`it's ${(await tools.exec_command({})).output}`)", vec!["exec_command"]),
            ("my.tools.x(); mytools.y(); tools2.z(); text('done')", vec![]),
        ] {
            assert_eq!(tools_of(script), tools, "{script}");
        }
    }

    #[test]
    fn a_script_that_goes_on_names_its_cell() {
        assert_eq!(running_cell("Script running with cell ID 7\nWall time 10 seconds\nOutput:\n"), Some("7"));
        assert_eq!(running_cell("Script completed\nOutput:\n"), None);
    }
}
