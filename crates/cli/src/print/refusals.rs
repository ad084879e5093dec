//! The refusals of a replay, and the report on its rows.

use super::text_page::{TextPage, Tone};
use hookbench_app::replay::{RefusalGroup, ReplayReportDoc};
use hookbench_core::text::{one_line, pluralize, truncate};

/// Maximum number of groups listed, and of reasons.
const GROUPS: usize = 20;
/// Longer texts are cut to this number of characters.
const TEXT: usize = 80;

/// Prints the report on the rows of a replay.
pub fn replay_report(report: &ReplayReportDoc, page: &mut TextPage) {
    let tone = if report.newly_refused > 0 { Tone::Bad } else { Tone::Strong };
    page.put(tone, &format!(" {}", report.headline())).end();
    let verdicts = report.verdicts.iter().map(|(verdict, events)| format!("{verdict} {events}"));
    let verdicts = verdicts.collect::<Vec<_>>().join(", ");
    let people = pluralize(report.people as u64, "known user");
    page.put(Tone::Quiet, &format!(" {}, {people}: {verdicts}", pluralize(report.events, "event"))).end();
    let mut reasons: Vec<(&String, &u64)> = report.unknown.iter().collect();
    reasons.sort_by_key(|(_, events)| std::cmp::Reverse(**events));
    for (why, events) in reasons.iter().take(GROUPS) {
        page.put(Tone::Warn, &format!(" {events:>7}  ")).put(Tone::Plain, &one_line(why)).end();
    }
    if reasons.len() > GROUPS {
        page.put(Tone::Quiet, &format!("          … {} more reasons", reasons.len() - GROUPS)).end();
    }
    refusals(&report.refusals, page);
}

/// Prints refused events by hook, rule, project and person.
pub fn refusals(groups: &[RefusalGroup], page: &mut TextPage) {
    // One refusal is in the list of events.
    if groups.iter().map(|group| group.events).sum::<u64>() < 2 {
        return;
    }
    page.end().put(Tone::Strong, " refused").end();
    for group in groups.iter().take(GROUPS) {
        page.put(Tone::Bad, &format!(" {:>7}  ", group.events));
        page.put(Tone::Strong, &one_line(group.hook.as_deref().unwrap_or("unknown hook")));
        for part in [&group.project, &group.person].into_iter().flatten() {
            page.put(Tone::Plain, &format!("   {}", truncate(&one_line(part), TEXT)));
        }
        if group.new < group.events {
            page.put(Tone::Quiet, &format!("   {} refused before", group.events - group.new));
        }
        page.end();
        if let Some(rule) = &group.rule {
            page.put(Tone::Plain, &format!("          {}", one_line(rule))).end();
        }
        for example in &group.examples {
            let what = example.what.as_deref().or(example.subject.as_deref()).unwrap_or(&example.event);
            page.put(Tone::Quiet, &format!("          {}  ", example.id));
            page.put(Tone::Plain, &truncate(&one_line(what), TEXT)).end();
        }
    }
    if groups.len() > GROUPS {
        let more = groups.len() - GROUPS;
        page.put(Tone::Quiet, &format!("          … {more} more groups; --format json lists all")).end();
    }
}
