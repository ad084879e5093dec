//! Behaviour that several agents share. The dialects call these functions; a dialect never inherits from another
//! one.

pub mod answer_evidence;
pub mod assessment;
pub mod conversation;
pub mod dotenv;
pub mod gemini_fork;
pub mod js_numbers;
pub mod js_objects;
pub mod js_whitespace;
pub mod json_strings;
pub mod matcher_patterns;
pub mod missing_keys;
pub mod node_paths;
pub mod output_fields;
pub mod reconstruction;
pub mod tool_names;
