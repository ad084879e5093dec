//! The mode of each guard and rule: whether its findings deny, warn or are ignored.

use std::collections::BTreeMap;

use super::allowance::Allowance;
use super::name::GuardName;
use super::rule::{RuleSeverity, find};

/// The treatment of a finding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardMode {
    /// The rule is not used.
    Off,
    /// The finding is recorded. The agent hears nothing.
    #[default]
    Shadow,
    /// The user sees a message.
    Warn,
    /// The agent may not continue.
    Deny,
}

impl GuardMode {
    /// The word in settings and commands.
    pub const fn word(self) -> &'static str {
        match self {
            GuardMode::Off => "off",
            GuardMode::Shadow => "shadow",
            GuardMode::Warn => "warn",
            GuardMode::Deny => "deny",
        }
    }

    /// Parses a word.
    pub fn from_word(word: &str) -> Option<GuardMode> {
        [GuardMode::Off, GuardMode::Shadow, GuardMode::Warn, GuardMode::Deny]
            .into_iter()
            .find(|mode| mode.word() == word)
    }
}

/// The settings of one guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardOptions {
    /// `None`: the mode of all guards.
    pub mode: Option<GuardMode>,
    /// Whether all rules are on, not only the recommended ones.
    pub all_rules: bool,
    /// The modes of single rules.
    pub modes: BTreeMap<String, GuardMode>,
    /// Research: the number of changed lines below which a change is not checked.
    pub min_lines: usize,
    /// Research: the number of messages in which the file may have been read.
    pub lookback: usize,
    /// Response: the number of refusals in a row after which the agent may stop.
    pub max_blocks: u32,
    /// Whether a payload that is not a JSON object is refused.
    pub deny_unreadable: bool,
}

impl Default for GuardOptions {
    fn default() -> GuardOptions {
        GuardOptions {
            mode: None,
            all_rules: false,
            modes: BTreeMap::new(),
            min_lines: 5,
            lookback: 200,
            max_blocks: 2,
            deny_unreadable: false,
        }
    }
}

/// The settings of all guards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuardSettings {
    /// The mode of guards without their own.
    pub mode: GuardMode,
    pub guards: BTreeMap<GuardName, GuardOptions>,
    pub allowances: Vec<Allowance>,
}

impl GuardSettings {
    /// Returns the settings of a guard.
    pub fn options(&self, guard: GuardName) -> GuardOptions {
        self.guards.get(&guard).cloned().unwrap_or_default()
    }

    /// Returns the mode of a guard.
    pub fn guard_mode(&self, guard: GuardName) -> GuardMode {
        self.guards.get(&guard).and_then(|options| options.mode).unwrap_or(self.mode)
    }

    /// Returns the mode of a rule: its own; else off if it is not recommended and not all rules are on; else that of
    /// its guard, which only warns about medium findings. A rule without a row is about the payload itself.
    pub fn rule_mode(&self, id: &str) -> GuardMode {
        let Some(rule) = find(id) else { return GuardMode::Deny };
        let options = self.guards.get(&rule.guard);
        if let Some(mode) = options.and_then(|options| options.modes.get(id)) {
            return *mode;
        }
        if !rule.recommended && !options.is_some_and(|options| options.all_rules) {
            return GuardMode::Off;
        }
        let mode = self.guard_mode(rule.guard);
        if rule.severity == RuleSeverity::Medium { mode.min(GuardMode::Warn) } else { mode }
    }

    /// Returns the mode of a finding of a guard. A moderator's ruling has no row, so it has the mode of its guard.
    pub fn finding_mode(&self, guard: GuardName, id: &str) -> GuardMode {
        if find(id).is_some() { self.rule_mode(id) } else { self.guard_mode(guard) }
    }

    /// Applies the options of the command line to a guard.
    #[must_use]
    pub fn with_options(mut self, guard: GuardName, mode: Option<GuardMode>, all_rules: bool) -> GuardSettings {
        let mut options = self.options(guard);
        options.mode = mode.or(options.mode);
        options.all_rules |= all_rules;
        self.guards.insert(guard, options);
        self
    }
}
