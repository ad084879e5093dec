//! The frame of every agent: what hooks come to together, and how that is explained. The rules are in the folders of
//! the agents; the kernel names no agent.

pub mod answer;
pub mod decision;
pub mod effect;
pub mod events;
pub mod formats;
pub mod launch;
pub mod matching;
pub mod merged;
pub mod patterns;
pub mod plan;
pub mod profiles;
pub mod script_files;
pub mod session_lines;
pub mod settings;
#[cfg(test)]
pub mod test;
pub mod worded_log;

/// The starter hooks in the folder of the agent that invokes it.
macro_rules! first_hooks {
    () => {
        $crate::kernel::first_hooks!("json")
    };
    ($ending:literal) => {
        hookbench_base::dialects::FirstHook::for_agent([
            include_str!(concat!("first_hooks/refuse.", $ending)),
            include_str!(concat!("first_hooks/tell.", $ending)),
            include_str!(concat!("first_hooks/stop.", $ending)),
        ])
    };
}
pub(crate) use first_hooks;

/// The static `AGENT` of the agent that invokes it: the fields whose values have the same names in the folder of every agent,
/// and the given ones.
macro_rules! agent {
    ($($field:ident $(: $value:expr)?,)*) => {
        /// The agent.
        pub static AGENT: hookbench_base::dialects::Agent = hookbench_base::dialects::Agent {
            id: ID,
            settings_format: &formats::SETTINGS_FORMAT,
            plugin_format: formats::FORMATS.plugin.as_ref(),
            live_format: &formats::FORMATS.live,
            headless_format: &formats::FORMATS.headless,
            flags: formats::FORMATS.flags,
            verification_format: &formats::FORMATS.verification,
            rules: rules::all,
            decide: decide::decide,
            $($field $(: $value)?,)*
        };
    };
}
pub(crate) use agent;
