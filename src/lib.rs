//! hookbench: a workbench for the hooks of AI coding agents.
//!
//! The program is a workspace of five libraries, and this one, which names them in one place for tests and benches. The
//! arrows point one way only, and the compiler holds them:
//!
//! ```text
//! hookbench → tui → cli → app → system → core
//! ```
//!
//! | crate | part | may do |
//! |---|---|---|
//! | `core` | [`core`] | compute, and nothing else: no files, clock, environment, processes, threads, terminal |
//! | `system` | [`disk`] | read a file that a user named: regular, bounded, never waiting |
//! | | [`runner`] | start processes and send requests; knows bytes and deadlines, not hooks |
//! | | [`watch`] | report which directories changed |
//! | | [`store`] | keep recorded events in a file, and find them again |
//! | | [`server`] | take the events of running agents from a socket, and carry answers back |
//! | | [`forward`] | carry one event of a running agent to a server, in time |
//! | `app` | [`app`] | the use cases: one session with commands and facts, and its driver |
//! | `cli`, `tui` | [`cli`], [`tui`] | two thin faces of the session |

pub use hookbench_app as app;
pub use hookbench_cli as cli;
pub use hookbench_core as core;
pub use hookbench_system::{disk, forward, runner, server, store, watch};
pub use hookbench_tui as tui;
