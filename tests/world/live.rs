//! The live path: the answer to every agent for every decision, compared with hookbench's own interpretation of it;
//! `hookbench forward` as a process with misbehaving servers; the server as a process with misbehaving clients; and
//! both together with every recorded payload.
#![allow(clippy::disallowed_methods, reason = "starts processes, makes files")]
#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails the test")]

mod answer_table;
mod broken_servers;
mod end_to_end;
mod event_names;
mod handlers;
mod intercept_events;
mod intercept_handlers;
mod intercept_properties;
mod intercept_rules;
mod intercept_settings;
mod live_sandbox;
mod no_server;
mod normal_fields;
mod payloads;
mod serve_process;
mod server_held;
mod server_place;
mod server_requests;
mod server_store;
mod spool;
mod stored_answers;
