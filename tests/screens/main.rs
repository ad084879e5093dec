//! Tests of the screen, driven by keys, without a terminal.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; tests lay files and start programs"
)]
#![allow(dead_code, reason = "not every test needs all of the support")]

#[path = "../support/agent_words.rs"]
mod agent_words;
#[path = "../support/recorded_screen.rs"]
mod recorded_screen;
#[path = "../support/screen.rs"]
mod screen;
#[path = "../support/screen_states.rs"]
mod screen_states;
#[path = "../support/svg.rs"]
mod svg;

mod bench;
mod bench_texts;
mod calibration;
mod compare;
mod debug_logs;
mod event;
mod files;
mod foreign;
mod guards;
mod history;
mod jobs;
mod keys;
mod layout;
mod live;
mod matching;
mod new_hook;
mod pictures;
mod problems;
mod readable;
mod recorded;
mod recorded_scope;
mod replay;
mod run_log;
mod script;
mod states;
mod streams;
mod stress;
mod times;
mod tour;
mod unreleased;
mod verbs;
mod verification;
mod watch_loop;
