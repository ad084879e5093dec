//! The page of `diff`: two recorded events, and what differs.

use super::text_page::{TextPage, Tone, agent_name, verdict_tone};
use hookbench_app::document::{DiffDoc, DiffSideDoc, format_millis};
use hookbench_core::decide::Verdict;
use hookbench_core::text::{LineSign, diff_lines, stringify};
use serde_json::Value;

/// The width of the labels.
const LABEL: usize = 20;
/// The maximum number of lines shown of a stream.
const LINES: usize = 200;

/// Writes the differences. Only verdicts are coloured; the others are neither good nor bad.
pub fn diff(page: &mut TextPage, doc: &DiffDoc) {
    page.put(Tone::Strong, &format!(" #{} and #{}", doc.before.number, doc.after.number)).end().end();
    side(page, "-", &doc.before);
    side(page, "+", &doc.after);
    page.end();
    match &doc.diff.changes {
        None => {
            let says =
                " the decisions are not compared: one of the records does not hold the hooks that ran and the decision";
            page.put(Tone::Warn, says).end();
        }
        Some(_) if doc.same => {
            page.put(Tone::Strong, " nothing changed").end();
        }
        Some(_) => {}
    }
    for change in doc.diff.changes.iter().flatten().filter(|change| change.what != "verdict") {
        let hook = change.hook.as_ref().map(|hook| format!("{hook} ")).unwrap_or_default();
        let label = format!("{hook}{}", change.what.replace('_', " "));
        both(page, &label, &words(&change.before), &words(&change.after));
        if let Some(why) = &change.why {
            page.put(Tone::Plain, " ").cell(Tone::Quiet, "", LABEL + 2).put(Tone::Quiet, why).end();
        }
    }
    for change in &doc.diff.payload {
        both(page, &change.path, &change.before, &change.after);
    }
    for change in &doc.diff.outputs {
        page.end()
            .put(Tone::Strong, &format!(" {}", change.hook))
            .put(Tone::Quiet, &format!("   {}", change.stream))
            .end();
        let (before, after) = (page.masked(&change.before).into_owned(), page.masked(&change.after).into_owned());
        for line in diff_lines(&before, &after).iter().filter(|line| line.sign != LineSign::Kept).take(LINES) {
            page.put(Tone::Plain, &format!(" {} {}", line.sign.mark(), line.text.trim_end_matches('\n'))).end();
        }
    }
    if !doc.diff.times.is_empty() {
        page.end().put(Tone::Strong, " times").end();
    }
    for time in &doc.diff.times {
        page.put(Tone::Plain, "   ").cell(Tone::Plain, &time.hook, LABEL);
        page.put(
            Tone::Quiet,
            &format!("{} before, {} after", format_millis(time.before_ms), format_millis(time.after_ms)),
        );
        page.end();
    }
}

fn side(page: &mut TextPage, sign: &str, side: &DiffSideDoc) {
    page.put(Tone::Plain, &format!(" {sign} ")).cell(Tone::Quiet, &format!("#{}", side.number), 8);
    let verdict = side.verdict.as_deref().and_then(Verdict::from_word);
    let title = verdict.map_or("not recorded", Verdict::title);
    page.cell(verdict.map_or(Tone::Quiet, verdict_tone), title, 15).put(Tone::Plain, &side.event);
    page.put(Tone::Plain, &side.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default());
    let version = side.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
    let at = side.at.as_ref().map(|at| format!("   {at}")).unwrap_or_default();
    page.put(Tone::Quiet, &format!("   {}{version}{at}", agent_name(&side.agent))).end();
}

/// A label with both of its values.
fn both(page: &mut TextPage, label: &str, before: &str, after: &str) {
    for (sign, label, value) in [("-", label, before), ("+", "", after)] {
        page.put(Tone::Plain, &format!(" {sign} ")).cell(Tone::Quiet, label, LABEL).put(Tone::Plain, value).end();
    }
}

/// A value in words.
fn words(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        other => stringify(other),
    }
}
