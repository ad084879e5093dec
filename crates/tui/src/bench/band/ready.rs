//! The first row before a run: how many hooks will run, and why the others will not.

use super::settings::parse_failed;
use super::{BandPart, BandRow, NARROW, row};
use crate::consent::need_words;
use crate::keymap::UiCommand;
use crate::model::Model;
use hookbench_app::{LEFT_OUT, PastRun};
use hookbench_core::config::LayerState;
use hookbench_core::decide::Verdict;
use hookbench_core::plan::Selection;

pub(super) fn ready_row(model: &Model) -> BandRow {
    let theme = model.theme;
    let Some(loaded) = model.loaded() else {
        return row("READING", theme.strong(), vec![(theme.quiet(), "the settings".to_owned())]);
    };
    let broken = loaded.layers.iter().find(|l| l.state == LayerState::Broken);
    let stale = model.session.current().map_or(0, |a| a.stale.len());
    let fires = model.session.bench().hook_counts().fires;
    if let Some(layer) = broken.filter(|_| fires == 0) {
        let cannot = if parse_failed(loaded, layer) { "parsed" } else { "read" };
        let hooks = match stale {
            0 => "none of its hooks run".to_owned(),
            1 => "the hook that it had does not run".to_owned(),
            n => format!("the {n} hooks that it had do not run"),
        };
        let says = format!("a file cannot be {cannot}, so {hooks}");
        return row("BROKEN", theme.verdict(Verdict::FailedClosed), vec![(theme.strong(), says)]);
    }
    if loaded.definitions.is_empty() {
        let says = "none is configured here".to_owned();
        return row("NO HOOKS", theme.verdict(Verdict::NotRun), vec![(theme.strong(), says)]);
    }
    let short = counts(model).into_iter().map(|count| shorten(&count)).collect::<Vec<_>>();
    let mut parts =
        vec![BandPart { style: theme.strong(), text: counts(model).join(", "), short: Some(short.join(", ")) }];
    if fires > 0 && !model.session.options().yes && !model.session.consent_missing().is_empty() {
        let key = model.key(UiCommand::Fire);
        let short = if model.size.0 < NARROW { String::new() } else { format!("   {key} asks first") };
        let first = model.session.history().newest().is_none();
        let text = if first { format!("   {key} asks before the first run") } else { short.clone() };
        parts.push(BandPart { style: theme.quiet(), text, short: Some(short) });
    }
    let word = if fires == 0 { "NOBODY" } else { "READY" };
    let mut row = BandRow { parts, ..row(word, theme.verdict(Verdict::NoObjection), Vec::new()) };
    if let Some(last) = model.background_firing() {
        row.right = format!("run {} of {} goes on", last.id.0, last.input.event);
    } else if let Some(verdict) = model.last_of_bench().and_then(PastRun::verdict) {
        row.right = format!("before: {}", verdict.title().to_lowercase());
    }
    row
}

/// The counts, for example `2 will run, 1 needs the agent's model, 1 never will, 1 left out`.
fn counts(model: &Model) -> Vec<String> {
    let ready = model.session.bench().hook_counts();
    let runs = ready.fires.saturating_sub(model.needing_agent.len());
    let failing = model.failing.len();
    let skipped = model.plan().into_iter().flat_map(|plan| &plan.entries);
    let skipped: Vec<_> = skipped.filter(|e| e.selection == Selection::Skipped).collect();
    let left_out = skipped.iter().filter(|e| e.why.rule == LEFT_OUT).count();
    let others = skipped.iter().filter(|e| e.why.rule != LEFT_OUT && model.for_others.contains(&e.hook)).count();
    let mut says: Vec<String> = match runs {
        0 if ready.fires > 0 => Vec::new(),
        0 => vec!["nothing will run".to_owned()],
        all if all == failing => vec![format!("{all} will run and fail")],
        some => vec![format!("{some} will run")],
    };
    says.extend((failing > 0 && failing < runs).then(|| format!("{failing} of them will fail")));
    says.extend(model.need_counts().into_iter().map(|(number, needs)| need_words(number, needs)));
    let mut count = |n: usize, words: &str| says.extend((n > 0).then(|| format!("{n} {words}")));
    count(skipped.len() - left_out - others, "never will");
    count(others, "for something else");
    count(ready.unknown, "unknown");
    count(left_out, "left out");
    says
}

/// Shortens a count for a narrow terminal.
fn shorten(count: &str) -> String {
    count.replace(" of them will", "").replace("the agent's ", "the ").replace("never will", "never")
}
