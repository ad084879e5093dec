//! Texts that are too long for the model (spec §5.5): it gets a beginning, an end and the name of a file.

use serde_json::Value;

use hookbench_base::dialects::Scene;

/// Tokens of a text that are let through when nobody says otherwise.
pub const LIMIT: u64 = 2_500;

/// The text as the model gets it. What is left of a text that is too long depends on the name of the file, which the
/// program makes up; `…` stands for both.
pub fn spilled(text: &str, limit: Option<u64>, scene: &Scene) -> String {
    let tokens = text.len().div_ceil(4) as u64;
    if limit.is_none_or(|limit| tokens <= limit) {
        return text.to_owned();
    }
    let folder = scene.place.var("TMPDIR").filter(|dir| !dir.is_empty()).unwrap_or("/tmp").trim_end_matches('/');
    let thread = scene.input.body.get("session_id").and_then(Value::as_str).unwrap_or("…");
    let lines = text.lines().count();
    format!(
        "Warning: truncated output (original token count: {tokens})\nTotal output lines: {lines}\n\n…\n\n\
         Full hook output saved to: {folder}/hook_outputs/{thread}/….txt"
    )
}
