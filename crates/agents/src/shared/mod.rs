//! Behaviour that several agents share. The dialects call these functions; a dialect never inherits from another
//! one.

pub mod assessment;
pub mod conversation;
pub mod debug_log;
pub mod dotenv;
pub mod files_above;
pub mod gemini_fork;
pub mod javascript;
pub mod matcher_checks;
pub mod missing_keys;
pub mod python;
pub mod reconstruction;
pub mod rules;
