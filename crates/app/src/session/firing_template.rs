//! The template of an event that makes a hook fire.

use super::state::Session;
use crate::session::command::Command;
use hookbench_core::plan::{RungName, Selection};

/// A template that does not make a hook fire.
struct FailedTemplate {
    index: usize,
    subject: Option<String>,
    rung: Option<RungName>,
    nearest: Vec<String>,
}

impl Session {
    /// Selects the first template of the event on the bench that makes this hook fire. If none does, it selects the one that
    /// comes closest: it fails at the last rung, or its tool is the one that the matcher probably means.
    pub fn use_firing_template(&mut self, hook: &str) {
        let mut failed: Vec<FailedTemplate> = Vec::new();
        for index in 0..self.bench.templates.len() {
            self.apply(Command::UseTemplate(index));
            let subject = self.bench.payload.input.as_ref().and_then(|input| input.subject.value.clone());
            let Some(entry) = self.bench.plan.as_ref().and_then(|plan| plan.entry(hook)) else { continue };
            if matches!(entry.selection, Selection::Fires { .. }) {
                return;
            }
            failed.push(FailedTemplate { index, subject, rung: entry.failed_rung, nearest: entry.nearest.clone() });
        }
        if self.use_server_tool(hook) {
            return;
        }
        // The nearest name of another tool's template is the tool that was meant.
        let is_meant = |template: &FailedTemplate| {
            let mut names =
                failed.iter().filter(|other| other.subject != template.subject).flat_map(|other| &other.nearest);
            template.subject.as_ref().is_some_and(|subject| names.any(|name| name == subject))
        };
        let closest = failed.iter().rev().max_by_key(|template| (template.rung, is_meant(template)));
        let index = closest.map_or(0, |template| template.index);
        self.apply(Command::UseTemplate(index));
    }
}
