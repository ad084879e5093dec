//! The first row before a run: how many hooks will run, and why the others will not.

use indexmap::IndexMap;

use super::rows::{BandPart, BandRow, NARROW, row};
use crate::consent::need_words;
use crate::keymap::UiCommand;
use crate::model::Model;
use hookbench_app::{AgentState, LEFT_OUT};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::find_event;
use hookbench_core::plan::Selection;
use hookbench_core::text::pluralize;

pub(super) fn ready_row(model: &Model) -> BandRow {
    let theme = model.theme;
    let Some(loaded) = model.loaded() else {
        return row("READING", theme.strong(), vec![(theme.quiet(), "the settings".to_owned())]);
    };
    let broken = model.broken_layers().into_iter().next();
    let stale = model.session.current().map_or(0, |a| a.stale.len());
    let fires = model.session.hook_counts().fires;
    if let Some(layer) = broken {
        let hooks = match stale {
            0 => "none of its hooks run".to_owned(),
            1 => "its hook does not run".to_owned(),
            n => format!("its {n} hooks do not run"),
        };
        // Hooks of other files still run.
        let hooks = match fires {
            0 => hooks,
            1 => format!("{hooks}; 1 other hook will run"),
            n => format!("{hooks}; {n} other hooks will run"),
        };
        let name = layer.file.rsplit('/').next().unwrap_or(&layer.file);
        let (text, short) =
            (format!("{} is skipped, so {hooks}", layer.file), format!("{name} is skipped, so {hooks}"));
        let parts = vec![BandPart { style: theme.strong(), text, short: Some(short) }];
        return BandRow { parts, ..row("FILE SKIPPED", theme.verdict(Verdict::FailedOpen), Vec::new()) };
    }
    if loaded.definitions.is_empty() {
        let says = "No hooks are configured here".to_owned();
        return row("NO HOOKS", theme.verdict(Verdict::NotRun), vec![(theme.strong(), says)]);
    }
    let short = counts(model).into_iter().map(|count| shorten(&count)).collect::<Vec<_>>();
    let mut parts =
        vec![BandPart { style: theme.strong(), text: counts(model).join(", "), short: Some(short.join(", ")) }];
    if fires > 0 && !model.session.options().yes && model.session.needs_consent() {
        let hint = model.key_hint(UiCommand::Fire, "fire");
        let narrow = model.size.0 < NARROW;
        let (text, short) =
            if narrow { Default::default() } else { (format!("   {hint} (asks first)"), format!("   {hint}")) };
        parts.push(BandPart { style: theme.quiet(), text, short: Some(short) });
    }
    let (word, verdict) = match fires {
        0 if is_blocked(model) => ("NO HOOK RUNS", Verdict::FailedOpen),
        0 => ("NO HOOK RUNS", Verdict::NoObjection),
        _ if !model.failing.is_empty() => ("WILL FAIL", Verdict::FailedOpen),
        _ => ("READY", Verdict::NoObjection),
    };
    let mut row = BandRow { parts, ..row(word, theme.verdict(verdict), Vec::new()) };
    if let Some(last) = model.background_firing() {
        row.right = format!("run {} of {} continues", last.id.0, last.input.event);
    } else if let Some((last, verdict)) = model.last_of_bench().and_then(|last| Some((last, last.verdict()?))) {
        let is_other = last.env_source != model.session.place().env_source;
        let with = if is_other { format!(", {} env", last.env_source.word()) } else { String::new() };
        row.right = format!("last run{with}: {}", verdict.title());
    }
    row
}

/// Whether a hook that is meant for this event does not run.
pub(super) fn is_blocked(model: &Model) -> bool {
    let entries = model.plan().into_iter().flat_map(|plan| &plan.entries);
    let mut skipped = entries.filter(|entry| entry.selection == Selection::Skipped);
    skipped.any(|entry| entry.why.rule != LEFT_OUT && !model.for_others.contains(&entry.hook))
}

/// The counts, for example `2 hooks will run, 1 needs the agent's model, 1 never runs, 1 excluded`.
fn counts(model: &Model) -> Vec<String> {
    let ready = model.session.hook_counts();
    let runs = ready.fires.saturating_sub(model.needing_agent.len());
    let failing = model.failing.len();
    let skipped = model.plan().into_iter().flat_map(|plan| &plan.entries);
    let skipped: Vec<_> = skipped.filter(|e| e.selection == Selection::Skipped).collect();
    let left_out = skipped.iter().filter(|e| e.why.rule == LEFT_OUT).count();
    let others = skipped.iter().filter(|e| e.why.rule != LEFT_OUT && model.for_others.contains(&e.hook)).count();
    let hooks = |number: usize| format!("{number} {}", if number == 1 { "hook" } else { "hooks" });
    let mut says: Vec<String> = match runs {
        0 if ready.fires > 0 => Vec::new(),
        0 if skipped.is_empty() && ready.unknown == 0 => vec![on_other_events(model)],
        0 => Vec::new(),
        all if all == failing => vec![format!("{} will run and fail", hooks(all))],
        some => vec![format!("{} will run", hooks(some))],
    };
    says.extend((failing > 0 && failing < runs).then(|| format!("{failing} of them will fail")));
    says.extend(model.need_counts().into_iter().map(|(number, needs)| need_words(number, needs)));
    let mut count = |n: usize, words: &str| says.extend((n > 0).then(|| format!("{n} {words}")));
    let blocked = skipped.len() - left_out - others;
    if others > 0 && others == skipped.len() && ready.unknown == 0 && ready.fires == 0 {
        let says = match others {
            1 => "The hook here is for other input".to_owned(),
            many => format!("All {many} hooks here are for other input"),
        };
        // The list opens on the first template that matches a hook.
        return vec![format!("{says}: {} chooses another", model.key(UiCommand::Template))];
    }
    match (runs, blocked) {
        (0, 1) => count(1, "hook never runs"),
        (0, many) => count(many, "hooks never run"),
        (_, 1) => count(1, "never runs"),
        (_, many) => count(many, "never run"),
    }
    count(others, "not for this");
    count(ready.unknown, "unknown");
    count(left_out, "excluded");
    says
}

/// Says on which events the hooks are, if this event has none.
fn on_other_events(model: &Model) -> String {
    let known = model.session.current().zip(model.loaded());
    let mut events: IndexMap<&str, usize> = IndexMap::new();
    for hook in known.iter().flat_map(|(_, loaded)| &loaded.definitions) {
        let known = known.and_then(|(agent, _)| find_event(agent.dialect, &agent.version, &hook.event));
        if let Some(event) = known.filter(|_| hook.rejection.is_none()) {
            *events.entry(event.name).or_default() += 1;
        }
    }
    let count: usize = events.values().sum();
    let on = match events.keys().collect::<Vec<_>>().as_slice() {
        [] => return "No hook is configured for this event".to_owned(),
        [one] => (**one).to_owned(),
        [one, two] => format!("{one} and {two}"),
        [one, rest @ ..] => format!("{one} and {} other events", rest.len()),
    };
    format!("{} on {on}: {} chooses an event", pluralize(count, "hook"), model.key(UiCommand::Template))
}

/// Shortens a count for a narrow terminal.
fn shorten(count: &str) -> String {
    count
        .replace(" hooks", "")
        .replace(" hook", "")
        .replace(" of them will", "")
        .replace("the agent's ", "the ")
        .replace("never runs", "never")
        .replace("never run", "never")
}

/// The hooks that other agents have here, if the agent on the bench has none.
pub(super) fn other_agents(model: &Model) -> Option<BandRow> {
    model.loaded().filter(|loaded| loaded.definitions.is_empty())?;
    let hooks = |agent: &AgentState| agent.loaded.as_ref().map_or(0, |loaded| loaded.definitions.len());
    let with_hooks = model.session.agents().iter().filter(|agent| hooks(agent) > 0);
    let counted = with_hooks.map(|agent| match hooks(agent) {
        1 => format!("{} has 1 hook", agent.dialect.name()),
        many => format!("{} has {many} hooks", agent.dialect.name()),
    });
    let counted = counted.collect::<Vec<_>>().join(", ");
    if counted.is_empty() || !model.broken_layers().is_empty() {
        return None;
    }
    let theme = model.theme;
    let right = model.key_hint(UiCommand::Agent, "change the agent");
    Some(BandRow { right, keep_right: true, ..row("others", theme.warn(), vec![(theme.plain(), counted)]) })
}
