//! Findings about hooks that load without errors and still do not do what their author intended. Findings of an
//! agent's reader are in [`LoadedConfig::notes`], and mistakes specific to one agent in
//! [`Agent::definition_findings`]. The rules here apply to every agent. Each rule is in the directory of its family,
//! and is documented in a page under `assets/docs`.

mod answers;
mod command_facts;
mod commands;
mod events;
mod file_format;
mod files;
mod handler_spans;
mod included_files;
mod intersection;
mod layers;
mod matchers;
mod pages;
mod rule;
pub mod run_advice;
mod safety;
mod script_context;
mod time;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::config::{Files, LoadedConfig, Place};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::{
    Agent, AgentContext, ExampleCache, HandlerIndex, MachineFacts, RuleContext, RunEffectCache, Script,
    StartPrediction, Version, WalkCell, WrittenCommand, find_event,
};
use crate::hook::{DefinitionId, EventSpec, HookDefinition};
use crate::port::AgentVersion;
use crate::text::SourceMap;

pub use answers::{HookRefusals, Refusal};
pub use command_facts::{CommandFacts, ScriptFile};
pub use commands::OPTIONAL_PROGRAMS;
pub use events::{EventOccurrence, repeated_events};
pub use files::directory_above;
pub use included_files::{installed_packages, script_digest};
pub use layers::untrusted_files;
pub use pages::{RulePage, SECTIONS, page, pages};
pub(crate) use script_context::written_command;

use file_format::{is_json, is_toml};
use rule::LintRule;

/// The families whose rules look at the settings, or at a script as any program. The rules of `answers` look at a
/// script as a hook of the agent that it was written for.
const FAMILIES: [&[LintRule]; 7] =
    [files::RULES, events::RULES, matchers::RULES, commands::RULES, time::RULES, layers::RULES, safety::RULES];

/// Notes that are errors in a lint. For a single event they are only remarks, because the matcher may be meant for
/// another event.
const ERRORS: [Code; 4] = [Code::HW301, Code::HW302, Code::HW305, Code::HW315];

/// The findings, with the sources that their spans refer to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LintReport {
    /// Ordered by file and position, without duplicates of the same code at the same place.
    pub findings: Vec<Diagnostic>,
    /// The agent's settings files and the scripts of its commands.
    pub sources: SourceMap,
    /// The scripts, once for each interpreter.
    pub scripts: Vec<Script>,
}

impl LintReport {
    /// Adds findings from elsewhere.
    pub fn add(&mut self, more: Vec<Diagnostic>) {
        self.findings.extend(more);
        sort_and_deduplicate(&mut self.findings, &self.sources);
    }
}

/// The agent, the files and the settings to check.
#[derive(Clone, Copy)]
pub struct LintScope<'a> {
    pub dialect: &'a Agent,
    pub version: &'a Version,
    pub place: &'a Place,
    pub files: &'a dyn Files,
    pub loaded: &'a LoadedConfig,
    pub machine: &'a MachineFacts,
}

/// Returns all findings about an agent's loaded settings. `outside` returns the facts about a definition that are
/// not in the settings.
pub fn lint(scope: LintScope<'_>, outside: &dyn Fn(&HookDefinition) -> CommandFacts) -> LintReport {
    let loaded = scope.loaded;
    let mut found: Vec<Diagnostic> = loaded.notes.clone();
    for note in found.iter_mut().filter(|note| ERRORS.contains(&note.code)) {
        note.severity = note.code.severity();
    }
    if let Some(refusal) = &loaded.refusal {
        let known = found.iter().any(|d| d.span.is_some() && d.span == refusal.span);
        if !known {
            let mut why = Diagnostic::new(Code::AgentRefuses, refusal.message.clone());
            why.span = refusal.span;
            found.push(why);
        }
    }
    let (findings, sources, scripts) = with_contexts(scope, &loaded.definitions, outside, |whole, hooks| {
        for looked in hooks {
            let before = found.len();
            let author = script_context::script_author(looked);
            let as_author = author.as_ref().map_or(*looked, |author| author.context(looked));
            let settings_rules = FAMILIES.iter().copied().flatten().map(|rule| (rule, looked));
            for (rule, at) in settings_rules.chain(answers::RULES.iter().map(|rule| (rule, &as_author))) {
                match rule {
                    LintRule::One(look) => found.extend(look(at)),
                    LintRule::Many(look) => found.extend(look(at)),
                    LintRule::Settings(_) | LintRule::Agent(_) => {}
                }
            }
            found.extend(whole.dialect.definition_findings(looked));
            found.iter_mut().skip(before).for_each(|one| included_files::name_file(looked, one));
        }
        let trees = files::settings_trees(whole);
        for rule in FAMILIES.iter().copied().flatten() {
            match rule {
                LintRule::Settings(look) => found.extend(look(whole, &trees)),
                LintRule::Agent(look) => found.extend(look(whole)),
                LintRule::One(_) | LintRule::Many(_) => {}
            }
        }
        found.extend(whole.dialect.agent_findings(whole));
        matchers::settle(&mut found);
        matchers::keep_laws(hooks.iter().copied(), &mut found);
        commands::settle(&mut found, whole.place);
        for note in &mut found {
            events::fix_event_name(whole, note);
        }
        events::group_foreign_events(whole, &mut found);
        files::add_fixes(whole, &mut found);
        sort_and_deduplicate(&mut found, whole.sources);
        found
    });
    LintReport { findings, sources, scripts }
}

/// Calls `work` with the contexts of the definitions that the agent does not drop. Returns its result, the sources to which
/// its spans refer, and the scripts.
fn with_contexts<'a, T>(
    scope: LintScope<'a>,
    definitions: impl IntoIterator<Item = &'a HookDefinition>,
    outside: &dyn Fn(&HookDefinition) -> CommandFacts,
    work: impl FnOnce(&AgentContext<'_>, &[RuleContext<'_>]) -> T,
) -> (T, SourceMap, Vec<Script>) {
    let LintScope { dialect, version, place, files, loaded, machine } = scope;
    let mut sources = loaded.sources.clone();
    let mut scripts = script_context::ScriptCache::default();
    let mut hooks: Vec<LintedHook<'_>> = Vec::new();
    for definition in definitions.into_iter().filter(|d| d.is_valid()) {
        let Some(event) = find_event(dialect, version, &definition.event) else { continue };
        let outside = outside(definition);
        let script =
            outside.script.map(|script| scripts.script(script, outside.start.as_ref(), (place, files), &mut sources));
        let written = script_context::written_command(definition, outside.start.as_ref(), dialect, &loaded.sources);
        let starts_it = |earlier: &LintedHook<'_>| {
            let same = earlier.script.as_ref().zip(script.as_ref()).is_some_and(|(one, other)| Rc::ptr_eq(one, other));
            same && earlier.start == outside.start
        };
        let repeats_script = hooks.iter().any(starts_it);
        let CommandFacts { start, times, failed_to_block, .. } = outside;
        let walked = WalkCell::new();
        hooks.push(LintedHook {
            definition,
            event,
            script,
            start,
            written,
            times,
            failed_to_block,
            repeats_script,
            walked,
        });
    }
    let handlers = &HandlerIndex::new(&loaded.definitions);
    let (place, examples, run_effects) =
        (&Arc::new(place.clone()), &ExampleCache::default(), &RunEffectCache::default());
    let agent = AgentContext {
        dialect,
        version,
        place,
        files,
        loaded,
        sources: &sources,
        machine,
        handlers,
        examples,
        run_effects,
    };
    let contexts = hooks.iter().map(|hook| RuleContext {
        agent,
        definition: hook.definition,
        event: hook.event,
        script: hook.script.as_deref(),
        start: hook.start.as_ref(),
        written: hook.written.as_ref(),
        times: &hook.times,
        failed_to_block: hook.failed_to_block,
        repeats_script: hook.repeats_script,
        walked: &hook.walked,
    });
    let result = work(&agent, &contexts.collect::<Vec<_>>());
    (result, sources, scripts.all())
}

/// A definition with the facts of its context.
struct LintedHook<'a> {
    definition: &'a HookDefinition,
    event: &'static EventSpec,
    script: Option<Rc<Script>>,
    start: Option<StartPrediction>,
    written: Option<WrittenCommand>,
    times: Vec<Duration>,
    failed_to_block: Option<i32>,
    repeats_script: bool,
    walked: WalkCell,
}

/// Returns the payload keys and names that scripts expect but their agent never sends, each with its hook. The
/// spans refer to the returned sources.
pub fn check_expectations(
    scope: LintScope<'_>,
    definitions: &[&HookDefinition],
    outside: &dyn Fn(&HookDefinition) -> CommandFacts,
) -> (Vec<(DefinitionId, Diagnostic)>, SourceMap) {
    let (found, sources, _) = with_contexts(scope, definitions.iter().copied(), outside, |_, hooks| {
        let mut found = Vec::new();
        for looked in hooks {
            let author = script_context::script_author(looked);
            let as_author = author.as_ref().map_or(*looked, |author| author.context(looked));
            let expectations = answers::check_expectations(&as_author).into_iter();
            found.extend(expectations.map(|one| (looked.definition.id.clone(), one)));
        }
        found
    });
    (found, sources)
}

/// Returns what each hook would refuse in an agent, which may be another one. `matcher` returns the matcher there.
pub fn refusals(
    scope: LintScope<'_>,
    there: &AgentVersion,
    definitions: &[&HookDefinition],
    outside: &dyn Fn(&HookDefinition) -> CommandFacts,
    matcher: &dyn Fn(&HookDefinition) -> Option<Value>,
) -> HashMap<DefinitionId, HookRefusals> {
    let (found, ..) = with_contexts(scope, definitions.iter().copied(), outside, |_, hooks| {
        let of = |looked: &RuleContext<'_>| {
            let refusals = answers::refusals(looked, there, matcher(looked.definition))?;
            Some((looked.definition.id.clone(), refusals))
        };
        hooks.iter().filter_map(of).collect()
    });
    found
}

fn sort_and_deduplicate(found: &mut Vec<Diagnostic>, sources: &SourceMap) {
    let mut seen = HashSet::new();
    found.retain(|d| seen.insert((d.code, d.span, d.file.clone(), d.span.is_none().then(|| d.message.clone()))));
    found.sort_by_cached_key(|d| {
        let place = d.place(sources);
        let at = place.as_ref().and_then(|(_, at)| *at).unwrap_or_default();
        (place.map(|(file, _)| file), at)
    });
}
