//! The live path in one task: what the server takes from running agents goes to the desk, what the desk decides goes back,
//! and everything is kept by one writing thread. Faces hear of it as [`LiveFact`]s and ask for things with
//! [`LiveCommand`]s, whether the server is their own or another process's.

mod attach;
mod command;
mod diff;
mod fact;
pub mod handlers;
mod hub;
mod known;
mod link;
mod look;
mod mask;
mod queue;
mod record;
mod state;
mod typed;
mod wish;
mod writer;

pub use command::{Bearer, LiveCommand};
pub use diff::line_diff;
pub use fact::{AnsweredFact, ArrivedFact, HeldFact, LiveFact, Stored};
pub use hookbench_system::server::{CannotServe, Whereabouts};
pub use hub::{Feed, Live, LiveSettings, Token};
pub use known::{Became, HeldEvent, HeldPayload, LiveAdvice, LiveCounts, LiveEvent, Reach};
pub use link::Link;
pub use state::LivePath;
pub use typed::{FORM, about, does, read_breakpoint};
pub use wish::{LiveJob, LiveWish};
pub use writer::Keeping;
