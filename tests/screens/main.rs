//! The screen, driven by keys, without a terminal.

#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/desk.rs"]
mod desk;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/screen.rs"]
mod screen;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/svg.rs"]
mod svg;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/words.rs"]
mod words;

mod bench;
mod compare;
mod event;
mod files;
mod foreign;
mod history;
mod layout;
mod live;
mod matching;
mod pictures;
mod problems;
mod recorded;
mod replay;
mod said;
mod states;
mod streams;
mod verbs;
mod watch_loop;
