//! Where the agents differ, as lines: what it is, each agent's side, and for the selected one the rules that make it so.

use ratatui::style::Style;

use super::{Line, Shown};
use crate::keymap::Verb;
use crate::model::Model;
use crate::widgets::{fit, width};
use hookbench_app::{Cell, Difference};
use hookbench_core::dialects;
use hookbench_core::text::one_line;

/// Columns of an agent's name beside its side of a difference.
const NAME: usize = 12;
/// Least columns of a side among others.
const LEAST: usize = 16;

/// How many there are, and what is looked for among them.
pub fn title(model: &Model, shown: &Shown) -> Line {
    let theme = model.theme;
    let compare = &model.compare;
    let all = shown.comparison.differences.len();
    let mut line = vec![(theme.strong(), "Where they differ".to_owned())];
    if compare.typing || !compare.filter.is_empty() {
        line.push((theme.name(), "   /".to_owned()));
        line.push((theme.strong(), compare.filter.clone()));
        if compare.typing {
            line.push((theme.selected(), " ".to_owned()));
        }
        let says = if compare.typing { "   Enter keeps it, Esc forgets it" } else { "" };
        line.push((theme.quiet(), format!("   {} of {all}{says}", shown.fits.len())));
    } else if all == 0 {
        line.push((theme.quiet(), format!("   {}", nowhere(shown))));
    } else if all > 5 {
        line.push((theme.quiet(), format!("   {all}   {} finds", model.key(Verb::Search))));
    } else {
        line.push((theme.quiet(), format!("   {all}")));
    }
    line
}

/// That they do not, as far as that is known.
pub fn nowhere(shown: &Shown) -> &'static str {
    if shown.fired() { "in no hook that several have, and in no outcome" } else { "in no hook that several have" }
}

/// The colour of one side: what is as it is on the bench steps back.
pub fn side(model: &Model, shown: &Shown, difference: &Difference, cell: &Cell) -> Style {
    let from = difference.cells.iter().find(|c| c.agent == shown.all.from);
    if cell.agent != shown.all.from && from.is_some_and(|from| from.shows == cell.shows) {
        model.theme.quiet()
    } else {
        model.theme.strong()
    }
}

/// All sides in one line: agents that show the same stand together, and each side has its part of the columns.
pub fn in_short(model: &Model, shown: &Shown, difference: &Difference, columns: usize) -> Line {
    let theme = model.theme;
    let mut groups: Vec<(&Cell, Vec<&str>)> = Vec::new();
    for cell in &difference.cells {
        match groups.iter_mut().find(|(first, _)| first.shows == cell.shows) {
            Some((_, agents)) => agents.push(first_word(cell.agent)),
            None => groups.push((cell, vec![first_word(cell.agent)])),
        }
    }
    let names: Vec<String> = groups.iter().map(|(_, agents)| format!(" {}", agents.join(", "))).collect();
    let taken: usize = names.iter().map(|names| width(names) + 2).sum();
    let texts: Vec<String> = groups.iter().map(|(cell, _)| one_line(&cell.shows)).collect();
    let wide: Vec<usize> = texts.iter().map(|text| width(text)).collect();
    let most = share(&wide, columns.saturating_sub(taken));
    // What can only be hinted at is better counted.
    if most < LEAST && wide.iter().any(|wide| *wide > most) {
        return vec![(theme.quiet(), format!("  {} ways", groups.len()))];
    }
    let mut line = Line::new();
    for (((cell, _), names), text) in groups.into_iter().zip(names).zip(texts) {
        line.push((side(model, shown, difference, cell), format!("  {}", fit(&text, most, theme))));
        line.push((theme.quiet(), names));
    }
    line
}

/// The most columns that each of these may take for all of them to have room: what is short leaves its part to the others.
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

/// An agent's name where there is little room.
pub fn first_word(agent: &str) -> &str {
    dialects::by_id(agent).map_or(agent, |d| d.name()).split(' ').next().unwrap_or(agent)
}

/// One agent below the other, each with its rules.
pub fn in_full(model: &Model, shown: &Shown, difference: &Difference) -> Vec<Line> {
    let theme = model.theme;
    let mut lines = vec![vec![(theme.strong(), difference.what.clone())]];
    for cell in &difference.cells {
        let name = dialects::by_id(cell.agent).map_or(cell.agent, |d| d.name());
        let says = (side(model, shown, difference, cell), cell.shows.clone());
        lines.push(vec![(theme.plain(), format!("{name:<NAME$} ")), says]);
        let why = |(rule, says): &(String, String)| {
            vec![
                (theme.quiet(), format!("{:NAME$} ", "")),
                (theme.quiet(), format!("{rule}: ")),
                (theme.plain(), says.clone()),
            ]
        };
        lines.extend(cell.why.iter().map(why));
    }
    lines
}

/// Columns in which the lines of [`in_full`] go on.
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
