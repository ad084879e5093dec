//! Lists and comparisons in plain mode.

use super::sentences::{self, expanded, join_columns, sentence};
use super::{PlainSession, say};
use crate::popup::PickItem;
use hookbench_core::recipe::recipes;

/// Number of items above which a list is grouped.
const MANY: usize = 20;

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

    /// Prints every hook of the event.
    pub(super) fn say_hooks(&self) -> std::io::Result<()> {
        let hooks = self.model.plan().map(|p| p.entries.as_slice()).unwrap_or_default();
        if hooks.is_empty() {
            return say("This event has no hooks.");
        }
        let mut all = hooks.iter().filter_map(|e| self.model.loaded()?.definition(&e.hook));
        all.try_for_each(|definition| say(&sentences::hook(&self.model, definition)))
    }
}

/// A line of a comparison: the old value, the new value, or an unchanged one.
pub fn change(text: &str) -> String {
    let (word, rest) = match text.split_at_checked(2) {
        Some(("- ", rest)) => ("Before: ", rest),
        Some(("+ ", rest)) => ("Now: ", rest),
        _ => ("", text.trim_start()),
    };
    let says = match rest.split_once("  ") {
        Some((label, value)) if value.trim() == "-" => format!("{label}: none"),
        Some((label, value)) if !label.contains(' ') => format!("{label}: {}", expanded(&join_columns(value, ", "))),
        _ => expanded(&join_columns(rest, ", ")),
    };
    sentence(&format!("{word}{says}"))
}
