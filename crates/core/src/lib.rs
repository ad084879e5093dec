//! The pure core: computes what an agent would do with an event, from values that the caller provides.
//!
//! Nothing here reads a file, a clock, the environment or a terminal, and nothing blocks. The vocabulary is in the
//! crate `hookbench-base` and the agents are in the crate `hookbench-agents`; both are re-exported, so that a tool
//! that builds on the core needs only this crate. A module may use only the modules before it in this order:
//! [`transcript`], [`debug_log`], [`model_interface`], [`port`], [`stress`], [`live`], [`model_client`], [`moderator`], [`command_line`], [`lint`], [`firing`], [`adapt`], [`convert`], [`install`], [`matching`], [`fix`], [`recipe`],
//! [`calibration`], [`verification`], [`guard`].

pub mod adapt;
pub mod calibration;
pub mod command_line;
pub mod convert;
pub mod debug_log;
pub mod firing;
pub mod fix;
pub mod guard;
pub mod install;
pub mod lint;
pub mod live;
pub mod matching;
pub mod model_client;
pub mod model_interface;
pub mod moderator;
pub mod port;
pub mod recipe;
pub mod stress;
pub mod transcript;
pub mod verification;

pub use hookbench_base::{
    catalogue, config, decide, diagnostic, filter, git, hook, matcher, names, output, plan, recorded, run, script_keys,
    text, trace, words,
};

/// The agents, and the trait that each implements.
pub mod dialects {
    pub use hookbench_agents::*;
    pub use hookbench_base::dialects::*;
}

/// Runs the example in `docs/core.md` as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/core.md")]
pub struct CoreGuide;
