//! The read-only commands `plan`, `why`, `list` and `schema`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::all_agents;
use super::args::{Format, ListArgs, PlanArgs, SchemaArgs, WhyArgs};
use super::error::CliError;
use super::print;
use super::setup;
use hookbench_app::lint::{Finding, group_findings, lint_project};
use hookbench_app::{
    ExitStatus, InputRequest, LadderParts, Session, SessionOptions, document, ladder, ladder_of_file, schemas,
};
use hookbench_core::config::{IgnoredFile, LayerFile};
use hookbench_core::diagnostic::Severity;
use hookbench_core::dialects;
use hookbench_core::hook::HookDefinition;
use hookbench_core::plan::Selection;
use hookbench_core::run::Launch;
use hookbench_core::text::escape_json_for_terminal;

/// Prints a document as indented JSON.
pub(super) fn print_json(document: &impl Serialize) -> Result<ExitStatus, CliError> {
    let text = serde_json::to_string_pretty(document).map_err(|why| CliError::Internal(why.to_string()))?;
    print::write_stdout(&format!("{}\n", escape_json_for_terminal(&text)));
    Ok(ExitStatus::Ok)
}

fn session_for(request: &InputRequest, args: &PlanArgs) -> Result<Session, CliError> {
    let options = SessionOptions { headless: args.event_args.headless, keep_firings: 1, ..SessionOptions::default() };
    let mut session = setup::open(&args.common, request, options)?;
    let built = session.build(request)?;
    let agent = built.dialect.id();
    session.load(Some(agent));
    session.put_input(built);
    Ok(session)
}

/// Runs `plan`.
pub fn plan(args: &PlanArgs) -> Result<ExitStatus, CliError> {
    if args.common.is_all_agents() {
        return all_agents::plan(args);
    }
    let request = setup::request(args.event.as_ref(), &args.common, &args.event_args)?;
    let session = session_for(&request, args)?;
    let bench = session.bench();
    let (Some(agent), Some(loaded), Some(input), Some(plan)) =
        (session.current(), session.loaded(), &bench.input, &bench.plan)
    else {
        return Err(CliError::Internal("nothing was planned".to_owned()));
    };
    let doc = document::plan_doc(bench.agent, &agent.basis, input, &bench.filled, plan, loaded, &bench.diagnostics);
    match args.format {
        Format::Json => print_json(&doc),
        Format::Text => {
            print::plan(&doc, agent);
            Ok(ExitStatus::Ok)
        }
    }
}

/// Runs `why`.
pub fn why(args: &WhyArgs) -> Result<ExitStatus, CliError> {
    if args.common.is_all_agents() {
        return Err(CliError::Usage("a hook is one agent's: name the agent, or none".to_owned()));
    }
    let plan_args = PlanArgs {
        event: args.event.clone(),
        common: args.common.clone(),
        event_args: args.event_args.clone(),
        format: args.format,
    };
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
        if dialects::by_id(agent)
            .zip(session.agent(agent))
            .is_none_or(|(d, a)| dialects::find_event(d, &a.version, &definition.event).is_none())
        {
            let loaded = session.agent(agent).and_then(|a| a.loaded.clone());
            let Some(loaded) = loaded else { return Err(CliError::Internal("nothing was loaded".to_owned())) };
            let parts = LadderParts {
                definition: &definition,
                loaded: &loaded,
                event: None,
                entry: None,
                resolved: None,
                run: None,
                subjects: None,
                refused: None,
                findings: &findings_of(&session, agent, &definition.id),
            };
            return print_why(&document::why_doc(&definition, None, None, &ladder(parts)), args.format);
        }
    }
    let mut session = session_for(&request, &plan_args)?;
    let definition = find_hook(&session, &args.hook)?;
    if !moment {
        select_firing_template(&mut session, &definition.id);
    }
    let (Some(agent), Some(loaded)) = (session.current(), session.loaded()) else {
        return Err(CliError::Internal("nothing was loaded".to_owned()));
    };
    let entry = session.bench().plan.as_ref().and_then(|p| p.entry(&definition.id));
    let (refused, resolved) = match session.launch_of(agent, &definition) {
        Some((Launch::Refused(why), resolved)) => (Some(why), resolved),
        Some((_, resolved)) => (None, resolved),
        None => (None, None),
    };
    let findings = findings_of(&session, agent.dialect.id(), &definition.id);
    let subjects = if moment { None } else { session.subjects(agent, &definition) };
    let parts = LadderParts {
        definition: &definition,
        loaded,
        event: session.bench().event,
        entry,
        resolved: resolved.as_ref(),
        run: None,
        subjects: subjects.as_ref(),
        refused: refused.as_deref(),
        findings: &findings,
    };
    let climbed = ladder(parts);
    let event = session.bench().event.map(|e| e.name);
    print_why(&document::why_doc(&definition, entry, event, &climbed), args.format)
}

/// Returns the lint findings for a hook.
fn findings_of(session: &Session, agent: &str, hook: &str) -> Vec<Finding> {
    let mut found = lint_project(&session.lint_input(), Some(agent), &[], &BTreeMap::new()).findings;
    found.retain(|one| one.hook.as_ref().is_some_and(|at| at.id == hook));
    found
}

/// Describes entries and files that an agent ignores. Their findings belong to no hook. `None` if there are none.
fn describe_ignored_entries(session: &Session, text: &str) -> Option<String> {
    const TOLD: usize = 3;
    let linted = lint_project(&session.lint_input(), None, &[], &BTreeMap::new());
    let of_reading = |code: &str| code.starts_with("HW1") || code.starts_with("HW2");
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
            let help = found.help.as_ref().map(|help| format!(". To fix it: {help}")).unwrap_or_default();
            format!("{}{line}: {} [{}]{help}", found.file.as_deref().unwrap_or_default(), found.message, found.code)
        })
        .collect();
    (!told.is_empty()).then(|| told.join("\n"))
}

fn print_why(doc: &document::WhyDoc, format: Format) -> Result<ExitStatus, CliError> {
    match format {
        Format::Json => print_json(doc),
        Format::Text => {
            print::why(doc);
            Ok(ExitStatus::Ok)
        }
    }
}

/// Selects the first template that makes this hook fire, or the first template if none does.
fn select_firing_template(session: &mut Session, hook: &str) {
    for index in 0..session.bench().templates.len() {
        session.apply(hookbench_app::Command::UseTemplate(index));
        let fires = session
            .bench()
            .plan
            .as_ref()
            .and_then(|p| p.entry(hook))
            .is_some_and(|e| matches!(e.selection, Selection::Fires { .. }));
        if fires {
            return;
        }
    }
    session.apply(hookbench_app::Command::UseTemplate(0));
}

fn matches_name(definition: &HookDefinition, text: &str) -> bool {
    let place = format!("{}:{}", definition.provenance.file, definition.provenance.line);
    definition.id == text
        || definition.label() == text
        || place == text
        || format!("{place}:{}", definition.provenance.column) == text
}

fn find_hook(session: &Session, text: &str) -> Result<HookDefinition, CliError> {
    let event = session.bench().event.map(|e| e.name);
    let all = session.loaded().map(|l| l.definitions.as_slice()).unwrap_or_default();
    let here = all.iter().find(|d| matches_name(d, text) && Some(d.event.as_str()) == event);
    let not_loaded = session.loaded().map(|l| l.ignored_files.as_slice()).unwrap_or_default();
    let broken = session.loaded().into_iter().flat_map(|l| l.broken_layers()).collect();
    here.or_else(|| all.iter().find(|d| matches_name(d, text)))
        .cloned()
        .ok_or_else(|| unknown_hook_error(session, all, not_loaded, broken, text))
}

pub(super) fn find_hook_in_all_agents(
    session: &Session,
    text: &str,
) -> Result<(&'static str, HookDefinition), CliError> {
    let all = || session.agents().iter().filter_map(|a| Some((a.dialect.id(), a.loaded.as_ref()?)));
    let found =
        all().find_map(|(id, loaded)| Some((id, loaded.definitions.iter().find(|d| matches_name(d, text))?.clone())));
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
        let why = layer.message.as_deref().unwrap_or("it could not be read");
        return CliError::Usage(format!("{}: {why}; hookbench lint {} says where", layer.file, layer.file));
    }
    let mut known: Vec<String> = all.iter().map(|d| format!("{} ({})", d.id, d.label())).collect();
    known.dedup();
    let known = if known.is_empty() {
        "no hooks are configured here".to_owned()
    } else {
        format!("there are {}", known.join(", "))
    };
    // The hook may be in a file that could not be read.
    let unread: Vec<&str> = broken.into_iter().map(|layer| layer.file.as_str()).collect();
    let unread = if unread.is_empty() { unread.concat() } else { format!("; {} could not be read", unread.join(", ")) };
    let lost = describe_ignored_entries(session, text).map(|lost| format!("\n{lost}")).unwrap_or_default();
    CliError::Usage(format!("no hook is called \"{text}\"; {known}{unread}{lost}"))
}

/// Runs `list`.
pub fn list(args: &ListArgs) -> Result<ExitStatus, CliError> {
    let request = InputRequest { agent: args.common.single_agent(), ..InputRequest::default() };
    let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
    let mut session = setup::open(&args.common, &request, options)?;
    session.load(args.common.single_agent());
    let doc = document::list_doc(session.agents().iter());
    match args.format {
        Format::Json => print_json(&doc),
        Format::Text => {
            print::list(&doc);
            Ok(ExitStatus::Ok)
        }
    }
}

/// Runs `schema`.
pub fn schema(args: &SchemaArgs) -> Result<ExitStatus, CliError> {
    let Some(name) = &args.document else {
        let read = |text: &str| serde_json::from_str(text).map_err(|why| CliError::Internal(why.to_string()));
        let all: Result<serde_json::Map<String, serde_json::Value>, CliError> =
            schemas::SCHEMAS.iter().map(|(name, text)| Ok(((*name).to_owned(), read(text)?))).collect();
        return print_json(&all?);
    };
    match schemas::SCHEMAS.iter().find(|(known, _)| known == name) {
        Some((_, text)) => {
            print::write_stdout(text);
            Ok(ExitStatus::Ok)
        }
        None => {
            let known: Vec<&str> = schemas::SCHEMAS.iter().map(|(name, _)| *name).collect();
            Err(CliError::Usage(format!("no document is called \"{name}\"; there are {}", known.join(", "))))
        }
    }
}
