//! The live path, in one task: events that the server receives from running agents go to the interceptor (the
//! desk), its decisions go back, and one writer thread stores everything. Frontends receive [`LiveFact`]s and send
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
