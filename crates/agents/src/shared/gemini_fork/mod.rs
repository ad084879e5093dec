//! What Gemini CLI and Qwen Code share, because Qwen Code is a fork of Gemini CLI.

pub mod answer;
pub mod decision;
pub mod extensions;
pub mod layers;
pub mod matcher;
pub mod plan;
pub mod rules;
