//! Lists and comparisons in plain mode.

use super::sentences::{join_columns, sentence};
use super::{PlainSession, say};
use crate::keymap::UiCommand;
use crate::page_registry::{refresh, screen_of};
use crate::popup::PickItem;
use crate::screen::PageList;
use crate::update::is_opened;
use hookbench_core::recipe::recipes;

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
