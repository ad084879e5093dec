//! The live path: what every agent is told for a decision, held against what hookbench itself makes of that answer; and
//! `hookbench forward` as a process, with a server that does what servers should not; the server as a process, with
//! clients that do what clients should not; and both together, with every payload that was recorded.
#![allow(clippy::disallowed_methods, reason = "starts processes, makes files")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

#[path = "live/broken_servers.rs"]
mod broken_servers;
#[path = "live/desk.rs"]
mod desk;
#[path = "live/desk_arrivals.rs"]
mod desk_arrivals;
#[path = "live/desk_handlers.rs"]
mod desk_handlers;
#[path = "live/desk_laws.rs"]
mod desk_laws;
#[path = "live/desk_rules.rs"]
mod desk_rules;
#[path = "live/desk_settings.rs"]
mod desk_settings;
#[path = "live/end_to_end.rs"]
mod end_to_end;
#[path = "live/handlers.rs"]
mod handlers;
#[path = "live/names.rs"]
mod names;
#[path = "live/normal.rs"]
mod normal;
#[path = "live/payloads.rs"]
mod payloads;
#[path = "live/server_held.rs"]
mod server_held;
#[path = "live/server_place.rs"]
mod server_place;
#[path = "live/server_requests.rs"]
mod server_requests;
#[path = "live/server_store.rs"]
mod server_store;
#[path = "live/serving.rs"]
mod serving;
#[path = "live/told.rs"]
mod told;
#[path = "live/unreached.rs"]
mod unreached;
