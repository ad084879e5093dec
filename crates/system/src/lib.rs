//! The parts that touch the system. Each knows bytes and deadlines, and none of them knows the others.

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

pub mod disk;
pub mod forward;
pub mod runner;
pub mod server;
pub mod store;
pub mod watch;
