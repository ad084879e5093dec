//! Text for people: aligned, coloured only on a terminal, readable without colour.

mod page;
mod pages;

pub use crate::app::out;
pub use pages::{events, firing, list, plan, why};
