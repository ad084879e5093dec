//! The parts that use the operating system. Each handles bytes and deadlines, and none depends on the others.

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

pub mod adapt;
mod child_process;
pub mod disk;
pub mod forward;
pub mod guard;
mod http_client;
mod http_request;
pub mod isolation;
pub mod lease;
pub mod local_socket;
pub mod model_client;
pub mod model_server;
pub mod own_directories;
pub mod owner_only;
pub mod recorder;
pub mod runner;
pub mod server;
pub mod spool;
mod state_log;
pub mod store;
pub mod watch;
#[cfg(windows)]
mod windows_job;
#[cfg(windows)]
mod windows_user;
