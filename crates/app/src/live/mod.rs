//! The live path, in one task: events that the server receives from running agents go to the interceptor (the
//! desk), its decisions go back, and one writer thread stores everything. Frontends receive [`LiveFact`]s and send
//! [`LiveCommand`]s, whether the server is their own or another process's.

mod attach;
mod breakpoint_text;
mod demo_event;
pub mod handlers;
mod hub;
mod request;
mod spooled;
mod state;
mod status;
mod stored_event;
mod write_queue;
mod writer;

pub use breakpoint_text::{FORM, action_word, conditions, line_diff, read_breakpoint};
pub use demo_event::DemoEvent;
pub use hookbench_system::server::{ServeError, ServerPaths};
pub(crate) use hub::UnstoredEvents;
pub use hub::{FactFeed, LiveHandle, LiveSettings, Token};
pub use request::{
    AnsweredFact, ArrivedFact, BearerToken, LiveCommand, LiveFact, LiveJob, LiveRequest, PendingEventFact, StorageState,
};
pub use state::LivePath;
pub use status::{LiveAdvice, LiveConnection, LiveCounts, LiveEvent, LiveEventState, PendingEventView, PendingPayload};
pub use writer::StorageSettings;
