//! The pages of `guard list`, `guard try` and `guard install`.

use crate::print::text_page::{TextPage, Tone};
use hookbench_app::GuardInstall;
use hookbench_app::document::{GuardListDoc, GuardTryDoc};
use hookbench_core::guard::find_rule;
use hookbench_core::text::pluralize;

/// The number of findings that `guard list` shows.
const SHOWN: usize = 20;

fn mode_tone(mode: &str) -> Tone {
    match mode {
        "deny" => Tone::Bad,
        "warn" => Tone::Warn,
        "off" => Tone::Quiet,
        _ => Tone::Plain,
    }
}

/// The page of `guard list`.
pub fn list(doc: &GuardListDoc) -> String {
    let mut page = TextPage::new();
    for guard in &doc.guards {
        page.put(Tone::Plain, " ").cell(Tone::Strong, guard.guard, 11).cell(mode_tone(guard.mode), guard.mode, 8);
        page.put(Tone::Plain, guard.about).end();
        let since = guard.since.as_ref().map(|since| format!("since {}", day(since)));
        let found = if guard.hits == 0 {
            "nothing found".to_owned()
        } else {
            format!("{} found, {} right, {} wrong", guard.hits, guard.right, guard.wrong)
        };
        let facts: Vec<String> = since.into_iter().chain([found]).collect();
        page.put(Tone::Quiet, &format!("            {}", facts.join(" · "))).end();
        if guard.installed.is_empty() {
            page.put(Tone::Quiet, "            not installed").end();
        }
        for command in &guard.installed {
            let mode = command.mode.map_or(String::new(), |mode| format!(" · --mode {mode}"));
            let text = format!("            {} · {} · {}{mode}", command.agent, command.event, command.place);
            page.put(Tone::Quiet, &text).end();
        }
    }
    if !doc.hits.is_empty() {
        page.end().put(Tone::Strong, " Newest findings").end();
    }
    for hit in doc.hits.iter().take(SHOWN) {
        let judged = hit.allowed.as_ref().map(|_| "allowed").or(hit.judged).unwrap_or("");
        page.put(Tone::Quiet, &format!(" {} ", hit.id)).cell(Tone::Strong, &hit.rule, 7);
        page.cell(mode_tone(&hit.mode), &hit.mode, 8).cell(Tone::Plain, judged, 8);
        page.put(Tone::Plain, &found(&hit.place, &hit.says)).end();
        if !hit.evidence.is_empty() {
            page.put(Tone::Quiet, &format!("              {}", hit.evidence)).end();
        }
    }
    if doc.hits.len() > SHOWN {
        page.put(Tone::Quiet, &format!(" … and {} more: --format json", doc.hits.len() - SHOWN)).end();
    }
    page.finish()
}

fn found(place: &str, what: &str) -> String {
    if place.is_empty() { what.to_owned() } else { format!("{place} {what}") }
}

fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

/// The page of `guard try`.
pub fn trial(doc: &GuardTryDoc) -> String {
    let mut page = TextPage::new();
    let mut rules: Vec<&str> = doc.hits.iter().map(|hit| hit.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    for rule in rules {
        let own: Vec<_> = doc.hits.iter().filter(|hit| hit.rule == rule).collect();
        let judged = |word| own.iter().filter(|hit| hit.judged == Some(word)).count();
        let help = find_rule(rule).map_or("", |rule| rule.instead);
        page.put(Tone::Strong, &format!(" {rule}")).put(Tone::Plain, &format!("  {}", pluralize(own.len(), "finding")));
        if judged("right") + judged("wrong") > 0 {
            page.put(Tone::Plain, &format!(" · {} right, {} wrong", judged("right"), judged("wrong")));
        }
        page.put(Tone::Quiet, &format!(" · {help}")).end();
        for hit in own {
            page.put(Tone::Quiet, &format!("   {} ", hit.id)).cell(mode_tone(&hit.would), &hit.would, 5);
            page.put(Tone::Plain, &hit.says).end();
            for text in &hit.evidence {
                page.put(Tone::Quiet, &format!("                {text}")).end();
            }
        }
    }
    let events = pluralize(doc.events, "event");
    let summary = match doc.hits.len() {
        _ if doc.events == 0 => " no event to check; name a session file: hookbench guard try FILE".to_owned(),
        0 => format!(" {events} checked; the guards would have refused nothing"),
        count => format!(" {events} checked, {} found", pluralize(count, "finding")),
    };
    if !doc.hits.is_empty() {
        page.end();
    }
    page.put(Tone::Plain, &summary).end();
    page.finish()
}

/// Adds the guards of an installation.
pub fn install(page: &mut TextPage, install: &GuardInstall) {
    for entry in &install.entries {
        let state = if entry.file.is_some() { "unchanged" } else { "added" };
        page.put(Tone::Plain, " ").cell(Tone::Strong, state, 11).cell(Tone::Plain, entry.guard.word(), 11);
        let matcher = entry.matcher.as_ref().map_or(String::new(), |matcher| format!(" ({matcher})"));
        page.put(Tone::Plain, &format!("{} · {}{matcher}", entry.agent, entry.event));
        if let Some(file) = &entry.file {
            page.put(Tone::Quiet, &format!("   in {file}"));
        }
        page.end();
    }
    for skipped in &install.skipped {
        page.put(Tone::Plain, " ").cell(Tone::Quiet, "left out", 11).cell(Tone::Plain, skipped.guard.word(), 11);
        page.put(Tone::Quiet, &format!("{}: {}", skipped.agent, skipped.why)).end();
    }
}
