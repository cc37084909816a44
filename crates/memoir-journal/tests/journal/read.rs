use crate::support::{Home, START_MS, at, event, home};
use memoir_event::{Kind, Secrecy, Shape, Source, Visibility, format_ms};
use memoir_journal::{Audience, Filter, Journal, Order, Page, PageToken, View};

fn texts(home: &Home, filter: &Filter, order: Order) -> Vec<String> {
    let page = home.journal.page(filter, &View::of(Audience::Owner), &Page::first(100, order)).unwrap();
    page.events.iter().map(|event| event.event.content.plain().into_owned()).collect()
}

fn sample() -> Home {
    let home = home();
    let mut b = at(event("s1", "t2", "b"), "2026-05-10T10:30:00+02:00");
    b.actor = Some("bob".into());
    b.source = Source::CodexHook;
    b.client = Some(memoir_event::Client::Codex);
    let mut c = at(event("s2", "t1", "c"), "2026-05-10T08:00:00Z");
    c.repo = "other".into();
    c.thread = Some("th".into());
    c.shape = Shape::from(Kind::ToolCall);
    let d = at(event("s2", "t2", "d"), "2026-05-10T09:00:00.5Z");
    home.append(vec![at(event("s1", "t1", "a"), "2026-05-10T08:00:00Z"), b, c, d]);
    home
}

#[test]
fn each_filter_takes_what_it_names() {
    let home = sample();
    let filter = Filter::default;
    let cases = [
        (filter(), vec!["a", "c", "b", "d"]),
        (Filter { session: Some("s1".into()), ..filter() }, vec!["a", "b"]),
        (Filter { session: Some("cx-s1".into()), ..filter() }, vec!["b"]),
        (Filter { thread: Some("th".into()), ..filter() }, vec!["c"]),
        (Filter { thread: Some("s2".into()), ..filter() }, vec!["d"]),
        (Filter { repo: Some("other".into()), ..filter() }, vec!["c"]),
        (Filter { actor: Some("bob".into()), ..filter() }, vec!["b"]),
        (Filter { source: Some(Source::CodexHook), ..filter() }, vec!["b"]),
        (Filter { event_type: Some("tool_call".into()), ..filter() }, vec!["c"]),
        (Filter { event_type: Some("prompt.submitted".into()), ..filter() }, vec!["a", "b", "d"]),
        (Filter { item_type: Some("tool_call".into()), ..filter() }, vec!["c"]),
        (Filter { item_type: Some("nothing".into()), ..filter() }, vec![]),
        (Filter { session: Some("../../x".into()), ..filter() }, vec![]),
        (Filter { repo: Some("repo".into()), actor: Some("bob".into()), ..filter() }, vec!["b"]),
    ];
    for (filter, expected) in cases {
        assert_eq!(texts(&home, &filter, Order::OldestFirst), expected, "{filter:?}");
        let mut backwards = texts(&home, &filter, Order::NewestFirst);
        backwards.reverse();
        assert_eq!(backwards, expected, "{filter:?}");
    }
}

#[test]
fn times_compare_as_times_whatever_their_zone() {
    let home = sample();
    let half_past_eight = START_MS + 30 * 60 * 1000;
    let from = Filter { from_ms: Some(half_past_eight), ..Filter::default() };
    assert_eq!(texts(&home, &from, Order::OldestFirst), ["b", "d"]);
    let to = Filter { to_ms: Some(half_past_eight), ..Filter::default() };
    assert_eq!(texts(&home, &to, Order::OldestFirst), ["a", "c", "b"]);
}

#[test]
fn pages_join_up_without_gaps_or_repeats() {
    let home = home();
    let events = (0..57)
        .map(|n| at(event(&format!("s{}", n % 3), &format!("t{n}"), &n.to_string()), &format_ms(START_MS + n / 5)));
    home.append(events.collect());
    for filter in [
        Filter::default(),
        Filter { session: Some("s1".into()), ..Filter::default() },
        Filter { event_type: Some("user_message".into()), ..Filter::default() },
    ] {
        for order in [Order::NewestFirst, Order::OldestFirst] {
            let all = texts(&home, &filter, order);
            let (mut joined, mut after) = (Vec::new(), None);
            loop {
                let page = Page { limit: 7, order, after };
                let page = home.journal.page(&filter, &View::of(Audience::Owner), &page).unwrap();
                joined.extend(page.events.iter().map(|event| event.event.content.plain().into_owned()));
                after = page.next.map(|token| PageToken::parse(&token.to_string()).unwrap());
                if after.is_none() {
                    break;
                }
            }
            assert_eq!(joined, all);
        }
    }
}

#[test]
fn the_view_is_applied_to_every_way_of_reading() {
    let home = home();
    let mut events = Vec::new();
    for (n, visibility) in Visibility::ALL.iter().enumerate() {
        for (m, secrecy) in Secrecy::ALL.iter().enumerate() {
            let mut event = event("s", &format!("t{n}{m}"), &format!("{visibility}/{secrecy}"));
            (event.visibility, event.secrecy) = (*visibility, *secrecy);
            events.push(event);
        }
    }
    home.append(events);
    let all: Vec<u64> = (1..=9).collect();
    let cases = [
        (View::of(Audience::Recall).with_secret().with_sealed(), 2),
        (View::of(Audience::Owner), 2),
        (View::of(Audience::Owner).with_secret(), 3),
        (View::of(Audience::Owner).with_private(), 4),
        (View::of(Audience::Owner).with_sealed(), 4),
        (View::owner_all(), 9),
        (View::of(Audience::Raw).with_sealed().only(&[Secrecy::Public]), 2),
    ];
    for (view, expected) in cases {
        assert_eq!(home.journal.events(&all, &view).unwrap().len(), expected, "{view:?}");
        let page = home.journal.page(&Filter::default(), &view, &Page::first(100, Order::NewestFirst)).unwrap();
        assert_eq!(page.events.len(), expected, "{view:?}");
    }
    let sessions = home.journal.sessions(&Filter::default(), &View::of(Audience::Recall), 10, 0).unwrap();
    assert_eq!((sessions.len(), sessions[0].events, sessions[0].title.as_deref()), (1, 2, Some("normal/public")));
    assert_eq!(home.journal.sessions(&Filter::default(), &View::owner_all(), 10, 0).unwrap()[0].events, 9);
}

#[test]
fn sessions_are_listed_latest_first() {
    let home = sample();
    let sessions = home.journal.sessions(&Filter::default(), &View::of(Audience::Owner), 10, 0).unwrap();
    let shown: Vec<_> = sessions.iter().map(|entry| (entry.shown(), entry.events)).collect();
    assert_eq!(shown, [("s2".to_owned(), 2), ("cx-s1".to_owned(), 1), ("s1".to_owned(), 1)]);
    assert_eq!(home.journal.sessions(&Filter::default(), &View::of(Audience::Owner), 1, 2).unwrap()[0].shown(), "s1");
}
