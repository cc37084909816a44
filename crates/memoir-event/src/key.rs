//! The key: what makes two captures the same thing, as bytes that a journal can look up.

use crate::event::{Event, Identity, Said};
use crate::id::{decode_hex, write_hex};
use std::borrow::Cow;
use std::fmt;

const SCOPE_BYTES: usize = 6;
const ORDER_BYTES: usize = 6;
const KEY_BYTES: usize = 20;

/// Scope, then an order hint, then a hash: keys of one session that come one after another lie side by side,
/// because a journal pays for every page that an insert touches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; KEY_BYTES]);

/// A text that is not a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key: expected 40 hexadecimal characters")]
pub struct KeyError(pub String);

impl Key {
    /// The key as bytes.
    pub const fn as_bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    /// The key from its bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Key> {
        bytes.try_into().ok().map(Key)
    }

    /// Reads 40 hexadecimal characters.
    pub fn parse(text: &str) -> Result<Key, KeyError> {
        let mut key = [0u8; KEY_BYTES];
        decode_hex(text, &mut key).ok_or_else(|| KeyError(text.to_owned()))?;
        Ok(Key(key))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(&self.0, f)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}

/// All keys of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// Known under any of these, it is known.
    pub names: Vec<Key>,
    /// Known under these, it is known, unless it has a record of its own and what is known came in another record.
    pub in_turn: Vec<Key>,
    /// Known under these only if the texts agree as far as both go.
    pub growing: Vec<Key>,
    /// Shared by everything in the session that says the same.
    pub alike: Vec<Key>,
}

impl Keys {
    /// Adds those of `others` that are not there yet.
    pub fn extend(&mut self, others: Keys) {
        for (to, from) in [
            (&mut self.names, others.names),
            (&mut self.in_turn, others.in_turn),
            (&mut self.growing, others.growing),
            (&mut self.alike, others.alike),
        ] {
            for key in from {
                if !to.contains(&key) {
                    to.push(key);
                }
            }
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all_names().next().is_none() && self.growing.is_empty() && self.alike.is_empty()
    }

    /// Those under which it is kept and forgotten.
    pub fn all_names(&self) -> impl Iterator<Item = &Key> {
        self.names.iter().chain(&self.in_turn)
    }
}

/// Makes keys with the secret that belongs to one journal, so that a purged text cannot be guessed from its key.
#[derive(Clone)]
pub struct KeyHasher([u8; 32]);

impl KeyHasher {
    /// The hasher of the journal with that secret.
    pub const fn new(secret: [u8; 32]) -> KeyHasher {
        KeyHasher(secret)
    }

    /// The hash of any bytes, keyed with the same secret.
    pub fn hash(&self, bytes: &[u8]) -> [u8; 32] {
        *blake3::keyed_hash(&self.0, bytes).as_bytes()
    }

    /// The keys of an event as captured, before redaction: a new redaction rule then doubles nothing.
    pub fn keys(&self, event: &Event) -> Keys {
        let mut keys = Keys::default();
        for identity in &event.identities {
            if matches!(identity, Identity::Id(id) if event.derived_id() == Some(*id)) {
                // It gets that very id: no other name is needed to find it again.
                continue;
            }
            let key = self.key(event, identity);
            match identity {
                Identity::InTurn { .. } => keys.in_turn.push(key),
                Identity::Growing(_) => keys.growing.push(key),
                Identity::Alike(_) => keys.alike.push(key),
                _ => keys.names.push(key),
            }
        }
        keys
    }

    /// Whether a key is the name of one of the records of that event's client.
    pub fn is_of_record(&self, key: &Key, event: &Event) -> bool {
        let mut scope = Fields::new(self, "scope");
        scope.text(event.client.map_or("", |client| client.as_str()));
        scope.text("records");
        key.0.iter().zip(scope.finish()).take(SCOPE_BYTES).all(|(known, of_record)| *known == of_record)
    }

    fn key(&self, event: &Event, identity: &Identity) -> Key {
        let mut scope = Fields::new(self, "scope");
        let mut item = Fields::new(self, "item");
        item.text(event.shape.kind.as_str());
        let client = event.client.map_or("", |client| client.as_str());
        scope.text(client);
        let order = match identity {
            Identity::Explicit => {
                scope.text(&event.session);
                item.text("explicit");
                item.text(&event.session);
                item.optional(event.turn.as_deref());
                item.optional(event.action.as_deref());
                item.optional(event.adapter.as_deref());
                if let Some(time) = &event.time {
                    item.number(time.ms());
                    item.number(i64::from(time.sub_ms_ns()));
                }
                item.text(event.content.verbatim());
                let named = event.turn.as_deref().or(event.action.as_deref());
                event
                    .time
                    .as_ref()
                    .map_or_else(|| self.order_of(named.unwrap_or_default()), |time| order_of_ms(time.ms()))
            }
            Identity::Named(name) => {
                scope.text(&event.session);
                item.text("named");
                item.text(&event.session);
                item.text(name);
                self.order_of(name)
            }
            Identity::Item { id, block } => {
                scope.text(&event.session);
                item.text("item");
                item.text(client);
                item.text(&event.session);
                item.text(id);
                item.number(i64::from(*block));
                self.order_of(id)
            }
            Identity::Record { id, block } => {
                scope.text("records");
                item.text("record");
                item.text(client);
                item.text(id);
                item.number(i64::from(*block));
                event.time.as_ref().map_or_else(|| self.order_of(id), |time| order_of_ms(time.ms()))
            }
            Identity::InTurn { name, nth } => {
                scope.text(&event.session);
                item.text("in-turn");
                item.text(client);
                item.text(&event.session);
                item.text(name);
                item.number(i64::from(*nth));
                self.order_of(name)
            }
            Identity::Growing(place) => {
                scope.text(&event.session);
                item.text("growing");
                item.text(client);
                item.text(&event.session);
                item.text(place);
                self.order_of(place)
            }
            Identity::Alike(said) => {
                scope.text(&event.session);
                item.text("alike");
                item.text(client);
                item.text(&event.session);
                item.text(event.speaker.as_str());
                match said {
                    Said::Content => item.text(&comparable(&event.content.plain())),
                    Said::Own(text) => item.text(&comparable(text)),
                }
                [0; ORDER_BYTES]
            }
            Identity::Id(id) => {
                scope.text(&event.session);
                item.text("id");
                item.text(&id.to_string());
                event.time.as_ref().map_or_else(|| self.order_of(&event.session), |time| order_of_ms(time.ms()))
            }
            Identity::Unique { at_ms, nonce } => {
                scope.text(&event.session);
                item.text("unique");
                item.number(*at_ms);
                item.number(i64::from_ne_bytes(nonce.to_ne_bytes()));
                order_of_ms(*at_ms)
            }
        };
        let mut key = [0u8; KEY_BYTES];
        let (head, hash) = key.split_at_mut(SCOPE_BYTES + ORDER_BYTES);
        let (scope_part, order_part) = head.split_at_mut(SCOPE_BYTES);
        fill(scope_part, &scope.finish());
        fill(order_part, &order);
        fill(hash, &item.finish());
        Key(key)
    }

    /// Six bytes that grow with ids handed out one after another: the time in a UUIDv7, or the number at the end.
    /// An id without such an order gets bytes of its own hash, so that what shares an id stays together.
    fn order_of(&self, id: &str) -> [u8; ORDER_BYTES] {
        let bytes = id.as_bytes();
        if bytes.len() == 36 && bytes.get(14) == Some(&b'7') {
            let mut time = [0u8; ORDER_BYTES];
            if decode_hex(&id.replacen('-', "", 1).chars().take(12).collect::<String>(), &mut time).is_some() {
                return time;
            }
        }
        let digits = bytes.iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
        if let Some(number) = id.get(id.len() - digits..).and_then(|tail| tail.parse::<u64>().ok()) {
            return low_six(number);
        }
        let mut own = Fields::new(self, "order");
        own.text(id);
        let mut order = [0u8; ORDER_BYTES];
        fill(&mut order, &own.finish());
        order
    }
}

/// A text as it is compared: ways of capture differ in the blanks around it and in how lines end.
fn comparable(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if text.contains('\r') { Cow::Owned(text.replace("\r\n", "\n")) } else { Cow::Borrowed(text) }
}

fn order_of_ms(ms: i64) -> [u8; ORDER_BYTES] {
    // Shifted so that times before 1970 sort before those after it.
    low_six(ms.clamp(-(1 << 46), 1 << 46).wrapping_add(1 << 46).unsigned_abs())
}

fn low_six(number: u64) -> [u8; ORDER_BYTES] {
    let mut order = [0u8; ORDER_BYTES];
    fill(&mut order, number.to_be_bytes().get(2..).unwrap_or_default());
    order
}

fn fill(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}

/// A keyed hash over fields that cannot run into each other.
struct Fields(blake3::Hasher);

impl Fields {
    fn new(hasher: &KeyHasher, purpose: &str) -> Fields {
        let mut fields = Fields(blake3::Hasher::new_keyed(&hasher.0));
        fields.text(purpose);
        fields
    }

    fn text(&mut self, text: &str) {
        self.0.update(&u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.0.update(&[u8::from(text.is_some())]);
        self.text(text.unwrap_or_default());
    }

    fn number(&mut self, number: i64) {
        self.0.update(&number.to_le_bytes());
    }

    fn finish(&self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::Content;
    use crate::kind::Kind;
    use crate::source::Source;
    use crate::time::Time;
    use proptest::prelude::*;

    fn hasher() -> KeyHasher {
        KeyHasher::new([7; 32])
    }

    fn event(turn: &str, action: Option<&str>, text: &str) -> Event {
        let mut event = Event::new(Source::Recorder, "s", Kind::ToolCall, Content::Text(text.to_owned()));
        event.turn = Some(turn.to_owned());
        event.action = action.map(str::to_owned);
        event.identities = vec![Identity::Explicit];
        event
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        assert_ne!(hasher().keys(&event("a|b", Some("c"), "x")), hasher().keys(&event("a", Some("b|c"), "x")));
        assert_ne!(hasher().keys(&event("a", None, "x")), hasher().keys(&event("a", Some(""), "x")));
    }

    #[test]
    fn another_journal_has_other_keys() {
        assert_ne!(KeyHasher::new([8; 32]).keys(&event("a", None, "x")), hasher().keys(&event("a", None, "x")));
    }

    #[test]
    fn two_spellings_of_one_time_are_one_identity() {
        let mut a = event("t", None, "x");
        let mut b = a.clone();
        a.time = Some(Time::parse("2026-05-10T08:00:00Z").unwrap());
        b.time = Some(Time::parse("2026-05-10T10:00:00.000+02:00").unwrap());
        assert_eq!(hasher().keys(&a), hasher().keys(&b));
        b.time = Some(Time::parse("2026-05-10T08:00:00.0000001Z").unwrap());
        assert_ne!(hasher().keys(&a), hasher().keys(&b));
    }

    #[test]
    fn numbered_turns_get_ordered_keys() {
        let keys: Vec<Key> =
            (1..2000).map(|n| hasher().keys(&event(&format!("turn-{n}"), None, "x")).names[0]).collect();
        assert!(keys.is_sorted());
    }

    fn said(kind: Kind, session: &str, text: &str) -> Event {
        let mut event = Event::new(Source::CodexHook, session, kind, Content::Text(text.to_owned()));
        event.identities = vec![Identity::Alike(Said::Content)];
        event
    }

    #[test]
    fn what_is_said_alike_shares_a_key_whatever_the_blanks_around_it() {
        let key = |event: &Event| hasher().keys(event).alike[0];
        let one = said(Kind::UserMessage, "s", "do it\nnow");
        assert_eq!(key(&one), key(&said(Kind::UserMessage, "s", " do it\r\nnow\n")));
        assert_ne!(key(&one), key(&said(Kind::UserMessage, "other", "do it\nnow")));
        assert_ne!(key(&one), key(&said(Kind::AssistantMessage, "s", "do it\nnow")));
        let mut own = one.clone();
        own.identities = vec![Identity::Alike(Said::Own("do it\nnow".into()))];
        assert_eq!(key(&one), key(&own));
    }

    #[test]
    fn an_item_is_the_same_at_any_time_and_a_record_in_any_session() {
        let with = |session: &str, identity: Identity, ms: i64| {
            let mut event = said(Kind::ToolCall, session, "x");
            event.time = Some(Time::from_ms(ms));
            event.identities = vec![identity];
            hasher().keys(&event).names[0]
        };
        let item = || Identity::Item { id: "call_1".into(), block: 0 };
        let record = || Identity::Record { id: "u1".into(), block: 0 };
        assert_eq!(with("s", item(), 1), with("s", item(), 2));
        assert_ne!(with("s", item(), 1), with("fork", item(), 1));
        assert_eq!(with("s", record(), 1), with("fork", record(), 1));
        let event = said(Kind::ToolCall, "s", "x");
        assert!(hasher().is_of_record(&with("s", record(), 1), &event));
        assert!(!hasher().is_of_record(&with("s", item(), 1), &event));
    }

    proptest! {
        #[test]
        fn a_key_survives_its_text(turn in ".*", text in ".*") {
            let key = hasher().keys(&event(&turn, None, &text)).names[0];
            prop_assert_eq!(Key::parse(&key.to_string()).unwrap(), key);
            prop_assert_eq!(Key::from_bytes(key.as_bytes()), Some(key));
        }

        #[test]
        fn keys_differ_exactly_when_identities_do(a in ".{0,3}", b in ".{0,3}", x in "[xy]", y in "[xy]") {
            let same = a == b && x == y;
            let equal = hasher().keys(&event(&a, None, &x)) == hasher().keys(&event(&b, None, &y));
            prop_assert_eq!(equal, same);
        }
    }
}
