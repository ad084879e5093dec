//! `stress`: fires the variants of a deed and the conditions of the world at one hook.

mod text;

use std::path::Path;

use clap::{Args, ValueEnum};

use super::args::{CommonArgs, EventArgs};
use super::consent::{ask_and_store_consent, read_consent};
use super::containment::prepare_containment;
use super::error::CliError;
use super::formats::SharingArgs;
use super::print::lines::PageForm;
use super::print::{self, print_json, print_page};
use super::progress::ProgressLine;
use super::run::runtime;
use super::setup;
use super::signals::stop_signals;
use super::why::{find_hook, find_hook_in_all_agents};
use hookbench_app::suite::{DEFAULT_SUITE, addition_to, missed_cases};
use hookbench_app::{
    Command, ExitStatus, LinkPolicy, Session, SessionOptions, StateDir, StressParts, StressReport, StressRequest,
    VariantResult, document, run_stress, write_all,
};

/// `stress`.
#[derive(Debug, Args)]
pub struct StressArgs {
    /// Id of the hook (h1), its name, or file:line
    pub hook: String,
    /// Event name [default: the hook's own event]
    pub event: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub event_args: EventArgs,
    /// Exit with 1 if the hook refuses fewer variants: a number, or a percentage such as 90%
    #[arg(long, value_parser = minimum, value_name = "N")]
    pub min: Option<Minimum>,
    /// Try only variants of the event and changes of its keys
    #[arg(long, conflicts_with_all = ["world_only"])]
    pub variants_only: bool,
    /// Try only the conditions, such as a closed stdin
    #[arg(long, conflicts_with_all = ["min", "save_misses"])]
    pub world_only: bool,
    /// Answer yes: run the hook without asking
    #[arg(long)]
    pub yes: bool,
    /// Run the hook in the project itself instead of a copy without network
    #[arg(long)]
    pub in_place: bool,
    /// Keep the variants that are not refused as cases of hooks.test.yaml; hookbench undo removes them
    #[arg(long)]
    pub save_misses: bool,
    #[command(flatten)]
    pub sharing: SharingArgs,
    /// Output format
    #[arg(long, value_enum, default_value_t = StressFormat::Text)]
    pub format: StressFormat,
}

/// The output formats of `stress`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StressFormat {
    Text,
    Json,
    Junit,
    /// Markdown, for an issue or a chat
    Markdown,
    /// One HTML file without script or network
    Html,
}

/// The number of variants that a hook must refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minimum {
    Count(usize),
    Percent(usize),
}

impl Minimum {
    fn is_met(self, report: &StressReport) -> bool {
        let refused = report.count(VariantResult::Refused);
        report.refuses
            && match self {
                Minimum::Count(count) => refused >= count,
                Minimum::Percent(percent) => refused * 100 >= percent * report.expected_variants,
            }
    }
}

fn minimum(text: &str) -> Result<Minimum, String> {
    let wrong = "write a number such as 30, or a percentage such as 90%";
    let parsed = match text.strip_suffix('%') {
        Some(percent) => percent.parse().ok().filter(|percent| *percent <= 100).map(Minimum::Percent),
        None => text.parse().ok().map(Minimum::Count),
    };
    parsed.ok_or_else(|| wrong.to_owned())
}

/// Runs `stress`.
pub fn stress(args: &StressArgs) -> Result<ExitStatus, CliError> {
    args.common.reject_all_agents("stress")?;
    let (session, request) = prepare(args)?;
    let state = StateDir::of(session.place());
    prepare_containment(request.contain, Path::new(&session.place().project), args.yes)?;
    if !args.yes {
        let missing: Vec<_> = request.consent_missing(&read_consent(&state)).into_iter().collect();
        ask_and_store_consent(&state, &missing, &missing)?;
    }
    let definition = request.definition.clone();
    let report = runtime(2)?.block_on(async {
        // Registered before the first process starts, so that Ctrl-C never leaves one running.
        let mut stops = stop_signals();
        let mut line = ProgressLine::new();
        let mut so_far = StressReport::default();
        line.show(|| so_far.progress());
        let mut tell = |update| {
            so_far.absorb(update);
            line.show(|| so_far.progress());
        };
        let report = tokio::select! {
            report = run_stress(request, &mut tell) => report,
            Some(()) = stops.recv() => {
                hookbench_app::kill_every_group();
                return None;
            }
        };
        line.clear();
        Some(report)
    });
    let Some(report) = report else { return Ok(ExitStatus::Interrupted) };
    let report = report.map_err(CliError::BadInput)?;
    match args.format {
        StressFormat::Text | StressFormat::Markdown | StressFormat::Html => {
            let form = match args.format {
                StressFormat::Markdown => PageForm::Markdown,
                StressFormat::Html => PageForm::Html,
                _ => PageForm::Text,
            };
            print_page(args.sharing.style(form), |page| text::page(page, &report, &definition));
        }
        StressFormat::Json => {
            print_json(&document::stress_doc(&report, &definition))?;
        }
        StressFormat::Junit => print::write_stdout(&text::junit(&document::stress_doc(&report, &definition))),
    }
    if args.save_misses {
        save_misses(&report, &session, &definition.event, args.format)?;
    }
    let met = args.min.is_none_or(|minimum| minimum.is_met(&report));
    Ok(if met { ExitStatus::Ok } else { ExitStatus::NotAsExpected })
}

/// Finds the hook and prepares its test.
fn prepare(args: &StressArgs) -> Result<(setup::CommandSession, StressRequest), CliError> {
    let mut request = setup::request(args.event.as_ref(), &args.common, &args.event_args)?;
    let given =
        request.payload.is_some() || request.tool.is_some() || request.tool_input.is_some() || !request.set.is_empty();
    if request.event.is_none() && request.payload.is_none() {
        // The default is the hook's own event, so its definition has to be found first.
        let options = SessionOptions { keep_firings: 1, ..SessionOptions::default() };
        let mut session = setup::open(&args.common, &request, options)?;
        session.load(args.common.single_agent());
        let (agent, definition) = find_hook_in_all_agents(&session, &args.hook)?;
        request.agent = Some(agent);
        request.event = Some(definition.event);
    }
    let mut session = setup::open_on_event(&request, &args.common, &args.event_args)?;
    session.apply(Command::SetContained(!args.in_place));
    let definition = find_hook(&session, &args.hook)?;
    let payload = session.bench().body().cloned().filter(|_| given);
    let parts = match (args.variants_only, args.world_only) {
        (true, _) => StressParts::Variants,
        (_, true) => StressParts::World,
        (false, false) => StressParts::All,
    };
    let event = session.bench().payload.event.map(|event| event.name);
    let is_same = |event| session.current().is_some_and(|agent| agent.dialect.is_same_event(event, &definition.event));
    if !event.is_some_and(is_same) {
        let says = format!("{} is a hook of {}, not of {}", args.hook, definition.event, event.unwrap_or_default());
        return Err(CliError::Usage(says));
    }
    let stress = session.current().and_then(|agent| session.stress_request(agent, &definition, payload, parts));
    let stress = stress.ok_or_else(|| CliError::Internal("the settings were not loaded".to_owned()))?;
    Ok((session, stress))
}

/// Keeps the misses as cases of the project's suite, and prints the change.
fn save_misses(report: &StressReport, session: &Session, event: &str, format: StressFormat) -> Result<(), CliError> {
    let place = session.place();
    let agent = session.bench().payload.agent;
    let cases = missed_cases(report, agent, event);
    let printed = |text: &str| {
        if format == StressFormat::Text {
            print::write_stdout(text);
        }
    };
    if cases.is_empty() {
        printed("\nno misses to keep\n");
        return Ok(());
    }
    let change = addition_to(DEFAULT_SUITE, &cases, place, session.files());
    let change = change.map_err(|why| CliError::BadInput(why.to_string()))?;
    let diff = change.diff();
    write_all(place, &[change], LinkPolicy::Refuse)?;
    printed(&format!("\n{diff}written; hookbench test runs the cases, hookbench undo removes them\n"));
    Ok(())
}
