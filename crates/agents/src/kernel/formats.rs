//! The formats of an agent, which its `formats.json` states. `build.rs` writes them as constants.

use super::worded_log::LogWords;
use hookbench_base::config::{AgentFlag, GivenFlags, Place};
use hookbench_base::debug_log::DebugLogFormat;
use hookbench_base::dialects::live::LiveFormat;
use hookbench_base::dialects::settings_format::{PluginFormat, SettingsFormat};
use hookbench_base::dialects::verification::{HeadlessFormat, VerificationFormat};

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
    /// `None` if the log has another form, or says nothing about hooks.
    pub log: Option<LogWords>,
}

impl AgentFormats {
    /// The arguments of a place that are for this agent.
    pub fn given(&self, place: &Place) -> GivenFlags {
        GivenFlags::of(place, self.agent, self.flags)
    }
}

/// The log of an agent that writes nothing about hooks into it.
pub const fn silent_log(kind: &'static str) -> DebugLogFormat {
    DebugLogFormat {
        kind,
        names_hooks: false,
        detect: |_| false,
        parse: |_| Vec::new(),
        session_file: |_, _| None,
        shared_files: |_| Vec::new(),
    }
}

/// The static `DEBUG_LOG` of an agent whose `formats.json` has the words of its log. `$directory` is the function with the
/// directory of the user's settings.
macro_rules! worded_log {
    ($directory:path) => {
        const LOG: crate::kernel::worded_log::LogWords = FORMATS.log.unwrap();
        pub static DEBUG_LOG: hookbench_base::debug_log::DebugLogFormat = hookbench_base::debug_log::DebugLogFormat {
            kind: LOG.kind,
            names_hooks: true,
            detect: |head| !LOG.read(head).is_empty(),
            parse: |text| LOG.read(text),
            session_file: |place, session| {
                let file = LOG.session_file.replace("{session}", session);
                (!file.is_empty()).then(|| format!("{}/{file}", $directory(place)))
            },
            shared_files: |place| LOG.shared_files.iter().map(|file| format!("{}/{file}", $directory(place))).collect(),
        };
    };
}
pub(crate) use worded_log;

/// The static `FORMATS` of an agent's folder.
macro_rules! agent_formats {
    ($folder:literal) => {
        #[allow(clippy::wildcard_imports, unused_imports, reason = "each agent uses some of the types")]
        mod facts {
            use crate::kernel::formats::AgentFormats;
            use crate::kernel::worded_log::*;
            use hookbench_base::config::{AgentFlag, FlagEffect, FlagValue};
            use hookbench_base::dialects::{live::*, settings_format::*, verification::*};

            include!(concat!(env!("OUT_DIR"), "/", $folder, "_formats.rs"));
        }
        pub use facts::FORMATS;
    };
}
pub(crate) use agent_formats;
