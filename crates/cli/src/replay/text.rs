//! The text page of a replay: first the summary by rule, then the events that differ.

use std::time::Duration;

use indexmap::IndexMap;

use crate::print::text_page::{TextPage, Tone, verdict_tone};
use hookbench_app::replay::{
    ActionChange, EventAssessment, ReplayBaseline, ReplayHeadline, ReplaySummary, ReplayedEvent,
};
use hookbench_core::text::{pluralize, truncate};

/// The result of an event, with its number if it comes from the store.
pub(super) type NumberedResult = (Option<i64>, ReplayedEvent);

/// Maximum number of events listed, and of rules.
const EVENTS: usize = 40;
const RULES: usize = 20;
/// Longer texts are cut to this number of characters.
const TEXT: usize = 60;

/// Prints the results of all events. `run` is whether the hooks ran, `baseline` what the user compared with.
pub fn replay(
    all: &[NumberedResult],
    flags: &IndexMap<String, usize>,
    summary: &ReplaySummary,
    (run, baseline): (bool, Option<&ReplayBaseline>),
    page: &mut TextPage,
) {
    // The results without a difference are not in the list.
    let unlisted = summary.events - all.len();
    let headline = ReplayHeadline::with_unlisted(all.iter().map(|(_, one)| one), unlisted);
    for (index, (change, says)) in headline.sentences().into_iter().enumerate() {
        let tone = match change {
            Some(change) => verdict_tone(change.verdict()),
            None if index == 0 => Tone::Strong,
            None => Tone::Warn,
        };
        page.put(tone, &format!(" {says}")).end();
    }
    for says in [headline.failed_words(), headline.neutral_words()].into_iter().flatten() {
        page.put(Tone::Quiet, &format!(" {says}")).end();
    }
    for rule in summary.rules.iter().take(RULES) {
        let (tone, sign) = if rule.newly { (Tone::Good, '+') } else { (Tone::Bad, '-') };
        page.put(tone, &format!(" {:>7}  ", format!("{sign}{}", rule.count)));
        page.put(Tone::Strong, &rule.hook).put(Tone::Plain, &format!("   {}", rule.event));
        if let Some(subject) = &rule.subject {
            page.put(Tone::Plain, &format!("  {subject}"));
        }
        page.put(Tone::Quiet, &format!("   {}", rule.why)).end();
    }
    if summary.rules.len() > RULES {
        page.put(Tone::Quiet, &format!("          … {} more rules", summary.rules.len() - RULES)).end();
    }
    let idle = |one: &ReplayedEvent| one.before.is_none() && one.after.is_ok() && ActionChange::of(one).is_none();
    let shown = |(_, one): &&NumberedResult| !one.is_same() && (!idle(one) || is_unknown(one));
    let different: Vec<&NumberedResult> = all.iter().filter(shown).collect();
    if !different.is_empty() {
        page.end();
    }
    for (number, one) in different.iter().take(EVENTS) {
        event(page, *number, one);
    }
    notes(page, flags);
    if different.len() > EVENTS {
        page.put(Tone::Quiet, &format!(" … {} more events; --format json lists all", different.len() - EVENTS)).end();
    }
    let mut hints = Vec::new();
    if all.iter().any(|(_, one)| one.before.is_none() && one.after.is_ok()) {
        hints.push(match baseline {
            Some(ReplayBaseline::Recorded) => {
                "no earlier result: what the hooks did was not recorded; add --baseline git:HEAD to compare with the last commit"
            }
            _ => {
                "no earlier result: neither a recording nor a commit of the project shows what the hooks did; \
                 add --baseline DIR to compare with another directory"
            }
        });
    }
    if !headline.unknown.is_empty() && !run {
        hints.push("unknown verdicts: add --run to run the hooks");
    }
    if run {
        hints.push("each result is stored as a new event: hookbench db list --filter ~replay");
    }
    if !hints.is_empty() {
        page.end();
    }
    for hint in hints {
        page.put(Tone::Quiet, &format!(" {hint}")).end();
    }
}

/// Whether the new verdict is unknown until the hooks run.
fn is_unknown(one: &ReplayedEvent) -> bool {
    one.after.as_ref().is_ok_and(|after| after.outcome.is_err())
}

fn event(page: &mut TextPage, number: Option<i64>, one: &ReplayedEvent) {
    let which = number.map_or_else(|| one.origin.clone(), |seq| format!("#{seq}"));
    page.put(Tone::Quiet, &format!(" {which}  ")).put(Tone::Plain, &one.name);
    if let Some(subject) = &one.subject {
        page.put(Tone::Plain, &format!("  {subject}"));
    }
    if let Some(what) = &one.what {
        page.put(Tone::Plain, &format!("  {}", truncate(what, TEXT)));
    }
    match &one.after {
        Err(why) => {
            page.put(Tone::Warn, &format!("   cannot be fired: {why}"));
        }
        Ok(after) => {
            page.put(Tone::Plain, "   ");
            match &one.before {
                None => {
                    page.put(Tone::Quiet, "no earlier result; now ");
                }
                Some(before) => {
                    verdict(page, before);
                    page.put(Tone::Quiet, " -> ");
                }
            }
            verdict(page, after);
        }
    }
    page.end();
    for change in one.changes.iter().filter(|change| change.what != "verdict") {
        let says = change.describe(TEXT);
        let why = change.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
        page.put(Tone::Plain, &format!("     {says}")).put(Tone::Quiet, &why).end();
    }
}

/// Prints each note about facts that could not be restored, with its count.
fn notes(page: &mut TextPage, counts: &IndexMap<String, usize>) {
    for (flag, count) in counts.iter().take(RULES) {
        let times = pluralize(*count, "event");
        page.put(Tone::Warn, " ! ").put(Tone::Quiet, &format!("{times}: {flag}")).end();
    }
    if counts.len() > RULES {
        page.put(Tone::Quiet, &format!("   … {} more notes", counts.len() - RULES)).end();
    }
}

fn verdict(page: &mut TextPage, judged: &EventAssessment) {
    match &judged.outcome {
        Ok(outcome) => page.put(verdict_tone(outcome.verdict), outcome.verdict.title()),
        Err(_) => page.put(Tone::Warn, "unknown until run"),
    };
}

/// Returns the progress line: events done, events a second, and the time left.
pub(super) fn progress(done: usize, all: usize, elapsed: Duration) -> String {
    #[allow(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = done as f64 / elapsed.as_secs_f64().max(1e-3);
    #[allow(clippy::cast_precision_loss, reason = "a rate for people")]
    let left = (all - done) as f64 / rate;
    format!("{done} of {all}, {rate:.0} a second, {left:.0} s left")
}
