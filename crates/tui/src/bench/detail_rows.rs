//! The lines of a tab of the detail other than a stream.

use ratatui::style::Style;

use super::layout::detail_width;
use super::{answer_tab, ladder_tab, process_tab, script_facts};
use crate::hook_list::HookListRow;
use crate::keymap::UiCommand;
use crate::model::{Model, Tab};
use crate::widgets::{IndentedLine, StyledLine, json_line, wrap};

/// The lines of a tab other than a stream, wrapped to the pane's width.
pub fn detail_rows(model: &Model, tab: Tab) -> Vec<StyledLine> {
    rows_for_height(model, tab, usize::MAX)
}

/// Like [`detail_rows`], for a pane of `room` rows: a longer ladder is folded to keep its red rung visible.
pub fn rows_for_height(model: &Model, tab: Tab, room: usize) -> Vec<StyledLine> {
    let columns = detail_width(model.size, model.zoomed, model.pane_sizes);
    let rows = |folded: bool| -> Vec<StyledLine> {
        let lines = detail_lines(model, tab, folded);
        lines.iter().flat_map(|block| wrap(&block.line, columns, block.indent)).collect()
    };
    let whole = rows(false);
    let red = whole.iter().position(|row| row.first().is_some_and(|(_, text)| text.starts_with(ladder_tab::RED)));
    if tab == Tab::Why && red.is_some_and(|row| row >= room) { rows(true) } else { whole }
}

fn detail_lines(model: &Model, tab: Tab, folded: bool) -> Vec<IndentedLine> {
    let theme = model.theme;
    let one = |style: Style, text: &str| IndentedLine::new(0, vec![(style, text.to_owned())]);
    if let Some(HookListRow::NotLoaded(_)) = model.rows.get(model.selected) {
        return ladder_tab::lines(model, folded);
    }
    let Some(definition) = model.definition() else {
        let says = match model.rows.get(model.selected) {
            Some(HookListRow::Own { .. }) => "lists hookbench's own hooks, which a firing leaves out",
            _ => "lists hooks of other events",
        };
        let says = format!("{} {says}", model.key(UiCommand::Open));
        return vec![one(theme.quiet(), if model.rows.is_empty() { "" } else { &says })];
    };
    match tab {
        Tab::Stdin => {
            let json = |text: &String| {
                let (indent, key, value) = json_line(text);
                let line = vec![
                    (theme.plain(), indent.to_owned()),
                    (theme.key(), key.to_owned()),
                    (theme.plain(), value.to_owned()),
                ];
                IndentedLine::new(indent.len() + 2, line)
            };
            let says = one(theme.quiet(), "stdin it would receive");
            std::iter::once(says).chain(model.event_lines.iter().map(json)).collect()
        }
        Tab::Stdout | Tab::Stderr => {
            let key = model.key(UiCommand::Fire);
            let says = model.past_run().map(|run| run.dropped_output_message(&key));
            vec![one(theme.quiet(), &says.unwrap_or_else(|| format!("not run yet; {key} fires it")))]
        }
        Tab::Decision => answer_tab::lines(model),
        Tab::Process => process_tab::lines(model, definition),
        Tab::Why => ladder_tab::lines(model, folded),
        Tab::Script => vec![one(theme.quiet(), &script_facts::without_text(model))],
    }
}
