//! Reads JSON that may have anything anywhere: a field of the wrong type is absent, of two equal names the last counts.
//!
//! Clients change what they write from version to version. One strange field must not cost the record around it.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// Declares a struct whose fields are read leniently, by the names that stand in the JSON.
macro_rules! lenient {
    ($(#[$meta:meta])* $visibility:vis struct $name:ident<$life:lifetime> { $($field:ident: $type:ty = $key:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Default)]
        $visibility struct $name<$life> { $(pub $field: $type,)+ #[allow(dead_code, reason = "ties the lifetime")] pub life: std::marker::PhantomData<&$life ()> }

        impl<$life> $crate::lenient::Object<$life> for $name<$life> {
            fn field<M: serde::de::MapAccess<$life>>(&mut self, name: &str, map: &mut M) -> Result<bool, M::Error> {
                match name {
                    $($key => self.$field = map.next_value()?,)+
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }

        impl<'de: $life, $life> serde::Deserialize<'de> for $name<$life> where 'de: $life, $name<$life>: $crate::lenient::Object<'de> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::lenient::object(deserializer)
            }
        }
    };
}
pub(crate) use lenient;

/// A struct that takes the fields it knows.
pub(crate) trait Object<'de>: Default {
    /// Takes the value of a field, or leaves it.
    fn field<M: MapAccess<'de>>(&mut self, name: &str, map: &mut M) -> Result<bool, M::Error>;
}

/// The object, or an empty one if something else stands there.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Object<'de>>(deserializer: D) -> Result<T, D::Error> {
    struct Fields<T>(PhantomData<T>);
    impl<'de, T: Object<'de>> Visitor<'de> for Fields<T> {
        type Value = T;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }
        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<T, M::Error> {
            let mut object = T::default();
            while let Some(name) = map.next_key::<Name<'de>>()? {
                if !object.field(&name.0, &mut map)? {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(object)
        }
        otherwise!('de, T::default());
    }
    deserializer.deserialize_any(Fields(PhantomData))
}

/// The visits that say nothing to a reader.
macro_rules! otherwise {
    ($life:lifetime, $nothing:expr) => {
        otherwise!(@scalars $nothing);
        otherwise!(@text $nothing);
        otherwise!(@seq $life, $nothing);
    };
    (@scalars $nothing:expr) => {
        otherwise!(@flag $nothing);
        otherwise!(@numbers $nothing);
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
    (@flag $nothing:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
    (@numbers $nothing:expr) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
    (@text $nothing:expr) => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
    (@seq $life:lifetime, $nothing:expr) => {
        fn visit_seq<A: SeqAccess<$life>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
    };
    (@map $life:lifetime, $nothing:expr) => {
        fn visit_map<A: MapAccess<$life>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($nothing)
        }
    };
}
use otherwise;

/// The name of a field.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Text::deserialize(deserializer).map(|text| Name(text.0.unwrap_or_default()))
    }
}

/// A string, if one stands there.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub Option<Cow<'a, str>>);

impl Text<'_> {
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The string, unless it is blank.
    pub fn said(&self) -> Option<&str> {
        self.get().filter(|text| !text.trim().is_empty())
    }

    pub fn is(&self, text: &str) -> bool {
        self.get() == Some(text)
    }

    pub fn owned(&self) -> Option<String> {
        self.said().map(str::to_owned)
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
            fn visit_string<E>(self, text: String) -> Result<Text<'de>, E> {
                Ok(Text(Some(Cow::Owned(text))))
            }
            otherwise!(@scalars Text(None));
            otherwise!(@seq 'de, Text(None));
            otherwise!(@map 'de, Text(None));
        }
        deserializer.deserialize_any(Reader)
    }
}

/// A number, if one stands there.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub(crate) struct Number(pub Option<f64>);

impl Number {
    /// The number as a whole one, if it is.
    pub fn whole(self) -> Option<i64> {
        #[allow(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
        self.0.filter(|n| n.fract() == 0.0 && n.abs() < 9e15).map(|n| n as i64)
    }

    pub fn count(self) -> Option<u64> {
        self.whole().and_then(|n| u64::try_from(n).ok())
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Number;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            #[allow(clippy::cast_precision_loss, reason = "counts of tokens and milliseconds")]
            fn visit_i64<E>(self, n: i64) -> Result<Number, E> {
                Ok(Number(Some(n as f64)))
            }
            #[allow(clippy::cast_precision_loss, reason = "counts of tokens and milliseconds")]
            fn visit_u64<E>(self, n: u64) -> Result<Number, E> {
                Ok(Number(Some(n as f64)))
            }
            fn visit_f64<E>(self, n: f64) -> Result<Number, E> {
                Ok(Number(Some(n)))
            }
            fn visit_unit<E>(self) -> Result<Number, E> {
                Ok(Number(None))
            }
            otherwise!(@flag Number(None));
            otherwise!(@text Number(None));
            otherwise!(@seq 'de, Number(None));
            otherwise!(@map 'de, Number(None));
        }
        deserializer.deserialize_any(Reader)
    }
}

/// True, if true stands there.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flag(pub Option<bool>);

impl Flag {
    pub fn is_set(self) -> bool {
        self.0 == Some(true)
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Flag;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E>(self, flag: bool) -> Result<Flag, E> {
                Ok(Flag(Some(flag)))
            }
            fn visit_unit<E>(self) -> Result<Flag, E> {
                Ok(Flag(None))
            }
            otherwise!(@numbers Flag(None));
            otherwise!(@text Flag(None));
            otherwise!(@seq 'de, Flag(None));
            otherwise!(@map 'de, Flag(None));
        }
        deserializer.deserialize_any(Reader)
    }
}

/// Any value, as it is written; none for null.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Raw<'a>(pub Option<&'a RawValue>);

impl<'a> Raw<'a> {
    pub fn get(self) -> Option<&'a str> {
        self.0.map(RawValue::get).filter(|text| *text != "null")
    }

    /// The value, read as what is wanted; nothing if it is something else.
    pub fn read<T: Deserialize<'a> + Default>(self) -> T {
        self.get().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    pub fn is_object(self) -> bool {
        self.get().is_some_and(|text| text.starts_with('{'))
    }

    pub fn is_list(self) -> bool {
        self.get().is_some_and(|text| text.starts_with('['))
    }

    pub fn is_text(self) -> bool {
        self.get().is_some_and(|text| text.starts_with('"'))
    }

    /// Whether a field of these names holds something that is no count.
    pub fn has_wrong_counts(self, names: &[&str]) -> bool {
        let fields: BTreeMap<Cow<'a, str>, Raw<'a>> = self.read();
        let is_wrong = |value: &Raw<'a>| value.get().is_some() && value.read::<Number>().count().is_none();
        self.get().is_some() && !self.is_object() || names.iter().any(|name| fields.get(*name).is_some_and(is_wrong))
    }
}

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&'de RawValue>::deserialize(deserializer).map(|raw| Raw(Some(raw)))
    }
}

/// A text that is worth keeping whatever stands there: what is no string is taken as it is written.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Words<'a>(pub Text<'a>);

impl<'a> std::ops::Deref for Words<'a> {
    type Target = Text<'a>;

    fn deref(&self) -> &Text<'a> {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Words<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        let text: Text<'de> = if raw.is_text() { raw.read() } else { Text(raw.get().map(Cow::Borrowed)) };
        Ok(Words(text))
    }
}

/// The elements of a list; a list of none if something else stands there.
#[derive(Debug, Clone)]
pub(crate) struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(element) = seq.next_element()? {
                    list.push(element);
                }
                Ok(List(list))
            }
            otherwise!(@scalars List(Vec::new()));
            otherwise!(@text List(Vec::new()));
            otherwise!(@map 'de, List(Vec::new()));
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    lenient! {
        struct Record<'a> {
            kind: Text<'a> = "type",
            count: Number = "count",
            flag: Flag = "flag",
            inner: Inner<'a> = "inner",
            raw: Raw<'a> = "raw",
            list: List<Text<'a>> = "list",
            words: Words<'a> = "words",
        }
    }

    lenient! {
        struct Inner<'a> {
            name: Text<'a> = "name",
        }
    }

    #[test]
    fn every_field_is_read_where_it_is_right() {
        let json = r#"{"type":"a","count":3,"flag":true,"inner":{"name":"n"},"raw":{"b": 2},"list":["x",1],"words":{"a": "c"},"other":[1]}"#;
        let record: Record<'_> = serde_json::from_str(json).unwrap();
        assert_eq!((record.kind.get(), record.count.whole(), record.flag.is_set()), (Some("a"), Some(3), true));
        assert_eq!((record.inner.name.get(), record.raw.get()), (Some("n"), Some(r#"{"b": 2}"#)));
        assert_eq!(record.list.0, [Text(Some("x".into())), Text(None)]);
        assert_eq!(record.words.get(), Some(r#"{"a": "c"}"#));
    }

    #[test]
    fn what_is_no_count_where_one_belongs_is_noticed() {
        for (json, is_wrong) in [
            (r#"{"in":1,"out":null,"other":"x"}"#, false),
            ("{}", false),
            ("null", false),
            (r#"{"in":"1"}"#, true),
            (r#"{"in":-1}"#, true),
            (r#"{"in":1,"out":{}}"#, true),
            ("5", true),
        ] {
            let raw: Raw<'_> = serde_json::from_str(json).unwrap();
            assert_eq!(raw.has_wrong_counts(&["in", "out"]), is_wrong, "{json}");
        }
    }

    #[test]
    fn of_two_equal_names_the_last_counts() {
        let record: Record<'_> = serde_json::from_str(r#"{"type":"a","type":"b"}"#).unwrap();
        assert_eq!(record.kind.get(), Some("b"));
    }

    proptest! {
        #[test]
        fn any_type_anywhere_is_read(values in proptest::collection::vec(proptest::sample::select(vec![
            "null", "true", "1", "-2.5e9", "\"t\"", "[]", "{}", "[1,{\"a\":[]}]", "{\"name\":{\"name\":1}}",
        ]), 7)) {
            let names = ["type", "count", "flag", "inner", "raw", "list", "words"];
            let fields: Vec<String> = names.iter().zip(&values).map(|(name, value)| format!("\"{name}\":{value}")).collect();
            let json = format!("{{{}}}", fields.join(","));
            let read = serde_json::from_str::<Record<'_>>(&json).is_ok();
            prop_assert!(read);
        }
    }
}
