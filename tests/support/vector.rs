//! Recorded firings: their format, and the comparison of expected with actual results.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Map, Value};

/// One firing of one event, as observed in the real program. `tests/vectors/convert.py` describes the format.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct Vector {
    pub id: String,
    pub agent: String,
    #[serde(default)]
    pub project: BTreeMap<String, Value>,
    #[serde(default)]
    pub home: BTreeMap<String, Value>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub args: Vec<String>,
    pub payload: Option<Value>,
    pub expect: Map<String, Value>,
    #[serde(default)]
    pub answers: BTreeMap<String, VectorAnswer>,
}

/// The output of a hook.
#[derive(Debug, Clone, serde::Deserialize)]
pub struct VectorAnswer {
    pub exit: i32,
    #[serde(default)]
    pub stdout: String,
    pub stdout_base64: Option<String>,
    #[serde(default)]
    pub stderr: String,
    pub stderr_base64: Option<String>,
    /// Run time in milliseconds.
    pub ms: u64,
    /// Names that the hook reports as run.
    pub ran: Vec<String>,
    /// Names under which the hook records its stdin.
    pub stdin: Vec<String>,
}

/// Reads the vectors of a directory or file below `tests/`.
pub fn vectors(path: &str) -> Vec<Vector> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(path);
    let mut files: Vec<PathBuf> =
        if path.is_dir() { fs::read_dir(&path).unwrap().flatten().map(|e| e.path()).collect() } else { vec![path] };
    files.sort();
    let mut all = Vec::new();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "jsonl")) {
        for (index, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
            let vector = serde_json::from_str(line);
            all.push(vector.unwrap_or_else(|why| panic!("{}:{}: {why}", file.display(), index + 1)));
        }
    }
    all
}

/// The directories that replace `{{project}}` and `{{home}}`.
#[derive(Debug, Clone)]
pub struct VectorDirectories {
    pub project: String,
    pub home: String,
}

impl VectorDirectories {
    /// Replaces the placeholders in every text of a value.
    pub fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(map) => Value::Object(map.iter().map(|(k, v)| (self.text(k), self.fill(v))).collect()),
            other => other.clone(),
        }
    }

    /// Replaces the placeholders in a text.
    pub fn text(&self, text: &str) -> String {
        text.replace("{{project}}", &self.project).replace("{{home}}", &self.home)
    }

    /// Returns the text of a file. An object or a list becomes JSON.
    pub fn content(&self, content: &Value) -> String {
        match content {
            Value::String(text) => self.text(text),
            other => self.text(&serde_json::to_string_pretty(other).unwrap()),
        }
    }
}

/// The results of a firing that vectors can check.
#[derive(Debug, Default)]
pub struct ObservedResult {
    /// Names of the hooks, in starting order.
    pub started: Vec<String>,
    pub schedule: Value,
    /// The last stdin of each name.
    pub stdin: BTreeMap<String, String>,
    /// The fields of `outcome`.
    pub outcome: Map<String, Value>,
}

const OUTCOME: [&str; 10] = [
    "blocked",
    "verdict",
    "reason",
    "additional_context",
    "updated_input",
    "system_message",
    "continue",
    "stop_reason",
    "suppress_output",
    "merged",
];

/// Returns the differences as text. Every expected key is compared; an unknown key counts as a difference, so that
/// nothing is ignored silently.
pub fn differences(expect: &Map<String, Value>, seen: &ObservedResult) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut same = |name: String, want: &Value, got: &Value| {
        if !equal(want, got) {
            wrong.push(format!("{name}: expected {}, got {}", short(want), short(got)));
        }
    };
    for (key, want) in expect {
        match key.as_str() {
            "ran" => same(key.clone(), &sorted(want), &sorted(&Value::from(seen.started.clone()))),
            "order" => same(key.clone(), want, &Value::from(seen.started.clone())),
            "schedule" => same(key.clone(), want, &seen.schedule),
            "stdin" => {
                for (name, wants) in want.as_object().into_iter().flatten() {
                    let given = seen.stdin.get(name).and_then(|text| serde_json::from_str(text).ok());
                    let given: Value = given.unwrap_or_else(|| Value::from("(no JSON)"));
                    for (pointer, want) in wants.as_object().into_iter().flatten() {
                        let absent = serde_json::json!({"absent": true});
                        same(format!("stdin of {name} at {pointer}"), want, given.pointer(pointer).unwrap_or(&absent));
                    }
                }
            }
            "extra" => {
                let extra = seen.outcome.get("extra").unwrap_or(&Value::Null);
                for (name, want) in want.as_object().into_iter().flatten() {
                    same(format!("extra.{name}"), want, extra.get(name).unwrap_or(&Value::Null));
                }
            }
            key if OUTCOME.contains(&key) => {
                same(key.to_owned(), want, seen.outcome.get(key).unwrap_or(&Value::Null));
            }
            key => same(key.to_owned(), want, &Value::from("(not a key that vectors have)")),
        }
    }
    wrong
}

fn sorted(names: &Value) -> Value {
    let mut names: Vec<String> = serde_json::from_value(names.clone()).unwrap();
    names.sort();
    Value::from(names)
}

/// Compares as JavaScript does: 1 equals 1.0, and the order of members does not matter.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// Panics with all differences, if there are any.
pub fn assert_no_differences(total: usize, wrong: &[(String, Vec<String>)]) {
    let list: Vec<String> = wrong.iter().map(|(id, lines)| format!("{id}\n    {}", lines.join("\n    "))).collect();
    assert!(wrong.is_empty(), "{}\n{} of {total} disagree\n", list.join("\n"), wrong.len());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Shows that the comparison works: a wrong value is reported for each kind of key.
    #[test]
    fn every_kind_of_key_can_disagree() {
        let seen = || ObservedResult {
            started: vec!["b".into(), "a".into(), "a".into()],
            schedule: json!("parallel"),
            stdin: BTreeMap::from([("a".into(), r#"{"x": [1]}"#.into())]),
            outcome: json!({"blocked": true, "merged": {"n": 1.0, "m": null}, "extra": {"retry": true}})
                .as_object()
                .unwrap()
                .clone(),
        };
        let of = |expect: Value| differences(expect.as_object().unwrap(), &seen()).len();
        for right in [
            json!({"ran": ["a", "a", "b"], "order": ["b", "a", "a"], "schedule": "parallel"}),
            json!({"stdin": {"a": {"/x/0": 1, "/y": {"absent": true}}}, "extra": {"retry": true, "no": null}}),
            json!({"blocked": true, "reason": null, "merged": {"m": null, "n": 1}}),
        ] {
            assert_eq!(of(right.clone()), 0, "{right}");
        }
        for wrong in [
            json!({"ran": ["a", "b"]}),
            json!({"order": ["a", "a", "b"]}),
            json!({"schedule": "sequential"}),
            json!({"stdin": {"a": {"/x/0": 2}}}),
            json!({"stdin": {"b": {"/x/0": 1}}}),
            json!({"extra": {"retry": null}}),
            json!({"blocked": false}),
            json!({"merged": {"n": 1}}),
            json!({"unheard_of": 1}),
        ] {
            assert_eq!(of(wrong.clone()), 1, "{wrong}");
        }
    }
}
