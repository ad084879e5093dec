//! How conditions change the process of a hook.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::firing::containment::replace_path;
use crate::stress::PayloadFault;
use hookbench_core::dialects::Agent;
use hookbench_core::run::{HookVariable, ProcessSpec};

/// Runs the process through a shell text in which `"$@"` is the process.
pub(super) fn wrap(spec: &mut ProcessSpec, shell: &str, text: &str) {
    start_with(spec, &[shell, "-c", text, "sh"].map(str::to_owned));
}

/// Runs the process through a program with its first arguments.
pub(super) fn start_with(spec: &mut ProcessSpec, prefix: &[String]) {
    let own = std::iter::once(std::mem::take(&mut spec.program)).chain(std::mem::take(&mut spec.args));
    let mut words = prefix.iter().cloned().chain(own);
    spec.program = words.next().unwrap_or_default();
    spec.args = words.collect();
}

/// Sets a variable after all others.
pub(super) fn set_variable(spec: &mut ProcessSpec, name: &str, value: String) {
    spec.env.set.retain(|known| known.name != name);
    spec.env.set.push(HookVariable::of_user(name, value));
}

/// Removes a variable.
pub(super) fn remove_variable(spec: &mut ProcessSpec, name: &str) {
    spec.env.set.retain(|known| known.name != name);
    spec.env.remove.push(name.to_owned());
}

/// Replaces stdin.
pub(super) fn set_stdin(spec: &mut ProcessSpec, bytes: Vec<u8>) {
    spec.stdin = Arc::from(bytes);
}

/// The payload of a hook, whose event may have a spelling with other keys than those that hookbench holds.
#[derive(Clone)]
pub(super) struct SpelledPayload {
    pub dialect: &'static Agent,
    /// The event as the settings spell it.
    pub event: String,
}

impl SpelledPayload {
    /// The payload on stdin, with the keys that hookbench holds.
    pub fn read(&self, spec: &ProcessSpec) -> Value {
        let body: Value = serde_json::from_slice(&spec.stdin).unwrap_or_default();
        self.dialect.held_payload(self.dialect.main_spelling(&self.event), &body).unwrap_or(body)
    }

    /// The payload as the hook gets it.
    pub fn sent(&self, held: &Value) -> Vec<u8> {
        self.dialect.sent_payload(&self.event, held).to_string().into_bytes()
    }
}

/// Changes the payload on stdin. `text` is the JSON pointer of the deed's text.
pub(super) fn change_payload(
    spec: &mut ProcessSpec,
    payload: &SpelledPayload,
    change: &PayloadFault,
    text: Option<&String>,
) {
    let mut body = payload.read(spec);
    let marker = "hookbench-marker";
    match change {
        PayloadFault::Empty => return set_stdin(spec, b"{}".to_vec()),
        PayloadFault::NotJson => return set_stdin(spec, b"this is not JSON\n".to_vec()),
        PayloadFault::Missing(key) => {
            if let Some((outer, last)) = key.rsplit_once('/')
                && let Some(Value::Object(map)) = body.pointer_mut(outer)
            {
                map.shift_remove(last);
            }
        }
        PayloadFault::Value(key, value) => {
            if let Some(place) = body.pointer_mut(key) {
                *place = value.clone();
            }
        }
        PayloadFault::Nul => append(&mut body, text, " \0"),
        PayloadFault::InvalidUtf8 => append(&mut body, text, marker),
    }
    let mut bytes = payload.sent(&body);
    if let Some(at) = bytes.windows(marker.len()).position(|part| part == marker.as_bytes()) {
        bytes.splice(at..at + marker.len(), [b' ', 0xff]);
    }
    set_stdin(spec, bytes);
}

/// Makes the payload large. A comment is added to a command; other payloads get another key.
pub(super) fn enlarge_payload(spec: &mut ProcessSpec, payload: &SpelledPayload, text: Option<&String>, bytes: usize) {
    let mut body = payload.read(spec);
    append(&mut body, text.filter(|key| key.ends_with("/command")), &format!(" # {}", "x".repeat(bytes)));
    set_stdin(spec, payload.sent(&body));
}

fn append(body: &mut Value, key: Option<&String>, more: &str) {
    match key.and_then(|key| body.pointer_mut(key)) {
        Some(Value::String(text)) => text.push_str(more),
        _ => {
            if let Value::Object(map) = body {
                map.insert("padding".to_owned(), Value::from(more));
            }
        }
    }
}

/// Moves the project to another path in the working directory, the variables and the payload. The command stays as
/// the settings have it.
pub(super) fn move_project(spec: &mut ProcessSpec, from: &str, to: &str) {
    spec.cwd = replace_path(&spec.cwd, from, to);
    for variable in &mut spec.env.set {
        variable.value = replace_path(&variable.value, from, to);
    }
    let mut body: Value = serde_json::from_slice(&spec.stdin).unwrap_or_default();
    move_texts(&mut body, from, to);
    set_stdin(spec, body.to_string().into_bytes());
}

fn move_texts(value: &mut Value, from: &str, to: &str) {
    match value {
        Value::String(text) => *text = replace_path(text, from, to),
        Value::Array(items) => items.iter_mut().for_each(|item| move_texts(item, from, to)),
        Value::Object(map) => map.values_mut().for_each(|item| move_texts(item, from, to)),
        _ => {}
    }
}

/// Creates a directory with links to every program on PATH except one.
pub(super) fn path_without(program: &str, path: &str, scratch: &Path) -> Result<PathBuf, String> {
    let directory = scratch.join(format!("without-{program}"));
    std::fs::create_dir_all(&directory).map_err(|why| why.to_string())?;
    for source in std::env::split_paths(path) {
        for entry in std::fs::read_dir(source).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let target = directory.join(&name);
            if name != program && !target.is_symlink() {
                link(&entry.path(), &target)?;
            }
        }
    }
    Ok(directory)
}

#[cfg(unix)]
pub(super) fn link(original: &Path, link: &Path) -> Result<(), String> {
    std::os::unix::fs::symlink(original, link).map_err(|why| why.to_string())
}

#[cfg(not(unix))]
pub(super) fn link(_original: &Path, _link: &Path) -> Result<(), String> {
    Err("this system has no symbolic links".to_owned())
}
