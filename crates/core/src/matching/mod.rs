//! One matcher held against everything that is known to occur, in every agent at once: how it is read, what it lets pass,
//! what it nearly does, and what was probably meant. What passes is what the agent's own rule says.
//!
//! | file | holds |
//! |---|---|
//! | `board` | agents as columns, names as rows; the answer to a matcher |
//! | `known` | the names that are known to occur on an event |
//! | `near` | names that are nearly matched, and why they are not |
//! | `suggest` | a matcher that lets exactly what was meant pass |
//! | `findings` | what the rules of `lint` say of it |

mod board;
mod findings;
mod known;
mod near;
mod suggest;

pub use board::{Answer, Board, Cell, Column, ColumnAnswer, From, Missed, Passing, Seen, Value};
pub use findings::{Found, findings};
pub use near::Near;
pub use suggest::{Suggestion, Why, suggest};
