//! One key that a script reads, and the keys of a payload.

use std::sync::Arc;

use hookbench_script::Walked;
use serde_json::Value;

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
