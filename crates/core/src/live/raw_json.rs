//! JSON values that keep their original text, and objects that are split into keys without parsing the values.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// One JSON value with its original text.
#[derive(Debug, Clone)]
pub struct RawJson(Box<RawValue>);

impl RawJson {
    /// Parses a text that is one JSON value. Surrounding whitespace is dropped.
    pub fn parse(text: &str) -> Option<RawJson> {
        serde_json::from_str::<Box<RawValue>>(text).ok().map(RawJson)
    }

    /// Returns the original text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.text().starts_with('{')
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &RawJson) -> bool {
        self.text() == other.text()
    }
}

impl Eq for RawJson {}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// The text of an object that is written key by key. A key without a value is left out.
#[derive(Debug, Default)]
pub struct ObjectText(String);

impl ObjectText {
    /// Adds a key.
    #[must_use]
    pub fn put(mut self, key: &str, value: Option<impl Serialize>) -> ObjectText {
        // A text, a number, a flag or a written value can always be written.
        if let Some(value) = value.and_then(|value| serde_json::to_string(&value).ok()) {
            self.0.push_str(&format!("{}\"{key}\":{value}", if self.0.is_empty() { "" } else { "," }));
        }
        self
    }

    /// The whole text.
    pub fn end(&self) -> String {
        format!("{{{}}}", self.0)
    }

    /// The object as a value of another one.
    pub fn value(&self) -> Option<RawJson> {
        RawJson::parse(&self.end())
    }
}

/// The keys of an object with the original text of their values, in order and with duplicates.
pub struct RawObject<'a>(pub Vec<(String, &'a RawValue)>);

impl<'a> RawObject<'a> {
    /// Returns the keys.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// Returns the last value of a key, which is the one that JavaScript uses.
    pub fn last(&self, key: &str) -> Option<&'a RawValue> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }
}

impl<'de> Deserialize<'de> for RawObject<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawObjectVisitor;
        impl<'de> Visitor<'de> for RawObjectVisitor {
            type Value = RawObject<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(LossyText(key)) = map.next_key()? {
                    entries.push((key, map.next_value()?));
                }
                Ok(RawObject(entries))
            }
        }
        deserializer.deserialize_map(RawObjectVisitor)
    }
}

/// A string. An unpaired surrogate, which JSON allows and Rust does not, becomes U+FFFD.
struct LossyText(String);

impl<'de> Deserialize<'de> for LossyText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LossyTextVisitor;
        impl Visitor<'_> for LossyTextVisitor {
            type Value = LossyText;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<LossyText, E> {
                Ok(LossyText(String::from_utf8_lossy(bytes).into_owned()))
            }
            fn visit_str<E>(self, text: &str) -> Result<LossyText, E> {
                Ok(LossyText(text.to_owned()))
            }
        }
        deserializer.deserialize_bytes(LossyTextVisitor)
    }
}

/// Returns the decoded string, or `None` if the value is not a string.
pub fn decoded_string(value: &RawValue) -> Option<String> {
    value
        .get()
        .starts_with('"')
        .then(|| serde_json::from_str::<LossyText>(value.get()).ok())
        .flatten()
        .map(|LossyText(t)| t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpaired_surrogates_are_replaced() {
        let top: RawObject<'_> =
            serde_json::from_str(r#" {"\ud83d": 1.0, "a": "x\ud83d", "a" : "y", "b": 2} "#).unwrap();
        let seen: Vec<(&str, &str)> = top.0.iter().map(|(key, value)| (key.as_str(), value.get())).collect();
        let broken = "\u{fffd}\u{fffd}\u{fffd}";
        assert_eq!(seen, [(broken, "1.0"), ("a", r#""x\ud83d""#), ("a", r#""y""#), ("b", "2")]);
        assert_eq!(decoded_string(top.0[1].1), Some(format!("x{broken}")));
        assert_eq!(top.last("a").and_then(decoded_string).as_deref(), Some("y"));
        assert_eq!(top.last("b").and_then(decoded_string), None);
    }
}
