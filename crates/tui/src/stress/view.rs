//! The popup: its rows, and the same as sentences.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::Model;
use crate::popup::{draw_full, full_columns};
use crate::theme::Theme;
use crate::widgets::{StyledLine, wrap};
use hookbench_app::{StressReport, StressTest, VariantResult, VariantRow, WorldResult, WorldRow};
use hookbench_core::stress::{DeedFamily, KeyEffect, PayloadCoverage};

/// Draws the popup, beginning with row `top`.
pub fn draw(top: usize, area: Rect, buf: &mut Buffer, model: &Model) {
    let title = model.session.stress_test().map_or_else(String::new, |test| format!("Stress test of {}", test.label));
    draw_full((&title, &popup_rows(model, area.width)), top, area, buf, model.theme);
}

/// The rows of the popup on a screen of this width.
pub(super) fn popup_rows(model: &Model, width: u16) -> Vec<StyledLine> {
    let test = model.session.stress_test();
    test.map(|test| rows(test, full_columns(width), model.theme)).unwrap_or_default()
}

/// The width of the column with results and families.
const RESULT: usize = 17;
/// The width of the column with conditions.
const CONDITION: usize = 29;
/// Columns from which on a condition and its explanation are in one row.
const WIDE: usize = 90;

/// The rows at this width.
fn rows(test: &StressTest, width: usize, theme: Theme) -> Vec<StyledLine> {
    let report = &test.report;
    let style = if test.failure.is_some() { theme.bad() } else { theme.strong() };
    let mut lines = vec![vec![(style, test.headline())]];
    if test.is_running() {
        let deed = report.deed.as_deref().map(one_row);
        let deed = deed.map(|deed| {
            if report.refuses {
                format!("variants of `{deed}`")
            } else {
                format!("`{deed}` is not refused, so its variants are not tried")
            }
        });
        lines.extend(deed.map(|text| vec![(theme.plain(), text)]));
    }
    section(&mut lines, "Refused variants", families(report, theme), theme);
    let payload = report.coverage.iter().flat_map(|coverage| payload(coverage, width, theme));
    section(&mut lines, "Payload", payload, theme);
    section(&mut lines, "Variants that are not refused", report.misses().flat_map(|row| miss(row, theme)), theme);
    let (occurring, others): (Vec<_>, Vec<_>) = report.world.iter().partition(|row| row.condition.occurs());
    section(&mut lines, "Conditions", conditions(&occurring, width, theme), theme);
    section(&mut lines, "Conditions that no agent creates", conditions(&others, width, theme), theme);
    section(&mut lines, "", report.contained.iter().map(|how| vec![(theme.quiet(), how.clone())]), theme);
    let mut rows: Vec<StyledLine> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        rows.extend(wrap(line, width, if index == 0 || line.len() == 1 { 0 } else { RESULT }));
    }
    rows
}

/// Adds lines under a title, after an empty line, if there are any.
fn section(lines: &mut Vec<StyledLine>, title: &str, all: impl IntoIterator<Item = StyledLine>, theme: Theme) {
    let mut all = all.into_iter().peekable();
    if all.peek().is_some() {
        lines.push(Vec::new());
        lines.extend(
            Some(title).filter(|title| !title.is_empty()).map(|title| vec![(theme.strong(), title.to_owned())]),
        );
        lines.extend(all);
    }
}

/// The numbers of refused variants of each family.
fn families(report: &StressReport, theme: Theme) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for family in DeedFamily::ALL {
        let rows: Vec<_> = report.variants.iter().filter(|row| row.family == family).collect();
        let count = |result| rows.iter().filter(|row| row.result == result).count();
        let (refused, failed) = (count(VariantResult::Refused), count(VariantResult::FailedOpen));
        if rows.is_empty() {
            continue;
        }
        let style = if refused == rows.len() { theme.good() } else { theme.warn() };
        let mut line = vec![cell(theme.plain(), family.name()), (style, format!("{refused} of {}", rows.len()))];
        if failed > 0 {
            line.push((theme.bad(), format!(", {failed} failed open")));
        }
        lines.push(line);
    }
    lines
}

/// A variant that is not refused: its text, and below it why it is the same deed.
fn miss(row: &VariantRow, theme: Theme) -> Vec<StyledLine> {
    let failed = row.result == VariantResult::FailedOpen;
    let style = if failed { theme.bad() } else { theme.warn() };
    let why = format!("{}: {}", row.family.name(), row.why_the_same);
    let mut lines = vec![
        vec![cell(style, row.result.words()), (theme.plain(), one_row(&row.text))],
        vec![cell(theme.quiet(), ""), (theme.quiet(), why)],
    ];
    if failed {
        lines.push(vec![cell(theme.quiet(), ""), (theme.quiet(), row.explanation.clone())]);
    }
    lines
}

/// Conditions: those that the hook does not withstand, the names of the others, and those that were not tried.
fn conditions(rows: &[&WorldRow], width: usize, theme: Theme) -> Vec<StyledLine> {
    let explained = |ok: Option<bool>| {
        let rows = rows.iter().filter(move |row| row.result.is_ok() == ok);
        rows.flat_map(move |row| condition(row, width, theme))
    };
    explained(Some(false)).chain(other_conditions(rows, theme)).chain(explained(None)).collect()
}

/// A condition with its explanation.
fn condition(row: &WorldRow, width: usize, theme: Theme) -> Vec<StyledLine> {
    let style = match row.result {
        WorldResult::NotTried => theme.quiet(),
        _ if row.condition.occurs() => theme.bad(),
        _ => theme.warn(),
    };
    explained(cell(style, row.result.words()), &row.condition.name(), &row.explanation, width, theme)
}

/// A result, a name and an explanation, in one row if there is room.
fn explained(result: (Style, String), name: &str, says: &str, width: usize, theme: Theme) -> Vec<StyledLine> {
    let says = (theme.quiet(), says.to_owned());
    if width >= WIDE {
        return vec![vec![result, (theme.plain(), format!("{name:<CONDITION$}")), says]];
    }
    vec![vec![result, (theme.plain(), name.to_owned())], vec![cell(theme.quiet(), ""), says]]
}

/// The keys of the payload and their effects, and the keys that the script names in vain.
fn payload(coverage: &PayloadCoverage, width: usize, theme: Theme) -> Vec<StyledLine> {
    let sentences = coverage.sentences().into_iter();
    let mut lines: Vec<StyledLine> = sentences.map(|sentence| vec![(theme.plain(), sentence)]).collect();
    let styles =
        [(KeyEffect::Decides, theme.good()), (KeyEffect::Read, theme.good()), (KeyEffect::Named, theme.plain())];
    for (effect, style) in styles {
        for key in coverage.keys.iter().filter(|key| key.effect == effect) {
            lines.extend(explained(cell(style, effect.words()), &key.key, &key.explanation, width, theme));
        }
    }
    for key in &coverage.missing {
        let result = cell(theme.warn(), "missing");
        lines.extend(explained(result, &key.coverage.key, &key.explanation(), width, theme));
    }
    for effect in [KeyEffect::Ignored, KeyEffect::NotTried] {
        let keys = coverage.keys_with(effect);
        if !keys.is_empty() {
            lines.push(vec![cell(theme.quiet(), effect.words()), (theme.quiet(), keys.join(", "))]);
        }
    }
    lines.extend(coverage.limits.iter().map(|limit| vec![(theme.quiet(), limit.clone())]));
    lines
}

/// The conditions under which the hook can be relied on: their names after each result.
fn other_conditions(rows: &[&WorldRow], theme: Theme) -> impl Iterator<Item = StyledLine> {
    [WorldResult::FailsClosed, WorldResult::Holds].into_iter().filter_map(move |result| {
        let rows = rows.iter().filter(|row| row.result == result);
        let names: Vec<String> = rows.map(|row| row.condition.name()).collect();
        let line = || vec![cell(theme.good(), result.words()), (theme.plain(), names.join(", "))];
        (!names.is_empty()).then(line)
    })
}

fn cell(style: Style, text: &str) -> (Style, String) {
    (style, format!("{text:<RESULT$}"))
}

/// A text of several lines in one row.
fn one_row(text: &str) -> String {
    text.trim_end().replace('\n', " / ")
}

/// The last stress test: that it has started, or its result, the misses, and the conditions that are not as usual.
pub fn sentences(model: &Model) -> Vec<String> {
    let Some(test) = model.session.stress_test() else { return Vec::new() };
    if test.is_running() {
        return vec![
            format!("The stress test of {} runs in a copy of the project.", test.label),
            "Say stress again to stop it.".to_owned(),
        ];
    }
    let mut all = vec![format!("Stress test of {}: {}.", test.label, test.headline())];
    all.extend(misses(test));
    all.extend(test.report.coverage.iter().flat_map(payload_sentences));
    for row in test.report.world.iter().filter(|row| row.result != WorldResult::Holds) {
        all.push(format!("{} {}: {}.", row.result.words(), row.condition.phrase(), row.explanation));
    }
    all
}

fn payload_sentences(coverage: &PayloadCoverage) -> Vec<String> {
    let mut all = vec![format!("Payload: {}.", coverage.headline())];
    for key in coverage.keys.iter().filter(|key| !key.explanation.is_empty()) {
        all.push(format!("{} {}: {}.", key.effect.words(), key.key, key.explanation));
    }
    all.extend(coverage.missing.iter().map(|key| format!("missing {}: {}.", key.coverage.key, key.explanation())));
    let ignored = coverage.keys_with(KeyEffect::Ignored);
    all.extend((!ignored.is_empty()).then(|| format!("ignored: {}.", ignored.join(", "))));
    all.extend(coverage.limits.iter().map(|limit| format!("{limit}.")));
    all
}

fn misses(test: &StressTest) -> impl Iterator<Item = String> {
    test.report.misses().map(|row| {
        let failed = if row.result == VariantResult::FailedOpen { "failed open" } else { "not refused" };
        format!("{failed}: {}, because {}.", row.text, row.why_the_same)
    })
}
