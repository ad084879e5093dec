//! The read-only commands `plan`, `list` and `schema`.

use super::args::{ListArgs, PlanArgs, SchemaArgs};
use super::error::CliError;
use super::print::{self, emit, print_json};
use super::suggestion::suggest;
use super::{all_agents, setup};
use hookbench_app::settings_schema::settings_schema;
use hookbench_app::{ExitStatus, InputRequest, SessionOptions, document, schemas};
use hookbench_core::dialects;
use hookbench_core::names::AgentId;
use hookbench_core::port::AgentVersion;

/// Runs `plan`.
pub fn plan(args: &PlanArgs) -> Result<ExitStatus, CliError> {
    if args.common.is_all_agents() {
        return all_agents::plan(args);
    }
    let request = setup::request(args.event.as_ref(), &args.common, &args.event_args)?;
    let session = setup::open_on_event(&request, &args.common, &args.event_args)?;
    let bench = session.bench();
    let (Some(agent), Some(loaded), Some(input), Some(plan)) =
        (session.current(), session.loaded(), &bench.payload.input, &bench.plan)
    else {
        return Err(CliError::Internal("the event was not planned".to_owned()));
    };
    let doc = document::plan_doc(
        bench.payload.agent.as_str(),
        &agent.basis,
        input,
        &bench.payload.filled,
        plan,
        loaded,
        &bench.payload.diagnostics,
    );
    emit(args.format, &doc, || print::plan(&doc, agent, &session.failing_hooks(agent, plan)))
}

/// Runs `list`.
pub fn list(args: &ListArgs) -> Result<ExitStatus, CliError> {
    let request = InputRequest { agent: args.common.single_agent(), ..InputRequest::default() };
    let options =
        SessionOptions { keep_firings: 1, every_agent: args.common.is_all_agents(), ..SessionOptions::default() };
    let mut session = setup::open(&args.common, &request, options)?;
    session.load(args.common.single_agent());
    let only = args.common.single_agent();
    let listed = session.agents().iter().filter(|agent| only.is_none_or(|id| agent.dialect.id() == id));
    let mut doc = document::list_doc(session.place(), listed);
    if only.is_none() {
        doc.left_out = document::left_out_agents(&session);
    }
    let left_out = session.left_out("--agent all lists every agent").filter(|_| only.is_none());
    emit(args.format, &doc, || print::list(&doc, left_out.as_deref()))
}

/// The name under which `schema` prints the schema of an agent's settings.
const SETTINGS: &str = "settings";

/// Runs `schema`.
pub fn schema(args: &SchemaArgs) -> Result<ExitStatus, CliError> {
    let Some(name) = &args.document else {
        let read = |text: &str| serde_json::from_str(text).map_err(|why| CliError::Internal(why.to_string()));
        let all: Result<serde_json::Map<String, serde_json::Value>, CliError> =
            schemas::SCHEMAS.iter().map(|(name, text)| Ok(((*name).to_owned(), read(text)?))).collect();
        return print_json(&all?);
    };
    if name == SETTINGS {
        return print_settings_schema(args.agent);
    }
    if args.agent.is_some() {
        return Err(CliError::Usage(format!("only {SETTINGS} has a schema for each agent; {name} has one for all")));
    }
    match schemas::SCHEMAS.iter().find(|(known, _)| known == name) {
        Some((_, text)) => {
            print::write_stdout(text);
            Ok(ExitStatus::Ok)
        }
        None => {
            let known: Vec<&str> = schemas::SCHEMAS.iter().map(|(name, _)| *name).chain([SETTINGS]).collect();
            let otherwise = format!("choose one of {}", known.join(", "));
            let advice = suggest(name, known.iter().copied(), &otherwise);
            Err(CliError::Usage(format!("unknown document \"{name}\"; {advice}")))
        }
    }
}

/// Prints the schema of an agent's settings in its newest version that is known.
fn print_settings_schema(agent: Option<AgentId>) -> Result<ExitStatus, CliError> {
    let dialect = agent.and_then(|agent| dialects::by_id(agent.as_str()));
    let needs_agent = || CliError::Usage("settings differ between agents\n  help: name one with --agent".to_owned());
    let dialect = dialect.ok_or_else(needs_agent)?;
    let version = AgentVersion { dialect, version: dialects::default_version(dialect) };
    let without_file =
        || CliError::Usage(format!("{} has no settings file for hooks: each is a script", dialect.name()));
    print_json(&settings_schema(&version).ok_or_else(without_file)?)
}
