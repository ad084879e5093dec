//! The keys that a payload lacks, with values from the closest example.

use serde_json::{Value, json};

use hookbench_base::hook::{EventSpec, ExamplePayload, PayloadField};
use hookbench_base::output::{FieldUse, KeyUse};

/// Returns the keys of the closest example that the payload lacks and that are `needed`. `empty_response` stands for
/// the result of another tool than the example's.
pub fn fill_missing(
    event: &EventSpec,
    body: &Value,
    examples: &[ExamplePayload],
    needed: impl Fn(&str) -> bool,
    empty_response: Option<&Value>,
) -> Vec<(String, Value)> {
    let fits = |e: &&ExamplePayload| {
        event.subject.is_some_and(|key| body.get(key).is_some() && e.body.get(key) == body.get(key))
    };
    let Some(example) = examples.iter().find(fits).or(examples.first()).and_then(|e| e.body.as_object()) else {
        return Vec::new();
    };
    // The input and the result belong to one tool, so they are not copied from another.
    let other_tool = body.get("tool_name").is_some_and(|tool| example.get("tool_name") != Some(tool));
    let missing = example.iter().filter(|(key, _)| needed(key) && body.get(key.as_str()).is_none());
    missing
        .map(|(key, value)| {
            let value = match (key.as_str(), empty_response) {
                ("tool_input", _) if other_tool => json!({}),
                ("tool_response", Some(empty)) if other_tool => empty.clone(),
                _ => value.clone(),
            };
            (key.clone(), value)
        })
        .collect()
}

/// A required key.
pub const fn always(name: &'static str, kind: &'static str) -> PayloadField {
    PayloadField { name, kind, optional: false, values: &[] }
}

/// An optional key.
pub const fn optional(name: &'static str, kind: &'static str) -> PayloadField {
    PayloadField { name, kind, optional: true, values: &[] }
}

/// A required string from a closed list.
pub const fn one_of(name: &'static str, values: &'static [&'static str]) -> PayloadField {
    PayloadField { name, kind: "string", optional: false, values }
}

/// An optional string from a closed list.
pub const fn optional_one_of(name: &'static str, values: &'static [&'static str]) -> PayloadField {
    PayloadField { name, kind: "string", optional: true, values }
}

/// Returns every key of an answer with its use. Keys of an object are listed in its place if `descends` is true for
/// its pointer.
pub fn list_fields(
    answer: &Value,
    descends: impl Fn(&str) -> bool,
    use_of: impl Fn(&str, &Value) -> (KeyUse, String),
) -> Vec<FieldUse> {
    let mut out = Vec::new();
    walk(answer, "", &descends, &use_of, &mut out);
    out
}

fn walk(
    value: &Value,
    above: &str,
    descends: &impl Fn(&str) -> bool,
    use_of: &impl Fn(&str, &Value) -> (KeyUse, String),
    out: &mut Vec<FieldUse>,
) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let pointer = child_pointer(above, key);
        if value.is_object() && descends(&pointer) {
            walk(value, &pointer, descends, use_of, out);
        } else {
            let (key_use, message) = use_of(&pointer, value);
            out.push(FieldUse { pointer, key_use, message });
        }
    }
}

/// Returns the JSON pointer of a key in an object.
pub fn child_pointer(above: &str, key: &str) -> String {
    format!("{above}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The message of a setting, with the overruled value and its file.
pub fn with_overruled(message: &str, overruled: Option<(Value, String)>) -> String {
    match overruled {
        Some((value, file)) => format!("{message}, over {value} in {file}: later files win"),
        None => message.to_owned(),
    }
}
