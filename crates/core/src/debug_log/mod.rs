//! Debug logs of agents: what an agent itself wrote about its hooks, beside what hookbench predicts.

mod account;
mod firings;

pub use account::{AccountState, Contradiction, HookAccount, hook_account};
pub use firings::{DebugLog, LogFiring, LogRun};
pub use hookbench_base::debug_log::{DebugLogFormat, LogEnd, LogHook, LogRecord, LogStatement};

use crate::dialects::{Agent, released};

/// The agent whose debug log begins like this. `None` if the text is not a debug log.
pub fn recognise_debug_log(head: &[u8]) -> Option<&'static Agent> {
    let head = String::from_utf8_lossy(head);
    released().find(|dialect| (dialect.debug_log().detect)(&head))
}

/// A clause that names the agents whose logs say nothing about hooks.
pub fn silent_logs() -> String {
    let silent = released().filter(|dialect| !dialect.debug_log().names_hooks);
    format!("the logs of {} say nothing about hooks", silent.map(Agent::name).collect::<Vec<_>>().join(" and "))
}
