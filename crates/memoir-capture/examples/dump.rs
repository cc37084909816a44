use memoir_capture::{Out, Parser};
fn main() {
    let mut args = std::env::args().skip(1);
    let kind = args.next().unwrap();
    for file in args {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let mut parser: Box<dyn Parser> = match kind.as_str() {
            "codex" => Box::new(memoir_capture::codex::Rollout::new(None, Default::default())),
            "gemini" => Box::new(memoir_capture::gemini::Chat::new(Default::default())),
            "copilot" => Box::new(memoir_capture::copilot::Events::new(None)),
            "gemini-stream" => Box::new(memoir_capture::gemini::ExecStream::new("r", None, None)),
            "codex-exec" => {
                Box::new(memoir_capture::codex::ExecStream::new(memoir_event::Source::CodexExec, "r", None, None))
            }
            "claude-stream" => {
                Box::new(memoir_capture::claude::Transcript::stream("r", None, Some("the prompt".into()), None))
            }
            "claude" => Box::new(memoir_capture::claude::Transcript::new(None, Default::default())),
            _ => panic!(),
        };
        let mut out = Out::default();
        for (n, line) in text.lines().enumerate() {
            parser.line(n as u64 + 1, line, &mut out);
        }
        parser.pause(&mut out);
        println!("### {file}");
        for c in &out.events {
            let e = &c.event;
            println!(
                "{:>5} {:16} {:10.10} th={:8.8} turn={:10.10} act={:12.12} {} | {}",
                e.sequence.unwrap_or(0),
                e.kind().as_str(),
                e.session,
                e.thread.as_deref().unwrap_or(""),
                e.turn.as_deref().unwrap_or("-"),
                e.action.as_deref().unwrap_or("-"),
                e.identities.len(),
                e.content.verbatim().chars().take(150).collect::<String>().replace('\n', "⏎")
            );
            if let Some(m) = &e.metadata {
                println!("        meta {}", m.as_str());
            }
        }
        println!("{:?}", out.tally);
    }
}
