//! The payload keys that the script of a hook reads, and those that it reads by mistake.

use std::sync::Arc;

use serde_json::Value;

pub use hookbench_script::{
    CommandWord, Grammar, ScriptSource, Walked, WordKind, bare_name, interpreter_of, is_interpreter, is_shell,
    runner_words, unwrapped_words,
};
use hookbench_script::{Given, ScriptModel};

/// A script that a command runs.
#[derive(Debug, Clone, Copy)]
pub struct RunScript<'a> {
    /// The program that reads it, if the command names one.
    pub program: Option<&'a str>,
    pub path: &'a str,
    pub text: &'a str,
}

/// The walks through a command and its script, as far as their languages are understood.
pub fn hook_walks(command: &str, script: Option<RunScript<'_>>) -> Vec<Arc<Walked>> {
    let of_script = script.and_then(|script| {
        let interpreter = interpreter_of(script.program, script.path, script.text);
        Some((script.text, Grammar::of(&interpreter)?))
    });
    let texts = std::iter::once((command, Grammar::Shell)).chain(of_script);
    let models = texts.filter_map(|(text, language)| ScriptModel::parse(text, language));
    models.map(|model| model.walk(&Given::default())).collect()
}

/// One key that a script reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScriptKey {
    /// The keys from the outermost known one; `*` means any item of a list.
    pub path: Vec<String>,
    /// Whether the path begins at the payload itself. If not, it may begin anywhere in the payload or in another
    /// object.
    pub rooted: bool,
}

impl ScriptKey {
    /// Whether the script reads the key of a payload at this path.
    pub fn reads(&self, path: &[String]) -> bool {
        let (long, short) = (path.len(), self.path.len());
        let tail = path.get(long.wrapping_sub(short)..).unwrap_or(&[]);
        let fits = if self.rooted { long == short } else { long >= short };
        fits && self.path.iter().zip(tail).all(|(own, key)| own == key || own == "*")
    }
}

/// The keys that scripts read, without duplicates, in order of first use.
pub fn read_keys(walks: &[Arc<Walked>]) -> Vec<ScriptKey> {
    let mut keys: Vec<ScriptKey> = Vec::new();
    for walked in walks {
        let own = walked.reads.iter().map(|path| (path, true));
        let others = walked.other_reads.iter().map(|path| (path, false));
        for (path, rooted) in own.chain(others) {
            let is_known = |known: &ScriptKey| known.path == *path && (known.rooted || !rooted);
            if !keys.iter().any(is_known) {
                keys.push(ScriptKey { path: path.clone(), rooted });
            }
        }
    }
    keys
}

/// Maximum number of key paths collected from a payload.
const MOST_PATHS: usize = 10_000;

/// The paths of all keys of a payload, each after the key that contains it.
pub fn key_paths(body: &Value) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    add_paths(body, &mut Vec::new(), &mut paths);
    paths
}

fn add_paths(value: &Value, above: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let mut member = |key: String, value: &Value| {
        if paths.len() < MOST_PATHS {
            above.push(key);
            paths.push(above.clone());
            add_paths(value, above, paths);
            above.pop();
        }
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(key, value)| member(key.clone(), value)),
        Value::Array(list) => list.iter().enumerate().for_each(|(index, value)| member(index.to_string(), value)),
        _ => {}
    }
}

/// Wrong keys and the right ones: keys of other programs, of older documentation, or with other capitalization.
const WRONG_KEYS: [(&str, &[&str]); 20] = [
    ("tool", &["tool_name"]),
    ("toolName", &["tool_name"]),
    ("tool_result", &["tool_response"]),
    ("tool_output", &["tool_response"]),
    ("toolResponse", &["tool_response"]),
    ("result", &["tool_response"]),
    ("tool_response", &["tool_result", "tool_output", "error"]),
    ("input", &["tool_input"]),
    ("args", &["tool_input"]),
    ("arguments", &["tool_input"]),
    ("tool_args", &["tool_input"]),
    ("toolInput", &["tool_input"]),
    ("parameters", &["tool_input"]),
    ("sessionId", &["session_id"]),
    ("event", &["hook_event_name"]),
    ("user_prompt", &["prompt"]),
    ("tool_call_id", &["tool_use_id"]),
    ("failure_reason", &["error"]),
    ("task_name", &["task_subject"]),
    ("teammate_id", &["teammate_name"]),
];
/// Guessed keys of tool inputs, and the right ones.
pub const GUESSED_INPUT_KEYS: [(&str, &str); 9] = [
    ("path", "file_path"),
    ("file", "file_path"),
    ("filename", "file_path"),
    ("filepath", "file_path"),
    ("filePath", "file_path"),
    ("file_name", "file_path"),
    ("cmd", "command"),
    ("script", "command"),
    ("text", "content"),
];

/// The keys that a wrong key probably means. Empty if the key is not a known mistake.
pub fn meant_keys(key: &str) -> &'static [&'static str] {
    WRONG_KEYS.iter().find(|(wrong, _)| *wrong == key).map_or(&[], |(_, right)| right)
}
