//! The live path: the answer to every agent for every decision, compared with hookbench's own interpretation of it;
//! `hookbench forward` as a process with misbehaving servers; the server as a process with misbehaving clients; and
//! both together with every recorded payload.
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
