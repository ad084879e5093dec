//! The Match page in plain mode.

use crossterm::event::{KeyCode, KeyModifiers};

use super::sentences::{expanded, sentence};
use super::{PlainSession, say};
use crate::keymap::UiCommand;
use crate::page_registry::refresh;
use hookbench_core::text::capitalized;

impl PlainSession {
    /// Handles a command of this page with its argument; returns `false` if it has its general meaning. `edit`
    /// tests a matcher, `search` adds a name, `why` explains the result for a name, `next-match` goes to the next
    /// finding.
    pub fn try_matcher(&mut self, verb: UiCommand, text: &str) -> std::io::Result<bool> {
        let typed = matches!(verb, UiCommand::Edit | UiCommand::Search) && !text.is_empty();
        let moves = matches!(verb, UiCommand::NextMatch | UiCommand::PreviousMatch | UiCommand::Why);
        if !(typed || moves) {
            return Ok(false);
        }
        if verb == UiCommand::Why && !text.is_empty() {
            self.model.matching.selected_name = Some(text.to_owned());
            refresh(&mut self.model);
        }
        let asks = self.act(verb);
        self.perform(asks);
        if typed {
            self.key(KeyCode::Char('u'), KeyModifiers::CONTROL);
            text.chars().for_each(|c| self.key(KeyCode::Char(c), KeyModifiers::NONE));
            self.key(KeyCode::Enter, KeyModifiers::NONE);
        }
        if verb == UiCommand::Why {
            let says = self.model.matching.ladder.as_ref().map(|ladder| ladder.answer.clone());
            say(&sentence(&capitalized(&expanded(&says.unwrap_or_else(|| "no hook has this matcher".to_owned())))))?;
        }
        Ok(true)
    }
}
