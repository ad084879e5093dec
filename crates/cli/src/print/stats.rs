//! The pages of `stats` and of `fire --repeat`: a row for each hook.

use super::text_page::{TextPage, Tone, agent_name, column};
use hookbench_app::HookStats;
use hookbench_app::document::{BARS, RepeatDoc, StatsDoc, format_millis, format_share, sparkline};
use hookbench_core::text::pluralize;

/// The maximum width of names, and the width of numbers.
const NAME: usize = 30;
const NUMBER: usize = 9;

/// Writes the statistics of all hooks.
pub fn stats(page: &mut TextPage, doc: &StatsDoc) {
    page.put(Tone::Strong, &format!(" {}", pluralize(doc.hooks.len() as u64, "hook")));
    page.put(Tone::Plain, &format!(", {}", pluralize(doc.runs as u64, "recorded run")));
    let of = if doc.filter.is_empty() { String::new() } else { format!("   {}", doc.filter) };
    page.put(Tone::Quiet, &of).end().end();
    if doc.hooks.is_empty() {
        let help = "`hookbench import` reads sessions, and `hookbench replay --run` and the log of runs add to them";
        page.put(Tone::Plain, " no run of a hook is recorded here").end();
        page.put(Tone::Quiet, &format!(" help: {help}")).end();
        return;
    }
    let names = column(doc.hooks.iter().map(|one| one.hook.as_str()), NAME) + 2;
    let events = column(doc.hooks.iter().map(|one| one.event.as_str()), NAME) + 2;
    let agents = column(doc.hooks.iter().map(|one| agent_name(&one.agent)), NAME) + 2;
    page.put(Tone::Plain, " ").cell(Tone::Quiet, "hook", names).cell(Tone::Quiet, "event", events);
    page.cell(Tone::Quiet, "agent", agents);
    for word in ["runs", "failed", "p50", "p95", "slowest", "of limit"] {
        page.cell(Tone::Quiet, word, NUMBER);
    }
    page.put(Tone::Quiet, "course").end();
    for one in &doc.hooks {
        page.put(Tone::Plain, " ").cell(Tone::Strong, &one.hook, names).cell(Tone::Plain, &one.event, events);
        page.cell(Tone::Quiet, agent_name(&one.agent), agents).cell(Tone::Plain, &one.runs.to_string(), NUMBER);
        row(page, one);
    }
    let slowest = doc.hooks.iter().find_map(|one| Some((&one.hook, one.times.as_ref()?)));
    if let Some((hook, times)) = slowest {
        let says = format!(" slowest run of {hook}: hookbench db show {}", times.slowest_event);
        page.end().put(Tone::Quiet, &says).end();
    }
}

fn row(page: &mut TextPage, one: &HookStats) {
    let failed = match (one.failures, one.timeouts) {
        (0, _) => "-".to_owned(),
        (failures, 0) => failures.to_string(),
        (failures, timeouts) => format!("{failures} ({timeouts} late)"),
    };
    page.cell(if one.failures > 0 { Tone::Bad } else { Tone::Quiet }, &failed, NUMBER);
    let Some(times) = &one.times else {
        page.put(Tone::Quiet, "no times recorded").end();
        return;
    };
    for time in [times.p50_ms, times.p95_ms, times.slowest_ms] {
        page.cell(Tone::Plain, &format_millis(time), NUMBER);
    }
    let near = one.is_near_limit();
    let share = one.share_of_limit.map_or_else(|| "-".to_owned(), format_share);
    page.cell(if near { Tone::Warn } else { Tone::Quiet }, &share, NUMBER);
    page.put(Tone::Plain, &sparkline(&times.course_ms, BARS)).end();
}

/// Writes the times of the hooks of one event.
pub fn repeated(page: &mut TextPage, doc: &RepeatDoc) {
    page.put(Tone::Strong, &format!(" {}", doc.event));
    page.put(Tone::Plain, &doc.subject.as_ref().map(|subject| format!("  {subject}")).unwrap_or_default());
    page.put(Tone::Quiet, &format!("   {} {}", agent_name(&doc.agent), doc.agent_version)).end().end();
    if doc.hooks.is_empty() {
        page.put(Tone::Plain, " NO HOOK RUNS").end();
        return;
    }
    let times = pluralize(doc.repeats as u64, "warm run");
    page.put(Tone::Plain, &format!(" one cold run, then {times} and as many bare starts of each hook")).end().end();
    let names = column(doc.hooks.iter().map(|one| one.name.as_str()), NAME) + 2;
    page.put(Tone::Plain, " ").cell(Tone::Quiet, "hook", names);
    for word in ["cold", "min", "median", "p95", "bare", "own"] {
        page.cell(Tone::Quiet, word, NUMBER);
    }
    page.put(Tone::Quiet, "bare start").end();
    for one in &doc.hooks {
        let warm = one.warm.as_ref();
        let bare = one.bare.as_ref();
        let times = [
            one.cold_ms,
            warm.map(|warm| warm.min_ms),
            warm.map(|warm| warm.median_ms),
            warm.map(|warm| warm.p95_ms),
            bare.map(|bare| bare.times.median_ms),
            one.own_ms,
        ];
        page.put(Tone::Plain, " ").cell(Tone::Strong, &one.name, names);
        for time in times {
            page.cell(Tone::Plain, &time.map_or_else(|| "-".to_owned(), format_millis), NUMBER);
        }
        page.put(Tone::Quiet, bare.map_or("the hook has no shell", |bare| bare.command)).end();
    }
    page.end()
        .put(Tone::Quiet, " own: the median without that of the bare start, the time of the hook's own work")
        .end();
}
