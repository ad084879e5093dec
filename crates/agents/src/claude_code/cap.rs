//! Texts that are too long for the model are written to a file and replaced by a preview (spec §7.5).

use serde_json::Value;

use crate::shared::whitespace::trim;
use hookbench_base::dialects::Scene;
use hookbench_base::text::{utf16_len, utf16_prefix};

/// The longest text that is given as it is, in UTF-16 units, counted without blanks at both ends.
pub const LIMIT: usize = 10_000;
/// How much of a longer one is shown.
const PREVIEW: usize = 2_000;

/// Whether a text is replaced.
pub fn too_long(text: &str) -> bool {
    utf16_len(trim(text)) > LIMIT
}

/// The text as the agent passes it on. The name of the file is the agent's own and not foreseeable; `…` stands for it.
pub fn capped(text: &str, kind: &str, scene: &Scene) -> String {
    if !too_long(text) {
        return text.to_owned();
    }
    let body = &scene.input.body;
    let field = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or("…");
    let transcript = field("transcript_path");
    let folder = transcript.rsplit_once('/').map_or("…", |(folder, _)| folder);
    let call = body.get("tool_use_id").and_then(Value::as_str).unwrap_or("…");
    let session = field("session_id");
    let file = format!("{folder}/{session}/tool-results/hook-{call}-…-{kind}.txt");
    // One decimal, as the agent rounds it.
    let tenths = (text.len() * 10 + 512) / 1024;
    let size = format!("{}.{}KB", tenths / 10, tenths % 10);
    let preview = utf16_prefix(text, PREVIEW);
    format!(
        "<persisted-output>\nOutput too large ({size}). Full output saved to: {file}\n\nPreview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claude_code::testing::project_scene;
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
            assert_eq!(too_long(&text), want);
        }
    }

    #[test]
    fn the_replacement() {
        let scene = project_scene(
            json!({}),
            json!({"hook_event_name": "Stop", "session_id": "s", "transcript_path": "/t/s.jsonl"}),
        );
        let got = capped(&"x".repeat(10_001), "additionalContext", &scene);
        let want = format!(
            "<persisted-output>\nOutput too large (9.8KB). Full output saved to: /t/s/tool-results/hook-…-…-additionalContext.txt\n\nPreview (first 2KB):\n{}\n...\n</persisted-output>",
            "x".repeat(2000)
        );
        assert_eq!(got, want);
    }
}
