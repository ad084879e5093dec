//! A rule of the catalogue.

use super::files::SettingsTree;
use crate::diagnostic::Diagnostic;
use crate::dialects::{AgentContext, RuleContext};

/// A rule of the catalogue.
pub(super) enum LintRule {
    /// Finds at most one problem in a definition.
    One(fn(&RuleContext<'_>) -> Option<Diagnostic>),
    /// Finds any number of problems in a definition.
    Many(fn(&RuleContext<'_>) -> Vec<Diagnostic>),
    /// Checks the settings files, as trees.
    Settings(fn(&AgentContext<'_>, &[SettingsTree]) -> Vec<Diagnostic>),
    /// Checks everything that an agent has loaded, once.
    Agent(fn(&AgentContext<'_>) -> Vec<Diagnostic>),
}
