//! The Match page in plain mode.

use crossterm::event::{KeyCode, KeyModifiers};

use super::words::{band_rows, begun, sentence, spoken};
use super::{Talk, say};
use crate::keymap::Verb;
use crate::matching::{band_of, said};
use crate::model::Model;
use crate::page::Page;

/// The page as sentences: the matcher, its result, the interpretation of each agent.
pub fn page(model: &Model) -> Vec<String> {
    let all = said::page(model);
    let first = sentence(&begun(&spoken(&said::pattern(model))));
    let rest = all.iter().map(|text| sentence(&begun(&spoken(text))));
    std::iter::once(first).chain(band_rows(&band_of(model))).chain(rest).collect()
}

impl Talk {
    /// Handles a command of this page with its argument; returns `false` if it has its general meaning. `edit`
    /// tests a matcher, `search` adds a name, `why` explains the result for a name, `next-match` goes to the next
    /// finding.
    pub(super) fn try_matcher(&mut self, verb: Verb, text: &str) -> std::io::Result<bool> {
        let typed = matches!(verb, Verb::Edit | Verb::Search) && !text.is_empty();
        let moves = matches!(verb, Verb::NextMatch | Verb::PreviousMatch | Verb::Why);
        if self.model.page != Page::Match || !(typed || moves) {
            return Ok(false);
        }
        if verb == Verb::Why && !text.is_empty() {
            self.model.matching.name = Some(text.to_owned());
            self.model.refresh();
        }
        let asks = self.act(verb);
        self.perform(asks);
        if typed {
            self.key(KeyCode::Char('u'), KeyModifiers::CONTROL);
            text.chars().for_each(|c| self.key(KeyCode::Char(c), KeyModifiers::NONE));
            self.key(KeyCode::Enter, KeyModifiers::NONE);
        }
        if verb == Verb::Why {
            let says = self.model.matching.ladder.as_ref().map(|ladder| ladder.answer.clone());
            say(&sentence(&begun(&spoken(&says.unwrap_or_else(|| "no hook has this matcher".to_owned())))))?;
        }
        Ok(true)
    }
}
