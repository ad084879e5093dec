//! The page of a stress test.

use crate::print::text_page::{TextPage, Tone};
use crate::print::write_stdout;
use hookbench_app::{StressReport, VariantResult, WorldResult};
use hookbench_core::hook::HookDefinition;
use hookbench_core::stress::DeedFamily;

/// The widths of the columns.
const FAMILY: usize = 15;
const RESULT: usize = 13;
const CONDITION: usize = 27;

/// Prints the headline, the matrix of families, the misses, and the conditions.
pub(super) fn page(report: &StressReport, definition: &HookDefinition) {
    let mut page = TextPage::new();
    let place = format!("{}:{}", definition.provenance.file, definition.provenance.line);
    page.put(Tone::Strong, &definition.label());
    page.put(Tone::Quiet, &format!("  {}  {place}", definition.event)).end();
    page.put(Tone::Plain, &report.headline()).end();
    if let Some(how) = &report.contained {
        page.put(Tone::Quiet, how).end();
    }
    if !report.variants.is_empty() {
        families(report, &mut page);
    }
    let misses: Vec<_> = report.misses().collect();
    if !misses.is_empty() {
        page.end().put(Tone::Strong, "NOT REFUSED").end();
    }
    for row in misses {
        let tone = if row.result == VariantResult::FailedOpen { Tone::Bad } else { Tone::Warn };
        page.put(Tone::Plain, "  ").cell(tone, row.result.words(), RESULT).cell(Tone::Quiet, row.family.name(), FAMILY);
        page.put(Tone::Plain, &row.text).end();
        let indent = " ".repeat(2 + RESULT + FAMILY);
        page.put(Tone::Quiet, &format!("{indent}{}", row.why_the_same)).end();
        if row.result == VariantResult::FailedOpen {
            page.put(Tone::Quiet, &format!("{indent}{}", row.explanation)).end();
        }
    }
    if !report.world.is_empty() {
        page.end().put(Tone::Strong, "THE WORLD").end();
    }
    for row in &report.world {
        let tone = match row.result {
            WorldResult::Holds | WorldResult::FailsClosed => Tone::Good,
            WorldResult::NotTried => Tone::Quiet,
            _ => Tone::Bad,
        };
        page.put(Tone::Plain, "  ").cell(tone, row.result.words(), RESULT + 3);
        page.cell(Tone::Plain, &row.condition.name(), CONDITION);
        let known = row.result == WorldResult::Holds;
        page.put(Tone::Quiet, if known { "" } else { &row.explanation }).end();
    }
    write_stdout(&page.finish());
}

/// The refused variants of each family.
fn families(report: &StressReport, page: &mut TextPage) {
    page.end().put(Tone::Strong, "REFUSED").end();
    for family in DeedFamily::ALL {
        let rows: Vec<_> = report.variants.iter().filter(|row| row.family == family).collect();
        if rows.is_empty() {
            continue;
        }
        let refused = rows.iter().filter(|row| row.result == VariantResult::Refused).count();
        let failed = rows.iter().filter(|row| row.result == VariantResult::FailedOpen).count();
        let marks: String = rows
            .iter()
            .map(|row| match row.result {
                VariantResult::Refused => '✕',
                VariantResult::LetThrough => '·',
                VariantResult::FailedOpen => '!',
            })
            .collect();
        let tone = if refused == rows.len() { Tone::Good } else { Tone::Warn };
        page.put(Tone::Plain, "  ").cell(Tone::Plain, family.name(), FAMILY);
        page.cell(tone, &format!("{refused} of {}", rows.len()), RESULT).put(Tone::Quiet, &marks);
        if failed > 0 {
            page.put(Tone::Bad, &format!("  {failed} failed open"));
        }
        page.end();
    }
    page.put(Tone::Quiet, "  ✕ refused  · not refused  ! failed open").end();
}
