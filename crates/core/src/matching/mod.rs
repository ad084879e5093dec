//! Tests of one matcher on everything that is known to occur, in every agent: how it is interpreted, what it
//! matches, what it nearly matches, and what was probably meant. The agents' own rules decide what matches.
//!
//! | file | contents |
//! |---|---|
//! | `board` | agents as columns, names as rows; the result of a matcher |
//! | `known` | the names known to occur on an event |
//! | `near` | names that nearly match, and why they do not |
//! | `suggest` | a matcher that matches exactly what was meant |
//! | `findings` | the findings of the `lint` rules |

mod board;
mod findings;
mod known;
mod near;
mod suggest;

pub use board::{Answer, Board, Cell, Column, ColumnAnswer, From, Missed, Passing, Seen, Value};
pub use findings::{Found, findings};
pub use near::Near;
pub use suggest::{Suggestion, Why, suggest};
