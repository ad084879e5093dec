//! The same event in every agent: the hooks that run, their input, the outcome, and the differences.
//!
//! | file | holds |
//! |---|---|
//! | `state` | the comparison, recomputed when its inputs change; the selected agent and difference |
//! | `band` | the verdicts in a row or two |
//! | `agent_facts` | the facts about each agent |
//! | `differences` | the differences as lines |
//! | `refresh` | computes the comparison again |
//! | `placement` | the placed lines and click targets, used for drawing and for the mouse |
//! | `detail` | one agent in full |
//! | `screen` | the page and its commands |
//! | `sentences` | the page as sentences |

mod agent_facts;
mod band;
mod detail;
mod differences;
mod layout;
mod placement;
mod refresh;
mod screen;
pub mod sentences;
mod state;

pub use differences::first_word;
pub use screen::CompareScreen;
pub use state::{CompareTab, CompareView, ShownComparison};
