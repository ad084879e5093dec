//! The verdict band of the page: whether all agents decide alike, and the verdict of each.

use super::ShownComparison;
use super::differences::no_difference_words;
use crate::bench::{Band, BandPart, BandRow, band_height, band_row};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use hookbench_app::DifferenceKind;
use hookbench_core::config::LoadedConfig;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::names::AgentId;
use hookbench_core::text::pluralize;

/// Builds the band for the current state. Its height is the same before, during and after a run.
pub fn build_band(model: &Model) -> Band {
    let theme = model.theme;
    let mut rows = match &model.compare.shown {
        None => {
            let says = "the settings of every agent".to_owned();
            vec![band_row("READING", theme.strong(), vec![(theme.quiet(), says)])]
        }
        Some(shown) => match (running_row(model, shown), verdict_rows(model, shown)) {
            (Some(row), _) => vec![row],
            (None, Some(rows)) => rows,
            (None, None) => vec![ready_row(model, shown)],
        },
    };
    if let Some(shown) = &model.compare.shown {
        rows.extend(missing_row(model, shown));
        rows.extend(partial_hooks_row(model, shown));
        rows.extend(left_out_row(model, shown));
    }
    let reserved = usize::from(band_height(Page::Compare, model.size));
    rows.truncate(reserved);
    Band { rows }
}

fn name(agent: &str) -> &str {
    dialects::by_id(agent).map_or(agent, |d| d.name())
}

fn ready_row(model: &Model, shown: &ShownComparison) -> BandRow {
    let theme = model.theme;
    let all = shown.len();
    let of = |some: usize| {
        if some == all { format!("all {all} agents") } else { format!("{some} of {}", pluralize(all, "agent")) }
    };
    let events = shown.comparison.rows.iter().filter_map(|row| row.event.as_ref().ok());
    let running: Vec<usize> = events.map(|event| event.runs.len()).filter(|runs| *runs > 0).collect();
    let hooks: usize = running.iter().sum();
    let says = match (running.len(), hooks) {
        (0, _) => format!("No hook runs in any of {}", pluralize(all, "agent")),
        (1, hooks) if all == 1 => format!("{} would run", pluralize(hooks, "hook")),
        (agents, hooks) => format!("{} will run, in {}", pluralize(hooks, "hook"), of(agents)),
    };
    let hint = model.key_hint(UiCommand::Fire, "fire");
    let mut parts = vec![BandPart::from((theme.strong(), says))];
    if !running.is_empty() {
        let (long, short) = if shown.asks_first {
            (format!("   {hint} in all agents (asks first)"), format!("   {hint} (asks first)"))
        } else {
            (format!("   {hint} in all agents"), format!("   {hint}"))
        };
        parts.push(BandPart { style: theme.quiet(), text: long, short: Some(short) });
    }
    let word = if running.is_empty() { "NO HOOK RUNS" } else { "READY" };
    BandRow { parts, ..band_row(word, theme.verdict(Verdict::NoObjection), Vec::new()) }
}

fn running_row(model: &Model, shown: &ShownComparison) -> Option<BandRow> {
    let theme = model.theme;
    let firings = || shown.all.translated().filter_map(|(_, there)| model.session.fired_there(there));
    if firings().all(|firing| firing.settled) {
        return None;
    }
    let going = firings().flat_map(|f| &f.runs).filter(|run| run.ended().is_none()).count();
    let decided = firings().filter(|f| f.outcome.is_some()).count();
    let says = format!(
        "{} still running, {decided} of {} decided",
        pluralize(going, "hook"),
        pluralize(firings().count(), "agent")
    );
    let key = model.key(UiCommand::Cancel);
    let (word, does) = if model.cancelled_once { ("ENDING", "again kills") } else { ("RUNNING", "ends it") };
    let parts = vec![(theme.strong(), says), (theme.quiet(), format!("   {key} {does}"))];
    let mut row = band_row(word, theme.verdict(Verdict::Ask), parts);
    let time = model.elapsed(model.compare.started).as_secs_f64();
    row.right = format!("{time:.1} s");
    Some(row)
}

/// The agents grouped by verdict, in the order of the contract's words.
pub fn by_verdict(shown: &ShownComparison) -> Vec<(Verdict, Vec<AgentId>)> {
    let of = |verdict: Verdict| -> Vec<AgentId> {
        let has = |row: &&hookbench_app::ComparedAgent| row.event.as_ref().is_ok_and(|e| e.verdict == Some(verdict));
        shown.comparison.rows.iter().filter(has).map(|row| row.agent).collect()
    };
    let mut all = Verdict::ALL.to_vec();
    // `NotRun` is the least important and comes last.
    all.rotate_left(1);
    all.into_iter().map(|verdict| (verdict, of(verdict))).filter(|(_, agents)| !agents.is_empty()).collect()
}

fn verdict_rows(model: &Model, shown: &ShownComparison) -> Option<Vec<BandRow>> {
    let theme = model.theme;
    let groups = by_verdict(shown);
    let (first, _) = groups.first()?;
    let outcomes = || shown.all.translated().filter_map(|(_, t)| model.session.fired_there(t)?.outcome.as_ref());
    let all = outcomes().count();
    let blocked = outcomes().filter(|outcome| outcome.blocked).count();
    if groups.len() == 1 {
        let says = match all {
            1 => "in 1 agent".to_owned(),
            all => format!("in all {all} agents"),
        };
        let does =
            outcomes().next().map(|o| o.agent_does.clone()).filter(|does| outcomes().all(|o| o.agent_does == *does));
        // Each agent words the same outcome differently; only a different outcome counts.
        let differs = shown.comparison.differences.iter().any(|difference| difference.kind == DifferenceKind::Outcome);
        let does = does.or_else(|| differs.then(|| "the details differ".to_owned()));
        let mut parts = vec![(theme.strong(), says)];
        parts.extend(does.map(|does| (theme.quiet(), format!("   {does}"))));
        return Some(vec![band_row(first.title(), theme.verdict(*first), parts)]);
    }
    let says = match blocked {
        0 => format!("none of {all} agents blocks"),
        some if some == all => format!("all {all} agents block"),
        some => format!("{some} of {all} agents {}", if some == 1 { "blocks" } else { "block" }),
    };
    let head = band_row("DIFFER", theme.verdict(Verdict::Ask), vec![(theme.strong(), says)]);
    let mut parts: Vec<BandPart> = Vec::new();
    for (index, (verdict, agents)) in groups.iter().enumerate() {
        let names: Vec<&str> = agents.iter().map(|agent| name(agent.as_str())).collect();
        let word = format!("{} ", verdict.title());
        parts.push((theme.verdict_text(*verdict), word).into());
        let air = if index + 1 < groups.len() { "   " } else { "" };
        parts.push((theme.plain(), format!("{}{air}", names.join(", "))).into());
    }
    Some(vec![head, BandRow { parts, ..band_row("", theme.quiet(), Vec::new()) }])
}

/// The row of agents that have no such event or would ignore its hooks.
fn missing_row(model: &Model, shown: &ShownComparison) -> Option<BandRow> {
    let theme = model.theme;
    let none: Vec<&str> =
        shown.comparison.rows.iter().filter(|row| row.event.is_err()).map(|row| name(row.agent.as_str())).collect();
    let refuses = |loaded: &LoadedConfig| loaded.refusal.is_some();
    let lost: Vec<&str> = shown
        .all
        .translated()
        .filter(|(_, there)| refuses(&there.loaded) || there.plan.lost.is_some())
        .map(|(of, _)| name(of.agent.as_str()))
        .collect();
    let mut parts = Vec::new();
    if !none.is_empty() {
        let has = if none.len() == 1 { "has" } else { "have" };
        parts.push((theme.plain(), format!("{} {has} no such event", none.join(", "))));
    }
    if !lost.is_empty() {
        let loses = if lost.len() == 1 { "loses" } else { "lose" };
        let before = if parts.is_empty() { "" } else { "; " };
        parts.push((theme.warn(), format!("{before}{} {loses} the hooks of it", lost.join(", "))));
    }
    let word = if none.is_empty() { "lost" } else { "missing" };
    (!parts.is_empty()).then(|| band_row(word, theme.warn(), parts))
}

/// The row of hooks that run in some agents and not in others.
fn partial_hooks_row(model: &Model, shown: &ShownComparison) -> Option<BandRow> {
    let theme = model.theme;
    let of_kind = |kind| shown.comparison.differences.iter().filter(move |difference| difference.kind == kind);
    let hooks: Vec<_> = of_kind(DifferenceKind::Hooks).collect();
    if hooks.is_empty() {
        let differs = of_kind(DifferenceKind::Outcome).next().is_some();
        return if differs { None } else { sole_runners_row(model, shown) };
    }
    let first = hooks.first().map_or("", |d| d.title.as_str());
    let runs = if hooks.len() == 1 { "runs" } else { "run" };
    let more = if hooks.len() > 1 { format!(" and {} more", hooks.len() - 1) } else { String::new() };
    let says = format!("{runs} in some agents and not in others");
    let parts = vec![(theme.strong(), format!("{first}{more}")), (theme.plain(), format!("   {says}"))];
    Some(band_row("hooks", theme.warn(), parts))
}

/// The row of agents without a column.
fn left_out_row(model: &Model, shown: &ShownComparison) -> Option<BandRow> {
    let (text, short) = shown.left_out.clone()?;
    let part = BandPart { style: model.theme.plain(), text, short: Some(short) };
    Some(BandRow { parts: vec![part], ..band_row("left out", model.theme.quiet(), Vec::new()) })
}

/// The row of agents that run hooks while others run none; otherwise a row that says they are alike.
fn sole_runners_row(model: &Model, shown: &ShownComparison) -> Option<BandRow> {
    let theme = model.theme;
    let events = || shown.comparison.rows.iter().filter_map(|row| Some((row.agent, row.event.as_ref().ok()?)));
    let run: Vec<&str> =
        events().filter(|(_, event)| !event.runs.is_empty()).map(|(agent, _)| name(agent.as_str())).collect();
    let all = events().count();
    if run.is_empty() || all < 2 {
        return None;
    }
    if run.len() == all {
        let says = vec![(theme.plain(), format!("they differ {}", no_difference_words(shown)))];
        return Some(band_row("alike", theme.quiet(), says));
    }
    let verb = match (run.len(), shown.left_out.is_none()) {
        (1, true) => "is the only agent that runs a hook",
        (1, false) => "is the only agent shown that runs a hook",
        (_, true) => "are the only agents that run hooks",
        (_, false) => "are the only agents shown that run hooks",
    };
    Some(band_row("hooks", theme.warn(), vec![(theme.strong(), run.join(", ")), (theme.plain(), format!("   {verb}"))]))
}
