//! The agent's message about an answer that it cannot use. It is the text of a block by `onFailure: "block"`. Measured on
//! 2.1.332.

use serde_json::{Map, Value};

use super::answer_schema::AnswerRefusal;
use super::json_error;
use crate::shared::javascript::trim;
use hookbench_base::text::stringify_pretty;

/// The summary of the schema that the agent prints. It does not name every key and event that the schema knows.
const EXPECTED: &str = include_str!("expected_answer.json");
const ADVICE: &str = "Emit the payload with a JSON encoder (jq, ConvertTo-Json, json.dumps) rather than string concatenation so backslashes and quotes inside strings are escaped.";

/// About an answer that does not match the schema. The summary of the schema is only for hooks that are commands.
pub fn invalid_answer(refused: &AnswerRefusal, json: &Map<String, Value>, over_http: bool) -> String {
    let output = stringify_pretty(&Value::Object(json.clone()));
    let says =
        format!("Hook JSON output validation failed — {}\n\nThe hook's output was: {output}", refused.agent_words);
    if over_http { says } else { format!("{says}\n\nExpected schema:\n{}", EXPECTED.trim_end()) }
}

/// About a text that looks like an object and is not JSON.
pub fn invalid_json(text: &str, over_http: bool) -> String {
    let error = json_error::message(text).unwrap_or_else(|| "Unable to parse JSON string".to_owned());
    if over_http {
        format!("HTTP hook must return valid JSON, but parsing failed: SyntaxError: JSON Parse error: {error}")
    } else {
        format!("Hook output looks like a JSON object but is not valid JSON — JSON Parse error: {error}. {ADVICE}")
    }
}

/// About an answer for another event, the first time in a session. Later ones get no text.
pub fn other_event(refused: &AnswerRefusal, json: &Map<String, Value>) -> String {
    format!("Failed to run: {}. Full stdout: {}", refused.agent_words, stringify_pretty(&Value::Object(json.clone())))
}

/// Adds stderr to a text about stdout if the command failed, too.
pub fn with_stderr(says: &str, code: i32, stderr: &str) -> String {
    match trim(stderr) {
        stderr if code != 0 && !stderr.is_empty() => format!("{says}\n\nHook exited {code} with stderr:\n{stderr}"),
        _ => says.to_owned(),
    }
}
