//! `memoir exec`: runs a client, shows what it does, and has recorded each thing before it shows it.

mod asked;
mod child;
mod client_args;
mod piped;
mod view;

use super::remote::flush_outbox;
use super::{Context, pause};
use crate::cli::ExecArgs;
use crate::clients;
use crate::exit::{Done, Usage};
use crate::home::{Life, now_ms, system_clock};
use crate::print;
use anyhow::Result;
use asked::InputIs;
use child::Child;
use client_args::program_args;
use memoir_capture::{Counts, Parser, claude, codex, gemini};
use memoir_event::{Client, Source};
use memoir_journal::{Journal, JournalError, SqliteJournal};
use memoir_record::{
    Input, Live, LiveStream, LiveSummary, Mark, Names, Polled, Reason, Run, Shown, Wanted, count_left_out, count_unread,
};
use piped::Piped;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::{Duration, Instant};
use view::View;

/// How often to look for the session file, until it is there.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long the rest of a prompt may take that comes from standard input, once the client speaks.
const PROMPT_BY_INPUT: Duration = Duration::from_secs(3);

/// The same of what comes beside a prompt.
const INPUT_BESIDE_PROMPT: Duration = Duration::from_millis(300);

/// How often to look whether it has come.
const INPUT_STEP: Duration = Duration::from_millis(5);

/// What was shown goes to the server at the end, for at most so long.
const OUTBOX_TIME: Duration = Duration::from_secs(5);

pub fn run(context: &Context, args: &ExecArgs) -> Result<Done> {
    let client = args.client.client();
    if args.prompt.as_ref().is_some_and(|prompt| prompt.trim().is_empty()) {
        return Err(Usage("the prompt is empty: nothing was run".to_owned()).into());
    }
    let shape = program_args(client, args.prompt.as_deref(), &args.flags)?;
    let program = args.program.clone().unwrap_or_else(|| client.as_str().into());
    let paused = pause::is_paused(&context.home);
    let begun_ms = now_ms();
    let cwd = std::env::current_dir().ok().map(|dir| dir.to_string_lossy().into_owned());
    // Whatever is wrong with memoir's own files is said first: the user may not want to run without a record.
    let (wishes, spool, names) = (context.wishes()?, context.spool()?, Names::new(system_clock())?);
    let journal = open(context);
    let policy =
        if goes_on(client, &args.flags) { wishes.policy.clone().letting_take_back() } else { wishes.policy.clone() };
    let (piped, input) = Piped::open(&policy);
    let mut child = Child::start(&program, &shape, input)?;
    piped.feed(child.input(), &policy);
    let mut output = Polled(child.output()?);
    let asked = &shape.asked;
    if asked.input != InputIs::Data {
        let is_awaited = asked.input == InputIs::Prompt && asked.prompt.is_none();
        let patience = if is_awaited { PROMPT_BY_INPUT } else { INPUT_BESIDE_PROMPT };
        wait_for_prompt(&piped, patience, &mut output, &mut || child.has_ended());
    }
    let by_words = asked.words.iter().any(|word| policy.is_private(word));
    let run = Run::new(client, names.uuid()).private(by_words);
    let prompt = asked.with_input(piped.text().as_deref());
    let parser = parser(client, run.name(), cwd.as_deref(), prompt, model_of(&shape.args));
    let live = Live {
        journal: journal.as_ref().map(|journal| journal as &dyn Journal),
        spool: &spool,
        rules: wishes.rules(),
        names: &names,
        to_server: context.settings.server_url.is_some() && !paused,
        is_paused: &|| pause::is_paused(&context.home),
    };
    if paused {
        print::warn("recording is paused: nothing of this run is recorded");
    }
    let mut stream = LiveStream::new(live, run, parser);
    if asked.input != InputIs::Data {
        stream = stream.hushed_by(piped.has_marker());
    }
    let mut view = View::new(shape.is_raw || args.raw);
    let mut session = SessionFile { context, client, begun_ms, looked: None, is_marked: paused };
    let mut is_over = || child.has_ended();
    let read = stream.run(&mut output, &mut is_over, &mut |shown| {
        if let Shown::Line(_, said) | Shown::More(said) = &shown {
            session.look(said.first().map(|captured| captured.event.session.as_str()));
        }
        view.show(&shown);
    });
    if let Err(error) = read {
        print::warn(&format!("the output of {} cannot be read: {error}", client.as_str()));
    }
    drop(output);
    let ended = child.wait()?;
    view.end();
    tell(context, &stream.summary, journal.as_ref());
    if let Some(url) = context.settings.server_url.as_ref().filter(|_| live.to_server)
        && let Err(error) =
            flush_outbox(&context.settings, url, &spool, (&wishes.redactor, journal.as_ref()), OUTBOX_TIME)
    {
        print::warn(&format!("{error:#}"));
    }
    if let Some(journal) = &journal {
        context.drain(journal);
        if !paused && !pause::is_paused(&context.home) {
            catch_up(context, journal, client, begun_ms);
        }
    }
    Ok(ended)
}

/// Whether the client is told to go on with a session.
fn goes_on(client: Client, flags: &[OsString]) -> bool {
    let mut flags = flags.iter().filter_map(|flag| flag.to_str());
    flags.any(|flag| match flag {
        "resume" | "fork" | "--resume" | "--continue" => true,
        // Codex and Gemini mean something else by these.
        "-c" | "-r" => client == Client::Claude,
        _ => flag.starts_with("--resume="),
    })
}

/// Waits until it is known what the client is asked, as far as that comes from standard input: nothing is stored before.
/// Once the client says something, it has read what it wanted to read, and what is on its way comes soon or never.
fn wait_for_prompt(piped: &Piped, patience: Duration, output: &mut dyn Input, is_over: &mut dyn FnMut() -> bool) {
    let mut spoke: Option<Instant> = None;
    while !piped.has_ended() && !is_over() && spoke.is_none_or(|at| at.elapsed() < patience) {
        match spoke {
            Some(_) => std::thread::sleep(INPUT_STEP),
            None if output.ready(INPUT_STEP).unwrap_or(true) => spoke = Some(Instant::now()),
            None => {}
        }
    }
}

/// The journal, unless it cannot be had now: then events wait in the spool.
fn open(context: &Context) -> Option<SqliteJournal> {
    match context.home.journal(&context.settings, Life::Hook) {
        Ok(journal) => Some(journal),
        Err(error) => {
            print::warn(&format!("{error:#}; what happens now waits in the spool"));
            None
        }
    }
}

/// The model that the client's arguments name.
fn model_of(args: &[OsString]) -> Option<String> {
    let mut flags = args.iter().map(|arg| arg.to_string_lossy()).take_while(|arg| arg != "--");
    while let Some(flag) = flags.next() {
        if flag == "-m" || flag == "--model" {
            return flags.next().map(Cow::into_owned);
        }
        if let Some(model) = flag.strip_prefix("--model=") {
            return Some(model.to_owned());
        }
    }
    None
}

fn parser(
    client: Client,
    run: &str,
    cwd: Option<&str>,
    prompt: Option<String>,
    model: Option<String>,
) -> Box<dyn Parser> {
    let clock = system_clock();
    let now: codex::Now = Box::new(move || clock());
    match client {
        Client::Claude => Box::new(claude::Transcript::stream(run, cwd, prompt, Some(now))),
        Client::Gemini => Box::new(gemini::ExecStream::new(run, cwd, Some(now))),
        _ => {
            let stream = codex::ExecStream::new(Source::CodexExec, run, cwd, Some(now));
            Box::new(stream.with_prompt(prompt).with_model(model))
        }
    }
}

/// Finds the session's own file, and leaves a mark for it: should this process be killed, the next one reads the file.
struct SessionFile<'a> {
    context: &'a Context,
    client: Client,
    begun_ms: i64,
    looked: Option<Instant>,
    is_marked: bool,
}

impl SessionFile<'_> {
    fn look(&mut self, session: Option<&str>) {
        let Some(session) = session.filter(|session| !session.is_empty() && !self.is_marked) else { return };
        if self.looked.is_some_and(|at| at.elapsed() < LOOK_EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        let wanted = Wanted { clients: vec![self.client], since_ms: Some(self.begun_ms), ..Wanted::default() };
        // Gemini names a file by the beginning of the id.
        let part = session.get(..8).unwrap_or(session);
        let found = wanted.find(&clients::dirs());
        let file = found
            .files
            .iter()
            .find(|file| file.path.file_name().is_some_and(|name| name.to_string_lossy().contains(part)));
        if let Some(file) = file
            && let Ok(redactor) = self.context.settings.redactor()
        {
            let mark = Mark { client: self.client, path: file.path.clone(), cwd: file.cwd.clone(), is_ended: false };
            self.is_marked = self.context.pending().leave(&mark, &redactor).is_ok();
        }
    }
}

/// Reads what the session's own file has beyond the stream.
fn catch_up(context: &Context, journal: &SqliteJournal, client: Client, begun_ms: i64) {
    let wanted = Wanted { clients: vec![client], since_ms: Some(begun_ms), ..Wanted::default() };
    let read = context.with_importer(journal, |importer| Ok(importer.import(wanted.find(importer.dirs), &mut |_| {})?));
    if let Err(error) = read {
        print::warn(&format!("the session file is left for later: {error:#}"));
    }
}

fn tell(context: &Context, summary: &LiveSummary, journal: Option<&SqliteJournal>) {
    if summary.lost > 0 {
        crate::dropped::count(&context.home, summary.lost);
        let problem = summary.problem.as_deref().unwrap_or("nobody knows why");
        print::warn(&format!("{} could not be recorded: {problem}", print::count(summary.lost, "event")));
    } else if let Some(problem) = summary.problem.as_ref().filter(|_| summary.spooled > 0) {
        print::warn(&format!("{} wait in the spool: {problem}", print::count(summary.spooled, "event")));
    }
    let unread = summary.unread();
    if !unread.is_empty() {
        let lines: Vec<String> = unread.iter().map(|(what, n)| format!("{what} ({n})")).collect();
        print::warn(&format!("not all that the client said could be read and recorded: {}", lines.join(", ")));
    }
    if let Some(Err(error)) = journal.map(|journal| count(journal, &unread, &summary.excluded)) {
        print::warn(&format!("what was not recorded is not counted: {error}"));
    }
}

/// Counts what is not recorded, for `memoir status`.
fn count(journal: &dyn Journal, unread: &Counts, excluded: &BTreeMap<Reason, u64>) -> Result<(), JournalError> {
    let mut cursors = count_unread(unread);
    cursors.extend(count_left_out(excluded));
    if !cursors.is_empty() {
        journal.append(&[], &cursors)?;
    }
    Ok(())
}
