//! The pure core: what an agent would do with an event, computed from values that are handed in.
//!
//! Nothing here reads a file, a clock, the environment or a terminal, and nothing waits. The vocabulary is the crate
//! `hookbench-base`, the agents are the crate `hookbench-agents`; both are named here again, so that a tool that builds
//! on the core needs this crate only. The order of the modules (a module may use those before it): [`transcript`],
//! [`port`], [`live`], [`lint`], [`firing`], [`convert`], [`install`], [`matching`], [`fix`].

pub mod convert;
pub mod firing;
pub mod fix;
pub mod install;
pub mod lint;
pub mod live;
pub mod matching;
pub mod port;
pub mod transcript;

pub use hookbench_base::{
    catalogue, config, decide, diagnostic, filter, git, hook, matcher, names, output, plan, recorded, run, script_keys,
    text, trace,
};

/// The agents, and the trait that each implements.
pub mod dialects {
    pub use hookbench_agents::*;
    pub use hookbench_base::dialects::*;
}

/// The example of `docs/core.md` compiles and holds.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/core.md")]
pub struct Example;
