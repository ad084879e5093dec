//! The rows about problems of the settings, independent of the event: broken files, hooks that fail or never run.

use super::fill::BandGroup;
use super::rows::{BandPart, BandRow, CauseRow, following_part, merge_causes, row};
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::problems;
use hookbench_app::lint::Finding;
use hookbench_core::config::{LayerFile, LayerState, LoadedConfig};
use hookbench_core::diagnostic::{Code, Diagnostic, Severity};
use hookbench_core::hook::HookDefinition;
use hookbench_core::names::RungName;
use hookbench_core::plan::{PlanEntry, Selection};

/// The files that cannot be read or parsed, then errors in other files that do not concern a hook in the list;
/// each is followed by its fix.
pub(super) fn broken_files(model: &Model) -> BandGroup {
    let mut rows = Vec::new();
    let Some(loaded) = model.loaded() else { return BandGroup { rows, noun: "errors" } };
    let target = problems::fix_target(model);
    let fix_row = |finding: &Diagnostic| {
        let help = finding.help.clone()?;
        let place = finding.place(&loaded.sources);
        let here = |target: &&Finding| {
            let start = target.place.map(|(start, _)| (start.line, start.column));
            place.as_ref().is_some_and(|(file, at)| target.file.as_ref() == Some(file) && start == *at)
        };
        let fix = target.filter(here).map(|target| fix_key(model, target));
        let is_trust = matches!(finding.code, Code::HW703 | Code::HW704);
        let trust = is_trust.then(|| model.key_hint(UiCommand::AssumeTrust, "as if trusted"));
        let right = fix.or(trust).unwrap_or_default();
        let parts = vec![(model.theme.plain(), help).into()];
        Some(BandRow { parts, keep_right: true, right, ..row("fix", model.theme.good(), Vec::new()) })
    };
    let mut of_layers: Vec<&Diagnostic> = Vec::new();
    for layer in loaded.layers.iter().filter(|l| l.state == LayerState::Broken) {
        let finding = finding_of(loaded, layer);
        of_layers.extend(finding);
        let says = finding.map(|d| d.message.clone()).or_else(|| layer.message.clone()).unwrap_or_default();
        rows.push(file_row(model, &layer.file, finding.and_then(|d| d.place(&loaded.sources)?.1), &says));
        rows.extend(finding.and_then(fix_row));
    }
    for note in loaded.notes.iter().filter(|d| d.severity == Severity::Error) {
        let known = of_layers.iter().any(|of| std::ptr::eq(*of, note)) || concerns_listed_hook(model, loaded, note);
        let Some((file, at)) = note.place(&loaded.sources).filter(|_| !known) else { continue };
        rows.push(file_row(model, &file, at, &note.message));
        rows.extend(fix_row(note));
    }
    BandGroup { rows, noun: "errors" }
}

/// The finding about a file that the agent ignores.
fn finding_of<'a>(loaded: &'a LoadedConfig, layer: &LayerFile) -> Option<&'a Diagnostic> {
    loaded.notes.iter().find(|d| d.place(&loaded.sources).is_some_and(|(file, _)| file == layer.file))
}

/// Whether the finding is inside a hook of this event, whose own row already reports it.
fn concerns_listed_hook(model: &Model, loaded: &LoadedConfig, note: &Diagnostic) -> bool {
    let Some(span) = note.span else { return false };
    let listed = model.plan().into_iter().flat_map(|plan| &plan.entries);
    listed.filter_map(|e| loaded.definition(&e.hook)).any(|d| {
        let own = d.provenance.span;
        d.rejection.is_some() && own.source == span.source && own.start <= span.start && span.start <= own.end
    })
}

/// The key of the fix, and what it does.
fn fix_key(model: &Model, target: &Finding) -> String {
    let (key, label) = (model.key(UiCommand::Fix), target.fix_label().unwrap_or_default());
    // In plain text mode the key is the word `fix`.
    if label.starts_with(&format!("{key} ")) { label } else { format!("{key} {label}") }
}

/// The key of the fix if it would change this hook; otherwise empty.
pub(super) fn hook_fix(model: &Model, hook: &str) -> String {
    let about = |target: &&Finding| target.hook.as_ref().is_some_and(|at| at.id == hook);
    problems::fix_target(model).filter(about).map_or_else(String::new, |target| fix_key(model, target))
}

fn file_row(model: &Model, file: &str, at: Option<(u32, u32)>, says: &str) -> BandRow {
    let theme = model.theme;
    let at = at.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"));
    let name = file.rsplit('/').next().unwrap_or(file);
    // The place is already before the sentence.
    let says = says.strip_prefix(file).filter(|rest| rest.starts_with(' ')).map_or(says, str::trim_start);
    let place = BandPart { style: theme.bad(), text: format!("{file}{at}"), short: Some(format!("{name}{at}")) };
    BandRow { parts: vec![place, following_part(theme.plain(), says)], ..row("error", theme.bad(), Vec::new()) }
}

/// Hooks that will run but are known to fail: one row for each cause.
pub(super) fn failing(model: &Model) -> Vec<BandRow> {
    let theme = model.theme;
    let Some(loaded) = model.loaded().filter(|_| model.firing().is_none()) else { return Vec::new() };
    let named = |(hook, says): &(String, String)| {
        let label = loaded.definition(hook)?.label();
        let cause = says.strip_prefix(&format!("{label} ")).unwrap_or(says);
        let parts = vec![(theme.strong(), label.clone()).into(), following_part(theme.warn(), cause)];
        let right = hook_fix(model, hook);
        let keep_right = !right.is_empty();
        let hook = Some(hook.clone());
        let row = BandRow { parts, right, keep_right, hook, ..row("will fail", theme.warn(), Vec::new()) };
        Some(CauseRow { cause: says.clone(), label, row })
    };
    merge_causes(model.failing.iter().filter_map(named))
}

/// The mistake of a hook that will run, but may not do what it is meant to do: an error, else what the fix command corrects.
pub(super) fn advice(model: &Model) -> Vec<BandRow> {
    if model.firing().is_some() {
        return Vec::new();
    }
    let runs = |hook: &str| {
        let entries = model.plan().into_iter().flat_map(|plan| &plan.entries);
        let fires = |entry: &PlanEntry| entry.hook == hook && matches!(entry.selection, Selection::Fires { .. });
        entries.into_iter().any(fires) && !model.failing.iter().any(|(failing, _)| failing == hook)
    };
    let hooks = problems::hooks_in_view(model);
    let mut worst = hooks.iter().filter_map(|hook| problems::finding_of_hook(model, hook));
    let error = worst.find(|finding| finding.severity == Severity::Error);
    let told = error.or_else(|| problems::fix_target(model)).filter(|finding| finding.severity > Severity::Info);
    let Some((told, hook)) = told.and_then(|told| Some((told, told.hook.as_ref()?))).filter(|(_, at)| runs(&at.id))
    else {
        return Vec::new();
    };
    let theme = model.theme;
    let style = if told.severity == Severity::Error { theme.bad() } else { theme.warn() };
    let parts = vec![(theme.strong(), hook.label.clone()).into(), following_part(style, &told.message)];
    let is_target = problems::fix_target(model).is_some_and(|target| std::ptr::eq(target, told));
    let right = if is_target { fix_key(model, told) } else { model.key_hint(UiCommand::Explain, "explain") };
    let hook = Some(hook.id.clone());
    vec![BandRow { parts, right, keep_right: true, hook, ..row(told.severity.word(), style, Vec::new()) }]
}

/// Hooks that no value of this event makes run: one row for each cause. A cause that a row above already names is not
/// repeated.
pub(super) fn never(model: &Model) -> BandGroup {
    let theme = model.theme;
    let lost = model.plan().and_then(|plan| plan.lost.as_ref()).map(|lost| lost.why.message.as_str());
    let is_named = |cause: &str| {
        lost == Some(cause)
            || model.loaded().is_some_and(|loaded| {
                let mut errors = loaded.notes.iter().filter(|d| d.severity == Severity::Error);
                errors.any(|d| d.message.ends_with(cause) && !concerns_listed_hook(model, loaded, d))
            })
    };
    let skips_file = |definition: &HookDefinition| {
        let Some(loaded) = model.loaded() else { return false };
        let own = definition.provenance.span;
        let mut broken = loaded.layers.iter().filter(|layer| layer.state == LayerState::Broken);
        broken.any(|layer| {
            let at = finding_of(loaded, layer).and_then(|finding| finding.span);
            at.is_some_and(|at| own.source == at.source && own.start <= at.start && at.start <= own.end)
        })
    };
    let named = model
        .never_running()
        .into_iter()
        .filter(|(definition, entry)| !is_named(&entry.why.message) && !skips_file(definition));
    let rows = named.map(|(definition, entry)| {
        let label = definition.label();
        let mut parts = vec![(theme.strong(), label.clone()).into(), following_part(theme.warn(), &entry.why.message)];
        let nearest = entry.nearest.first().map(|nearest| format!("   did you mean {nearest}?"));
        parts.extend(nearest.map(|text| BandPart { style: theme.quiet(), text, short: Some(String::new()) }));
        let right = match entry.failed_rung {
            Some(RungName::LayerActive) => switch_fix(model),
            Some(RungName::Trusted) => model.key_hint(UiCommand::AssumeTrust, "as if trusted"),
            _ => hook_fix(model, &definition.id),
        };
        let keep_right = !right.is_empty();
        let hook = Some(definition.id.clone());
        let row = BandRow { parts, right, keep_right, hook, ..row("never", theme.warn(), Vec::new()) };
        CauseRow { cause: entry.why.message.clone(), label, row }
    });
    let mut rows = merge_causes(rows);
    rows.extend(other_mistake(model));
    BandGroup { rows, noun: "never" }
}

/// Whether the cause is in the project, not in the hook: a switch, or trust that is missing.
fn stops_before_hook(entry: &PlanEntry) -> bool {
    matches!(entry.failed_rung, Some(RungName::LayerActive | RungName::Trusted))
}

/// The key of the fix if it would change a switch that stops hooks; otherwise empty.
fn switch_fix(model: &Model) -> String {
    let about = |target: &&Finding| target.hook.is_none() && matches!(target.code, Code::HW701 | Code::HW207);
    problems::fix_target(model).filter(about).map_or_else(String::new, |target| fix_key(model, target))
}

/// The mistake that the fix command corrects, if its hook does not run for a different reason.
fn other_mistake(model: &Model) -> Option<BandRow> {
    let target = problems::fix_target(model)?;
    let hook = target.hook.as_ref()?;
    let (definition, _) = model
        .never_running()
        .into_iter()
        .find(|(definition, entry)| definition.id == hook.id && stops_before_hook(entry))?;
    let theme = model.theme;
    let parts = vec![(theme.strong(), definition.label()).into(), following_part(theme.plain(), &target.message)];
    let right = fix_key(model, target);
    Some(BandRow { parts, right, keep_right: true, ..row("also", theme.quiet(), Vec::new()) })
}
