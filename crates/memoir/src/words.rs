//! Words of a query that look like flags: `memoir search --release -retry --json` means two words and one flag.

use crate::cli::Cli;
use clap::CommandFactory;
use memoir_event::nearest;
use std::ffi::OsString;

/// Puts the words of a search behind `--`, where no word is taken for a flag; known flags stay flags.
pub fn protect(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let args: Vec<OsString> = args.collect();
    let Some(at) = args.iter().position(|arg| arg == "search") else { return args };
    let before = args.get(1..at).unwrap_or_default();
    // Only a search itself: not `memoir config get search`, and not after a `--`.
    let is_command = before.iter().all(|arg| arg.to_string_lossy().starts_with("--home"))
        || (before.len() == 2 && before.first().is_some_and(|arg| arg == "--home"));
    if !is_command || args.iter().any(|arg| arg == "--") {
        return args;
    }
    let mut cli = Cli::command();
    cli.build();
    let Some(search) = cli.find_subcommand("search") else { return args };
    let longs = || search.get_arguments().flat_map(longs_of);
    let (mut flags, mut words): (Vec<OsString>, Vec<OsString>) = (Vec::new(), Vec::new());
    let mut rest = args.iter().skip(at + 1);
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        let known = search.get_arguments().find(|known| {
            longs_of(known).any(|long| name.strip_prefix("--") == Some(long))
                || known.get_short().is_some_and(|short| *text == format!("-{short}"))
        });
        match known {
            // So near to a flag that it must be one: clap says which.
            None if name.strip_prefix("--").is_some_and(|name| nearest(name, longs()).is_some()) => {
                flags.push(arg.clone())
            }
            None => words.push(arg.clone()),
            Some(known) => {
                flags.push(arg.clone());
                if known.get_action().takes_values() && !text.contains('=') {
                    flags.extend(rest.next().cloned());
                }
            }
        }
    }
    let head = args.iter().take(at + 1).cloned();
    let dashes = (!words.is_empty()).then(|| OsString::from("--"));
    head.chain(flags).chain(dashes).chain(words).collect()
}

/// Every long name of a flag.
fn longs_of(known: &clap::Arg) -> impl Iterator<Item = &str> {
    known.get_long().into_iter().chain(known.get_all_aliases().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::protect;

    fn protected(line: &str) -> String {
        let args = protect(line.split(' ').map(Into::into));
        args.iter().map(|arg| arg.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn known_flags_stay_flags_and_other_words_are_words() {
        assert_eq!(protected("memoir search hello --json"), "memoir search --json -- hello");
        assert_eq!(protected("memoir search --release -x --limit 5 y"), "memoir search --limit 5 -- --release -x y");
        assert_eq!(protected("memoir search a --limit=5 --help"), "memoir search --limit=5 --help -- a");
        assert_eq!(protected("memoir --home /h search -a"), "memoir --home /h search -- -a");
        assert_eq!(protected("memoir --home=/h search -a"), "memoir --home=/h search -- -a");
        assert_eq!(protected("memoir search -- --json"), "memoir search -- --json");
        assert_eq!(protected("memoir timeline --text search --json"), "memoir timeline --text search --json");
        assert_eq!(protected("memoir search"), "memoir search");
        assert_eq!(protected("memoir search a --sesion v"), "memoir search --sesion -- a v");
        assert_eq!(protected("memoir search a --project . --since 30d"), "memoir search --project . --since 30d -- a");
        assert_eq!(protected("memoir search --nocapture --release"), "memoir search -- --nocapture --release");
    }
}
