use memoir_record::{BadLine, Lines};
use proptest::prelude::*;
use std::io::Read;

/// A reader that gives at most `step` bytes at a time.
struct Slowly<'a> {
    bytes: &'a [u8],
    step: usize,
}

impl Read for Slowly<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let take = self.step.min(self.bytes.len()).min(buffer.len());
        let (now, later) = self.bytes.split_at(take);
        buffer[..take].copy_from_slice(now);
        self.bytes = later;
        Ok(take)
    }
}

fn read(bytes: &[u8], step: usize, bytes_max: usize) -> Vec<(u64, Result<String, BadLine>)> {
    let mut lines = Lines::new(bytes_max);
    let mut input = Slowly { bytes, step };
    let mut found = Vec::new();
    loop {
        let more = lines.fill(&mut input).unwrap();
        while let Some(line) = lines.next_line() {
            found.push((line.number, line.text.map(str::to_owned)));
        }
        if !more {
            return found;
        }
    }
}

fn good(number: u64, text: &str) -> (u64, Result<String, BadLine>) {
    (number, Ok(text.to_owned()))
}

fn too_long(number: u64, bytes: u64) -> (u64, Result<String, BadLine>) {
    (number, Err(BadLine::TooLong { bytes, bytes_max: 4 }))
}

#[test]
fn lines_end_in_newlines_carriage_returns_or_the_end() {
    for step in [1, 2, 3, 100] {
        assert_eq!(read(b"\xef\xbb\xbfab\r\n\n  \ncd\nef", step, 4), [good(1, "ab"), good(4, "cd"), good(5, "ef")]);
    }
}

#[test]
fn a_line_over_the_limit_is_reported_with_its_length_and_the_rest_goes_on() {
    for step in [1, 2, 3, 5, 100] {
        let found = read(b"abcd\nabcde\n abcd\r\nabcd\r\nab cd fg\nok\nabcdefgh", step, 4);
        let expected =
            [good(1, "abcd"), too_long(2, 5), too_long(3, 5), good(4, "abcd"), too_long(5, 8), good(6, "ok")];
        assert_eq!(found[..6], expected, "{step}");
        assert_eq!(found[6], too_long(7, 8));
    }
}

#[test]
fn blank_lines_are_skipped_whatever_their_length() {
    for step in [1, 7, 1000] {
        assert_eq!(read("\u{3000}\nok\n\u{a0}\t".as_bytes(), step, 8), [good(2, "ok")]);
        assert_eq!(read(format!("{}\nok\n{}", " ".repeat(100), "\t".repeat(99)).as_bytes(), step, 4), [good(2, "ok")]);
    }
}

#[test]
fn a_line_that_is_not_text_is_its_own_problem_only() {
    let expected = [good(1, "a"), (2, Err(BadLine::NotUtf8 { at: 1 })), good(3, "c")];
    assert_eq!(read(b"a\nb\xff\nc\n", 100, 4), expected);
}

#[test]
fn a_hundred_megabytes_without_a_newline_are_never_held() {
    // In a process of its own: the peak of this one belongs to all tests.
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lines::child_reads_a_hundred_megabytes_without_a_newline", "--ignored"])
        .status()
        .unwrap();
    assert!(child.success());
}

#[test]
#[ignore = "run by a_hundred_megabytes_without_a_newline_are_never_held, in a process of its own"]
fn child_reads_a_hundred_megabytes_without_a_newline() {
    let before = peak_kib();
    let endless = std::io::repeat(b'x').take(100_000_000);
    let mut input = endless.chain(&b"\nok\n"[..]);
    let mut lines = Lines::new(262_144);
    let mut found = Vec::new();
    while lines.fill(&mut input).unwrap() {
        while let Some(line) = lines.next_line() {
            found.push((line.number, line.text.map(str::to_owned)));
        }
    }
    assert_eq!(found, [(1, Err(BadLine::TooLong { bytes: 100_000_000, bytes_max: 262_144 })), good(2, "ok")]);
    let grown = peak_kib() - before;
    assert!(before > 0 && grown < 5_000, "grew by {grown} KiB");
}

/// The most memory this process has used.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok()).unwrap_or(0)
}

proptest! {
    #[test]
    fn however_it_is_cut_the_lines_are_the_same(
        bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b' '), any::<u8>()], 0..200),
        step in 1usize..50,
        bytes_max in 1usize..20,
    ) {
        prop_assert_eq!(read(&bytes, step, bytes_max), read(&bytes, 1000, bytes_max));
    }
}
