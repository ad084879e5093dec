//! Tests of the parts that touch the system: processes, the store, the live path.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot go on fails; tests lay files and start programs"
)]
#![allow(dead_code, reason = "not every test needs all of the support")]

#[path = "../support/author.rs"]
mod author;
#[path = "../support/fake_hooks.rs"]
mod fake_hooks;
#[path = "../support/fake_model.rs"]
mod fake_model;
#[path = "../support/programs.rs"]
mod programs;

mod isolation;
mod live;
mod model;
mod runner;
mod store;
mod stress_session;
mod stress_variants;
