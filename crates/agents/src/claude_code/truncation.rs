//! Truncation of texts that are too long for the model: the agent writes them to a file and passes a preview (spec
//! §7.5), and of refusals, of which it passes both ends too.

use serde_json::Value;

use super::version_behaviour::VersionBehaviour;
use crate::shared::javascript::trim;
use hookbench_base::dialects::Scene;
use hookbench_base::text::{utf16_len, utf16_prefix};

/// The longest text that is passed unchanged, in UTF-16 units, not counting blanks at both ends.
pub const MAX_LENGTH: usize = 10_000;
/// The length of the preview.
const PREVIEW_LENGTH: usize = 2_000;
/// The longest refusal that is passed unchanged (2.1.332). Of a longer one, this much of both ends is passed, before the
/// preview of the saved file: 52,000 units of the text in all.
const MAX_REFUSAL: usize = 51_024;
const REFUSAL_END: usize = 25_000;

/// Whether the agent truncates a text.
pub fn is_too_long(text: &str) -> bool {
    utf16_len(trim(text)) > MAX_LENGTH
}

/// Returns the text that the agent passes on. The agent chooses the name of the file, so the parts that cannot be
/// predicted are shown as `…`.
pub fn truncate(text: &str, kind: &str, scene: &Scene) -> String {
    if is_too_long(text) { saved_output(text, &SavedFile::of(scene).path(kind)) } else { text.to_owned() }
}

/// Describes a text that the agent has written to a file.
fn saved_output(text: &str, file: &str) -> String {
    let size = size_text(utf16_len(text));
    let preview = utf16_prefix(text, PREVIEW_LENGTH);
    // The preview ends with a whole line, unless that would make it much shorter.
    let lines = preview.rsplit_once('\n').map(|(lines, _)| lines);
    let preview = lines.filter(|lines| utf16_len(lines) > PREVIEW_LENGTH / 2).unwrap_or(&preview);
    format!(
        "<persisted-output>\nOutput too large ({size}). Full output saved to: {file}\n\nPreview (first 2KB):\n{preview}\n...\n</persisted-output>"
    )
}

/// Returns a size with at most one decimal: `50KB`, `58.6KB`, `1.2MB`.
fn size_text(length: usize) -> String {
    let kilobytes = (length * 10 + 512) / 1024;
    let (tenths, unit) =
        if kilobytes < 10_240 { (kilobytes, "KB") } else { ((length * 10 + (512 << 10)) / (1024 << 10), "MB") };
    if tenths % 10 == 0 { format!("{}{unit}", tenths / 10) } else { format!("{}.{}{unit}", tenths / 10, tenths % 10) }
}

/// The parts of the name of a file with a text that was too long.
#[derive(Debug, Clone)]
struct SavedFile {
    directory: String,
    call: String,
}

impl SavedFile {
    fn of(scene: &Scene) -> SavedFile {
        let body = &scene.input.body;
        let field = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or("…");
        let directory = field("transcript_path").rsplit_once('/').map_or("…", |(directory, _)| directory);
        let directory = format!("{directory}/{}/tool-results", field("session_id"));
        SavedFile { directory, call: field("tool_use_id").to_owned() }
    }

    fn path(&self, kind: &str) -> String {
        format!("{}/hook-{}-…-{kind}.txt", self.directory, self.call)
    }
}

/// How the agent passes refusals on.
#[derive(Debug, Clone)]
pub struct RefusalTexts {
    /// `None` in versions that pass them whole.
    file: Option<SavedFile>,
}

impl RefusalTexts {
    /// The texts of this firing.
    pub fn of(scene: &Scene) -> RefusalTexts {
        let cuts = VersionBehaviour::for_version(&scene.version).has_skill_commands;
        RefusalTexts { file: cuts.then(|| SavedFile::of(scene)) }
    }

    /// Returns a refusal as the agent passes it on: both ends, and where the whole text is saved.
    pub fn shorten(&self, text: &str) -> String {
        match &self.file {
            Some(file) if utf16_len(text) > MAX_REFUSAL => {
                format!("{}\n\n{}", both_ends(text), saved_output(text, &file.path("blockingError")))
            }
            _ => text.to_owned(),
        }
    }

    /// Returns a reason to stop as the agent passes it on: both ends.
    pub fn shorten_only(&self, text: &str) -> String {
        if self.file.is_some() && utf16_len(text) > MAX_REFUSAL { both_ends(text) } else { text.to_owned() }
    }
}

/// Returns both ends of a long text, with the number of units that are left out.
fn both_ends(text: &str) -> String {
    let length = utf16_len(text);
    let tail = utf16_prefix(text, length - REFUSAL_END).len();
    let (head, tail) = (utf16_prefix(text, REFUSAL_END), text.get(tail..).unwrap_or(""));
    format!("{head}\n\n... [{} characters truncated] ...\n\n{tail}", length - 2 * REFUSAL_END)
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

    /// Measured on 2.1.332.
    #[test]
    fn previews_end_with_a_line() {
        let line = format!("{}\n", "a".repeat(300));
        for (text, preview, size) in [
            (line.repeat(40), line.repeat(6), "11.8KB"),
            ("ü".repeat(12_000), format!("{}\n", "ü".repeat(2_000)), "11.7KB"),
            ("x".repeat(10_240), format!("{}\n", "x".repeat(2_000)), "10KB"),
            (
                format!("{}\n{}", "a".repeat(900), "b".repeat(1_300_000)),
                format!("{}\n{}\n", "a".repeat(900), "b".repeat(1_099)),
                "1.2MB",
            ),
        ] {
            let got = saved_output(&text, "f");
            let want = format!(
                "<persisted-output>\nOutput too large ({size}). Full output saved to: f\n\nPreview (first 2KB):\n{preview}...\n</persisted-output>"
            );
            assert_eq!(got, want);
        }
    }

    /// Measured on 2.1.332.
    #[test]
    fn both_ends_of_a_refusal() {
        let mut scene = project_scene(
            json!({}),
            json!({"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t/s.jsonl", "tool_use_id": "u"}),
        );
        scene.version = hookbench_base::dialects::Version::new(2, 1, 332);
        let texts = RefusalTexts::of(&scene);
        let whole = "x".repeat(51_024);
        assert_eq!(texts.shorten(&whole), whole);
        let long = "x".repeat(60_000);
        let ends = format!("{0}\n\n... [10000 characters truncated] ...\n\n{0}", "x".repeat(25_000));
        assert_eq!(texts.shorten_only(&long), ends);
        let saved = saved_output(&long, "/t/s/tool-results/hook-u-…-blockingError.txt");
        assert_eq!(texts.shorten(&long), format!("{ends}\n\n{saved}"));
        assert!(saved.contains("(58.6KB)"));
        // The number of its characters that the model read, by the length of the reason of a PreToolUse hook.
        for (length, read) in [
            (24_000, 24_000),
            (26_000, 26_000),
            (49_000, 49_000),
            (51_000, 51_000),
            (51_024, 51_024),
            (51_025, 52_000),
            (60_000, 52_000),
        ] {
            assert_eq!(texts.shorten(&"^".repeat(length)).matches('^').count(), read, "{length}");
        }
        scene.version = hookbench_base::dialects::Version::new(2, 1, 331);
        assert_eq!(RefusalTexts::of(&scene).shorten(&long), long);
    }
}
