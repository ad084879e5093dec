//! The live path in one task: what the server takes from running agents goes to the desk, what the desk decides goes back,
//! and everything is kept by one writing thread. Faces hear of it as [`LiveFact`]s and ask for things with
//! [`LiveCommand`]s, whether the server is their own or another process's.

mod command;
mod fact;
pub mod handlers;
mod state;
mod typed;
mod wish;

pub use command::{LiveCommand, Token};
pub use fact::{AnsweredFact, ArrivedFact, HeldFact, LiveFact, Stored};
pub use state::{Became, HeldEvent, HeldPayload, Live, LiveCounts, LiveEvent, Reach};
pub use typed::{FORM, about, does, read_breakpoint};
pub use wish::{LiveJob, LiveWish};
