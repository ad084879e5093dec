//! The session: the loaded configuration, the event on the bench, and the firings. It changes only by commands and
//! facts, and requests everything else as jobs.

mod agent;
mod course;
mod everywhere;
mod firings;
mod found;
mod impact;
mod live;
mod matching;
mod on_bench;
mod payloads;
mod problems;
mod recorded;
mod state;
mod watch_loop;
mod what_if;

pub use agent::AgentState;
pub use everywhere::{Everywhere, InAgent, There};
pub(crate) use impact::SHOWN;
pub use live::OtherHooks;
pub(crate) use on_bench::script_text;
pub(crate) use problems::names;
pub use problems::{LoadedBy, Problems, find_problems};
pub use state::{Session, SessionOptions};
pub use watch_loop::{PINS, Pin, WatchLoop, WatchOptions};
pub use what_if::LEFT_OUT;
