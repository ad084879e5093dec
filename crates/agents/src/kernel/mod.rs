//! The frame of every agent: what hooks come to together, and how that is explained. The rules are in the folders of
//! the agents; the kernel names no agent.

pub mod decision;
pub mod effect;
pub mod events;
pub mod formats;
pub mod matching;
pub mod settings;
#[cfg(test)]
pub mod test;

/// The starter hooks in the folder of the agent that invokes it.
macro_rules! first_hooks {
    () => {
        hookbench_base::dialects::FirstHook::for_agent([
            include_str!("first_hooks/refuse.json"),
            include_str!("first_hooks/tell.json"),
            include_str!("first_hooks/stop.json"),
        ])
    };
}
pub(crate) use first_hooks;
