//! Copies of objects, as in JavaScript.

use serde_json::{Map, Value};

use hookbench_base::text::{Node, NodeValue};

/// Returns `{...value}`.
pub fn spread(value: &Value) -> Map<String, Value> {
    let numbered = |items: Vec<Value>| items.into_iter().enumerate().map(|(i, v)| (i.to_string(), v)).collect();
    match value {
        Value::Object(map) => map.clone(),
        Value::Array(items) => numbered(items.clone()),
        Value::String(text) => numbered(text.chars().map(|c| Value::from(c.to_string())).collect()),
        _ => Map::new(),
    }
}

/// The keys of a matcher group, without `hooks`.
pub fn without_hooks(group: &Node) -> Value {
    let NodeValue::Object(_) = group.value else { return Value::Null };
    let members = group.effective_members().into_iter().filter(|m| m.key != "hooks");
    Value::Object(members.map(|m| (m.key.clone(), m.value.to_value())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_spreads() {
        for (value, want) in [
            (json!({"a": 1}), json!({"a": 1})),
            (json!(["x", 2]), json!({"0": "x", "1": 2})),
            (json!("ab"), json!({"0": "a", "1": "b"})),
            (json!(5), json!({})),
            (json!(null), json!({})),
        ] {
            assert_eq!(Value::Object(spread(&value)), want, "{value}");
        }
    }
}
