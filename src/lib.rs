//! hookbench: a workbench for the hooks of AI coding agents.
//!
//! The program is a workspace of eight libraries, and this one, which re-exports them for tests and benches.
//! Dependencies point in one direction, which the compiler enforces:
//!
//! ```text
//! hookbench → { cli, lsp, tui } → app → system → core → agents → base
//! ```
//!
//! | crate | part | may do |
//! |---|---|---|
//! | `core` | [`core`] | computes, and nothing else: no files, clock, environment, processes, threads, terminal; re-exports `base` and `agents` |
//! | `system` | [`disk`] | reads a file that the user named: a regular file, up to a size limit, without blocking |
//! | | [`runner`] | starts processes and sends requests; knows bytes and deadlines, not hooks |
//! | | [`watch`] | reports which directories changed |
//! | | [`store`] | stores recorded events in a file and searches them |
//! | | [`server`] | receives the events of running agents on a socket, and returns answers |
//! | | [`forward`] | forwards one event of a running agent to a server, within a deadline |
//! | | [`adapt`] | runs a script of one agent as the hook of another |
//! | | [`guard`] | checks one event of a running agent with the rules of a guard |
//! | | [`isolation`] | runs a program without a network, on read-only files |
//! | | [`own_directories`] | names the home directory and the one for temporary files |
//! | | [`recorder`] | runs a hook and notes what the agent gave it |
//! | `app` | [`app`] | the use cases: one session with commands and facts, and its driver |
//! | `cli`, `lsp`, `tui` | [`cli`], [`lsp`], [`tui`] | three thin front ends of the session |

pub use hookbench_app as app;
pub use hookbench_cli as cli;
pub use hookbench_core as core;
pub use hookbench_lsp as lsp;
pub use hookbench_system::{
    adapt, disk, forward, guard, isolation, own_directories, recorder, runner, server, store, watch,
};
pub use hookbench_tui as tui;
