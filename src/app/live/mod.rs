//! The live path's use cases.

pub mod handlers;
