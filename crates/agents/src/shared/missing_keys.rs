//! The keys that a payload lacks, with values from the closest example.

use serde_json::{Value, json};

use hookbench_base::hook::{EventSpec, ExamplePayload};

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
