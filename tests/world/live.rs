//! The live path: what every agent is told for a decision, held against what hookbench itself makes of that answer; and
//! `hookbench forward` as a process, with a server that does what servers should not; the server as a process, with
//! clients that do what clients should not; and both together, with every payload that was recorded.
#![allow(clippy::disallowed_methods, reason = "starts processes, makes files")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

mod broken_servers;
mod desk;
mod desk_arrivals;
mod desk_handlers;
mod desk_laws;
mod desk_rules;
mod desk_settings;
mod end_to_end;
mod handlers;
mod names;
mod normal;
mod payloads;
mod server_held;
mod server_place;
mod server_requests;
mod server_store;
mod serving;
mod told;
mod unreached;
