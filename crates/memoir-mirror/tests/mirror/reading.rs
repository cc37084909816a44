//! Reading whatever is in the files: bad lines are counted, good ones come out.

use crate::world::{World, event, events, ids_of, line};
use memoir_mirror::{Limits, Problem, ProblemKind};

/// A mirror with one segment of these bytes.
fn segment(bytes: impl AsRef<[u8]>) -> World {
    let world = World::new();
    world.write("segments/a.jsonl", bytes);
    world
}

fn problems(world: &World) -> Vec<(ProblemKind, u64)> {
    world.read().1.problems.into_iter().map(|problem| (problem.kind, problem.count)).collect()
}

fn good(n: u64) -> String {
    line(&event("a", n))
}

#[test]
fn bad_lines_are_counted_by_file_and_kind_and_the_good_ones_come_out() {
    let text = [
        "\n",
        &good(0),
        "rubbish\n",
        "[1]\n",
        "7\n",
        &good(1),
        r#"{"sessionId":"a"}"#,
        "\n",
        r#"{"eventId":"  ","sessionId":"a"}"#,
        "\n",
        r#"{"eventId":"x"}"#,
        "\n",
        r#"{"eventId":"y","sessionId":null}"#,
        "\n",
        "   \r\n",
        &good(2),
    ]
    .concat();
    let world = segment(text);
    assert_eq!(world.ids(), ids_of(&[event("a", 0), event("a", 1), event("a", 2)]));
    let found = world.read().1.problems;
    assert_eq!(found[0], Problem { file: "segments/a.jsonl".into(), kind: ProblemKind::Unparsable, count: 3 });
    assert_eq!(
        problems(&world),
        [(ProblemKind::Unparsable, 3), (ProblemKind::NoEventId, 2), (ProblemKind::NoSessionId, 2)]
    );
}

#[test]
fn glued_lines_are_told_apart() {
    let glued = good(0).trim_end().to_owned() + &good(1);
    let torn = good(2)[..60].to_owned() + &good(3);
    let world = segment(glued + &torn + &good(4));
    assert_eq!(world.ids(), ids_of(&[event("a", 0), event("a", 1), event("a", 3), event("a", 4)]));
    assert_eq!(problems(&world), [(ProblemKind::Unparsable, 1), (ProblemKind::Glued, 1)]);
}

#[test]
fn a_torn_last_line_is_no_event_and_a_whole_one_without_newline_is() {
    let world = segment(good(0) + &good(1)[..80]);
    assert_eq!(world.ids(), ids_of(&[event("a", 0)]));
    assert_eq!(problems(&world), [(ProblemKind::Torn, 1)]);
    let world = segment(good(0) + good(1).trim_end());
    assert_eq!(world.ids(), ids_of(&[event("a", 0), event("a", 1)]));
    assert_eq!(problems(&world), []);
}

#[test]
fn bytes_that_are_no_text_cost_the_bytes_and_not_the_event() {
    let mut bytes = good(0).replace("word 0", "word ?").into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
    bytes[at] = 0xff;
    let world = segment([bytes, b"\xff\xfe\n".to_vec(), good(1).into_bytes()].concat());
    let (read, _) = world.read();
    assert_eq!(read.len(), 2);
    assert!(read[0].payload.as_str().contains("word \u{fffd}"));
    assert_eq!(problems(&world), [(ProblemKind::Unparsable, 1), (ProblemKind::InvalidUtf8, 2)]);
}

#[test]
fn a_line_beyond_the_limit_is_counted_and_one_at_the_limit_is_read() {
    let long = line(&crate::world::event_saying("a", 0, &"x".repeat(3000)));
    let world = segment(long.clone() + &good(1));
    let read = |line_bytes_max| {
        let mirror = world.mirror.clone().with_limits(Limits { line_bytes_max, ..Limits::default() });
        mirror.read(&mut |_| {}).unwrap()
    };
    assert_eq!((read(long.len() - 1).events, read(long.len() - 1).problems.len()), (2, 0));
    let cut = read(long.len() - 2);
    assert_eq!((cut.events, cut.problems[0].kind, cut.problems[0].count), (1, ProblemKind::TooLong, 1));
}

#[test]
fn the_longest_line_that_is_read_has_sixty_four_megabytes() {
    assert_eq!(Limits::default().line_bytes_max, 64 << 20);
    let shell = line(&crate::world::event_saying("a", 0, ""));
    let room = (64 << 20) - (shell.len() - 1);
    let world = segment(line(&crate::world::event_saying("a", 0, &"x".repeat(room))) + &good(1));
    assert_eq!(world.read().0.len(), 2);
    let world = segment(line(&crate::world::event_saying("a", 0, &"x".repeat(room + 1))) + &good(1));
    assert_eq!((world.read().0.len(), problems(&world)), (1, vec![(ProblemKind::TooLong, 1)]));
}

#[test]
fn fields_of_the_wrong_type_cost_the_field_and_not_the_event() {
    let world = segment(concat!(
        r#"{"eventId":12,"source":5,"repoId":null,"actorId":true,"sessionId":7,"threadId":{"a":1},"ts":17,"#,
        r#""eventType":null,"payload":"text","metadata":[1],"sequence":"9","speaker":3}"#,
        "\n",
        r#"{"eventId":"b","sessionId":"","sequence":-1,"payload":null}"#,
    ));
    let (read, summary) = world.read();
    assert!(summary.problems.is_empty());
    let (first, second) = (&read[0], &read[1]);
    assert_eq!((first.event_id.as_str(), first.session_id.as_str(), first.source.as_str()), ("12", "7", "5"));
    assert_eq!((first.repo_id.as_str(), first.event_type.as_str(), first.ts.as_str()), ("", "", "17"));
    assert_eq!((first.actor_id.as_deref(), first.thread_id.as_deref()), (Some("true"), Some(r#"{"a":1}"#)));
    assert_eq!((first.payload.as_str(), first.sequence, first.speaker.as_deref()), (r#""text""#, Some(9), Some("3")));
    assert_eq!((second.session_id.as_str(), second.payload.as_str(), second.sequence), ("", "{}", None));
}

#[test]
fn of_several_captures_the_one_with_the_fullest_payload_is_read_wherever_it_is() {
    let capture = |payload: &str, repo: &str| {
        format!(r#"{{"eventId":"e","sessionId":"s","repoId":"{repo}","payload":{payload}}}"#) + "\n"
    };
    let world = World::new();
    world.write("segments/a.jsonl", capture(r#"{"a":1}"#, "with a very long name of its repository"));
    world.write("segments/b.jsonl", capture(r#"{"a":1,"b":2}"#, "r") + &capture(r#"{"a":1,"c":3}"#, "r"));
    let (read, summary) = world.read();
    assert_eq!((read.len(), summary.duplicates), (1, 2));
    assert_eq!(read[0].payload.as_str(), r#"{"a":1,"b":2}"#);
}

#[test]
fn index_files_are_not_asked() {
    let world = World::with(&[event("a", 0)]);
    for name in ["manifest.json", "sparse-index.jsonl", "eventid-index.jsonl", "project.json", "sync-lock.json"] {
        world.write(name, "");
    }
    assert_eq!(world.ids(), ids_of(&[event("a", 0)]));
}

#[test]
fn an_empty_directory_is_an_empty_mirror() {
    let world = World::new();
    world.write("project.json", "");
    assert_eq!(world.read().1, memoir_mirror::ReadSummary::default());
    assert!(world.verify().ok());
}

#[test]
fn events_that_are_removed_between_the_passes_are_counted_and_the_others_come_out() {
    let world = World::with(&events(&["a", "b", "c"], 3));
    let gone = [events(&["b"], 3), vec![event("c", 1)]].concat();
    let mut read = Vec::new();
    let summary = world.mirror.read(&mut |event| {
        if read.is_empty() {
            world.remove(&gone);
        }
        read.push(event.event_id);
    });
    read.sort();
    assert_eq!(read, ids_of(&[events(&["a"], 3), vec![event("c", 0), event("c", 2)]].concat()));
    let problems = summary.unwrap().problems;
    assert_eq!(problems, [Problem { file: world.dir().to_owned(), kind: ProblemKind::Changed, count: 4 }]);
}
