//! A JSON value with the place of each of its parts.

use serde_json::{Map, Number, Value};

use super::javascript::double_text;
use super::source::Span;

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub span: Span,
    pub value: NodeValue,
}

/// A value without its place. Objects keep all members, including duplicates.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeValue {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// One `"key": value` of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    pub key: String,
    pub key_span: Span,
    pub value: Node,
}

impl Node {
    /// Replaces every string value at any depth.
    pub fn map_strings(&mut self, change: &mut dyn FnMut(&str) -> String) {
        match &mut self.value {
            NodeValue::String(text) => *text = change(text),
            NodeValue::Array(items) => items.iter_mut().for_each(|item| item.map_strings(change)),
            NodeValue::Object(members) => members.iter_mut().for_each(|member| member.value.map_strings(change)),
            NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => {}
        }
    }

    /// The members, if this is an object.
    pub fn members(&self) -> Option<&[Member]> {
        match &self.value {
            NodeValue::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The effective members: for a duplicate key the last value, at the place of the first, as in `JSON.parse`.
    pub fn effective_members(&self) -> Vec<&Member> {
        let mut out: Vec<&Member> = Vec::new();
        for member in self.members().unwrap_or(&[]) {
            match out.iter_mut().find(|m| m.key == member.key) {
                Some(seen) => *seen = member,
                None => out.push(member),
            }
        }
        out
    }

    /// The items, if this is an array.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.value {
            NodeValue::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The member with the given key (the last of duplicates, as in `JSON.parse`).
    pub fn member(&self, key: &str) -> Option<&Member> {
        self.members()?.iter().rev().find(|m| m.key == key)
    }

    /// The value of the member with the given key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.member(key).map(|m| &m.value)
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            NodeValue::String(text) => Some(text),
            _ => None,
        }
    }

    /// The flag, if this is a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            NodeValue::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value {
            NodeValue::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The name of this kind of value in messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            NodeValue::Null => "null",
            NodeValue::Bool(_) => "a boolean",
            NodeValue::Number(_) => "a number",
            NodeValue::String(_) => "a string",
            NodeValue::Array(_) => "a list",
            NodeValue::Object(_) => "an object",
        }
    }

    /// The value without places. Numbers are converted as in JavaScript (to doubles); whole numbers become
    /// integers.
    pub fn to_value(&self) -> Value {
        self.with_numbers(&|_, number| number_value(number))
    }

    /// The value without places, with numbers exactly as in `text`.
    pub fn to_exact_value(&self, text: &str) -> Value {
        let written = |span: Span| text.get(span.start..span.end)?.parse::<Number>().ok();
        self.with_numbers(&|span, number| written(span).map_or_else(|| number_value(number), Value::Number))
    }

    fn with_numbers(&self, of: &impl Fn(Span, f64) -> Value) -> Value {
        match &self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(flag) => Value::Bool(*flag),
            NodeValue::Number(number) => of(self.span, *number),
            NodeValue::String(text) => Value::String(text.clone()),
            NodeValue::Array(items) => Value::Array(items.iter().map(|item| item.with_numbers(of)).collect()),
            NodeValue::Object(members) => {
                let mut map = Map::new();
                for member in members {
                    map.insert(member.key.clone(), member.value.with_numbers(of));
                }
                Value::Object(map)
            }
        }
    }
}

/// Converts all numbers to JavaScript's representation.
pub fn as_doubles(value: &mut Value) {
    match value {
        Value::Number(number) => *value = number.as_f64().map_or(Value::Null, number_value),
        Value::Array(items) => items.iter_mut().for_each(as_doubles),
        Value::Object(map) => map.values_mut().for_each(as_doubles),
        _ => {}
    }
}

/// Writes whole numbers beyond 2⁵³ with all digits, as JavaScript prints them (`12345678901234567000`).
pub fn spell_out_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|double| double.is_finite() && double.fract() == 0.0);
            if let Some(spelled) = whole.and_then(|double| double_text(double).parse().ok()) {
                *number = spelled;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(spell_out_numbers),
        Value::Object(map) => map.values_mut().for_each(spell_out_numbers),
        _ => {}
    }
}

/// A double as a JSON number. A whole number in the safe range becomes an integer. Infinity (from `1e999`) becomes
/// null, as in `JSON.stringify`.
fn number_value(number: f64) -> Value {
    const SAFE: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= SAFE {
        #[allow(clippy::cast_possible_truncation, reason = "whole and inside ±2^53, checked above")]
        return Value::from(number as i64);
    }
    // Numbers compare by their text, so that `1e22` must be stored as `1e+22`.
    let text = Number::from_f64(number).map(|number| number.to_string());
    text.and_then(|text| text.parse().ok()).map_or(Value::Null, Value::Number)
}
