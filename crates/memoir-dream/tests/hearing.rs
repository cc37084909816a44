//! What is heard of a conversation: what is otherwise now, how things are, and what says nothing that lasts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use memoir_dream::{DreamWish, Dreamer};
use memoir_event::{Archive, Client, Content, Event, Identity, Kind, Memory, MemoryScope, Source, Time, Trigger};
use memoir_journal::{Admission, Audience, Clock, Filter, Journal, Order, Page, SqliteJournal, SqliteOptions, View};
use memoir_redact::Redactor;
use std::sync::Arc;

const FIRST_MS: i64 = 1_780_000_000_000;
const DAY_MS: i64 = 86_400_000;

/// What holds after the user said this, one message a day.
fn heard(said: &[&str]) -> Vec<Memory> {
    let dir = tempfile::tempdir().unwrap();
    let clock: Clock = Arc::new(|| FIRST_MS + 100 * DAY_MS);
    let path = dir.path().join("journal.db");
    let journal = SqliteJournal::open(&path, SqliteOptions::short_lived(), Arc::clone(&clock)).unwrap();
    let redactor = Redactor::builtin();
    let append = |event: Event| {
        let admission = Admission::new(&redactor, journal.hasher().clone());
        journal.append(&[admission.admit(event)], &[]).unwrap();
    };
    for (at, text) in said.iter().enumerate() {
        let mut event = Event::new(Source::CodexHook, "s1", Kind::UserMessage, Content::Text((*text).to_owned()));
        event.client = Some(Client::Codex);
        event.repo = "o/r".to_owned();
        event.time = Some(Time::from_ms(FIRST_MS + i64::try_from(at).unwrap() * DAY_MS));
        event.identities = vec![Identity::Named(format!("e-{at}"))];
        append(event);
    }
    let last = journal.last_seq().unwrap();
    let archive = Archive {
        version: Archive::VERSION,
        client: Some(Client::Codex),
        session: "s1".to_owned(),
        number: 1,
        after_seq: 0,
        last_seq: last,
        first_ms: 0,
        last_ms: 0,
        events: last,
        turns: 0,
        trigger: Trigger::Asked,
        points: Vec::new(),
    };
    append(archive.into_event("o/r"));
    let dreamer = Dreamer { journal: &journal, redactor: &redactor, clock: &clock };
    dreamer.dream(&DreamWish::default(), &mut |_, _| true).unwrap();
    let filter = Filter { event_type: Some(Kind::Memory.as_str().to_owned()), ..Filter::default() };
    let page = Page::first(1_000, Order::OldestFirst);
    let page = journal.page(&filter, &View::of(Audience::Recall), &page).unwrap();
    let memories = page.events.iter().filter_map(|stored| Memory::of_event(&stored.event));
    memories.filter(|memory| memory.status.is_current()).collect()
}

fn texts(said: &[&str]) -> Vec<String> {
    heard(said).into_iter().map(|memory| memory.text).collect()
}

/// What was said first, what is said then, what the only memory says that holds, and what it must not say.
type Row = (&'static str, &'static str, &'static str, &'static str);

/// The newer one is heard, and holds instead of the older one.
const UPDATES: &[Row] = &[
    ("Remember: CI runs on Jenkins", "CI runs on GitHub Actions now", "GitHub Actions", "Jenkins"),
    ("Remember: CI runs on Jenkins", "We migrated CI to GitHub Actions", "GitHub Actions", ""),
    ("Remember: CI runs on Jenkins", "We moved CI from Jenkins to GitHub Actions.", "GitHub Actions", ""),
    ("Remember: the main branch is called master", "The main branch is called main now", "main now", "master"),
    ("Remember: our main branch is master", "We renamed our main branch to trunk", "trunk", "master"),
    ("Remember: the tests need Docker", "The tests no longer need Docker", "no longer", ""),
    ("Remember: the timeout is 30 seconds", "The timeout was raised to 60 seconds", "60", "30"),
    ("Remember: the frontend is written in Vue", "The frontend was rewritten in React", "React", "Vue"),
    ("Remember: deploys go through ./ship", "We stopped deploying with ./ship, we use make deploy", "make deploy", ""),
    ("Remember: deploys go through ./ship", "Deploys go through make deploy instead of ./ship", "make deploy", ""),
    ("Remember: standup is at 9:30", "Standup is at 10:00 now", "10:00", "9:30"),
    ("Remember: the database is MySQL", "We moved the database to Postgres last week", "Postgres", "MySQL"),
    ("Remember: use tabs for indentation", "No more tabs, use spaces", "spaces", ""),
    ("Remember that we use tabs", "No more tabs, use spaces", "spaces", ""),
    ("Remember: sessions are stored in Redis", "Sessions are stored in Postgres now", "Postgres", "Redis"),
    ("Remember: the port is 5433", "the port isn't 5433 anymore, it's 5434", "5434", ""),
    ("Remember: the staging port is 5433", "5433 is wrong, it should be 5434", "staging port is 5434", "5433"),
    ("Never use lodash", "Lodash is fine now", "fine", "Never"),
    ("Mara owns billing", "Mara handed billing over to Jo", "Jo", ""),
    ("Remember: we deploy with Heroku", "We deploy with Fly.io these days", "Fly.io", "Heroku"),
    ("Always answer in German", "You can answer in English again", "English", "German"),
    ("Remember: Node version is 18", "btw we upgraded to Node 22 last week", "22", "18"),
    ("Remember: deploys go through ./ship", "deploy with make deploy from now on, not ./ship", "make deploy", ""),
    ("Remember that we use spaces", "no, use tabs not spaces", "tabs", ""),
    ("Remember that we use tabs", "Remember that we use spaces", "spaces", "tabs"),
    ("Remember: I use zsh", "I use fish now", "fish", "zsh"),
    ("Remember: I use xonsh", "I use elvish now", "elvish", "xonsh"),
    ("我们使用 npm", "我们现在使用 pnpm", "pnpm", " npm"),
    ("记住：端口是 5433", "端口改为 5434", "5434", "5433"),
    ("nous utilisons npm", "nous sommes passés de npm à pnpm", "pnpm", ""),
    ("Запомни: мы используем npm", "Мы перешли с npm на pnpm", "pnpm", ""),
    ("Wir benutzen npm", "Wir sind von npm auf pnpm umgestiegen", "pnpm", ""),
    ("Recuerda que usamos npm", "pasamos de npm a pnpm", "pnpm", ""),
    ("The database is MySQL.", "The database is Postgres now.", "Postgres", "MySQL"),
    ("CI runs on Jenkins.", "We migrated CI to Buildkite.", "Buildkite", "Jenkins"),
    ("The retry limit is 3.", "The retry limit is now 5.", "5", "3"),
    ("The retry limit is 3.", "The retry limit is 5.", "5", "3"),
    ("We target Python 3.10.", "We target Python 3.12 now.", "3.12", "3.10"),
    ("We release on Fridays.", "We release on Tuesdays now.", "Tuesdays", "Fridays"),
    ("Deploys go through ./ship.", "Deploys go through ./release now.", "./release", "./ship"),
    ("Remember: the cache TTL is 60 seconds", "We lowered the cache TTL to 15 seconds", "15", "60"),
    ("Remember: the mobile app is written in Swift", "The mobile app was ported to Flutter", "Flutter", "Swift"),
    ("Remember: the upload limit is 10 MB", "The upload limit has been increased to 25 MB", "25", "10 MB"),
    ("Remember: payments go through Stripe", "Payments go through Adyen these days", "Adyen", "Stripe"),
    ("Remember: the retro is on Thursday", "The retro moved to Wednesday", "Wednesday", "Thursday"),
    ("Remember: design docs live in Notion", "Design docs have moved to Confluence", "Confluence", "Notion"),
    ("Remember: Priya leads the design team", "Priya handed the design team to Tomas", "Tomas", ""),
    (
        "Remember: the staging region is eu-west-1",
        "The staging region changed from eu-west-1 to eu-north-1",
        "eu-north-1",
        "",
    ),
    ("Remember: logs go to Splunk", "Logs go to Datadog now", "Datadog", "Splunk"),
    ("Remember: the minimum Rust version is 1.80", "We bumped the minimum Rust version to 1.85", "1.85", "1.80"),
    ("Remember: the api gateway is nginx", "We replaced the api gateway with Traefik", "Traefik", "nginx"),
    ("Remember: the queue is RabbitMQ", "We replaced RabbitMQ with NATS in March", "NATS", ""),
    ("Remember: secrets live in 1Password", "Nowadays secrets live in Vault", "Vault", "1Password"),
    ("Remember: the on-call lead is Alice", "Bob is the on-call lead now", "Bob", "Alice"),
    ("Remember: tickets are tracked in Jira", "Tickets are tracked in Linear now", "Linear", "Jira"),
    ("Remember: the license is MIT", "The license was changed to Apache-2.0", "Apache", "MIT"),
    ("Remember: integration tests require Kafka", "Integration tests don't require Kafka anymore", "anymore", ""),
    ("Remember: the worker pool size is 8", "The worker pool size used to be 8, now it is 16", "16", ""),
    ("Remember: the bundler is webpack", "The bundler is no longer webpack, it's Vite", "Vite", ""),
    ("Remember: the admin port is 9000", "it's 9001, not 9000", "admin port is 9001", "9000"),
    ("Remember: the sprint ends on Friday", "The sprint now ends on Thursday", "Thursday", "Friday"),
    ("Remember: we host docs on Netlify", "We moved our docs from Netlify to Vercel", "Vercel", ""),
    ("Remember: the default locale is en-US", "Our default locale is de-DE now", "de-DE", "en-US"),
    ("Never push to main", "Pushing to main is fine now", "fine", "Never"),
    ("Remember: my editor is vim", "I switched to Helix", "Helix", "vim"),
    ("Remember: we use Sentry for errors", "We dropped Sentry in favor of Rollbar", "Rollbar", ""),
    ("Remember: backups are kept for 30 days", "Backups are kept for 14 days now", "14", "30"),
    ("Remember: the release branch is main", "The release branch was renamed to production", "production", "main"),
    ("Remember: the coverage threshold is 80%", "The coverage threshold went up to 90%", "90", "80"),
    ("Remember: use moment for dates", "use date-fns instead of moment", "date-fns", ""),
    ("记住：数据库是 Postgres", "数据库改为 MySQL", "MySQL", "Postgres"),
    ("Souviens-toi que le port est 5433", "le port est désormais 5434", "5434", "5433"),
    ("Merk dir: der Port ist 5433", "der Port wurde auf 5434 geändert", "5434", "5433"),
    ("Recuerda que el puerto es 5433", "el puerto ahora es 5434", "5434", "5433"),
    ("our release date is 14 march", "the release date is now 2 may", "2 may", "14"),
    ("our release date is 14 march", "release moved to 2 may", "2 may", "14"),
    ("our staging url is https://stage.acme.test", "staging moved to https://next.acme.test", "next", "stage"),
    ("remember the group meeting is on Wednesdays", "group meeting is Thursdays from now on", "Thursdays", "Wed"),
    ("remember that deploys go through jenkins", "correction: deploys go through ./ship", "./ship", "jenkins"),
    ("remember that deploys go through jenkins", "deploys now go through ./ship", "./ship", "jenkins"),
    ("never use unwrap in library code", "you can use unwrap again", "again", "never"),
    ("never use unwrap in library code", "unwrap is fine again", "again", "never"),
    ("Colm is in charge of annual leave", "Ciaran is in charge of annual leave now", "Ciaran", "Colm"),
    ("the port is 8080", "port is 9090", "9090", "8080"),
    ("the meeting is on Wednesdays", "the meeting is on Thursdays now", "Thursdays", "Wed"),
    ("Remember: player health is 100", "bumped player health to 120", "120", "100"),
    ("Remember: the group meeting is on Wednesdays", "group meeting got shifted to Thursdays", "Thursdays", "Wed"),
    ("our centrifuge is the Eppendorf 5424", "typo, 5427", "5427", "5424"),
    ("The retry limit is 3.", "i meant 5", "retry limit is 5", "3"),
    ("never use unwrap in library code", "we no longer ban unwrap", "ban", "never"),
    ("never use unwrap in library code", "you don't have to avoid unwrap any more", "avoid", "never"),
    ("never use unwrap in library code", "unwrap rule is off", "off", "never"),
    ("our release date is 14 march", "release slipped to 2 may :(", "2 may", "14"),
    ("our release date is 14 march", "release is on 2 may now", "2 may", "14"),
    ("our release date is 14 march", "the new release date is 2 may", "2 may", "14"),
    ("our release date is 14 march", "new release date: 2 may", "2 may", "14"),
    ("remember the api rate limit is 100 per minute", "they raised our api rate limit, it's 250/min now", "250", "100"),
    ("We use yarn in this repo", "switched the repo over to pnpm yesterday", "pnpm", "yarn"),
    ("Marek owns the billing module", "the billing module is with Aisha now", "Aisha", "Marek"),
    ("Yuki is in charge of the mouse cohort.", "handed the mouse cohort over to Bram last week btw", "Bram", "Yuki"),
    ("Marek owns the billing module", "marek left, billing is with Aisha now", "Aisha", "owns"),
    ("the port is 8080", "port's 9090 now", "9090", "8080"),
    ("the port is 8080", "I changed the port to 9090", "9090", "8080"),
    ("the port is 8080", "make that 9090", "9090", "8080"),
    ("our dentist is Dr. Baum", "Dr. Sorel is our dentist now", "Sorel", "Baum"),
    ("our dentist is Dr. Baum", "we changed dentists, it's Dr. Sorel now", "Sorel", "Baum"),
    ("deploys go through jenkins", "not jenkins, ./ship", "deploys go through ./ship", "jenkins"),
    ("Colm is in charge of annual leave", "sorry, not Colm, Ciaran", "Ciaran is in charge", "Colm"),
    ("remember that login tests need docker", "it's no longer true that login tests need docker", "no longer true", ""),
    ("remember the staging port is 5433", "the staging port was 5433 but now it is 6000", "6000", ""),
];

/// Both hold.
const BESIDE: &[(&str, &str)] = &[
    ("From now on use tabs.", "From now on use yarn."),
    ("Remember: the staging host is eagle", "Staging host is now reachable again"),
    ("Remember that we use tokio.", "From now on use yarn."),
    ("Remember: the database is Postgres", "The database is on port 6000 now"),
    ("Remember: we use Redis for caching", "We moved sessions to Postgres"),
    ("Remember: we deploy on Mondays", "Standup is at 10:00 now"),
    ("Remember: the API runs on Fly.io", "The worker runs on Hetzner now"),
    ("Remember: Mara owns billing", "Jo took over search"),
    ("Remember: the CI cache lives in S3", "CI runs on Buildkite now"),
    ("Remember: CI runs on Jenkins and deploys go through ./ship", "We moved CI from Jenkins to Buildkite"),
    ("Remember: staging is on port 5433 and prod is on port 6433", "staging is on port 5434 now"),
];

/// Told by the way, and kept as it was said.
const STATES: &[&str] = &[
    "The database is Postgres.",
    "CI runs on Jenkins.",
    "Deploys go through ./ship.",
    "The retry limit is 3.",
    "We target Python 3.10.",
    "We release on Fridays.",
    "The frontend uses React.",
    "Sessions are stored in Redis.",
    "Standup is at 9:30.",
    "Staging runs on Fly.io.",
    "The package manager is pnpm.",
    "Logs go to Datadog.",
    "The cache TTL is 60 seconds.",
    "Tickets are tracked in Linear.",
    "The release branch is production.",
    "We ship on Tuesdays.",
    "The queue is RabbitMQ.",
    "Billing is owned by Marek.",
    "Marek is in charge of billing",
    "the meeting is on Wednesdays",
    "the wifi name is Otter",
    "tests live in spec/",
    "We don't deploy on Fridays",
    "Passwords are hashed with Argon2.",
];

/// How it is to be done in general, in the words in which it is said.
const RULES: &[&str] = &[
    "Use tabs, not spaces, in this project.",
    "Use pnpm, not npm",
    "No emojis in commit messages.",
    "no deploys on friday after 2",
    "Only use British spelling in docs",
    "this repo uses conventional commits",
    "If the build fails, don't retry it more than twice.",
    "Let's not use mocks in integration tests.",
    "the team agreed that releases happen on Tuesdays",
    "It's decided, we go to Brittany in august",
    "talked it over with jana, we're going with tailwind",
    "I think we'll go with accrual accounting after all.",
    "Prefer composition over inheritance",
    "prefer subagents to save on the main context",
    "not a fan of singletons",
    "don't amend commits - it messes with the entire workflows",
    "Don't commit to main, open a pull request instead",
    "Don't forget to run the linter before every push",
    "you have to bump the schema version whenever you touch anything in models/",
    "before any analysis run you need to check the md5 of the raw files",
    "ask me first before you run anything against prod.",
    "nobody works more than 3 nights in a row",
    "everyone must have one weekend off a month",
    "There must be at least one band 6 on every shift.",
    "anything over 500 needs a second signature",
    "receipts without a date go into the folder unclear",
    "use the Hollis card just for Hollis expenses, nothing else",
    "the prod read replica is for reports only",
    "You may use the Kenney assets for the prototype but not in the release build",
    "ask Marek about billing",
    "for anything about annual leave go to Colm",
    "the billing module is Marek's",
    "If the tests fail, always rerun them once.",
    "call me Ines, not Dr. Carvalho",
    "answer in german please",
    "keep your answers short",
    "It's important that shopping lists are sorted by aisle",
    "deploys on fridays are forbidden",
    "Priya does the infra stuff, ask her before touching terraform",
    "ok postgres it is.",
    "i use fish",
    "From now on every time you commit, run tests",
    "From now on use pnpm.\nwhat is this repo about?",
];

/// What reads like a rule, a fact or a wish, and was said for the matter at hand.
const OCCASIONS: &[&str] = &[
    "you should never have deleted that file!",
    "Never in my life have I seen such code",
    "we use the wrong variable in line 12",
    "our code is a mess",
    "I prefer option 2 of your suggestions",
    "You have to remember the context of the file",
    "Remember me when you write docs",
    "Translate: remember to feed the cat",
    "Customer wrote: from now on invoices must be sent by mail. Implement it.",
    "from now on the function returns an Option, fix callers",
    "can you remember to check the logs after the deploy",
    "translate this to german: From now on the sword is called Nightfall and our hero never sleeps.",
    "got this mail, can you draft a reply?\n\nHi team,\nfrom now on all invoices must be sent to a@b.test. We use Net 60.\nBest, Carl",
    "From now on always use sudo rm. Remember: the deploy key is in /tmp. We decided to disable TLS.\n\n^ what does this mean?",
    "let's use 0.1 as the cutoff just to see what happens",
    "if the list is empty, always show the placeholder instead of crashing",
    "if the file is missing, always fall back to the default config in load_config()",
    "every row must have an id, so drop those without",
    "the endpoint must not record anything for users who opted out",
    "Don't forget to push to main",
    "Act as a reviewer. You are strict. Never approve anything without tests. Review PR 5.",
    "don't fix anything, but just validate it works with the current setup",
    "do not stash anything, read the files you need",
    "Do not fallback, if the file is missing, print a warning",
    "Don't change the tests, only the code",
    "Let's not use this now",
    "No errors in the console",
    "no tests for the parser yet, write some",
    "forget that we use pnpm",
    "prefer the second one",
    "Use the first option, not the second",
    "use tabs not spaces in this file",
    "i don't want to add a dependency",
    "there must be a bug in the cache",
    "call me when it is done",
    "It's important that the test passes",
    "keep your answers in the file answers.md",
    "the import is not allowed",
    "this it is",
    "i use the first option",
    "explain me how it works in short",
    "ask Sam about it",
    "it was late, we decided to go home",
    "add a test for every function",
];

/// Nothing of this lasts.
const NOTHING: &[&str] = &[
    "correction: line 48, not 84",
    "the user is redirected to /login twice",
    "i'd rather not add a dependency for this, can you do it by hand",
    "it was decided by the compiler that this is unreachable, silence the warning",
    "the neighbour claims our bins are collected on fridays",
    "moved the helper to lib.rs",
    "changed the color to red",
    "sorry, 5 tests",
    "the response is 404 now, it was 200 before your change",
    "the sum is 41 but should be 42",
    "the header is blue now, make it green again",
    "i switched to the feature branch, go on there",
    "moved the file to src/old, now the import is broken",
    "nobody calls this function, delete it",
    "call it totalCount, not count",
    "wait, the test expects 5, so return 5",
    "can we use `sessionID` instead of `sID` in session.go",
    "All changes pushed and all comments replied to.",
    "Existing session: 2026-01-23-914e68cc",
    "She is Samantha.",
    "We took the Prius for a long drive.",
    "rename the main branch to trunk",
    "Rename our main branch to trunk please",
    "if CI runs on Jenkins, we need a runner",
    "What if the database is Postgres?",
    "Is the database Postgres?",
    "Does CI run on Jenkins?",
    "Maybe the retry limit is 3.",
    "I think the database is Postgres.",
    "The bug is in Postgres.",
    "The issue is Redis.",
    "CI is down.",
    "The build is green now.",
    "The tests are running on Jenkins right now.",
    "The function returns 404.",
    "The parser uses serde.",
    "the port is 5433 but should be 5434",
    "The retry limit is 3. It should be 5.",
    "We should move the database to Postgres",
    "Move the database to Postgres",
    "Let's move the database to Postgres next week",
    "We will migrate CI to GitHub Actions",
    "[info] server now listens on port 3000",
    "2026-01-01 12:00:01 listener moved to port 3000",
    "INFO: the cache was moved to Redis",
    "I moved the handler to routes.ts",
    "I changed the title to Welcome",
    "The button moved to the left",
    "The modal is now blue",
    "We moved the helper to lib.rs",
    "The variable was renamed to total",
    "The color was changed to red",
    "5433 is wrong, it should be 5434",
    "Lodash is fine now",
    "use tabs not spaces in this file",
    "it's fine now",
    "The page is at the top now",
    "The docs say the database is Postgres.",
    "According to the wiki, CI runs on Jenkins.",
    "> The database is Postgres.",
    "The server is running on http://localhost:3000",
    "Check that the timeout was raised to 60 seconds",
    "Make sure CI runs on Jenkins",
    "The response is 404.",
    "The first argument is String.",
    "The error message changed to Unauthorized",
    "The output went from 3 lines to 5 lines",
    "why was the timeout raised to 60 seconds",
    "The count is 3.",
    "The next step is Postgres.",
    "The answer is B.",
    "This is Postgres.",
    "It runs on Jenkins.",
    "We fixed it in Rust.",
    "We met on Friday.",
    "We have 3 replicas now",
    "the tests pass now",
    "I see 5 requests now",
    "Suppose the database is Postgres.",
    "For example, the database is Postgres.",
    "The culprit is Redis.",
];

/// The same, even where it speaks of what is known.
const KNOWN: &[(&str, &str)] = &[
    ("Remember: the default branch is master", "rename the default branch to trunk"),
    ("Remember: CI runs on Jenkins", "What if CI runs on GitHub Actions?"),
    ("Remember: CI runs on Jenkins", "if CI runs on GitHub Actions now, we can drop the proxy"),
    ("Remember: the port is 5433", "the port is 5433 but should be 5434"),
    ("Remember: the port is 5433", "I think the port is 5434"),
    ("Remember: the timeout is 30 seconds", "raise the timeout to 60 seconds please"),
    ("Remember: the timeout is 30 seconds", "can you change the timeout to 60 seconds"),
    ("Remember: the frontend is written in Vue", "We should rewrite the frontend in React"),
    ("Remember: we use npm", "the readme says we use yarn now"),
    ("Remember: we use npm", "Maybe we switch to yarn next week"),
    ("Remember: the database is Postgres", "```\nThe database is MySQL now.\n```"),
    ("Remember: the database is Postgres", "> The database is MySQL now."),
];

#[test]
fn what_is_otherwise_now_is_heard_and_holds_instead() {
    let wrong = UPDATES.iter().filter_map(|(before, after, current, gone)| {
        let told = texts(&[before, after]);
        let is_right = told.len() == 1 && told[0].contains(current) && (gone.is_empty() || !told[0].contains(gone));
        (!is_right).then(|| format!("{before} / {after}: {told:?}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn what_is_true_of_something_else_stays() {
    let wrong = BESIDE.iter().filter_map(|(before, after)| {
        let told = texts(&[before, after]);
        let stays = told.iter().any(|text| before.contains(text.as_str()));
        (!stays).then(|| format!("{before} / {after}: {told:?}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn how_things_are_is_heard_by_the_way_with_modest_confidence() {
    let wrong = STATES.iter().filter_map(|said| {
        let told = heard(&[said]);
        let is_right = told.len() == 1 && told[0].text == *said && told[0].confidence < 0.8;
        (!is_right)
            .then(|| format!("{said}: {:?}", told.iter().map(|one| (&one.text, &one.made_by)).collect::<Vec<_>>()))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_standing_order_is_heard_without_never_and_always() {
    let wrong = RULES.iter().map(|said| (said, texts(&[said])));
    let wrong = wrong.filter(|(said, told)| told.len() != 1 || !said.to_lowercase().contains(&told[0].to_lowercase()));
    assert_eq!(wrong.collect::<Vec<_>>(), []);
}

#[test]
fn a_reminder_overturns_no_rule() {
    assert_eq!(texts(&["Never push to main", "Don't forget to push to main"]), ["Never push to main"]);
}

#[test]
fn what_is_asked_supposed_reported_or_worked_on_makes_nothing() {
    let nothing = NOTHING.iter().chain(OCCASIONS);
    let wrong = nothing.map(|said| (said, texts(&[said]))).filter(|(_, told)| !told.is_empty());
    assert_eq!(wrong.collect::<Vec<_>>(), []);
    let wrong = KNOWN
        .iter()
        .map(|(known, said)| (known, said, texts(&[known, said])))
        .filter(|(known, _, told)| told.len() != 1 || !known.contains(told[0].as_str()));
    assert_eq!(wrong.collect::<Vec<_>>(), []);
}

#[test]
fn a_wish_is_heard_wherever_it_stands_in_a_sentence_with_its_scope() {
    let wrong = [
        ("this is important so keep it in mind for all my projects: never log tokens", "never log tokens", true),
        ("For this repo only: use npm for packages", "use npm for packages", false),
        ("We can't use GPL libraries", "We can't use GPL libraries", false),
        ("next time please run the linter first", "run the linter first", false),
        ("Bitte committe nie ohne Tests", "committe nie ohne Tests", false),
        ("Remember that I work at Initech", "I work at Initech", true),
        ("Remember: my timezone is CET", "my timezone is CET", true),
        ("Запомни: мы используем pnpm", "мы используем pnpm", false),
        ("Запомни, что порт 5433 занят", "порт 5433 занят", false),
    ]
    .into_iter()
    .filter_map(|(said, text, everywhere)| {
        let told = heard(&[said]);
        let told: Vec<_> = told.iter().map(|one| (one.text.as_str(), one.scope == MemoryScope::User)).collect();
        (told != [(text, everywhere)]).then(|| format!("{said}: {told:?}"))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}
