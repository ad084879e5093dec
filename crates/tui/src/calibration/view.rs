//! The popup: its rows, and the same as sentences.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::summary::basis_words;
use crate::model::Model;
use crate::popup::{draw_full, full_columns};
use crate::theme::Theme;
use crate::widgets::{StyledLine, width, wrap};
use hookbench_app::{CalibrationProgress, DifferentProbe, ObservedDifference};
use hookbench_core::dialects::name_of;
use hookbench_core::names::AgentId;
use hookbench_core::text::stringify_pretty;

/// Draws the popup, beginning with row `top`.
pub fn draw((agent, top): (AgentId, usize), area: Rect, buf: &mut Buffer, model: &Model) {
    let (title, columns) = (format!("Calibration of {}", name_of(agent)), full_columns(area.width));
    draw_full((&title, &rows(model, agent, columns)), top, area, buf, model.theme);
}

/// Columns from which on predicted and seen are side by side.
const SIDE_BY_SIDE: usize = 72;
/// Columns between them.
const GAP: usize = 2;
/// Indent of the texts of a probe, and the width of a label.
const INDENT: usize = 2;
const LABEL: usize = 11;
/// Width of the progress bar.
const BAR: usize = 40;

/// The rows at this width.
pub(super) fn rows(model: &Model, agent: AgentId, columns: usize) -> Vec<StyledLine> {
    let theme = model.theme;
    let mut rows = Vec::new();
    let Some(state) = model.session.agents().iter().find(|state| state.dialect.id() == agent) else { return rows };
    if let Some(progress) = model.session.calibration_progress().filter(|progress| progress.agent == agent) {
        rows.extend(wrap(&[(theme.strong(), progress.headline())], columns, 0));
        rows.extend(bar(progress, columns, theme));
        rows.push(Vec::new());
    }
    rows.extend(wrap(&[(theme.plain(), theme.version(&basis_words(state)))], columns, 0));
    let Some(found) = model.session.calibration_findings(agent) else {
        rows.push(Vec::new());
        rows.extend(wrap(&[(theme.quiet(), HOW.to_owned())], columns, 0));
        return rows;
    };
    if !found.coverage.is_empty() {
        let style = if found.news.is_empty() { theme.quiet() } else { theme.warn() };
        rows.extend(wrap(&[(style, found.coverage.clone())], columns, 0));
    }
    if let Some(warning) = &found.isolation_warning {
        rows.extend(wrap(&[(theme.quiet(), warning.clone())], columns, 0));
    }
    if !found.news.is_empty() {
        rows.push(Vec::new());
        rows.push(vec![(theme.strong(), "New to hookbench".to_owned())]);
        for fact in &found.news {
            rows.extend(indented(&[(theme.plain(), fact.words())], columns));
        }
    }
    for probe in &found.different {
        rows.push(Vec::new());
        rows.extend(different(probe, columns, theme));
    }
    if !found.failed.is_empty() {
        rows.push(Vec::new());
        rows.push(vec![(theme.strong(), "Probes that could not be asked".to_owned())]);
        for probe in &found.failed {
            let line = [(theme.warn(), format!("{}: ", probe.id)), (theme.plain(), probe.why.clone())];
            rows.extend(wrap(&line, columns, INDENT));
        }
    }
    if found.different.is_empty() && found.failed.is_empty() {
        rows.push(Vec::new());
        rows.extend(wrap(&[(theme.quiet(), "nothing differs".to_owned())], columns, 0));
    }
    rows
}

/// The procedure, for users who have not calibrated.
pub(super) const HOW: &str = "A calibration runs short sessions of the installed program in scratch directories, with \
                              test hooks and a stand-in for the model. It needs no key and no network, and does \
                              not read your settings. An agent takes three to ten minutes, the quick \
                              probes about one minute, and longer on a busy machine.";

fn bar(progress: &CalibrationProgress, columns: usize, theme: Theme) -> Option<StyledLine> {
    let probes = progress.probes.filter(|probes| progress.running && *probes > 0)?;
    let room = BAR.min(columns.saturating_sub(6));
    let filled = progress.done * room / probes;
    let (full, empty) = if theme.unicode { ("━", "─") } else { ("=", "-") };
    let percent = progress.done * 100 / probes;
    Some(vec![
        (theme.good(), full.repeat(filled)),
        (theme.quiet(), empty.repeat(room - filled)),
        (theme.quiet(), format!(" {percent:>3} %")),
    ])
}

fn different(probe: &DifferentProbe, columns: usize, theme: Theme) -> Vec<StyledLine> {
    let mut rows = vec![vec![(theme.bad(), "DIFFERS  ".to_owned()), (theme.strong(), probe.id.clone())]];
    rows.extend(indented(&[(theme.quiet(), probe.says.clone())], columns));
    for found in &probe.differences {
        rows.extend(indented(&[(theme.plain(), format!("{}, {}", found.event, found.aspect))], columns));
        rows.extend(if columns >= SIDE_BY_SIDE { beside(found, columns, theme) } else { below(found, columns, theme) });
    }
    if !probe.rules.is_empty() {
        let rules = probe.rules.join(", ");
        rows.extend(indented(&[label("rules", theme), (theme.plain(), rules)], columns));
    }
    rows.extend(indented(&[label("settings", theme)], columns));
    let settings = stringify_pretty(&probe.settings);
    rows.extend(settings.lines().flat_map(|line| indented(&[(theme.plain(), format!("  {line}"))], columns)));
    rows
}

fn label(text: &str, theme: Theme) -> (ratatui::style::Style, String) {
    (theme.quiet(), format!("{text:<LABEL$}"))
}

fn indented(line: &[(ratatui::style::Style, String)], columns: usize) -> Vec<StyledLine> {
    let mut pieces = vec![(ratatui::style::Style::default(), " ".repeat(INDENT))];
    pieces.extend(line.iter().cloned());
    wrap(&pieces, columns, INDENT)
}

/// Predicted and seen, one above the other.
fn below(found: &ObservedDifference, columns: usize, theme: Theme) -> Vec<StyledLine> {
    let mut rows = indented(&[label("predicted", theme), (theme.plain(), found.predicted.clone())], columns);
    rows.extend(indented(&[label("seen", theme), (theme.warn(), found.seen.clone())], columns));
    rows
}

/// Predicted and seen in two columns.
fn beside(found: &ObservedDifference, columns: usize, theme: Theme) -> Vec<StyledLine> {
    let half = (columns - INDENT - GAP) / 2;
    let column = |title: &str, style, text: &str| {
        let mut lines = vec![vec![(theme.quiet(), title.to_owned())]];
        lines.extend(text.lines().flat_map(|line| wrap(&[(style, line.to_owned())], half, 0)));
        lines
    };
    let left = column("predicted", theme.plain(), &found.predicted);
    let right = column("seen", theme.warn(), &found.seen);
    let line = |index: usize| {
        let mut line: StyledLine = vec![(theme.plain(), " ".repeat(INDENT))];
        let cells = left.get(index).cloned().unwrap_or_default();
        let used: usize = cells.iter().map(|(_, text)| width(text)).sum();
        line.extend(cells);
        if let Some(cells) = right.get(index) {
            line.push((theme.plain(), " ".repeat((half + GAP).saturating_sub(used))));
            line.extend(cells.iter().cloned());
        }
        line
    };
    (0..left.len().max(right.len())).map(line).collect()
}

/// The calibration of an agent: that it runs, or what is known, and what differs.
pub fn sentences(model: &Model, agent: AgentId) -> Vec<String> {
    let name = name_of(agent);
    let mut all = Vec::new();
    if let Some(progress) = model.session.calibration_progress().filter(|progress| progress.agent == agent) {
        if progress.running {
            return vec![
                format!("The calibration of {name} runs: {}.", progress.headline()),
                "Say calibrate again to hear how far it is, or cancel to stop it.".to_owned(),
            ];
        }
        all.push(format!("{}.", progress.headline()));
    }
    let state = model.session.agents().iter().find(|state| state.dialect.id() == agent);
    all.extend(state.map(|state| format!("{name} {}.", basis_words(state))));
    let Some(found) = model.session.calibration_findings(agent) else {
        all.push(HOW.to_owned());
        return all;
    };
    if !found.coverage.is_empty() {
        all.push(format!("{}.", found.coverage));
    }
    all.extend(found.news.iter().map(|fact| format!("New to hookbench: {}.", fact.words())));
    for probe in &found.different {
        all.push(format!("{} differs: {}", probe.id, probe.says));
        for one in &probe.differences {
            all.push(format!("{}, {}: predicted {}, seen {}.", one.event, one.aspect, one.predicted, one.seen));
        }
        all.push(format!("Rules: {}.", probe.rules.join(", ")));
        all.push(format!("Settings: {}", probe.settings));
    }
    all.extend(found.failed.iter().map(|probe| format!("{} could not be asked: {}.", probe.id, probe.why)));
    all
}
