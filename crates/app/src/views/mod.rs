//! Read models of a session: the comparison of agents, the inputs of their processes, the settings files, and those
//! that several agents read.

pub mod comparison;
pub mod inventory;
pub mod portability;
pub mod process_inputs;
