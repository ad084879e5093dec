//! The catalogue of findings.

#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/programs.rs"]
mod programs;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/sandbox.rs"]
mod sandbox;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/words.rs"]
mod words;

mod fixes;
mod matchers;
mod samples;
