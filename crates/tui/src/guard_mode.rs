//! A change of the mode of a guard, or of one of its rules.

use hookbench_core::guard::{GuardMode, GuardName};

/// The change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardModeChange {
    pub guard: GuardName,
    /// The id of a rule. `None`: the guard.
    pub rule: Option<String>,
    pub mode: GuardMode,
}

impl GuardModeChange {
    /// The name of the guard or the rule.
    pub fn subject(&self) -> &str {
        self.rule.as_deref().unwrap_or_else(|| self.guard.word())
    }

    /// The equivalent command line.
    pub fn command_line(&self) -> String {
        let rule = self.rule.as_ref().map_or(String::new(), |rule| format!(" --rule {rule}"));
        format!("hookbench guard mode {} {}{rule}", self.guard.word(), self.mode.word())
    }

    /// The effect, in a few words.
    pub const fn about(&self) -> &'static str {
        mode_effect(self.mode)
    }
}

/// The effect of a mode, in a few words.
pub const fn mode_effect(mode: GuardMode) -> &'static str {
    match mode {
        GuardMode::Off => "nothing is checked",
        GuardMode::Shadow => "findings are recorded, the agent continues",
        GuardMode::Warn => "you see a message, the agent continues",
        GuardMode::Deny => "the agent may not continue",
    }
}
