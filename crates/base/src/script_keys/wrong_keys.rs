//! Keys that scripts read by mistake, and the keys that they mean.

/// Wrong keys and the right ones: keys of other programs, of older documentation, or with other capitalization.
const WRONG_KEYS: [(&str, &[&str]); 16] = [
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
