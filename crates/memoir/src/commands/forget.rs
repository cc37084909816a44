//! `memoir forget`: shows what it would take, asks, and has it forgotten everywhere.

use super::copied::Copies;
use super::scrub::{LANES, Said};
use super::{Context, filter, session, times};
use crate::ask;
use crate::cli::{ForgetArgs, UnwantedArgs};
use crate::exit::{Done, Usage};
use crate::home::{Life, now_ms, system_clock};
use crate::print::{self, Out, Progress, Style, count};
use crate::stop;
use anyhow::Result;
use memoir_event::{Client, nearest};
use memoir_index::Index;
use memoir_journal::{Depth, Filter, Forgetting, ForgettingEntry, Journal, Seq, SessionEntry, SqliteJournal, View};
use memoir_recall::{Choice, Followed, ForgetError, Forgetter, Form, Gate, Unwanted, take_out_of_copies};
use memoir_record::Lane;
use memoir_redact::Redactor;
use serde_json::json;
use std::collections::BTreeMap;

/// So many events are shown before asking.
const SHOWN_MAX: usize = 5;
/// And so many sessions.
const SESSIONS_SHOWN_MAX: usize = 8;
/// Among so many sessions, the latest, one is looked for that may be meant.
const NEAREST_OF_MAX: usize = 10_000;

pub fn run(context: &Context, args: &ForgetArgs) -> Result<Done> {
    if let Some(name) = &args.undo {
        return undo(context, name, args.unwanted.json);
    }
    if unwanted_is_nothing(&args.unwanted) {
        let message = "say what to forget: an id, --session, --project, --actor, --text or --before";
        return Err(Usage(message.to_owned()).into());
    }
    let Some(work) = Work::open_for(context, &args.unwanted)? else {
        anyhow::bail!("nothing is recorded in {} yet", context.home.dir().display());
    };
    let Some((name, choice)) = work.choose_and_ask(&args.unwanted, Depth::Forget)? else { return Ok(Done::Well) };
    let events = choice.events.clone();
    // Names are found while what they name is there.
    let unstored = Said::of(&work.journal, &[])?.and_unstored(work.unwanted(&args.unwanted)?)?;
    work.forget(work.wish(choice, Depth::Forget, &name, args.unwanted.reason.clone()))?;
    let waiting = unstored.hold(context, &name);
    let mut mirrors = work.take_out_of_copies(&events);
    mirrors.problems.extend(waiting.busy.into_iter().chain(waiting.left));
    let mut out = Out::new();
    let number = u64::try_from(events.len()).unwrap_or(u64::MAX);
    // Ids and names of sessions, projects and contributors that nobody knows may be mistyped.
    let is_unknown = number == 0 && waiting.held == 0;
    if args.unwanted.json {
        out.json(&json!({"name": name, "events": number, "known": !is_unknown, "mirrors": mirrors.done, "files": mirrors.files, "notReached": mirrors.beyond, "problems": mirrors.problems}))?;
    } else {
        out.line(&if is_unknown {
            format!(
                "nothing is known of that; what may still come of before now stays away as {name}; \
                 `memoir forget --undo {name}` takes that back"
            )
        } else {
            format!("forgot {} as {name}; `memoir forget --undo {name}` brings it back", count(number, "event"))
        })?;
        for place in &mirrors.done {
            out.line(&format!("taken out of the mirror in {place}"))?;
        }
        for file in &mirrors.files {
            out.line(&format!("taken out of memoir's part of {file}"))?;
        }
        for place in &mirrors.beyond {
            out.line(&format!("not reached: {place}"))?;
        }
    }
    out.flush()?;
    mirrors.problems.iter().for_each(|problem| print::warn(problem));
    Ok(if mirrors.problems.is_empty() { Done::Well } else { Done::Partly })
}

fn undo(context: &Context, name: &str, json: bool) -> Result<Done> {
    let unknown = || Usage(ForgetError::NoForgetting(name.to_owned()).to_string());
    let work = Work::open(context)?.ok_or_else(unknown)?;
    let undone = work.forgetter().undo(name, context.actor());
    let waiting = match &undone {
        // Somebody may have been stopped halfway.
        Ok(_) | Err(ForgetError::Undone(_)) => context.spool()?.let_go(name)?,
        Err(_) => 0,
    };
    let events = match undone {
        Ok(entry) => entry.events,
        Err(ForgetError::Undone(_)) if waiting > 0 => 0,
        Err(error) => return Err(as_usage(error)),
    };
    let mut out = Out::new();
    if json {
        out.json(&json!({"name": name, "undone": true, "events": events, "waiting": waiting}))?;
    } else {
        out.line(&format!("{} of {} are there again", count(events, "event"), name))?;
        if waiting > 0 {
            out.line("what was not sent to the server yet waits for it again")?;
        }
        if !Copies::read(&work.journal)?.mirrors.is_empty() {
            out.line("mirrors get them back with the next `memoir mirror export`")?;
        }
    }
    out.flush()?;
    Ok(Done::Well)
}

/// Mistakes of whoever asked are told as such.
pub fn as_usage(error: ForgetError) -> anyhow::Error {
    match error {
        ForgetError::Recall(error) => error.into(),
        ForgetError::Stopped => anyhow::anyhow!("{error}"),
        error => Usage(error.to_string()).into(),
    }
}

/// Whether no flag says what is meant.
pub fn unwanted_is_nothing(args: &UnwantedArgs) -> bool {
    let texts = [&args.session, &args.project, &args.actor, &args.text, &args.from, &args.before];
    args.ids.is_empty() && texts.iter().all(|text| text.is_none())
}

/// What forgetting works with.
pub struct Work<'a> {
    pub context: &'a Context,
    pub journal: SqliteJournal,
    pub index: Index,
    redactor: Redactor,
}

impl<'a> Work<'a> {
    /// Opens the journal, if there is one.
    pub fn open(context: &'a Context) -> Result<Option<Work<'a>>> {
        let Some(journal) = context.existing_journal(Life::Long)? else { return Ok(None) };
        Ok(Some(Work { context, journal, index: context.index(), redactor: context.settings.redactor()? }))
    }

    /// The same; what is forgotten by its name stays away also if nothing was ever recorded.
    pub fn open_for(context: &'a Context, args: &UnwantedArgs) -> Result<Option<Work<'a>>> {
        let work = Work::open(context)?;
        if work.is_some() || args.dry_run || args.text.is_some() || unwanted_is_nothing(args) {
            return Ok(work);
        }
        context.home.prepare()?;
        let journal = context.journal(Life::Long)?;
        Ok(Some(Work { context, journal, index: context.index(), redactor: context.settings.redactor()? }))
    }

    fn forgetter(&self) -> Forgetter<'_> {
        Forgetter { journal: &self.journal, index: &self.index, redactor: &self.redactor, now_ms: now_ms() }
    }

    /// Takes what is forgotten out of every copy that memoir keeps outside its home.
    pub fn take_out_of_copies(&self, events: &[Seq]) -> Followed {
        take_out_of_copies(&self.journal, &self.redactor, events, &system_clock())
    }

    /// What of all this may be shown.
    pub fn gate(&self) -> Gate<'_> {
        Gate::new(&self.redactor, Form::Shown)
    }

    /// What the flags mean; shown, and asked about. None if there is nothing to do, the user does not want it after all,
    /// or it was a dry run.
    pub fn choose_and_ask(&self, args: &UnwantedArgs, depth: Depth) -> Result<Option<(String, Choice)>> {
        let unwanted = self.unwanted(args)?;
        unwanted.check_reason(args.reason.as_deref()).map_err(as_usage)?;
        let stop = stop::on_signal()?;
        let mut progress = Progress::new("reading");
        let choice = self.forgetter().choose(&unwanted, &mut |done, total| {
            progress.at(done, total);
            !stop::requested(&stop)
        });
        drop(progress);
        let choice = choice.map_err(as_usage)?;
        let (said, lanes) = match depth {
            Depth::Forget => (Said::of(&self.journal, &[])?, &[Lane::Server][..]),
            Depth::Purge => (Said::of(&self.journal, &choice.events)?, &LANES[..]),
        };
        let waiting = said.and_unstored(unwanted.clone())?.count_in_spool(self.context, lanes)?;
        if !args.json || args.dry_run {
            self.show(&choice, waiting, args)?;
        }
        if args.dry_run {
            return Ok(None);
        }
        let is_whole = unwanted.ids.is_empty() && unwanted.text.is_none();
        if choice.events.is_empty() && choice.unknown.is_empty() && waiting == 0 && !is_whole {
            print::warn("nothing says that: nothing was changed");
            if args.json {
                let mut out = Out::new();
                out.json(&json!({"name": null, "events": 0}))?;
                out.flush()?;
            }
            return Ok(None);
        }
        if choice.events.is_empty() && choice.unknown.is_empty() && waiting == 0 {
            print::warn(&self.unknown(args)?);
        }
        let (what, hint) = match depth {
            Depth::Forget => ("Forget this?", "pass --yes to forget without being asked"),
            Depth::Purge => ("Erase this for good?", "pass --yes to erase without being asked"),
        };
        if !args.yes && !ask::yes(what, hint)? {
            print::warn("nothing was changed");
            return Ok(None);
        }
        Ok(Some((self.new_name()?, choice)))
    }

    /// What is said of what nobody knows before it is forgotten: a slip of the finger is noticed in time.
    fn unknown(&self, args: &UnwantedArgs) -> Result<String> {
        let named = [("session", &args.session), ("project", &args.project), ("contributor", &args.actor)];
        let what: Vec<String> =
            named.iter().filter_map(|(what, name)| Some(format!("the {what} `{}`", name.as_ref()?))).collect();
        let what = if what.is_empty() { "that time".to_owned() } else { what.join(" and ") };
        let meant = self.meant(args)?.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
        Ok(format!("nothing is known of {what}{meant}; to go on keeps away what may still come of it from before now"))
    }

    /// What goes by nearly the name that somebody gave.
    fn meant(&self, args: &UnwantedArgs) -> Result<Option<String>> {
        let known: Vec<String> = match (&args.session, &args.project) {
            (Some(_), _) => {
                let found = self.journal.sessions(&Filter::default(), &View::owner_all(), NEAREST_OF_MAX, 0)?;
                found.iter().map(SessionEntry::shown).collect()
            }
            (None, Some(_)) => self.journal.projects()?.into_iter().map(|project| project.repo).collect(),
            (None, None) => Vec::new(),
        };
        let given = args.session.as_ref().or(args.project.as_ref());
        Ok(given.and_then(|given| nearest(given, known.iter().map(String::as_str))).map(str::to_owned))
    }

    /// What ids mean, without asking; none if nothing goes by them.
    pub fn choose_quietly(&self, args: &UnwantedArgs) -> Result<Option<(String, Choice)>> {
        let choice = self.forgetter().choose(&self.unwanted(args)?, &mut |_, _| true).map_err(as_usage)?;
        if choice.events.is_empty() {
            return Ok(None);
        }
        Ok(Some((self.new_name()?, choice)))
    }

    /// What the flags mean, before anything is looked for.
    pub fn unwanted(&self, args: &UnwantedArgs) -> Result<Unwanted> {
        let named = |name: &String| -> Result<String> {
            if name.trim().is_empty() {
                return Ok(name.clone());
            }
            Ok(session::find(&self.journal, name)?.map_or_else(|| name.clone(), |session| session.shown()))
        };
        Ok(Unwanted {
            ids: args.ids.clone(),
            session: args.session.as_ref().map(named).transpose()?,
            project: args.project.as_deref().map(|name| filter::project_in(&self.journal, name)).transpose()?,
            actor: args.actor.clone(),
            text: args.text.clone(),
            from_ms: args.from.as_deref().map(times::parse).transpose()?,
            to_ms: args.before.as_deref().map(times::parse).transpose()?.map(|ms| ms - 1),
        })
    }

    fn show(&self, choice: &Choice, waiting: u64, args: &UnwantedArgs) -> Result<()> {
        let mut out = Out::new();
        let (view, gate) = (View::owner_all(), self.gate());
        let mut sessions: BTreeMap<String, u64> = BTreeMap::new();
        let mut visible = 0;
        for portion in choice.events.chunks(500) {
            for stored in self.journal.events(portion, &view)? {
                visible += 1;
                let session = gate.text(&Client::shown_session(stored.event.client, &stored.event.session));
                *sessions.entry(session).or_default() += 1;
            }
        }
        if args.json {
            let ids: Vec<_> = self.journal.events(&choice.events, &view)?.iter().map(|event| event.id).collect();
            out.json(&json!({"dryRun": true, "events": visible, "ids": ids, "unknown": choice.unknown, "sessions": sessions, "waiting": waiting}))?;
            return Ok(out.flush()?);
        }
        let hidden = u64::try_from(choice.events.len()).unwrap_or(u64::MAX).saturating_sub(visible);
        let before = if hidden > 0 { format!(" ({hidden} more were forgotten before)") } else { String::new() };
        let of = count(u64::try_from(sessions.len()).unwrap_or(0), "session");
        out.line(&format!("{} in {of}{before}", count(visible, "event")))?;
        for (session, number) in sessions.iter().take(SESSIONS_SHOWN_MAX) {
            out.line(&format!("  {}: {}", print::one_line(session, 48), count(*number, "event")))?;
        }
        if sessions.len() > SESSIONS_SHOWN_MAX {
            out.line(&format!("  … and {} more", sessions.len() - SESSIONS_SHOWN_MAX))?;
        }
        let some: Vec<_> = choice.events.iter().copied().take(SHOWN_MAX).collect();
        for stored in self.journal.events(&some, &view)?.into_iter().filter_map(|stored| gate.event(stored)) {
            let id = out.styled(Style::Dim, &stored.id.to_string());
            let text = print::one_line(&stored.event.content.plain(), 80);
            out.line(&format!("{id}  {}  {}  {text}", times::local(stored.ts_ms), stored.event.kind()))?;
        }
        if waiting > 0 {
            out.line(&format!("and {} in the spool", count(waiting, "record")))?;
        }
        for id in &choice.unknown {
            out.line(&format!("{id} is not known yet: it is forgotten when it comes"))?;
        }
        Ok(out.flush()?)
    }

    /// A name that no forgetting has.
    fn new_name(&self) -> Result<String> {
        let known: Vec<ForgettingEntry> = self.journal.forgettings()?;
        loop {
            let mut bytes = [0u8; 4];
            getrandom::fill(&mut bytes)
                .map_err(|error| anyhow::anyhow!("the system gives no random bytes: {error}"))?;
            let name = format!("f-{:08x}", u32::from_le_bytes(bytes));
            if known.iter().all(|entry| entry.name != name) {
                return Ok(name);
            }
        }
    }

    /// The wish that something be forgotten.
    pub fn wish(&self, choice: Choice, depth: Depth, name: &str, reason: Option<String>) -> Forgetting {
        choice.into_wish(depth, name.to_owned(), reason, self.context.actor())
    }

    /// Has it forgotten.
    pub fn forget(&self, wish: Forgetting) -> Result<()> {
        self.forgetter().forget(wish).map_err(as_usage)
    }
}
