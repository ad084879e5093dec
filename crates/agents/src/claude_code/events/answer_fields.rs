//! Pointers to answer fields that many events honour.

pub const SYSTEM_MESSAGE: &str = "/systemMessage";
pub const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
