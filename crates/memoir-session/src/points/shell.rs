//! What a line for a shell is made of, as far as it tells what passed and what did not.

/// The commands of a line, those of `separators` outside quotes between them.
pub(super) fn split<'a>(line: &'a str, separators: &[&str]) -> Vec<&'a str> {
    let (mut parts, mut from, mut quote, mut skip) = (Vec::new(), 0, None, 0_usize);
    for (at, c) in line.char_indices() {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        match (c, quote) {
            ('\\', None | Some('"')) => skip = 1,
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'' | '`', None) => quote = Some(c),
            (_, None) => {
                let rest = line.get(at..).unwrap_or_default();
                if let Some(separator) = separators.iter().find(|separator| rest.starts_with(**separator)) {
                    parts.push(line.get(from..at).unwrap_or_default());
                    from = at + separator.len();
                    skip = separator.chars().count() - 1;
                }
            }
        }
    }
    parts.push(line.get(from..).unwrap_or_default());
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// A name in a command has at most so many words behind the program: `npm run test`.
const NAME_WORDS_MAX: usize = 2;

/// What a command is called, whatever flags, paths and texts it is run with: its program and the words behind it. Of `git`
/// only what it does.
pub(super) fn gist(bare: &str) -> String {
    let mut words = bare.split_whitespace().filter(|word| !is_assignment(word)).peekable();
    let Some(program) = words.next() else { return String::new() };
    let is_git = program == "git";
    while is_git && let Some(option) = words.next_if(|word| word.starts_with('-')) {
        if matches!(option, "-C" | "-c") {
            words.next();
        }
    }
    let is_name = |word: &&str| !word.starts_with('-') && !word.contains(['/', '.', '=', '"', '\'', '$', '*']);
    let names = words.take_while(is_name).take(if is_git { 1 } else { NAME_WORDS_MAX });
    std::iter::once(program).chain(names).collect::<Vec<_>>().join(" ")
}

/// What `git` begins and, after a conflict, does not end itself.
const GIT_BEGINS: [&str; 8] =
    ["git merge", "git rebase", "git cherry-pick", "git pull", "git revert", "git am", "git stash", "git switch"];
/// What shows that no conflict is left.
const GIT_ENDS: [&str; 3] = ["git commit", "git push", "git merge"];

/// Whether nobody can say any more that a command fails once that one has passed, both by what they are called: it is the
/// same with other flags or for other files, or takes more in.
pub(super) fn ends(failed: &str, passed: &str) -> bool {
    let takes_in = || failed.strip_prefix(passed).is_some_and(|rest| rest.starts_with(' ') && passed.contains(' '));
    let is_after = || GIT_BEGINS.contains(&failed) && (GIT_ENDS.contains(&passed) || GIT_BEGINS.contains(&passed));
    failed == passed || takes_in() || is_after()
}

/// Whether a word sets a variable.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_falls_into_its_commands_outside_quotes() {
        assert_eq!(split("a && b; c", &["&&", ";"]), ["a", "b", "c"]);
        assert_eq!(split(r#"git commit -m "x; y && z" ; ls"#, &["&&", ";"]), [r#"git commit -m "x; y && z""#, "ls"]);
        assert_eq!(split(r#"grep -n "a\|test" x | wc"#, &["|"]), [r#"grep -n "a\|test" x"#, "wc"]);
        assert_eq!(split("a 'b", &["b"]), ["a 'b"]);
    }

    #[test]
    fn what_git_began_is_over_with_what_comes_after_it() {
        assert_eq!(gist("git -C /x commit -m y"), "git commit");
        assert_eq!(gist("go test -v -run X ./cmd/..."), "go test");
        assert_eq!(gist("RUST_LOG=x npm run test:unit -- --bail"), "npm run test:unit");
        assert!(ends("cargo test login", "cargo test") && !ends("make test", "make"));
        assert!(!ends("cargo test", "cargo test login") && !ends("mise run lint", "mise run test"));
        assert!(ends("git rebase", "git rebase") && ends("git merge", "git commit") && ends("git pull", "git push"));
        assert!(!ends("git push", "git commit") && !ends("cargo test", "cargo build"));
    }

    proptest! {
        #[test]
        fn any_line_is_some_commands(line in ".{0,80}") {
            prop_assert!(split(&line, &["&&", "||", ";", "\n"]).iter().all(|part| line.contains(part)));
        }
    }
}
