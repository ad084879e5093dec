//! Internal secrets of the agent: removed from the environment of hooks, and never inserted into settings, URLs or
//! headers (spec §1.2, §6.3, §8).

/// The variables, as the agent spells them.
pub const SECRETS: [&str; 4] = [
    "QWEN_SERVER_TOKEN",
    "QWEN_DAEMON_TOKEN",
    "QWEN_CODE_EXTERNAL_TOOL_GUARD_TOKEN",
    "QWEN_CODE_PRIVATE_ACP_CAPABILITY",
];

/// Returns whether a variable is one of them, ignoring case.
pub fn is_secret(name: &str) -> bool {
    SECRETS.iter().any(|secret| secret.eq_ignore_ascii_case(name))
}
