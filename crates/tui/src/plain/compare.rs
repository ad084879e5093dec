//! The Compare page in plain mode.

use super::sentences::{expanded, sentence};
use super::{PlainSession, say};
use crate::compare::sentences;
use crate::keymap::UiCommand;
use hookbench_core::names::AgentId;

impl PlainSession {
    /// Handles a command of this page with its argument; returns `false` if it has its general meaning. `why` and
    /// `open` describe one agent in full; repeated, they put the event on the bench. An agent is named by its id or
    /// its name.
    pub fn open_agent(&mut self, verb: UiCommand, name: &str) -> std::io::Result<bool> {
        if !matches!(verb, UiCommand::Why | UiCommand::Open) {
            return Ok(false);
        }
        let called = |id: &str, whole: &str| {
            let name = name.to_lowercase();
            id == name || whole.to_lowercase() == name || whole.to_lowercase().split(' ').next() == Some(name.as_str())
        };
        let agents: Vec<AgentId> =
            self.model.compare.shown.iter().flat_map(|shown| &shown.all.agents).map(|of| of.agent).collect();
        if !name.is_empty() {
            let is = |id: &AgentId| {
                self.model.session.agent(id.as_str()).is_some_and(|a| called(id.as_str(), a.dialect.name()))
            };
            let Some(index) = agents.iter().position(is) else {
                say(&format!("No agent is called {name}."))?;
                return Ok(true);
            };
            if index != self.model.compare.selected(&self.model) {
                self.model.compare.open = None;
            }
            self.model.compare.select(index);
        }
        let asks = self.act(verb);
        self.perform(asks);
        sentences::open_detail(&self.model).iter().try_for_each(|line| say(&sentence(&expanded(line))))?;
        Ok(true)
    }
}
