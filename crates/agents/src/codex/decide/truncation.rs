//! Shortens texts that are too long for the model (spec §5.5) to a beginning, an end and the name of a file.

use serde_json::Value;

use hookbench_base::dialects::Scene;

/// The default limit of a text, in tokens.
pub const LIMIT: u64 = 2_500;

/// Returns the text as the model receives it. The remainder of a shortened text depends on the file name that
/// Codex generates; `…` replaces both.
pub fn truncate(text: &str, limit: Option<u64>, scene: &Scene) -> String {
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
