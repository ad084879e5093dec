//! Lists and comparisons in plain mode.

use crossterm::event::{KeyCode, KeyModifiers};

use super::sentences::{expanded, join_columns, sentence};
use super::{PlainSession, say};
use crate::compare::sentences;
use crate::keymap::UiCommand;
use crate::page_registry::{refresh, screen_of};
use crate::popup::PickItem;
use crate::screen::PageList;
use crate::update::is_opened;
use hookbench_core::names::AgentId;
use hookbench_core::recipe::recipes;
use hookbench_core::text::capitalized;

/// Number of items above which a list is grouped or shortened.
const MANY: usize = 20;

fn say_rows(rows: &[(usize, String)]) -> std::io::Result<()> {
    let mut rows = rows.iter().filter(|(_, row)| !row.is_empty());
    rows.try_for_each(|(number, row)| say(&format!("{number}: {row}")))
}

/// Prints the items of a list with their numbers. A long list is grouped by common beginnings.
pub fn say_items(items: &[&PickItem]) -> std::io::Result<()> {
    let name = |item: &PickItem| join_columns(&item.label, ", ");
    let about = |item: &PickItem| join_columns(&item.about, ". ");
    if items.len() <= MANY {
        let one = |(index, item): (usize, &&PickItem)| {
            say(&format!("{}: {} {}", index + 1, sentence(&name(item)), sentence(&about(item))))
        };
        return items.iter().enumerate().try_for_each(one);
    }
    let group = |item: &PickItem| item.label.split("  ").next().unwrap_or_default().to_owned();
    let mut first = 0;
    for some in items.chunk_by(|a, b| group(a) == group(b)) {
        let Some(head) = some.first() else { continue };
        let rest = |item: &&PickItem| join_columns(item.label.strip_prefix(&group(item)).unwrap_or(&item.label), ", ");
        let each: Vec<String> =
            some.iter().enumerate().map(|(at, i)| format!("{} {}", first + at + 1, rest(i))).collect();
        say(&format!("{}: {} {}", group(head), sentence(&about(head)), sentence(&each.join(", "))))?;
        first += some.len();
    }
    Ok(())
}

impl PlainSession {
    /// Prints the recipes in place of the sheet for a new hook, and closes it.
    pub(super) fn say_recipes(&mut self) -> std::io::Result<()> {
        self.model.popups.clear();
        say("The recipes for a new hook are:")?;
        recipes().iter().try_for_each(|recipe| say(&format!("{}: {}.", recipe.id, recipe.title)))?;
        say("hookbench new, followed by a name, writes one.")
    }

    /// The page's list. What covers it is closed.
    fn uncovered_list(&mut self) -> Option<PageList> {
        loop {
            let list = screen_of(self.model.page).page_list(&self.model);
            if list.is_some() || !is_opened(&self.model) {
                return list;
            }
            let asks = self.act(UiCommand::Back);
            self.perform(asks);
        }
    }

    /// Prints every row of the page's list.
    pub(super) fn say_list(&mut self) -> std::io::Result<()> {
        let list = self.uncovered_list();
        match list.filter(|list| list.rows.iter().any(|(_, row)| !row.is_empty())) {
            Some(list) => say_rows(&list.rows),
            None => say("This page has no list."),
        }
    }

    /// Prints the rows near the selected one if the page shows another list than before.
    pub(super) fn say_new_list(&mut self) -> std::io::Result<()> {
        let list = screen_of(self.model.page).page_list(&self.model).filter(|list| !list.rows.is_empty());
        let Some(list) = list else { return Ok(()) };
        if list.title == self.last_list {
            return Ok(());
        }
        self.last_list = list.title;
        if self.last_list.is_empty() {
            return Ok(());
        }
        let first = list.selected.saturating_sub(MANY / 2).min(list.rows.len().saturating_sub(MANY));
        say_rows(list.rows.get(first..).unwrap_or_default().get(..MANY).unwrap_or(&list.rows))?;
        let more = list.rows.len().saturating_sub(MANY);
        if more == 0 { Ok(()) } else { say(&format!("list prints {more} more.")) }
    }

    /// Selects the row with this number; returns `false` if the page has no such row.
    pub(super) fn select_row(&mut self, number: usize) -> bool {
        let Some(list) = self.uncovered_list() else { return false };
        let screen = screen_of(self.model.page);
        let Some(index) = list.rows.iter().position(|(each, _)| *each == number) else { return false };
        let distance = |from: usize, to: usize| isize::try_from(to).unwrap_or(0) - isize::try_from(from).unwrap_or(0);
        let mut asks = Vec::new();
        screen.step(&mut self.model, distance(list.selected, index), &mut asks);
        refresh(&mut self.model);
        self.perform(asks);
        true
    }
}

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
