//! `why`: the ladder of one hook, and finding a hook by its id, name or place.

use hookbench_core::names::AgentId;
use std::collections::BTreeMap;

use indexmap::IndexSet;

use super::args::WhyArgs;
use super::error::CliError;
use super::print::text_page::listed;
use super::print::{self, emit_page};
use super::setup;
use super::suggestion::suggest;
use hookbench_app::lint::{Finding, group_findings, lint_project};
use hookbench_app::{ExitStatus, LadderParts, Session, SessionOptions, debug_logs, document, ladder, ladder_of_file};
use hookbench_core::config::{IgnoredFile, LayerFile};
use hookbench_core::diagnostic::{Code, CodeFamily, Severity};
use hookbench_core::dialects;
use hookbench_core::hook::HookDefinition;

/// Maximum number of hooks that an error message names.
const MAX_NAMES: usize = 12;

/// Runs `why`.
pub fn why(args: &WhyArgs) -> Result<ExitStatus, CliError> {
    args.common.reject_all_agents("why")?;
    setup::warn_if_unreleased(args.common.single_agent().and_then(|id| dialects::by_id(id.as_str())));
    let mut request = setup::request(args.event.as_ref(), &args.common, &args.event_args)?;
    let asked_event = request.event.is_some() || request.payload.is_some();
    // A tool or a field selects one particular payload of the hook's event.
    let moment = asked_event || request.tool.is_some() || request.tool_input.is_some() || !request.set.is_empty();
    if !asked_event {
        // The default is the hook's own event, so its definition has to be found first.
        let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
        let mut session = setup::open(&args.common, &request, options)?;
        session.load(args.common.single_agent());
        let (agent, definition) = find_hook_in_all_agents(&session, &args.hook)?;
        request.agent = Some(agent);
        request.event = Some(definition.event.clone());
        if dialects::by_id(agent.as_str())
            .zip(session.agent(agent.as_str()))
            .is_none_or(|(d, a)| dialects::find_event(d, &a.version, &definition.event).is_none())
        {
            let loaded = session.agent(agent.as_str()).and_then(|a| a.loaded.clone());
            let Some(loaded) = loaded else {
                return Err(CliError::Internal("the settings were not loaded".to_owned()));
            };
            let parts = LadderParts {
                findings: &findings_of(&session, agent, &definition, None),
                ..LadderParts::of(&definition, &loaded)
            };
            let climbed = ladder(parts);
            let doc = document::why_doc(&definition, None, None, &climbed, None);
            return emit_page(args.format, &args.sharing, &doc, |page| print::why(page, &doc, &climbed, None));
        }
    }
    let mut session = setup::open_on_event(&request, &args.common, &args.event_args)?;
    let definition = find_hook(&session, &args.hook)?;
    if !moment {
        session.use_firing_template(&definition.id);
    }
    let (Some(agent), Some(loaded)) = (session.current(), session.loaded()) else {
        return Err(CliError::Internal("the settings were not loaded".to_owned()));
    };
    let entry = session.bench().plan.as_ref().and_then(|p| p.entry(&definition.id));
    let facts = session.hook_facts(agent, &definition);
    let script = facts.resolved().and_then(|resolved| resolved.script.as_deref());
    let findings = findings_of(&session, agent.dialect.id(), &definition, script);
    let parts = LadderParts {
        event: session.bench().payload.event,
        entry,
        subjects: facts.subjects.as_ref().filter(|_| !moment),
        findings: &findings,
        ..facts.ladder_parts(loaded)
    };
    let climbed = ladder(parts);
    let event = session.bench().payload.event.map(|e| e.name);
    let settings: Vec<_> = loaded.layers.iter().map(|layer| session.settings_path(&layer.file)).collect();
    let logs = debug_logs(session.place(), agent.dialect, &settings);
    let log = session.log_account(agent, &definition, &logs);
    let doc = document::why_doc(&definition, entry, event, &climbed, log.as_ref());
    emit_page(args.format, &args.sharing, &doc, |page| print::why(page, &doc, &climbed, log.as_ref()))
}

/// Returns the lint findings for a hook and the script that it starts.
fn findings_of(session: &Session, agent: AgentId, hook: &HookDefinition, script: Option<&str>) -> Vec<Finding> {
    let mut found = lint_project(&session.lint_input(), Some(agent), &[], &BTreeMap::new()).findings;
    found.retain(|one| one.is_about(agent, hook, script));
    found
}

/// Describes entries and files that an agent ignores. Their findings belong to no hook. `None` if there are none.
fn describe_ignored_entries(session: &Session, text: &str) -> Option<String> {
    const TOLD: usize = 3;
    let linted = lint_project(&session.lint_input(), None, &[], &BTreeMap::new());
    let of_reading =
        |code: Code| code == Code::HW716 || matches!(code.family(), Some(CodeFamily::Files | CodeFamily::Events));
    let mut lost: Vec<Finding> = linted
        .findings
        .into_iter()
        .filter(|f| f.severity > Severity::Info && f.hook.is_none() && of_reading(f.code))
        .collect();
    let named = |f: &Finding| f.file.as_deref().is_some_and(|file| text.starts_with(file));
    if lost.iter().any(&named) {
        lost.retain(named);
    }
    let told: Vec<String> = group_findings(&lost)
        .iter()
        .take(TOLD)
        .map(|group| {
            let found = &group.finding;
            let line = found.place.map(|(start, _)| format!(":{}", start.line)).unwrap_or_default();
            let help = found.help.as_ref().map(|help| format!(". Fix: {help}")).unwrap_or_default();
            let place = format!("{}{line}: ", found.file.as_deref().unwrap_or_default());
            // Some messages begin with the file.
            let place = if found.message.starts_with(place.trim_end_matches(": ")) { "" } else { &place };
            format!("{place}{} [{}]{help}", found.message, found.code)
        })
        .collect();
    (!told.is_empty()).then(|| told.join("\n"))
}

/// Whether the text is the id, the name or the place of the hook.
fn matches_name(definition: &HookDefinition, text: &str) -> bool {
    let place = format!("{}:{}", definition.provenance.file, definition.provenance.line);
    definition.id == text
        || definition.label() == text
        || place == text
        || format!("{place}:{}", definition.provenance.column) == text
}

/// Completes a part of a hook's name. Returns the text itself unless exactly one name contains it.
fn whole_name<'a>(all: impl Iterator<Item = &'a HookDefinition>, text: &str) -> String {
    let part = text.to_lowercase();
    let mut names = IndexSet::new();
    for definition in all {
        if matches_name(definition, text) {
            return text.to_owned();
        }
        let name = definition.label();
        if name.to_lowercase().contains(&part) {
            names.insert(name);
        }
    }
    if names.len() == 1 { names.swap_remove_index(0).unwrap_or_default() } else { text.to_owned() }
}

pub(super) fn find_hook(session: &Session, text: &str) -> Result<HookDefinition, CliError> {
    let event = session.bench().payload.event.map(|e| e.name);
    let all = session.loaded().map(|l| l.definitions.as_slice()).unwrap_or_default();
    let name = whole_name(all.iter(), text);
    let here = all.iter().find(|d| matches_name(d, &name) && Some(d.event.as_str()) == event);
    let not_loaded = session.loaded().map(|l| l.ignored_files.as_slice()).unwrap_or_default();
    let broken = session.loaded().into_iter().flat_map(|l| l.broken_layers()).collect();
    here.or_else(|| all.iter().find(|d| matches_name(d, &name)))
        .cloned()
        .ok_or_else(|| unknown_hook_error(session, all, not_loaded, broken, text))
}

pub(super) fn find_hook_in_all_agents(session: &Session, text: &str) -> Result<(AgentId, HookDefinition), CliError> {
    let all = || session.agents().iter().filter_map(|a| Some((a.dialect.id(), a.loaded.as_ref()?)));
    let name = whole_name(all().flat_map(|(_, loaded)| &loaded.definitions), text);
    let found =
        all().find_map(|(id, loaded)| Some((id, loaded.definitions.iter().find(|d| matches_name(d, &name))?.clone())));
    found.ok_or_else(|| {
        let every: Vec<HookDefinition> = all().flat_map(|(_, l)| l.definitions.clone()).collect();
        let not_loaded: Vec<IgnoredFile> = all().flat_map(|(_, l)| l.ignored_files.clone()).collect();
        let broken = all().flat_map(|(_, l)| l.broken_layers()).collect();
        unknown_hook_error(session, &every, &not_loaded, broken, text)
    })
}

fn unknown_hook_error(
    session: &Session,
    all: &[HookDefinition],
    not_loaded: &[IgnoredFile],
    broken: Vec<&LayerFile>,
    text: &str,
) -> CliError {
    // `FILE:LINE` counts as `FILE`: the file has no hook that could be meant.
    let named = |file: &str| text == file || text.strip_prefix(file).is_some_and(|line| line.starts_with(':'));
    if let Some(file) = not_loaded.iter().find(|f| named(&f.file)) {
        return CliError::Usage(ladder_of_file(file).answer);
    }
    if let Some(layer) = broken.iter().find(|layer| named(&layer.file)) {
        let why = layer.message.as_deref().unwrap_or("it cannot be read");
        return CliError::Usage(format!("{}: {why}; `hookbench lint {}` shows where", layer.file, layer.file));
    }
    let known = known_hooks(all, text);
    // The hook may be in a file that could not be read.
    let unread: Vec<&str> = broken.into_iter().map(|layer| layer.file.as_str()).collect();
    let unread = if unread.is_empty() { unread.concat() } else { format!("; {} cannot be read", unread.join(", ")) };
    let lost = describe_ignored_entries(session, text).map(|lost| format!("\n{lost}")).unwrap_or_default();
    let unused = not_loaded
        .iter()
        .filter(|file| all.is_empty() && !lost.contains(&file.file))
        .map(|file| format!("\n{} is not read: {}", file.file, file.advice()));
    let unused: String = unused.collect();
    CliError::Usage(format!("no hook has the id, name or place \"{text}\"; {known}{unread}{lost}{unused}"))
}

/// Lists the names of the hooks, or the one that was probably meant.
fn known_hooks(all: &[HookDefinition], text: &str) -> String {
    let names: IndexSet<String> = all.iter().map(HookDefinition::label).collect();
    if names.is_empty() {
        return "no hooks are configured".to_owned();
    }
    let part = text.to_lowercase();
    let meant: Vec<String> = names.iter().filter(|name| name.to_lowercase().contains(&part)).cloned().collect();
    if meant.len() > 1 {
        return format!("it is a part of {}", listed(&meant, MAX_NAMES));
    }
    let all: Vec<String> = names.iter().cloned().collect();
    let otherwise = format!("the hooks are {}; `hookbench list` shows them", listed(&all, MAX_NAMES));
    suggest(text, names.iter().map(String::as_str), &otherwise)
}
