//! hookbench: a workbench for the hooks of AI coding agents.
//!
//! The crate is a pure core and the layers that surround it; the arrows point one way only
//! (`ARCHITECTURE.md` draws them, `tests/architecture.rs` holds them):
//!
//! ```text
//! main → { cli, tui } → app → { runner, watch, store, server } → core
//! main → forward → core::live
//! ```
//!
//! | layer | may do |
//! |---|---|
//! | [`core`] | nothing but compute: no files, clock, environment, processes, threads, terminal |
//! | [`disk`] | read a file that somebody named: regular, bounded, never waiting |
//! | [`runner`] | start processes and send requests; knows bytes and deadlines, not hooks |
//! | [`watch`] | say which directories changed |
//! | [`store`] | keep recorded events in a file, and find them again |
//! | [`server`] | take the events of running agents from a socket, and carry answers back |
//! | [`forward`] | carry one event of a running agent to a server, in time |
//! | [`app`] | the use cases: one session with commands and facts, and its driver |
//! | [`cli`], [`tui`] | two thin faces of the session |

pub mod core;

#[cfg(any(feature = "runner", feature = "forward"))]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod disk;

// The outer layers may touch the world; the methods that `clippy.toml` disallows are allowed here
// and nowhere else.
#[cfg(feature = "runner")]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod app;
#[cfg(feature = "cli")]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod cli;
#[cfg(feature = "forward")]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod forward;
#[cfg(feature = "runner")]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod runner;
#[cfg(feature = "server")]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod server;
#[cfg(feature = "store")]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod store;
#[cfg(feature = "tui")]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod tui;
#[cfg(feature = "watch")]
#[allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]
pub mod watch;
