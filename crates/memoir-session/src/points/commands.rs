//! Commands that were run: which matter, and how the last run of each ended.

use super::shell::{ends, gist, is_assignment, split};
use super::{Mark, point};
use crate::told::{Ended, Ran};
use memoir_event::{Point, Section};
use std::collections::{HashMap, HashSet};

/// Commands that only look at things, or move around.
const LOOKING: [&str; 40] = [
    "ls", "cat", "head", "tail", "grep", "rg", "ag", "find", "fd", "sed", "awk", "cd", "pwd", "echo", "printf",
    "which", "wc", "tree", "stat", "file", "less", "more", "sort", "uniq", "cut", "tr", "diff", "ps", "env", "date",
    "du", "df", "jq", "nl", "type", "true", "sleep", "test", "[", "xargs",
];

/// What `git` does without changing anything.
const GIT_LOOKING: [&str; 11] =
    ["status", "diff", "log", "show", "branch", "blame", "remote", "ls-files", "rev-parse", "grep", "describe"];

/// Words in commands that build, test, publish or keep something.
const WEIGHTY: [&str; 38] = [
    "test",
    "tests",
    "nextest",
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "phpunit",
    "ctest",
    "check",
    "clippy",
    "lint",
    "eslint",
    "tsc",
    "mypy",
    "build",
    "make",
    "ninja",
    "gradle",
    "mvn",
    "compile",
    "deploy",
    "publish",
    "release",
    "ship",
    "migrate",
    "terraform",
    "kubectl",
    "helm",
    "docker",
    "commit",
    "push",
    "merge",
    "rebase",
    "install",
    "bench",
    "tox",
];

/// How much a command tells of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Looks,
    Works,
    Decides,
}

/// One command, however often it was run.
pub(crate) struct Command {
    weight: Weight,
    last: (Mark, Ended),
    times: u32,
    /// The run that failed, of those that nothing mended since.
    broken: Option<Broken>,
    /// The last run that failed and what mended it.
    mended: Option<(Mark, Mark)>,
}

/// A run that failed.
#[derive(Clone)]
struct Broken {
    mark: Mark,
    /// Whether it came to its end: of one that was broken off nobody knows.
    has_ended: bool,
    /// What it was made of that decides something: which of these failed is not told.
    parts: Vec<String>,
}

/// All commands.
#[derive(Default)]
pub(crate) struct Runs {
    commands: HashMap<String, Command>,
    /// Those that failed and that nothing mended.
    broken: HashSet<String>,
    last_change: Option<Mark>,
}

impl Runs {
    /// Files were changed: what passes from now on may have been mended by it.
    pub fn note_change(&mut self, mark: Mark) {
        self.last_change = Some(mark);
    }

    pub fn take(&mut self, mark: Mark, ran: &Ran) {
        let key = bare(&ran.command);
        let weight = weight(&key);
        let command = self.commands.entry(key.clone()).or_insert(Command {
            weight,
            last: (mark, ran.ended),
            times: 0,
            broken: None,
            mended: None,
        });
        command.times = command.times.saturating_add(1);
        command.last = (mark, ran.ended);
        match ran.ended {
            Ended::Badly(code) => {
                let parts = split(&ran.command, &["&&", "||", ";", "\n"]).into_iter().map(bare);
                let parts = parts.filter(|part| self::weight(part) == Weight::Decides).map(|part| gist(&part));
                command.broken = Some(Broken { mark, has_ended: code.is_some(), parts: parts.collect() });
                self.broken.insert(key);
            }
            Ended::Well => self.passed(mark, &key, &ran.command),
            Ended::Unknown => {}
        }
    }

    /// A command passed, and with it every command that it is made of, as far as each had to pass for the next. What
    /// failed as a part of another command has passed by now, or nobody can say any more that it fails.
    fn passed(&mut self, mark: Mark, key: &str, command: &str) {
        let last = split(command, &[";", "\n"]).pop().unwrap_or_default();
        let mut passed: Vec<String> = split(last, &["&&"]).into_iter().map(bare).collect();
        passed.extend(split(key, &["&&"]).into_iter().map(str::to_owned));
        let gists: Vec<String> = passed.iter().map(|part| gist(part)).collect();
        let is_mended = |name: &String, broken: &Broken| {
            let is_over = |part: &String| gists.iter().any(|passed| ends(part, passed));
            name == key || passed.contains(name) || broken.parts.iter().any(is_over)
        };
        let (commands, last_change) = (&mut self.commands, self.last_change);
        self.broken.retain(|name| {
            let Some(command) = commands.get_mut(name) else { return false };
            let Some(broken) = command.broken.take_if(|broken| is_mended(name, broken)) else { return true };
            let change = last_change.filter(|change| change.at > broken.mark.at);
            command.mended = Some((broken.mark, change.unwrap_or(mark)));
            false
        });
    }

    /// The last run of each command that matters: what failed first, then what decides, then the latest.
    pub fn chosen(&self, max: usize) -> Vec<Point> {
        let mut commands: Vec<&Command> =
            self.commands.values().filter(|command| command.weight > Weight::Looks).collect();
        commands.sort_by_key(|command| {
            let failed = matches!(command.last.1, Ended::Badly(_));
            (command.last.0.is_aside, std::cmp::Reverse((failed, command.weight, command.last.0.at)))
        });
        commands.truncate(max);
        commands.into_iter().map(|command| point(Section::Ran, &[command.last.0.id], command.times)).collect()
    }

    /// What failed and what mended it, in the order of the failures.
    pub fn mended(&self) -> Vec<(Mark, Mark)> {
        let mut mended: Vec<(Mark, Mark)> = self.mattering().filter_map(|command| command.mended).collect();
        mended.sort_by_key(|(failed, _)| failed.at);
        mended
    }

    /// What failed and was never mended: what builds, tests or publishes first, of these the last one first.
    pub fn broken(&self) -> impl Iterator<Item = Mark> {
        let mut broken: Vec<(Mark, Weight)> =
            self.mattering().filter_map(|command| Some((command.broken.as_ref()?.mark, command.weight))).collect();
        broken.sort_by_key(|(mark, weight)| (mark.is_aside, std::cmp::Reverse((*weight, mark.at))));
        broken.into_iter().map(|(mark, _)| mark)
    }

    /// Of that, what leaves something to do: a test, a build, a push.
    pub fn left_broken(&self) -> impl Iterator<Item = Mark> {
        let decides = self.commands.values().filter(|command| command.weight == Weight::Decides);
        let ended = decides.filter_map(|command| command.broken.as_ref()).filter(|broken| broken.has_ended);
        let mut broken: Vec<Mark> = ended.map(|broken| broken.mark).collect();
        broken.sort_by_key(|mark| (mark.is_aside, std::cmp::Reverse(mark.at)));
        broken.into_iter()
    }

    fn mattering(&self) -> impl Iterator<Item = &Command> {
        self.commands.values().filter(|command| command.weight > Weight::Looks)
    }
}

/// A command without what stands around it: where it is run, and what becomes of its output.
pub(crate) fn bare(command: &str) -> String {
    let lines = command.trim_start_matches(['\\', '\n', ' ']).lines();
    let without_remarks: Vec<&str> = lines.filter(|line| !line.trim_start().starts_with('#')).collect();
    let command = without_remarks.join("\n");
    let mut rest = command.trim();
    while let Some((before, after)) = rest.split_once("&&") {
        if !before.trim_start().starts_with("cd ") || before.contains(['|', ';', '\n']) {
            break;
        }
        rest = after.trim_start();
    }
    let mut end = rest.len();
    while let Some(at) = rest.get(..end).and_then(|text| text.rfind('|')) {
        let behind = rest.get(at + 1..end).unwrap_or_default();
        let cuts =
            ["tail", "head", "tee", "cat", "less"].contains(&behind.split_whitespace().next().unwrap_or_default());
        if !cuts || rest.get(..at).is_some_and(|before| before.ends_with('|')) {
            break;
        }
        end = at;
    }
    let kept = rest.get(..end).unwrap_or(rest).replace("2>&1", " ");
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What only formats and cuts tells no more than what it gets; a shell or a program that builds does something with it.
fn weight(bare: &str) -> Weight {
    let of_pipe = |pipe: &str| {
        let mut stages = split(pipe, &["|"]).into_iter().map(of_one);
        let first = stages.next().unwrap_or(Weight::Looks);
        stages.filter(|weight| *weight == Weight::Decides).fold(first, Weight::max)
    };
    split(bare, &["&&", "||", ";", "&"]).into_iter().map(of_pipe).max().unwrap_or(Weight::Looks)
}

fn of_one(command: &str) -> Weight {
    let mut words = command.split_whitespace().filter(|word| !is_assignment(word));
    let program = words.next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let rest: Vec<&str> = words.collect();
    let looks =
        LOOKING.contains(&program) || (program == "git" && rest.first().is_some_and(|verb| GIT_LOOKING.contains(verb)));
    let decides = || {
        let of = |word: &str| word.split(['-', ':', '_', '.', '/']).any(|part| WEIGHTY.contains(&part));
        of(program) || rest.iter().take(4).any(|word| of(word))
    };
    match (looks, decides()) {
        (true, _) => Weight::Looks,
        (false, true) => Weight::Decides,
        (false, false) => Weight::Works,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_the_same_wherever_it_is_run_and_however_much_of_it_is_read() {
        for told in ["cargo test", "cd /work/x && cargo test 2>&1 | tail -20", "cargo  test | tee log | head"] {
            assert_eq!(bare(told), "cargo test", "{told}");
        }
        assert_eq!(bare("\\\n# make a copy\ncp a b\n  # and more\nrm a"), "cp a b rm a");
        assert_eq!(bare("a || tail x"), "a || tail x");
        assert_eq!(bare("cat log | grep x"), "cat log | grep x");
    }

    #[test]
    fn what_passes_as_a_part_of_a_later_command_is_mended() {
        let id = memoir_event::EventId::parse("0123456789abcdef01234567").unwrap();
        let mark = |at: usize| Mark { id, at, is_aside: false };
        let ran = |command: &str, ended: Ended| Ran { command: command.to_owned(), ended };
        let mut runs = Runs::default();
        runs.take(mark(1), &ran("git push origin x", Ended::Badly(Some(1))));
        runs.take(mark(2), &ran("python tool.py", Ended::Badly(None)));
        assert_eq!((runs.broken().count(), runs.left_broken().count()), (2, 1));
        runs.take(mark(3), &ran("git pull --rebase && git push origin x 2>&1 | tail -3", Ended::Well));
        assert_eq!((runs.broken().count(), runs.left_broken().count()), (1, 0));
        assert_eq!(runs.mended().len(), 1);
    }

    #[test]
    fn nothing_is_said_to_fail_still_that_passed_in_another_way_or_was_broken_off() {
        let id = memoir_event::EventId::parse("0123456789abcdef01234567").unwrap();
        let left = |runs: &[(&str, Ended)]| {
            let mut all = Runs::default();
            for (at, (command, ended)) in runs.iter().enumerate() {
                all.take(Mark { id, at, is_aside: false }, &Ran { command: (*command).to_owned(), ended: *ended });
            }
            all.left_broken().count()
        };
        let (badly, well) = (Ended::Badly(Some(1)), Ended::Well);
        for (failed, passed) in [
            ("mise run fmt && mise run lint", "mise run lint"),
            ("mise run fmt && mise run lint", "mise run test && mise run lint"),
            ("cd x\nmake lint; make test", "make test 2>&1 | tail"),
            ("go test -v -run TestX ./cmd/x", "go test ./..."),
            ("cargo test login", "cargo test"),
            ("git merge origin/main", "git add -A && git commit --no-edit"),
            ("git rebase origin/main", "GIT_EDITOR=true git rebase --continue"),
            ("git pull --rebase", "git push"),
            ("git commit -m \"a && b\"", "git add x && git commit -m 'c; d'"),
        ] {
            assert_eq!(left(&[(failed, badly)]), 1, "{failed}");
            assert_eq!(left(&[(failed, badly), (passed, well)]), 0, "{failed}, then {passed}");
            assert_eq!(left(&[(failed, badly), (passed, well), (failed, badly)]), 1, "{failed} again");
        }
        assert_eq!(left(&[("cargo test", badly), ("cargo test; echo done", well), ("cargo build", well)]), 1);
        assert_eq!(left(&[("mise run test:ci", Ended::Badly(None))]), 0, "the user broke it off");
    }

    #[test]
    fn looking_around_matters_least_and_tests_most() {
        for (command, expected) in [
            ("ls -la | grep x", Weight::Looks),
            ("git status", Weight::Looks),
            ("grep -n \"a\\|test\" tests/x.rs | head -30", Weight::Looks),
            ("git show HEAD:test.json | python3 -m json.tool", Weight::Looks),
            ("cat x.sql | docker exec -i db psql", Weight::Decides),
            ("python tool.py", Weight::Works),
            ("RUST_LOG=debug cargo nextest run", Weight::Decides),
            ("git commit -m x", Weight::Decides),
            ("npm run test:unit", Weight::Decides),
            ("./scripts/deploy.sh", Weight::Decides),
            ("", Weight::Looks),
        ] {
            assert_eq!(weight(command), expected, "{command}");
        }
    }
}
