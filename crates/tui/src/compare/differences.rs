//! The differences between the agents as lines: the name, each agent's side, and for the selected one the rules
//! behind it.

use ratatui::style::Style;

use super::ShownComparison;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::widgets::{StyledLine, fit, width};
use hookbench_app::{AgentDifference, DifferenceCell};
use hookbench_core::dialects;
use hookbench_core::text::one_line;

/// Width of an agent's name beside its side of a difference, in columns.
const NAME: usize = 12;
/// Minimum width of one side among others, in columns.
const LEAST: usize = 16;

/// The title: the number of differences, and the filter.
pub fn title(model: &Model, shown: &ShownComparison) -> StyledLine {
    let theme = model.theme;
    let compare = &model.compare;
    let all = shown.comparison.differences.len();
    let mut line = vec![(theme.strong(), "Differences".to_owned())];
    if compare.typing || !compare.filter.is_empty() {
        line.push((theme.name(), "   /".to_owned()));
        line.push((theme.strong(), compare.filter.clone()));
        if compare.typing {
            line.push((theme.selected(), " ".to_owned()));
        }
        let says = if compare.typing { "   Enter keep, Esc clear" } else { "" };
        line.push((theme.quiet(), format!("   {} of {all}{says}", shown.matches.len())));
    } else if all == 0 {
        line.push((theme.quiet(), format!("   {}", no_difference_words(shown))));
    } else if all > 5 {
        line.push((theme.quiet(), format!("   {all}   {} finds", model.key(UiCommand::Search))));
    } else {
        line.push((theme.quiet(), format!("   {all}")));
    }
    line
}

/// The sentence for agents that do not differ, as far as known.
pub fn no_difference_words(shown: &ShownComparison) -> &'static str {
    if shown.fired() { "in no hook that several have, and in no outcome" } else { "in no hook that several have" }
}

/// The style of one side; a side equal to the bench's agent is dimmed.
pub fn side_style(
    model: &Model,
    shown: &ShownComparison,
    difference: &AgentDifference,
    cell: &DifferenceCell,
) -> Style {
    let from = difference.cells.iter().find(|c| c.agent == shown.all.origin);
    if cell.agent != shown.all.origin && from.is_some_and(|from| from.text == cell.text) {
        model.theme.quiet()
    } else {
        model.theme.strong()
    }
}

/// All sides in one line: agents with the same side are grouped, and the sides share the columns.
pub fn short_line(model: &Model, shown: &ShownComparison, difference: &AgentDifference, columns: usize) -> StyledLine {
    let theme = model.theme;
    let mut groups: Vec<(&DifferenceCell, Vec<&str>)> = Vec::new();
    for cell in &difference.cells {
        match groups.iter_mut().find(|(first, _)| first.text == cell.text) {
            Some((_, agents)) => agents.push(first_word(cell.agent.as_str())),
            None => groups.push((cell, vec![first_word(cell.agent.as_str())])),
        }
    }
    let names: Vec<String> = groups.iter().map(|(_, agents)| format!(" {}", agents.join(", "))).collect();
    let taken: usize = names.iter().map(|names| width(names) + 2).sum();
    let texts: Vec<String> = groups.iter().map(|(cell, _)| one_line(&cell.text)).collect();
    let wide: Vec<usize> = texts.iter().map(|text| width(text)).collect();
    let most = share(&wide, columns.saturating_sub(taken));
    let side = |cell: &DifferenceCell, text: &str, names: &str| {
        let text = (side_style(model, shown, difference, cell), format!("  {text}"));
        [text, (theme.quiet(), names.to_owned())]
    };
    if most >= LEAST || wide.iter().all(|wide| *wide <= most) {
        let sides = groups.iter().zip(&names).zip(&texts);
        return sides.flat_map(|(((cell, _), names), text)| side(cell, &fit(text, most, theme), names)).collect();
    }
    // If the sides do not fit, the exceptions are shown without the side of the most agents, otherwise their number.
    let usual = (0..groups.len()).rev().max_by_key(|index| groups.get(*index).map(|(_, agents)| agents.len()));
    let sides = groups.iter().zip(&names).zip(&texts).enumerate().filter(|(index, _)| Some(*index) != usual);
    let line: StyledLine = sides.flat_map(|(_, (((cell, _), names), text))| side(cell, text, names)).collect();
    if line.iter().map(|(_, text)| width(text)).sum::<usize>() <= columns {
        return line;
    }
    vec![(theme.quiet(), format!("  {} ways", groups.len()))]
}

/// The maximum width per text at which all fit; short texts leave their share to the long ones.
fn share(wide: &[usize], columns: usize) -> usize {
    let mut sorted = wide.to_vec();
    sorted.sort_unstable();
    let (mut left, mut most) = (columns, 0);
    for (index, wide) in sorted.iter().enumerate() {
        most = left / (sorted.len() - index);
        left = left.saturating_sub((*wide).min(most));
    }
    most
}

/// The first word of an agent's name, for narrow columns.
pub fn first_word(agent: &str) -> &str {
    dialects::by_id(agent).map_or(agent, |d| d.name()).split(' ').next().unwrap_or(agent)
}

/// All sides, one agent below the other, each with its rules.
pub fn full_lines(model: &Model, shown: &ShownComparison, difference: &AgentDifference) -> Vec<StyledLine> {
    let theme = model.theme;
    let mut lines = vec![vec![(theme.strong(), difference.title.clone())]];
    for cell in &difference.cells {
        let name = dialects::name_of(cell.agent);
        let says = (side_style(model, shown, difference, cell), cell.text.clone());
        lines.push(vec![(theme.plain(), format!("{name:<NAME$} ")), says]);
        let why = |(rule, says): &(String, String)| {
            vec![
                (theme.quiet(), format!("{:NAME$} ", "")),
                (theme.quiet(), format!("{rule}: ")),
                (theme.plain(), says.clone()),
            ]
        };
        lines.extend(cell.reasons.iter().map(why));
    }
    lines
}

/// The column in which the lines of [`full_lines`] continue.
pub const INDENT: usize = NAME + 1;

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn what_is_short_leaves_its_part_to_the_others() {
        for (wide, columns, most) in [(&[1, 30][..], 30, 29), (&[20, 20], 30, 15), (&[1, 1, 40], 12, 10), (&[], 9, 0)] {
            assert_eq!(share(wide, columns), most, "{wide:?} in {columns}");
        }
    }
}
