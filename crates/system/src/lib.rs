//! The parts that use the operating system. Each handles bytes and deadlines, and none depends on the others.

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

pub mod disk;
pub mod forward;
pub mod runner;
pub mod server;
pub mod store;
pub mod watch;
