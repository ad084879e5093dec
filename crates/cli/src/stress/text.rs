//! The page of a stress test.

use std::fmt::Write as _;

use crate::print::ci::xml;
use crate::print::text_page::{TextPage, Tone};
use hookbench_app::document::StressDoc;
use hookbench_app::{StressReport, VariantResult, WorldResult, WorldRow};
use hookbench_core::hook::HookDefinition;
use hookbench_core::stress::{DeedFamily, KeyEffect, PayloadCoverage};

/// The widths of the columns.
const FAMILY: usize = 15;
const RESULT: usize = 13;
const KEY: usize = 24;
/// The number of ignored keys in one line.
const KEYS_IN_A_LINE: usize = 5;

/// Prints the headline, the matrix of families, the misses, and the conditions.
pub(super) fn page(page: &mut TextPage, report: &StressReport, definition: &HookDefinition) {
    let place = format!("{}:{}", definition.provenance.file, definition.provenance.line);
    page.put(Tone::Strong, &definition.label());
    page.put(Tone::Quiet, &format!("  {}  {place}", definition.event)).end();
    page.put(Tone::Plain, &report.headline()).end();
    if let Some(help) = report.help() {
        page.put(Tone::Quiet, &format!("  {help}")).end();
    }
    if let Some(how) = &report.contained {
        page.put(Tone::Quiet, how).end();
    }
    if !report.variants.is_empty() {
        families(report, page);
    }
    if let Some(coverage) = &report.coverage {
        payload(coverage, page);
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
    conditions(report, page);
}

/// The conditions and their results; those that no agent creates come last.
fn conditions(report: &StressReport, page: &mut TextPage) {
    let names = report.world.iter().map(|row| row.condition.name().len() + 2).max().unwrap_or(0);
    // A hook that starts no process has the same row for every condition.
    let alike =
        |first: &WorldRow, row: &WorldRow| row.result == WorldResult::NotTried && row.explanation == first.explanation;
    if let [first, others @ ..] = report.world.as_slice()
        && !others.is_empty()
        && report.world.iter().all(|row| alike(first, row))
    {
        let all = format!("  {:<RESULT$} {} conditions: ", first.result.words(), report.world.len());
        page.end().put(Tone::Strong, "CONDITIONS").end();
        page.put(Tone::Quiet, &all).put(Tone::Quiet, &first.explanation).end();
        return;
    }
    let (occurring, others): (Vec<_>, Vec<_>) = report.world.iter().partition(|row| row.condition.occurs());
    for (title, rows) in [("CONDITIONS", occurring), ("CONDITIONS THAT NO AGENT CREATES", others)] {
        if !rows.is_empty() {
            page.end().put(Tone::Strong, title).end();
        }
        for row in rows {
            condition(row, names, page);
        }
    }
}

/// One condition, in columns; `width` is that of the names.
fn condition(row: &WorldRow, width: usize, page: &mut TextPage) {
    let tone = match row.result {
        WorldResult::Holds | WorldResult::FailsClosed => Tone::Good,
        WorldResult::NotTried => Tone::Quiet,
        _ if row.condition.occurs() => Tone::Bad,
        _ => Tone::Warn,
    };
    page.put(Tone::Plain, "  ").cell(tone, row.result.words(), RESULT + 3);
    page.cell(Tone::Plain, &row.condition.name(), width);
    let known = row.result == WorldResult::Holds;
    page.put(Tone::Quiet, if known { "" } else { &row.explanation }).end();
}

/// The keys of the payload and their effects, and the keys that the script names in vain.
fn payload(coverage: &PayloadCoverage, page: &mut TextPage) {
    page.end().put(Tone::Strong, "THE PAYLOAD").end();
    for sentence in coverage.sentences() {
        page.put(Tone::Plain, &format!("  {sentence}")).end();
    }
    let mut put = |tone: Tone, words: &str, key: &str, explanation: &str| {
        page.put(Tone::Plain, "  ").cell(tone, words, RESULT).cell(Tone::Plain, key, KEY);
        page.put(Tone::Quiet, explanation).end();
    };
    for (effect, tone) in
        [(KeyEffect::Decides, Tone::Good), (KeyEffect::Read, Tone::Good), (KeyEffect::Named, Tone::Plain)]
    {
        for key in coverage.keys.iter().filter(|key| key.effect == effect) {
            put(tone, effect.words(), &key.key, &key.explanation);
        }
    }
    for key in &coverage.missing {
        put(Tone::Warn, "missing", &key.coverage.key, &key.explanation());
    }
    for effect in [KeyEffect::Ignored, KeyEffect::NotTried] {
        for (index, keys) in coverage.keys_with(effect).chunks(KEYS_IN_A_LINE).enumerate() {
            page.put(Tone::Plain, "  ").cell(Tone::Quiet, if index == 0 { effect.words() } else { "" }, RESULT);
            page.put(Tone::Quiet, &keys.join(", ")).end();
        }
    }
    for limit in &coverage.limits {
        page.put(Tone::Quiet, &format!("  {limit}")).end();
    }
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
                VariantResult::Refused => '■',
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
    page.put(Tone::Quiet, "  ■ refused  · not refused  ! failed open").end();
}

pub(super) fn junit(doc: &StressDoc) -> String {
    let failed = doc.rows.iter().filter(|row| row.ok == Some(false)).count();
    let skipped = doc.rows.iter().filter(|row| row.ok.is_none()).count();
    let name = xml(&format!("stress {}", doc.hook.name));
    let numbers = format!("tests=\"{}\" failures=\"{failed}\" skipped=\"{skipped}\"", doc.rows.len());
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a String cannot fail.
    let _ = writeln!(out, "<testsuites {numbers}>\n  <testsuite name=\"{name}\" {numbers}>");
    for row in &doc.rows {
        let (file, line) = (xml(&doc.hook.source.file), doc.hook.source.line);
        let _ = write!(
            out,
            "    <testcase classname=\"{}\" name=\"{}\" file=\"{file}\" line=\"{line}\"",
            row.family,
            xml(&row.variant)
        );
        let message = xml(&format!("{}: {}", row.result, row.says));
        let _ = match row.ok {
            Some(true) => writeln!(out, "/>"),
            Some(false) => {
                let why = xml(&row.why_the_same);
                writeln!(out, "><failure message=\"{message}\">{why}</failure></testcase>")
            }
            None => writeln!(out, "><skipped message=\"{message}\"/></testcase>"),
        };
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}
