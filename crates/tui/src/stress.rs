//! Stress tests of the selected hook: starting and stopping one, and the popup with its result.

use ratatui::style::Style;

use crate::model::{HookListRow, Model};
use crate::popup::Popup;
use crate::update::{LoopRequest, command};
use hookbench_app::{Command, StressReport, VariantResult, WorldResult};
use hookbench_core::stress::DeedFamily;

/// The width of the columns with results and families.
const COLUMN: usize = 16;

/// Starts a stress test of the selected hook, or stops the one that runs.
pub(super) fn toggle(model: &mut Model, asks: &mut Vec<LoopRequest>) {
    if model.session.stress_test().is_some_and(|test| !test.report.finished) {
        command(model, Command::StopStress, asks);
        show(model);
        return;
    }
    let Some(HookListRow::Hook(hook)) = model.rows.get(model.selected).cloned() else {
        model.toast = Some("select a hook to stress".to_owned());
        return;
    };
    command(model, Command::Stress { hook, in_place: false }, asks);
    if model.session.stress_test().is_some_and(|test| !test.report.finished) {
        model.toast = Some("stress test started in a copy of the project; the same key stops it".to_owned());
    }
}

/// Shows the result of the last stress test.
pub(super) fn show(model: &mut Model) {
    let Some(test) = model.session.stress_test() else { return };
    let lines = lines(model, &test.report);
    model.popups.push(Popup::Lines { title: format!("Stress test of {}", test.label), lines, top: 0 });
}

/// The headline, the matrix of families, the variants that are not refused, and the conditions.
fn lines(model: &Model, report: &StressReport) -> Vec<Vec<(Style, String)>> {
    let theme = model.theme;
    let mut lines: Vec<Vec<(Style, String)>> = vec![vec![(theme.strong(), report.headline())]];
    if !report.variants.is_empty() {
        lines.push(Vec::new());
    }
    for family in DeedFamily::ALL {
        let rows: Vec<_> = report.variants.iter().filter(|row| row.family == family).collect();
        let refused = rows.iter().filter(|row| row.result == VariantResult::Refused).count();
        if !rows.is_empty() {
            let style = if refused == rows.len() { theme.good() } else { theme.warn() };
            let count = format!("{refused} of {} refused", rows.len());
            lines.push(vec![(theme.plain(), format!("{:<COLUMN$}", family.name())), (style, count)]);
        }
    }
    for row in report.misses() {
        if lines.last().is_some_and(|line| line.len() == 2) {
            lines.push(Vec::new());
        }
        let style = if row.result == VariantResult::FailedOpen { theme.bad() } else { theme.warn() };
        let text = row.text.replace('\n', " / ");
        lines.push(vec![
            (style, format!("{:<COLUMN$}", row.result.words())),
            (theme.quiet(), format!("{:<COLUMN$}", row.family.name())),
            (theme.plain(), text),
        ]);
        let indent = " ".repeat(2 * COLUMN);
        lines.push(vec![(theme.quiet(), format!("{indent}{}", row.why_the_same))]);
    }
    if !report.world.is_empty() {
        lines.push(Vec::new());
    }
    for row in &report.world {
        let style = match row.result {
            WorldResult::Holds | WorldResult::FailsClosed => theme.good(),
            WorldResult::NotTried => theme.quiet(),
            _ => theme.bad(),
        };
        let says = if row.result == WorldResult::Holds { "" } else { &row.explanation };
        lines.push(vec![
            (style, format!("{:<COLUMN$}", row.result.words())),
            (theme.plain(), format!("{:<28}", row.condition.name())),
            (theme.quiet(), says.to_owned()),
        ]);
    }
    lines
}
