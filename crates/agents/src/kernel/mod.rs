//! The frame of every agent: what hooks come to together, and how that is explained. The rules are in the folders of
//! the agents; the kernel names no agent.

pub mod decision;
pub mod effect;
