//! The parts that touch the system: processes, the store, the live path.

#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/author.rs"]
mod author;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/fake_hooks.rs"]
mod fake_hooks;
#[allow(clippy::unwrap_used, clippy::disallowed_methods, dead_code, reason = "not every test needs all of it")]
#[path = "../support/programs.rs"]
mod programs;

mod live;
mod runner;
mod store;
