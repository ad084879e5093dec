//! Tests of each agent's behaviour without processes, files or a screen: vectors, recordings, transcripts, matchers,
//! conversion.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; tests lay files and start programs"
)]
#![allow(dead_code, reason = "not every test needs all of the support")]

#[path = "../support/agent_words.rs"]
mod agent_words;
#[path = "../support/vector.rs"]
mod vector;

mod agent_arguments;
mod catalogue;
mod convert;
mod copilot_sessions;
mod copilot_spec;
mod damaged_scripts;
mod debug_logs;
mod droid_sessions;
mod droid_spec;
mod exit_advice;
mod guards;
mod hermes_spec;
mod matching;
mod mutants;
mod observed;
mod observed_cases;
mod older_formats;
mod port;
mod probes;
mod program_tables;
mod properties;
mod recordings;
mod requirements;
mod settled_event;
mod transcripts;
mod vectors;
mod verification;
mod vibe_spec;
