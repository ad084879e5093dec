//! `plan` and `fire` for every agent: the same event, translated for each agent.

use std::path::Path;

use super::args::{CommonArgs, EventArgs, FireArgs, PlanArgs};
use super::containment::prepare_containment;
use super::error::CliError;
use super::formats::StreamFormat;
use super::print::lines::PageStyle;
use super::print::{self, emit, print_json, print_page};
use super::run::{self, print_entries, verdict_status};
use super::setup;
use hookbench_app::{
    BuiltInput, Command, CrossAgentEvent, ExitStatus, Session, SessionOptions, document, find_program,
};
use hookbench_core::dialects::{self, Agent, find_event};
use hookbench_core::names::AgentId;
use hookbench_core::port::mapping;

/// Runs `plan --agent all`.
pub fn plan(args: &PlanArgs) -> Result<ExitStatus, CliError> {
    let options = SessionOptions { headless: args.event_args.headless, keep_firings: 1, ..SessionOptions::default() };
    let session = session(args.event.as_ref(), &args.common, &args.event_args, options)?;
    let Some(all) = session.everywhere() else {
        return Err(CliError::Internal("the event was not planned".to_owned()));
    };
    emit(args.format, &document::firings_doc(&all, &session), || {
        print_page(PageStyle::TEXT, |page| print::everywhere(page, &all, &session));
    })
}

/// Runs `fire --agent all`.
pub fn fire(args: &FireArgs) -> Result<ExitStatus, CliError> {
    for (flag, given) in [("--answer", &args.answer), ("--without", &args.without), ("--what-if", &args.what_if)]
        .map(|(f, v)| (f, !v.is_empty()))
        .into_iter()
        .chain([("--ask-model", args.ask_model), ("--repeat", args.repeat.is_some())])
    {
        if given {
            return Err(CliError::Usage(format!("{flag} works with one agent only; select it with --agent")));
        }
    }
    let options = SessionOptions {
        headless: args.event_args.headless,
        yes: args.yes,
        keep_entries: args.format == StreamFormat::Jsonl,
        keep_firings: 2 * dialects::ALL.len(),
        run_log: run::log_settings(),
        ..SessionOptions::default()
    };
    let mut session = session(args.event.as_ref(), &args.common, &args.event_args, options)?;
    prepare_containment(args.contain, Path::new(&session.place().project), args.yes)?;
    session.apply(Command::SetContained(args.contain));
    if args.verify {
        return verify(&mut session, args);
    }
    let status = run::fire(&mut session, Command::FireEverywhere, args)?;
    print_entries(&mut session);
    let Some(all) = session.compared() else {
        return Err(CliError::Internal("the event was not fired".to_owned()));
    };
    if let Some(form) = args.format.form() {
        print_page(args.sharing.style(form), |page| print::everywhere(page, all, &session));
    } else if args.format == StreamFormat::Json {
        print_json(&document::firings_doc(all, &session))?;
    }
    Ok(if status == ExitStatus::Interrupted { status } else { combined_status(all, &session, args) })
}

/// Fires the event here and in each installed agent, one after the other.
fn verify(session: &mut Session, args: &FireArgs) -> Result<ExitStatus, CliError> {
    let Some(mut all) = session.everywhere() else {
        return Err(CliError::Internal("the event was not planned".to_owned()));
    };
    for of in &mut all.agents {
        let Ok(there) = &mut of.event else { continue };
        let found = dialects::by_id(of.agent.as_str())
            .and_then(|dialect| Some((dialect, find_event(dialect, &of.version, &there.input.event)?)));
        let Some((dialect, event)) = found else { continue };
        session.put_input(BuiltInput {
            dialect,
            event,
            input: there.input.clone(),
            filled: there.filled.clone(),
            diagnostics: there.diagnostics.clone(),
            transcript: None,
        });
        let status = run::fire(session, Command::Verify { insists: args.verify_anyway }, args)?;
        print_entries(session);
        if status == ExitStatus::Interrupted {
            return Ok(status);
        }
        there.firing = session.history().newest().map(|run| run.id);
    }
    if let Some(form) = args.format.form() {
        print_page(args.sharing.style(form), |page| {
            print::everywhere(page, &all, session);
            print::verified_everywhere(page, &all, session);
        });
    } else if args.format == StreamFormat::Json {
        print_json(&document::firings_doc(&all, session))?;
    }
    Ok(combined_status(&all, session, args))
}

/// Returns `Ok` if the outcome is as expected in every agent that has the event. An agent that is not installed cannot
/// be asked, which only counts if no agent could be.
fn combined_status(all: &CrossAgentEvent, session: &Session, args: &FireArgs) -> ExitStatus {
    let is_installed = |agent: &AgentId| {
        let dialect = dialects::by_id(agent.as_str());
        dialect.is_some_and(|dialect| find_program(&dialect.install(), session.place()).is_some())
    };
    let counted = all.translated().filter(|(agent, _)| !args.verify || is_installed(&agent.agent));
    let fired = counted.filter_map(|(_, there)| session.fired_there(there));
    let statuses: Vec<ExitStatus> = fired.map(|firing| verdict_status(firing, args)).collect();
    if args.verify && statuses.is_empty() {
        return ExitStatus::NotAsExpected;
    }
    let has = |status: ExitStatus| statuses.contains(&status).then_some(status);
    has(ExitStatus::NotAsExpected).or(has(ExitStatus::Unknown)).unwrap_or(ExitStatus::Ok)
}

/// Creates a session with the configuration of every agent, and puts the event on the bench. The event may have a
/// canonical name, which belongs to no agent.
fn session(
    event: Option<&String>,
    common: &CommonArgs,
    what: &EventArgs,
    options: SessionOptions,
) -> Result<setup::CommandSession, CliError> {
    if common.agent_version.is_some() {
        return Err(CliError::Usage("--agent-version works with one agent only; select it with --agent".to_owned()));
    }
    let mut request = setup::request(event, common, what)?;
    let meant = request.event.as_deref().and_then(|name| mapping().row(name));
    if let Some(row) = meant {
        let first = dialects::released().find_map(|d| Some((d.id(), row.events.get(d.id().as_str())?)));
        let Some((agent, own)) = first else { return Err(CliError::Usage(row.no_agent_message())) };
        request.agent = Some(agent);
        request.event = Some(own.to_owned());
    } else if let (None, Some(name)) = (request.agent, &request.event) {
        // The comparison includes the agent of the event even if the project does not use it.
        let has = |d: &&Agent| find_event(d, &dialects::default_version(d), name).is_some();
        request.agent = dialects::released().find(has).map(|dialect| dialect.id());
    }
    let mut session = setup::open(common, &request, options)?;
    let built = session.build(&request)?;
    session.load(None);
    session.put_input(built);
    Ok(session)
}
