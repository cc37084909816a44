//! Makes up scenarios. Texts are few and repeat, so that whatever tells things apart by their texts is put to the test.

use super::scenario::{Agent, Block, BlockKind, Call, End, Fork, Manner, Reply, Run, Scenario, Side, Turn, Write};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Any scenario; `number` tells it from others of the same test.
pub fn scenario(number: u32) -> impl Strategy<Value = Scenario> {
    let manner = select(vec![Manner::Printed, Manner::Typed]);
    (manner, vec(turn(), 1..4), option::weighted(0.3, (0..3usize, vec(turn(), 1..3)))).prop_map(
        move |(manner, turns, fork)| {
            let fork = fork.map(|(after, own)| Fork { after: after.min(turns.len() - 1) + 1, turns: own });
            Scenario { number, manner, turns, fork }
        },
    )
}

/// Any turn.
pub fn turn() -> impl Strategy<Value = Turn> {
    let pause = select(vec![1, 20, 400]);
    let compaction = option::weighted(0.1, said("The story so far."));
    (pause, prompt(), vec(block(), 0..2), compaction, vec(reply(), 0..3), end()).prop_map(
        |(pause_s, prompt, blocks, compaction, replies, end)| Turn {
            pause_s,
            prompt,
            blocks,
            compaction,
            replies,
            end,
        },
    )
}

fn block() -> impl Strategy<Value = Block> {
    (select(BlockKind::ALL.to_vec()), select(vec![Side::Before, Side::After]))
        .prop_map(|(kind, side)| Block { kind, side })
}

fn end() -> impl Strategy<Value = End> {
    let answer = (option::weighted(0.3, thought()), vec(text(), 1..3), tokens())
        .prop_map(|(thought, texts, tokens)| End::Answer(Reply { thought, texts, calls: Vec::new(), tokens }));
    let failure = select(vec!["the model is overloaded", "400 bad request"]).prop_map(|text| End::Failure(text.into()));
    prop_oneof![6 => answer, 1 => failure, 1 => Just(End::Interrupt)]
}

fn reply() -> impl Strategy<Value = Reply> {
    let calls = vec(prop_oneof![5 => run().prop_map(Call::Run), 2 => write(), 1 => agent()], 1..3);
    (option::weighted(0.4, thought()), vec(text(), 0..2), calls, tokens())
        .prop_map(|(thought, texts, calls, tokens)| Reply { thought, texts, calls, tokens })
}

fn tokens() -> impl Strategy<Value = (u32, u32)> {
    (1u32..20_000, 1u32..3_000)
}

fn run() -> impl Strategy<Value = Run> {
    let command = prop_oneof![
        3 => select(vec!["ls", "cargo test", "echo it's; exit 3"]).prop_map(str::to_owned),
        1 => "[a-z]{2,5} [-a-z \"'$|;é]{0,20}[a-z]",
    ];
    let output = prop_oneof![
        3 => select(vec!["", "ok", "two\nlines", "from the shell"]).prop_map(str::to_owned),
        1 => "[a-z<>&\"\\\\é漢]{1,10}(\n[a-z {}\\[\\]]{0,10}[a-z]){0,2}",
    ];
    (command, output, select(vec![0, 0, 1, 127])).prop_map(|(command, output, exit_code)| Run {
        command,
        output,
        exit_code,
    })
}

fn write() -> impl Strategy<Value = Call> {
    (select(vec!["a.txt", "notes.md"]), said("a line"))
        .prop_map(|(path, line)| Call::Write(Write { path: path.into(), line }))
}

/// An agent never runs what its sender runs: where a client names neither calls nor threads, nobody could tell whose it
/// was.
fn agent() -> impl Strategy<Value = Call> {
    let run = run().prop_map(|run| Run { command: format!("agent {}", run.command), ..run });
    (said("look for it in the tests"), vec(run, 0..2), text())
        .prop_map(|(task, runs, answer)| Call::Agent(Agent { task, runs, answer }))
}

/// What a user types: words, or no more than a nod.
fn prompt() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just("ok".to_owned()),
        4 => select(vec!["fix the failing test", "please go on", "why is it so slow?"]).prop_map(str::to_owned),
        3 => said("do something else"),
    ]
}

/// What an agent says: sometimes the beginning of something that it says elsewhere.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(vec!["Done", "Done. All tests pass.", "Let me look.", "ok"]).prop_map(str::to_owned),
        2 => said("I fixed it"),
    ]
}

fn thought() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just("I should look.".to_owned()),
        1 => said("Perhaps it is this"),
    ]
}

/// A sentence of at least three words that begins in a known way and goes on in any.
fn said(start: &'static str) -> impl Strategy<Value = String> {
    "( [a-zäß漢<>&\"'\\\\/.,:{}]{1,9}){0,4}(\n[a-z]{2,6} [a-z]{1,9}){0,2}"
        .prop_map(move |rest| format!("{start}{rest} so"))
}
