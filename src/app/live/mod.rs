//! The live path in one task: what the server takes from running agents goes to the desk, what the desk decides goes back,
//! and everything is kept by one writing thread. Faces hear of it as [`LiveFact`]s and ask for things with
//! [`LiveCommand`]s, whether the server is their own or another process's.

#[cfg(all(feature = "server", feature = "store"))]
mod attach;
mod command;
mod diff;
mod fact;
pub mod handlers;
#[cfg(all(feature = "server", feature = "store"))]
mod hub;
mod known;
#[cfg(all(feature = "server", feature = "store"))]
mod link;
#[cfg(all(feature = "server", feature = "store"))]
mod look;
#[cfg(all(feature = "server", feature = "store"))]
mod mask;
#[cfg(all(feature = "server", feature = "store"))]
mod queue;
#[cfg(all(feature = "server", feature = "store"))]
mod record;
mod state;
mod typed;
mod wish;
#[cfg(all(feature = "server", feature = "store"))]
mod writer;

#[cfg(all(feature = "server", feature = "store"))]
pub use crate::server::{CannotServe, Whereabouts};
pub use command::{Bearer, LiveCommand};
pub use diff::line_diff;
pub use fact::{AnsweredFact, ArrivedFact, HeldFact, LiveFact, Stored};
#[cfg(all(feature = "server", feature = "store"))]
pub use hub::{Feed, Live, LiveSettings, Token};
pub use known::{Became, HeldEvent, HeldPayload, LiveAdvice, LiveCounts, LiveEvent, Reach};
#[cfg(all(feature = "server", feature = "store"))]
pub use link::Link;
pub use state::LivePath;
pub use typed::{FORM, about, does, read_breakpoint};
pub use wish::{LiveJob, LiveWish};
#[cfg(all(feature = "server", feature = "store"))]
pub use writer::Keeping;
