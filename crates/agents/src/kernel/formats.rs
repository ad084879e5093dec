//! The formats of an agent, which its `formats.json` states. `build.rs` writes them as constants.

use hookbench_base::config::{AgentFlag, GivenFlags, Place};
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::dialects::live::LiveFormat;
use hookbench_base::dialects::settings_format::PluginFormat;
use hookbench_base::dialects::settings_format::SettingsFormat;
use hookbench_base::dialects::verification::HeadlessFormat;
use hookbench_base::dialects::verification::VerificationFormat;

/// How an agent writes its settings, starts, takes answers and is made to fire events.
pub struct AgentFormats {
    /// The id of the agent.
    pub agent: &'static str,
    /// Without its functions, which are in the agent's folder.
    pub settings: SettingsFormat,
    pub live: LiveFormat,
    pub plugin: Option<PluginFormat>,
    pub headless: HeadlessFormat,
    pub verification: VerificationFormat,
    pub flags: &'static [AgentFlag],
}

impl AgentFormats {
    /// The arguments of a place that are for this agent.
    pub fn given(&self, place: &Place) -> GivenFlags {
        GivenFlags::of(place, self.agent, self.flags)
    }
}

/// The log of an agent whose log is not read. `program` is its command.
pub const fn unread_log(kind: &'static str, program: &'static str) -> DebugLogFormat {
    DebugLogFormat {
        kind,
        switch: program,
        detect: |_| false,
        parse: |_| Vec::new(),
        session_file: |_, _| None,
        shared_files: |_| Vec::new(),
    }
}

/// The static `FORMATS` of an agent's folder.
macro_rules! agent_formats {
    ($folder:literal) => {
        #[allow(clippy::wildcard_imports, unused_imports, reason = "each agent uses some of the types")]
        mod facts {
            use crate::kernel::formats::AgentFormats;
            use hookbench_base::config::{AgentFlag, FlagEffect, FlagValue};
            use hookbench_base::dialects::{live::*, settings_format::*, verification::*};

            include!(concat!(env!("OUT_DIR"), "/", $folder, "_formats.rs"));
        }
        pub use facts::FORMATS;
    };
}
pub(crate) use agent_formats;
