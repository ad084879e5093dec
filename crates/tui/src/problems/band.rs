//! The number of problems, and the filter above it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::bench::{Band, BandPart, BandRow, band_height, band_row};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::widgets::RowWriter;
use hookbench_app::lint::FindingGroup;
use hookbench_core::decide::Verdict;
use hookbench_core::diagnostic::Severity;
use hookbench_core::text::pluralize;

/// Columns before the filter.
const BEFORE: u16 = 3;

/// Draws the filter. Returns the cursor's position while the filter is typed.
pub fn draw_top_line(model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
    let theme = model.theme;
    if area.height == 0 || area.width <= BEFORE {
        return None;
    }
    let view = &model.problems;
    let mut cells = RowWriter::new(area, buf, theme);
    cells.skip(1).put(theme.name(), &model.key(UiCommand::Search)).skip(1);
    let (fits, all) = view.counts();
    if fits != all {
        cells.right(theme.quiet(), &format!("{fits} of {all} shown "));
    }
    let Some((line, _)) = &view.typing else {
        if view.filter.is_empty() {
            cells.put(theme.quiet(), "all agents");
        } else {
            cells.put(theme.strong(), &view.filter);
        }
        return None;
    };
    let (text, at) = line.window(cells.left());
    cells.put(theme.strong(), &text);
    let x = area.x + BEFORE + u16::try_from(at).unwrap_or(0);
    Some((x.min(area.right() - 1), area.y))
}

/// Builds the band.
pub fn build_band(model: &Model) -> Band {
    let theme = model.theme;
    let block = theme.verdict(Verdict::NoObjection);
    let quiet = |word: &str, says: String| band_row(word, theme.quiet(), vec![(theme.quiet(), says)]);
    let Some(report) = &model.session.problems().report else {
        let row = band_row("LOOKING", block, vec![(theme.plain(), "at the hooks of every agent".to_owned())]);
        return Band { rows: vec![row] };
    };
    let all = model.problems.all();
    let of = |severity| all.iter().filter(|group| group.finding.severity == severity).count();
    let (errors, warnings, remarks) = (of(Severity::Error), of(Severity::Warning), of(Severity::Info));
    let looked = format!("{} ({} read)", pluralize(report.hooks, "hook"), pluralize(report.files, "file"));
    let mut counts: Vec<String> = Vec::new();
    let mut put = |count: usize, what: &str| counts.extend((count > 0).then(|| pluralize(count, what)));
    put(errors, "error");
    put(warnings, "warning");
    put(remarks, "remark");
    let (word, style, says) = match (errors, warnings) {
        _ if report.hooks == 0 && all.is_empty() => ("NO HOOKS", block, "no agent reads a hook here".to_owned()),
        (0, 0) if remarks > 0 => ("REMARKS", block, String::new()),
        (0, 0) => ("FINE", theme.verdict(Verdict::Allow), format!("no problems found in {looked}")),
        (0, _) => ("WARNINGS", theme.verdict(Verdict::FailedOpen), String::new()),
        _ => ("ERRORS", theme.verdict(Verdict::Deny), String::new()),
    };
    let mut parts = vec![BandPart::from((theme.strong(), counts.join(", ")))];
    if says.is_empty() {
        parts.push((theme.plain(), format!(" in {looked}")).into());
    } else if counts.is_empty() {
        parts = vec![(theme.plain(), says).into()];
    } else {
        parts.push((theme.plain(), format!("   {says}")).into());
    }
    let mut rows = vec![BandRow { parts, ..band_row(word, style, Vec::new()) }];
    let fixes = all.iter().filter(|group| safe(group)).count();
    let mut more: Vec<String> = Vec::new();
    let have = if fixes == 1 { "has" } else { "have" };
    more.extend((fixes > 0).then(|| format!("{fixes} {have} a safe fix: {} preview", model.key(UiCommand::Fix))));
    more.extend((!report.allowed.is_empty()).then(|| format!("{} allowed with a reason", report.allowed.len())));
    if !more.is_empty() {
        rows.push(quiet("also", more.join("   ")));
    }
    rows.truncate(usize::from(band_height(Page::Problems, model.size)));
    Band { rows }
}

fn safe(group: &FindingGroup) -> bool {
    group.finding.fix.as_ref().is_some_and(|fix| fix.safe)
}
