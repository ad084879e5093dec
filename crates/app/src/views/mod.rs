//! Read models of a session: the comparison of agents, the inputs of their processes, the settings files, those that
//! several agents read, and the times of repeated runs; and the colours in which they are shown.

pub mod comparison;
pub mod inventory;
pub mod portability;
pub mod process_inputs;
pub mod repeated_firing;
pub mod theme_colours;
