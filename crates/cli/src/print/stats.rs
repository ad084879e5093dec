//! The pages of `stats` and of `fire --repeat`: a row for each hook.

use super::text_page::{TextPage, Tone, agent_name, column};
use hookbench_app::document::{HookStatsDoc, RepeatDoc, StatsDoc};
use hookbench_core::text::pluralize;

/// The heights of a bar of the course.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The part of the time limit from which p95 is marked.
const NEAR_LIMIT: f64 = 0.8;
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

fn row(page: &mut TextPage, one: &HookStatsDoc) {
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
    let near = one.share_of_limit.is_some_and(|share| share >= NEAR_LIMIT);
    let share = one.share_of_limit.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    page.cell(if near { Tone::Warn } else { Tone::Quiet }, &share, NUMBER);
    page.put(Tone::Plain, &sparkline(&times.course_ms)).end();
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

/// A time for people: `7 ms`, `0.4 ms`, `1.2 s`.
pub fn format_millis(time: f64) -> String {
    match time {
        time if time >= 1000.0 => format!("{:.1} s", time / 1000.0),
        time if time >= 9.95 => format!("{time:.0} ms"),
        time => format!("{time:.1} ms"),
    }
}

/// A bar for each value, on the scale from 0 to the largest.
fn sparkline(values: &[f64]) -> String {
    let most = values.iter().copied().fold(0.0, f64::max);
    let bar = |value: &f64| {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of 8")]
        let height = if most > 0.0 { (value / most * 7.0).round() as usize } else { 0 };
        BARS.get(height).copied().unwrap_or('█')
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::{format_millis, sparkline};

    #[test]
    fn a_course_is_drawn_from_zero_to_its_largest_value() {
        for (values, want) in
            [(vec![], ""), (vec![0.0, 0.0], "▁▁"), (vec![5.0], "█"), (vec![0.0, 1.0, 3.5, 7.0], "▁▂▅█")]
        {
            assert_eq!(sparkline(&values), want, "{values:?}");
        }
    }

    #[test]
    fn times_have_as_many_digits_as_help() {
        for (time, want) in [
            (0.42, "0.4 ms"),
            (9.94, "9.9 ms"),
            (9.96, "10 ms"),
            (999.4, "999 ms"),
            (1000.0, "1.0 s"),
            (61_250.0, "61.2 s"),
        ] {
            assert_eq!(format_millis(time), want);
        }
    }
}
