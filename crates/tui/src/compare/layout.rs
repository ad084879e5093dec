//! The wide layout: a column for each agent, and the differences below.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::agent_facts::{AgentFact, FactLayout, facts, verdict};
use super::state::{CompareSheet, CompareTarget};
use super::{ShownComparison, differences};
use crate::bench::SizeClass;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::widgets::{PlacedLine, StyledLine, fit, hidden_words, row_of, width, wrap};
use hookbench_app::AgentDifference;
use hookbench_core::dialects;
use hookbench_core::names::AgentId;
use hookbench_core::text::one_line;

/// Width of the labels including the space after them, in columns.
const LABEL: usize = 11;
/// Columns between agents.
const AIR: usize = 2;
/// Minimum width of an agent's column.
const LEAST: usize = 20;
/// Rows reserved for the differences.
const DIFFERENCES: usize = 8;
/// Maximum rows of one side of the selected difference.
const SIDE: usize = 12;

/// The width of each agent's column; `None` if they do not all fit.
pub fn column_width(width: u16, agents: usize) -> Option<usize> {
    let each = (usize::from(width).saturating_sub(LABEL) / agents.max(1)).saturating_sub(AIR);
    Some(each.min(40)).filter(|each| *each >= LEAST)
}

/// Lays the page out.
pub fn column_sheet(model: &Model, shown: &ShownComparison, area: Rect, columns: usize) -> CompareSheet {
    let mut sheet = CompareSheet::default();
    // The height does not depend on the number of differences, so that nothing moves when the event is fired.
    let wanted = usize::from(area.height / 3).clamp(4, DIFFERENCES) + 2;
    let room = usize::from(area.height).saturating_sub(wanted).max(4);
    let used = add_table(model, shown, area, (columns, room), &mut sheet);
    if let Some(rule) = row_of(area, used) {
        sheet.rules.push(rule);
    }
    if let Some(at) = row_of(area, used + 1) {
        let mut line = vec![(model.theme.plain(), " ".to_owned())];
        line.extend(differences::title(model, shown));
        sheet.put(at, line);
    }
    let below = Rect {
        y: area.y + u16::try_from(used + 2).unwrap_or(u16::MAX).min(area.height),
        height: area.height.saturating_sub(u16::try_from(used + 2).unwrap_or(u16::MAX)),
        ..area
    };
    // The sides get as many rows as all of them can have.
    let blocks = |most: usize| -> Vec<Vec<StyledLine>> {
        (1..=shown.matches.len()).map(|at| difference(model, shown, at, (columns, most))).collect()
    };
    let fits = |blocks: &Vec<Vec<StyledLine>>| blocks.iter().map(Vec::len).sum::<usize>() <= usize::from(below.height);
    let blocks = (2..=SIDE).rev().map(blocks).find(fits).unwrap_or_else(|| blocks(1));
    differences(model, blocks, below, &mut sheet);
    sheet
}

fn column(area: Rect, index: usize, columns: usize) -> Rect {
    let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let x = area.x.saturating_add(number(LABEL + index * (columns + AIR)));
    Rect { x, width: number(columns), ..area }.intersection(area)
}

/// The head of an agent's column.
fn head(model: &Model, shown: &ShownComparison, index: usize, columns: usize) -> StyledLine {
    let theme = model.theme;
    let Some(of) = shown.all.agents.get(index) else { return StyledLine::new() };
    let name = dialects::name_of(of.agent);
    let selected = model.compare.selected(model) == index;
    let style = match (selected, model.compare.row) {
        (true, 0) => theme.selected(),
        (true, _) => theme.strong().add_modifier(Modifier::UNDERLINED),
        (false, _) => theme.strong(),
    };
    let more = if of.agent == shown.all.origin { "its own event".to_owned() } else { of.version.to_string() };
    let mut line = vec![(style, fit(name, columns, theme))];
    if width(name) + 2 + width(&more) <= columns {
        line.push((theme.quiet(), format!("  {more}")));
    }
    line
}

/// Adds the table of facts and returns its height in rows.
fn add_table(
    model: &Model,
    shown: &ShownComparison,
    area: Rect,
    (columns, room): (usize, usize),
    sheet: &mut CompareSheet,
) -> usize {
    let theme = model.theme;
    let all: Vec<Vec<AgentFact>> = (0..shown.len()).map(|index| facts(model, shown, index)).collect();
    for index in 0..shown.len() {
        let place = column(area, index, columns);
        if let Some(at) = row_of(place, 0) {
            sheet.put(at, head(model, shown, index, columns));
        }
        sheet.hits.push((
            CompareTarget::Agent(index),
            Rect { height: area.height.min(u16::try_from(room).unwrap_or(0)), ..place },
        ));
    }
    let like = all.iter().find(|facts| facts.len() > 2).or(all.first());
    let mut y = 1;
    for (number, like) in like.into_iter().flatten().enumerate() {
        let side = |facts: &Vec<AgentFact>| -> Vec<StyledLine> {
            let Some(fact) = facts.get(number).filter(|fact| fact.most != usize::MAX) else { return Vec::new() };
            fold(&fact.lines, (columns, fact.most), fact.form, model)
        };
        let sides: Vec<Vec<StyledLine>> = all.iter().map(side).collect();
        let rows = sides.iter().map(Vec::len).max().unwrap_or(0).max(like.least);
        if y + rows > room {
            break;
        }
        if let Some(at) = row_of(area, y) {
            sheet.put(at, vec![(theme.quiet(), format!("  {}", like.label))]);
        }
        for (index, lines) in sides.into_iter().enumerate() {
            for (below, line) in lines.into_iter().enumerate() {
                if let Some(at) = row_of(column(area, index, columns), y + below) {
                    sheet.put(at, line);
                }
            }
        }
        y += rows;
    }
    // An agent without such an event uses the whole column for the explanation.
    for (index, facts) in all.iter().enumerate() {
        let Some(fact) = facts.iter().find(|fact| fact.most == usize::MAX) else { continue };
        for (below, line) in
            fold(&fact.lines, (columns, y.saturating_sub(2)), FactLayout::Sentence, model).into_iter().enumerate()
        {
            if let Some(at) = row_of(column(area, index, columns), 2 + below) {
                sheet.put(at, line);
            }
        }
    }
    y
}

/// Fits lines into `columns` and `most` rows, with an ellipsis where text is cut.
fn fold(lines: &[StyledLine], (columns, most): (usize, usize), form: FactLayout, model: &Model) -> Vec<StyledLine> {
    let mut rows: Vec<StyledLine> = match form {
        FactLayout::Sentence => lines.iter().flat_map(|line| wrap(line, columns, 0)).collect(),
        FactLayout::Names => lines.iter().flat_map(|line| wrap(line, columns, 1)).collect(),
        FactLayout::Rows => lines.iter().map(|line| cut(line, columns, model)).collect(),
    };
    if rows.len() > most {
        rows.truncate(most);
        if let Some(last) = rows.last_mut() {
            let text: String = last.iter().map(|(_, text)| text.as_str()).collect();
            let style = last.last().map_or(model.theme.plain(), |(style, _)| *style);
            let text = text.trim_end();
            let cut = fit(text, columns.saturating_sub(1), model.theme);
            let end = if cut == text { model.theme.ellipsis() } else { "" };
            *last = vec![(style, format!("{cut}{end}"))];
        }
    }
    rows
}

/// Cuts a line to `columns`.
fn cut(line: &StyledLine, columns: usize, model: &Model) -> StyledLine {
    let mut left = columns;
    let mut out = StyledLine::new();
    for (style, text) in line {
        let text = fit(&one_line(text), left, model.theme);
        left -= width(&text);
        out.push((*style, text));
    }
    out
}

/// The block of a difference: its name, and each agent's side below its column; with the rules if it is selected.
fn difference(model: &Model, shown: &ShownComparison, at: usize, (columns, most): (usize, usize)) -> Vec<StyledLine> {
    let Some(difference) = shown.difference(at) else { return Vec::new() };
    let theme = model.theme;
    let selected = model.compare.row == at;
    let mark = if selected { theme.cursor() } else { " " };
    let mut lines = vec![vec![(theme.strong(), format!("{mark}{}", difference.title))]];
    let sides: Vec<Vec<StyledLine>> = shown
        .all
        .agents
        .iter()
        .map(|of| {
            side(model, shown, difference, of.agent.as_str(), (columns, if selected { None } else { Some(most) }))
        })
        .collect();
    for index in 0..sides.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = vec![(theme.plain(), " ".repeat(LABEL))];
        for lines in &sides {
            let pieces = lines.get(index).cloned().unwrap_or_default();
            let wide: usize = pieces.iter().map(|(_, text)| width(text)).sum();
            line.extend(pieces);
            line.push((theme.plain(), " ".repeat((columns + AIR).saturating_sub(wide))));
        }
        lines.push(line);
    }
    lines
}

/// One agent's side of a difference in at most `most` rows; of the selected difference (`None`) also the reasons.
fn side(
    model: &Model,
    shown: &ShownComparison,
    difference: &AgentDifference,
    agent: &str,
    (columns, most): (usize, Option<usize>),
) -> Vec<StyledLine> {
    let theme = model.theme;
    let Some(cell) = difference.cells.iter().find(|cell| cell.agent == agent) else {
        return vec![vec![(theme.quiet(), "-".to_owned())]];
    };
    let shows = vec![(differences::side_style(model, shown, difference, cell), cell.text.clone())];
    if let Some(most) = most {
        return fold(&[shows], (columns, most), FactLayout::Sentence, model);
    }
    let why =
        |(rule, says): &(String, String)| vec![(theme.quiet(), format!("{rule}: ")), (theme.plain(), says.clone())];
    let lines: Vec<StyledLine> = std::iter::once(shows).chain(cell.reasons.iter().map(why)).collect();
    fold(&lines, (columns, SIDE), FactLayout::Sentence, model)
}

/// Adds the differences, scrolled to the selected one.
fn differences(model: &Model, blocks: Vec<Vec<StyledLine>>, area: Rect, sheet: &mut CompareSheet) {
    let room = usize::from(area.height);
    let selected = model.compare.row;
    let before: usize = blocks.iter().take(selected.saturating_sub(1)).map(Vec::len).sum();
    let own = selected.checked_sub(1).and_then(|at| blocks.get(at)).map_or(0, Vec::len);
    let all: usize = blocks.iter().map(Vec::len).sum();
    let top = (before + own).saturating_sub(room).min(before).min(all.saturating_sub(room));
    let mut y: usize = 0;
    for (index, block) in blocks.into_iter().enumerate() {
        for (below, line) in block.into_iter().enumerate() {
            if let Some(at) = y.checked_sub(top).and_then(|y| row_of(area, y)) {
                sheet.hits.push((CompareTarget::Difference(index + 1), at));
                sheet.lines.push(PlacedLine { at, line, selected: below == 0 && index + 1 == selected });
            }
            y += 1;
        }
    }
    let below = y.saturating_sub(top + room);
    if below > 0
        && let Some(at) = row_of(area, room.saturating_sub(1))
    {
        let says = format!("   {below} more below ");
        let wide = u16::try_from(width(&says)).unwrap_or(0).min(at.width);
        sheet.put(Rect { x: at.right() - wide, width: wide, ..at }, vec![(model.theme.quiet(), says)]);
    }
}

/// Width of a verdict drawn as a block.
const VERDICT: usize = 15;
/// Rows of a preview that is worth showing, with the rule above it.
const PREVIEW: usize = 4;
/// Width of the preview's labels.
const ROW_LABEL: usize = 9;

/// A row of the list.
enum CompareRow {
    Agent(usize),
    Title,
    Difference(usize),
}

/// Lays the page out.
pub fn row_sheet(model: &Model, shown: &ShownComparison, area: Rect, size: SizeClass) -> CompareSheet {
    let mut sheet = CompareSheet::default();
    let agents = (0..shown.len()).map(CompareRow::Agent).chain([CompareRow::Title]);
    let rows: Vec<CompareRow> = agents.chain((1..=shown.matches.len()).map(CompareRow::Difference)).collect();
    let whole = usize::from(area.height);
    let fits = size != SizeClass::Tiny && rows.len() + PREVIEW <= whole;
    let asked = match size {
        _ if fits => rows.len(),
        SizeClass::Medium => (whole / 2).max(shown.len() + 3),
        _ => whole,
    };
    let room = asked.min(whole);
    let cursor = match model.compare.row {
        0 => model.compare.selected(model),
        at => shown.len() + at,
    };
    // The agents do not scroll while at least one difference fits below them.
    let stays = if room > shown.len() + 1 { shown.len() + 1 } else { 0 };
    let moving = room - stays;
    let first = (cursor + 1).saturating_sub(stays + moving).min(rows.len().saturating_sub(room));
    let listed = rows.iter().take(stays).chain(rows.iter().skip(stays + first));
    for (at, listed) in (0..room).filter_map(|y| row_of(area, y)).zip(listed) {
        match listed {
            CompareRow::Agent(index) => {
                sheet.hits.push((CompareTarget::Agent(*index), at));
                sheet.put(at, agent(model, shown, *index, size));
            }
            CompareRow::Title => {
                let mut line = vec![(model.theme.plain(), " ".to_owned())];
                line.extend(differences::title(model, shown));
                sheet.put(at, line);
            }
            CompareRow::Difference(number) => {
                sheet.hits.push((CompareTarget::Difference(*number), at));
                let line = difference_row(model, shown, *number, usize::from(area.width));
                sheet.lines.push(PlacedLine { at, line, selected: model.compare.row == *number });
            }
        }
    }
    if room < whole {
        if let Some(rule) = row_of(area, room) {
            sheet.rules.push(rule);
        }
        let taken = u16::try_from(room + 1).unwrap_or(u16::MAX).min(area.height);
        preview(model, shown, Rect { y: area.y + taken, height: area.height - taken, ..area }, &mut sheet);
    }
    sheet
}

/// The line of an agent: name, verdict, effect.
fn agent(model: &Model, shown: &ShownComparison, index: usize, size: SizeClass) -> StyledLine {
    let theme = model.theme;
    let Some((of, compared, _)) = shown.agent(index) else { return StyledLine::new() };
    let here = model.compare.selected(model) == index;
    let mark = if here && model.compare.row == 0 { theme.cursor() } else { " " };
    let name_of = |agent: AgentId| match size {
        SizeClass::Tiny => differences::first_word(agent.as_str()),
        _ => dialects::name_of(agent),
    };
    let all = (0..shown.len()).filter_map(|index| shown.agent(index));
    let columns = all.map(|(of, ..)| width(name_of(of.agent))).max().unwrap_or(0);
    let (name, words) = (name_of(of.agent), if size == SizeClass::Tiny { VERDICT - 2 } else { VERDICT });
    // Only the name is highlighted, so that the verdict keeps its colour.
    let style = match (here, model.compare.row) {
        (true, 0) => theme.selected(),
        (true, _) => theme.strong().add_modifier(Modifier::UNDERLINED),
        (false, _) => theme.strong(),
    };
    let text = fit(name, columns, theme);
    let air = " ".repeat((columns + 2).saturating_sub(width(&text)));
    let mut line = vec![(theme.plain(), mark.to_owned()), (style, text), (theme.plain(), air)];
    let word = verdict(model, shown, index);
    let wide: usize = word.iter().map(|(_, text)| width(text)).sum();
    line.extend(word);
    line.push((theme.plain(), " ".repeat((words + 2).saturating_sub(wide))));
    let (says, quiet) = match &compared.event {
        Err((says, nearest)) => {
            (nearest.as_ref().map_or_else(|| says.clone(), |nearest| format!("nearest: {nearest}")), true)
        }
        Ok(event) if event.verdict.is_none() && !event.runs.is_empty() => (event.runs.join(", "), false),
        Ok(event) => {
            let fired = of.event.as_ref().ok().and_then(|t| model.session.fired_there(t)?.outcome.as_ref());
            (fired.map_or_else(|| event.reason.clone(), |outcome| outcome.agent_does.clone()), false)
        }
    };
    line.push((if quiet { theme.quiet() } else { theme.plain() }, says));
    line
}

fn difference_row(model: &Model, shown: &ShownComparison, number: usize, columns: usize) -> StyledLine {
    let theme = model.theme;
    let Some(difference) = shown.difference(number) else { return StyledLine::new() };
    let mark = if model.compare.row == number { theme.cursor() } else { " " };
    let what = fit(&hookbench_core::text::one_line(&difference.title), columns * 3 / 5, theme);
    let left = columns.saturating_sub(1 + width(&what));
    let mut line = vec![(theme.plain(), mark.to_owned()), (theme.strong(), what)];
    line.extend(differences::short_line(model, shown, difference, left));
    line
}

/// Adds the full text of the selected agent or difference.
fn preview(model: &Model, shown: &ShownComparison, area: Rect, sheet: &mut CompareSheet) {
    let theme = model.theme;
    let columns = usize::from(area.width).saturating_sub(2);
    let lines: Vec<StyledLine> = match shown.difference(model.compare.row) {
        Some(difference) => {
            let all = differences::full_lines(model, shown, difference);
            all.iter().flat_map(|line| wrap(line, columns, differences::INDENT)).collect()
        }
        None => {
            let all = facts(model, shown, model.compare.selected(model));
            let facts = all.into_iter().filter(|fact| !fact.label.is_empty());
            facts
                .flat_map(|fact| {
                    let label = fact.label;
                    fact.lines.into_iter().enumerate().map(move |(index, line)| {
                        let label = if index == 0 { label.as_str() } else { "" };
                        let mut whole = vec![(theme.quiet(), format!("{label:<ROW_LABEL$}"))];
                        whole.extend(line);
                        whole
                    })
                })
                .flat_map(|line| wrap(&line, columns, ROW_LABEL))
                .collect()
        }
    };
    let room = usize::from(area.height);
    let hidden = lines.len().saturating_sub(room);
    let shown_rows = if hidden > 0 { room.saturating_sub(1) } else { room };
    let all = lines.len();
    for (index, line) in lines.into_iter().take(shown_rows).enumerate() {
        let Some(at) = row_of(area, index) else { break };
        sheet.put(Rect { x: at.x + 1.min(at.width), width: at.width.saturating_sub(1), ..at }, line);
    }
    if hidden > 0
        && let Some(at) = row_of(area, shown_rows)
    {
        let says = format!(" {}; {} opens it", hidden_words(0, all - shown_rows), model.key(UiCommand::Open));
        sheet.put(at, vec![(theme.quiet(), says)]);
    }
}
