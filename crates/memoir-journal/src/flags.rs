//! The small parts of an event in one number: access in the low four bits, so that indexes can judge it.

use crate::view::access_code;
use memoir_event::{Event, Reasoning, Secrecy, Speaker, Time, Visibility, format_ms};

/// How a record says when its event happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeSpelling {
    /// Nobody said.
    None,
    /// As `2026-04-28T09:30:00.000Z`.
    Millis,
    /// As `2026-04-28T09:30:00Z`.
    Seconds,
    /// In the body.
    Body,
}

impl TimeSpelling {
    pub fn of(time: Option<&Time>) -> TimeSpelling {
        let Some(time) = time else { return TimeSpelling::None };
        let millis = format_ms(time.ms());
        if time.given() == millis {
            TimeSpelling::Millis
        } else if time.given() == seconds(&millis) {
            TimeSpelling::Seconds
        } else {
            TimeSpelling::Body
        }
    }

    /// The time as it was given.
    pub fn spell(self, ts_ms: i64, body: Option<&str>) -> Option<Time> {
        let text = match self {
            TimeSpelling::None => return None,
            TimeSpelling::Millis => format_ms(ts_ms),
            TimeSpelling::Seconds => seconds(&format_ms(ts_ms)),
            TimeSpelling::Body => body?.to_owned(),
        };
        Time::parse(&text).ok()
    }
}

fn seconds(millis: &str) -> String {
    millis.strip_suffix(".000Z").map_or_else(String::new, |start| format!("{start}Z"))
}

/// The flags of an event.
pub fn pack(event: &Event, spelling: TimeSpelling) -> u32 {
    u32::from(access_code(event.visibility, event.secrecy))
        | u32::from(event.speaker.code()) << 4
        | u32::from(event.reasoning.code()) << 6
        | (spelling as u32) << 8
}

/// What flags say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flags {
    pub visibility: Visibility,
    pub secrecy: Secrecy,
    pub speaker: Speaker,
    pub reasoning: Reasoning,
    pub spelling: TimeSpelling,
}

impl Flags {
    pub fn unpack(flags: u32) -> Option<Flags> {
        let bits = |shift: u32| u8::try_from(flags >> shift & 3).unwrap_or(0);
        let spelling = match bits(8) {
            0 => TimeSpelling::None,
            1 => TimeSpelling::Millis,
            2 => TimeSpelling::Seconds,
            _ => TimeSpelling::Body,
        };
        Some(Flags {
            visibility: Visibility::from_code(bits(0))?,
            secrecy: Secrecy::from_code(bits(2))?,
            speaker: Speaker::from_code(bits(4))?,
            reasoning: Reasoning::from_code(bits(6))?,
            spelling,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memoir_event::{Content, Kind, Source};

    #[test]
    fn every_spelling_of_a_time_comes_back() {
        for given in
            ["2026-05-10T08:00:00Z", "2026-05-10T08:00:00.250Z", "2026-05-10T10:00:00+02:00", "1969-12-31T23:59:59Z"]
        {
            let time = Time::parse(given).unwrap();
            let spelling = TimeSpelling::of(Some(&time));
            assert_eq!(spelling.spell(time.ms(), Some(given)), Some(time));
        }
        assert_eq!(TimeSpelling::of(None).spell(5, None), None);
    }

    #[test]
    fn every_combination_survives() {
        let mut event = Event::new(Source::Http, "s", Kind::Error, Content::Text("x".into()));
        for visibility in Visibility::ALL {
            for secrecy in Secrecy::ALL {
                for speaker in Speaker::ALL {
                    for reasoning in Reasoning::ALL {
                        (event.visibility, event.secrecy, event.speaker, event.reasoning) =
                            (*visibility, *secrecy, *speaker, *reasoning);
                        let flags = Flags::unpack(pack(&event, TimeSpelling::Body)).unwrap();
                        assert_eq!((flags.visibility, flags.secrecy), (*visibility, *secrecy));
                        assert_eq!((flags.speaker, flags.reasoning), (*speaker, *reasoning));
                        assert_eq!(flags.spelling, TimeSpelling::Body);
                    }
                }
            }
        }
    }
}
