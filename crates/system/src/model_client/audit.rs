//! Kept prompts and answers, if the user has switched that on.

use std::path::Path;

use hookbench_core::model_client::ModelPrompt;
use hookbench_core::moderator::mask_secrets;
use jiff::Timestamp;
use serde_json::json;

use super::owner_only;

const DIRECTORY: &str = "audit";
/// The number of calls that are kept.
const MAX_KEPT: usize = 200;

/// Keeps one call. Errors are ignored, because an agent waits for the answer.
pub fn keep(directory: &Path, model: &str, prompt: &ModelPrompt, result: &Result<String, String>) {
    let directory = directory.join(DIRECTORY);
    if owner_only::create_directory(&directory).is_err() {
        return;
    }
    let now = Timestamp::now();
    let shown = |text: &String| mask_secrets(text, &[]);
    let document = json!({
        "schema": "model-call/1",
        "at": format!("{now:.3}"),
        "model": model,
        "system": prompt.system,
        "user": prompt.user,
        "answer": result.as_ref().ok().map(shown),
        "failure": result.as_ref().err().map(shown),
    });
    let name = format!("{:013}-{}.json", now.as_millisecond(), std::process::id());
    let _ = owner_only::replace_file(&directory, &name, &format!("{document:#}\n"));
    let Ok(entries) = std::fs::read_dir(&directory) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths.iter().rev().skip(MAX_KEPT) {
        let _ = std::fs::remove_file(path);
    }
}
