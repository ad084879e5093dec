//! The table of names: the result in each agent, how often each was recorded, and a remark.

use crate::compare::first_word;
use crate::matching::MatchView;
use crate::matching::state::TypingTarget;
use crate::model::Model;
use crate::widgets::{StyledLine, fit, width};
use hookbench_core::diagnostic::Code;
use hookbench_core::matching::{MatchCell, MatchRow, MatchTable, NameOrigin};

/// Maximum width of a name, in columns.
const NAME: usize = 26;
/// Minimum width of a name, in columns.
const LEAST: usize = 14;
/// Width of an agent's column including the space after it.
const AGENT: usize = 7;
/// Width of the count.
const SEEN: usize = 7;
/// Width of the remark.
const NOTE: usize = 10;

/// The visible columns and their widths.
pub struct MatchColumns {
    name: usize,
    agents: usize,
    /// The width of an agent's column.
    agent: usize,
    seen: bool,
    note: bool,
}

impl MatchColumns {
    /// Chooses the columns that fit. The remark is hidden first, then the count, then the agents from the right.
    pub fn of(board: &MatchTable, wide: usize) -> MatchColumns {
        let longest = board.values.iter().map(|value| width(&value.name)).max().unwrap_or(0);
        let all = board.columns.len();
        let titles = board.columns.iter().map(|column| width(first_word(column.agent().as_str())) + 1);
        let agent = titles.max().unwrap_or(0).max(AGENT);
        let takes = |agents: usize, seen: bool, note: bool| {
            3 + agents * agent + if seen { SEEN } else { 0 } + if note { NOTE } else { 0 }
        };
        let any = board.values.iter().any(|value| value.seen > 0);
        let ways = [(all, any, true), (all, any, false), (all, false, false)];
        let fewer = (1..all).rev().map(|agents| (agents, false, false));
        let (agents, seen, note) = ways
            .into_iter()
            .chain(fewer)
            .find(|(agents, seen, note)| takes(*agents, *seen, *note) + LEAST <= wide)
            .unwrap_or((1, false, false));
        let left = wide.saturating_sub(takes(agents, seen, note));
        MatchColumns { name: longest.min(NAME).min(left).max(4), agents, agent, seen, note }
    }
}

/// The column titles.
pub fn head(model: &Model, board: &MatchTable, columns: &MatchColumns) -> StyledLine {
    let theme = model.theme;
    let matching = &model.matching;
    let typing = matching.typing == Some(TypingTarget::Filter);
    let filter = matching.filter.text();
    let mut line = vec![(theme.plain(), " ".to_owned())];
    let names = match matching.rows.len() {
        1 => "1 name".to_owned(),
        count => format!("{count} names"),
    };
    let what = if typing || !filter.is_empty() { format!("/{filter}") } else { names };
    let style = if typing { theme.strong() } else { theme.quiet() };
    let what = fit(&what, columns.name, theme);
    let air = (columns.name + 2).saturating_sub(width(&what));
    line.push((style, what));
    if typing {
        line.push((theme.selected(), " ".to_owned()));
    }
    line.push((theme.plain(), " ".repeat(air.saturating_sub(usize::from(typing)))));
    for column in board.columns.iter().take(columns.agents) {
        line.push((theme.quiet(), format!("{:<wide$}", first_word(column.agent().as_str()), wide = columns.agent)));
    }
    if columns.seen {
        line.push((theme.quiet(), format!("{:>5}  ", "seen")));
    }
    line
}

/// One row.
pub fn row(model: &Model, matching: &MatchView, index: usize, columns: &MatchColumns) -> Option<(String, StyledLine)> {
    let theme = model.theme;
    let value = matching.board.as_ref()?.values.get(index)?;
    let cells = matching.result.as_ref()?.answer.cells.get(index)?;
    let own = cells.first().copied().unwrap_or(MatchCell::Absent);
    let style = match own {
        MatchCell::Yes => theme.strong(),
        MatchCell::Absent if !cells.contains(&MatchCell::Yes) => theme.quiet(),
        _ => theme.plain(),
    };
    let name = fit(&value.name, columns.name, theme);
    let mut line = vec![(style, format!("{name}{}", " ".repeat((columns.name + 2).saturating_sub(width(&name)))))];
    for cell in cells.iter().take(columns.agents) {
        let (style, word) = match cell {
            MatchCell::Yes => (theme.good().patch(theme.strong()), "YES"),
            MatchCell::No => (theme.quiet(), "no"),
            MatchCell::Unknown => (theme.warn(), "?"),
            MatchCell::Absent => (theme.quiet(), "."),
        };
        line.push((style, format!("{word:<wide$}", wide = columns.agent)));
    }
    if columns.seen {
        let seen = if value.seen > 0 { value.seen.to_string() } else { "-".to_owned() };
        line.push((if own == MatchCell::Yes { theme.plain() } else { theme.quiet() }, format!("{seen:>5}  ")));
    }
    if columns.note {
        line.push(note(model, matching, value, own));
    }
    Some((value.name.clone(), line))
}

/// The remark about a name.
fn note(model: &Model, matching: &MatchView, value: &MatchRow, own: MatchCell) -> (ratatui::style::Style, String) {
    let theme = model.theme;
    let said = matching.result.as_ref().and_then(|asked| asked.answer.columns.first());
    let near = said.and_then(|said| said.near.iter().find(|near| near.replacement == value.name));
    let also =
        said.is_some_and(|said| own == MatchCell::Yes && said.unintended_matches().contains(&value.name.as_str()));
    match (near, value.from) {
        (Some(near), _) => (theme.warn(), if near.code == Code::HW301 { "case" } else { "nearly" }.to_owned()),
        (None, _) if also => (theme.warn(), "too wide".to_owned()),
        (None, NameOrigin::Example) => (theme.quiet(), "any server".to_owned()),
        (None, NameOrigin::Typed) => (theme.quiet(), "typed".to_owned()),
        (None, NameOrigin::Recorded) => (theme.quiet(), "recorded".to_owned()),
        (None, NameOrigin::Known) => (theme.quiet(), String::new()),
    }
}
