//! Where the agents differ, as lines: what it is, each agent's side, and for the selected one the rules that make it so.

use ratatui::style::Style;

use super::{Line, Shown};
use crate::app::{Cell, Difference};
use crate::core::dialects;
use crate::tui::keymap::Verb;
use crate::tui::model::Model;

/// Columns of an agent's name beside its side of a difference.
const NAME: usize = 12;

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
        line.push((theme.quiet(), "   no hook and no outcome differs".to_owned()));
    } else if all > 5 {
        line.push((theme.quiet(), format!("   {all}   {} finds", model.key(Verb::Search))));
    } else {
        line.push((theme.quiet(), format!("   {all}")));
    }
    line
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

/// All sides in one line: agents that show the same stand together.
pub fn in_short(model: &Model, shown: &Shown, difference: &Difference) -> Line {
    let mut groups: Vec<(&Cell, Vec<&str>)> = Vec::new();
    for cell in &difference.cells {
        match groups.iter_mut().find(|(first, _)| first.shows == cell.shows) {
            Some((_, agents)) => agents.push(first_word(cell.agent)),
            None => groups.push((cell, vec![first_word(cell.agent)])),
        }
    }
    let mut line = Line::new();
    for (cell, agents) in groups {
        line.push((side(model, shown, difference, cell), format!("  {}", cell.shows)));
        line.push((model.theme.quiet(), format!(" {}", agents.join(", "))));
    }
    line
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
            vec![(theme.quiet(), format!("{:NAME$} ", "")), (theme.quiet(), format!("{rule}: ")), (theme.plain(), says.clone())]
        };
        lines.extend(cell.why.iter().map(why));
    }
    lines
}

/// Columns in which the lines of [`in_full`] go on.
pub const INDENT: usize = NAME + 1;
