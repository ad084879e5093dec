//! Truncation of texts that are too long for the model: the agent writes them to a file and passes a preview (spec
//! §7.5).

use serde_json::Value;

use crate::shared::javascript::trim;
use hookbench_base::dialects::Scene;
use hookbench_base::text::{utf16_len, utf16_prefix};

/// The longest text that is passed unchanged, in UTF-16 units, not counting blanks at both ends.
pub const MAX_LENGTH: usize = 10_000;
/// The length of the preview.
const PREVIEW_LENGTH: usize = 2_000;

/// Whether the agent truncates a text.
pub fn is_too_long(text: &str) -> bool {
    utf16_len(trim(text)) > MAX_LENGTH
}

/// Returns the text that the agent passes on. The agent chooses the name of the file, so the parts that cannot be
/// predicted are shown as `…`.
pub fn truncate(text: &str, kind: &str, scene: &Scene) -> String {
    if !is_too_long(text) {
        return text.to_owned();
    }
    let body = &scene.input.body;
    let field = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or("…");
    let transcript = field("transcript_path");
    let directory = transcript.rsplit_once('/').map_or("…", |(directory, _)| directory);
    let call = body.get("tool_use_id").and_then(Value::as_str).unwrap_or("…");
    let session = field("session_id");
    let file = format!("{directory}/{session}/tool-results/hook-{call}-…-{kind}.txt");
    // The agent rounds to one decimal.
    let tenths = (text.len() * 10 + 512) / 1024;
    let size = format!("{}.{}KB", tenths / 10, tenths % 10);
    let preview = utf16_prefix(text, PREVIEW_LENGTH);
    format!(
        "<persisted-output>\nOutput too large ({size}). Full output saved to: {file}\n\nPreview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::test_scenes::project_scene;
    use serde_json::json;

    #[test]
    fn counted_in_utf16_units() {
        for (text, want) in [
            ("x".repeat(10_000), false),
            ("x".repeat(10_001), true),
            ("é".repeat(10_000), false),
            ("😀".repeat(5_000), false),
            ("😀".repeat(5_001), true),
            (format!("{}\n\n", "x".repeat(10_000)), false),
        ] {
            assert_eq!(is_too_long(&text), want);
        }
    }

    #[test]
    fn the_replacement() {
        let scene = project_scene(
            json!({}),
            json!({"hook_event_name": "Stop", "session_id": "s", "transcript_path": "/t/s.jsonl"}),
        );
        let got = truncate(&"x".repeat(10_001), "additionalContext", &scene);
        let want = format!(
            "<persisted-output>\nOutput too large (9.8KB). Full output saved to: /t/s/tool-results/hook-…-…-additionalContext.txt\n\nPreview (first 2KB):\n{}\n...\n</persisted-output>",
            "x".repeat(2000)
        );
        assert_eq!(got, want);
    }
}
