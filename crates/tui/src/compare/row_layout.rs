//! The narrow layout: one row for each agent and each difference, and a preview of the selected one if it fits.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::agent_facts::{facts, verdict};
use super::sheet::{CompareSheet, CompareTarget};
use super::{ShownComparison, differences};
use crate::bench::SizeClass;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::widgets::{PlacedLine, StyledLine, fit, hidden_words, row_of, width, wrap};
use hookbench_core::dialects;

/// Width of an agent's name, in columns.
const NAME: usize = 11;
/// Width of the name if only its first word fits.
const SHORT: usize = 6;
/// Width of a verdict drawn as a block.
const VERDICT: usize = 15;
/// Rows of a preview that is worth showing, with the rule above it.
const PREVIEW: usize = 4;
/// Width of the preview's labels.
const LABEL: usize = 9;

/// A row of the list.
enum CompareRow {
    Agent(usize),
    Title,
    Difference(usize),
}

/// Lays the page out.
pub fn sheet(model: &Model, shown: &ShownComparison, area: Rect, size: SizeClass) -> CompareSheet {
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
                let line = difference(model, shown, *number, usize::from(area.width));
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
    let whole = dialects::name_of(of.agent);
    let (name, columns, words) = if size == SizeClass::Tiny {
        (differences::first_word(of.agent.as_str()), SHORT, VERDICT - 2)
    } else {
        (whole, NAME, VERDICT)
    };
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

fn difference(model: &Model, shown: &ShownComparison, number: usize, columns: usize) -> StyledLine {
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
                        let mut whole = vec![(theme.quiet(), format!("{label:<LABEL$}"))];
                        whole.extend(line);
                        whole
                    })
                })
                .flat_map(|line| wrap(&line, columns, LABEL))
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
