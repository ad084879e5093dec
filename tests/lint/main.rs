//! Tests of the catalogue of findings.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; tests lay files and start programs"
)]
#![allow(dead_code, reason = "not every test needs all of the support")]

#[path = "../support/agent_words.rs"]
mod agent_words;
#[path = "../support/programs.rs"]
mod programs;
#[path = "../support/sandbox.rs"]
mod sandbox;

mod fixes;
mod laws;
mod matchers;
mod samples;
mod settings_schema;
mod void_hooks;
