//! The first and the last time in a segment, in the spelling of the events.

use memoir_event::parse_ms;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Moment {
    ms: i64,
    text: String,
}

/// From when to when. A text that is no time does not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    ends: Option<(Moment, Moment)>,
}

impl Span {
    /// The span between two times as a manifest has them.
    pub fn between(first: &str, last: &str) -> Span {
        let mut span = Span::default();
        span.take_in(first);
        span.take_in(last);
        span
    }

    /// Stretches the span over `ts`. Of times that are the same instant, the first stays first and the last is last.
    pub fn take_in(&mut self, ts: &str) {
        let Ok(ms) = parse_ms(ts) else { return };
        match &mut self.ends {
            None => {
                let moment = Moment { ms, text: ts.to_owned() };
                self.ends = Some((moment.clone(), moment));
            }
            Some((first, last)) => {
                if ms < first.ms {
                    first.set(ms, ts);
                }
                if ms >= last.ms {
                    last.set(ms, ts);
                }
            }
        }
    }

    /// The first time; empty if there is none.
    pub fn first(&self) -> &str {
        self.ends.as_ref().map_or("", |(first, _)| &first.text)
    }

    /// The last time; empty if there is none.
    pub fn last(&self) -> &str {
        self.ends.as_ref().map_or("", |(_, last)| &last.text)
    }
}

impl Moment {
    fn set(&mut self, ms: i64, text: &str) {
        self.ms = ms;
        self.text.clear();
        self.text.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_compared_and_spellings_kept() {
        let mut span = Span::default();
        for ts in ["2026-05-10T10:00:00+02:00", "2026-05-10T09:00:00Z", "never", "2026-05-10T09:30:00+02:00"] {
            span.take_in(ts);
        }
        assert_eq!((span.first(), span.last()), ("2026-05-10T09:30:00+02:00", "2026-05-10T09:00:00Z"));
        assert_eq!(Span::between(span.first(), span.last()), span);
        assert_eq!((Span::default().first(), Span::default().last()), ("", ""));
    }
}
