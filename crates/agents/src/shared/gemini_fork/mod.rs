//! What Gemini CLI and Qwen Code share, because Qwen Code is a fork of Gemini CLI.

pub mod answer;
pub mod config;
pub mod decision;
pub mod exceptions;
pub mod extensions;
pub mod layers;
pub mod matcher;
pub mod plan;
pub mod rules;
pub mod trust;
pub mod typed_output;
