//! `guard`: installs, lists, tries and changes guards. The program runs a guard itself before all other commands, in a
//! way that never ends with the status of a refusal.

mod args;
mod text;

use std::ops::ControlFlow;

pub use args::{GUARD_HELP, GuardCommandArgs, is_guard_command};
use args::{GuardAllowArgs, GuardCommand, GuardInstallArgs, GuardJudgeArgs, GuardModeArgs, GuardTryArgs};

use super::args::PlaceArgs;
use super::consent::confirm_write;
use super::db::damaged_events;
use super::error::CliError;
use super::import::ImportProgressLine;
use super::install::SettingsWriteArgs;
use super::print::text_page::TextPage;
use super::print::{emit, patch_lines, write_stdout};
use super::suggestion::suggest;
use hookbench_app::document::{guard_list_doc, guard_try_doc};
use hookbench_app::guards::{
    ConfigChange, ConfigChangeError, JudgedHit, Judgement, TrialError, TrialRequest, TrialSource, allow_change,
    find_hit, finding_case, guard_overview, judge, mode_change, needs_mode_hint, read_hits, run_trial,
};
use hookbench_app::suite::{DEFAULT_SUITE, SuiteAdditionError, addition_to};
use hookbench_app::{
    DiskFiles, ExitStatus, GuardInstallRequest, LinkPolicy, find_program, installed_version, make_place,
    prepare_guards, write_all, write_stderr,
};
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, Agent};
use hookbench_core::guard::{Allowance, GuardName};
use hookbench_core::port::AgentVersion;

/// The guards that are installed if none is named: those whose findings are nearly always right.
const FIRST: [GuardName; 2] = [GuardName::Response, GuardName::Todo];

/// Runs `guard`.
pub fn guard(args: &GuardCommandArgs) -> Result<ExitStatus, CliError> {
    match &args.command {
        GuardCommand::Install(args) => install(args),
        GuardCommand::List(args) => list(args),
        GuardCommand::Try(args) => attempt(args),
        GuardCommand::Mode(args) => mode(args),
        GuardCommand::Judge(args) => judge_hit(args),
        GuardCommand::Allow(args) => allow(args),
    }
}

fn place_of(args: &PlaceArgs) -> Result<Place, CliError> {
    Ok(make_place(args.project.as_deref(), args.home.as_deref())?)
}

fn list(args: &PlaceArgs) -> Result<ExitStatus, CliError> {
    let place = place_of(args)?;
    let (guards, hits) = guard_overview(&place);
    let doc = guard_list_doc(&guards, &hits);
    emit(args.format, &doc, || write_stdout(&text::list(&doc)))
}

fn attempt(args: &GuardTryArgs) -> Result<ExitStatus, CliError> {
    let place = place_of(&args.place_args)?;
    let filter = super::db::filter(&args.filter)?;
    let guards = guards(&args.guards)?;
    let source = match &args.path {
        Some(path) => TrialSource::Files(path),
        None => TrialSource::Store(&filter),
    };
    let request = TrialRequest { source, guards: &guards, all_rules: args.all };
    let mut line = ImportProgressLine::new();
    let trial = run_trial(&place, &request, &mut |progress| {
        line.show(progress);
        ControlFlow::Continue(())
    });
    line.clear();
    let trial = trial.map_err(|why| match why {
        TrialError::Store(why) => CliError::Store(why),
        TrialError::Import(why) => super::import::failure(why),
    })?;
    if trial.damaged > 0 {
        write_stderr(damaged_events(trial.damaged));
    }
    let doc = guard_try_doc(&trial);
    emit(args.place_args.format, &doc, || write_stdout(&text::trial(&doc)))
}

fn guards(names: &[String]) -> Result<Vec<GuardName>, CliError> {
    let known: Vec<&str> = GuardName::ALL.iter().map(|guard| guard.word()).collect();
    let guard = |name: &String| {
        let unknown = || {
            let otherwise = format!("the guards are {}", known.join(", "));
            CliError::Usage(format!("unknown guard {name}; {}", suggest(name, known.iter().copied(), &otherwise)))
        };
        GuardName::from_word(name).ok_or_else(unknown)
    };
    names.iter().map(guard).collect()
}

fn install(args: &GuardInstallArgs) -> Result<ExitStatus, CliError> {
    let SettingsWriteArgs { scope, dry_run, yes, follow_links, place_args } = &args.write_args;
    let place = place_of(place_args)?;
    let mut chosen = guards(&args.names)?;
    if chosen.is_empty() {
        chosen = FIRST.to_vec();
    }
    let named: Vec<&'static Agent> = args.agent.iter().filter_map(|id| dialects::by_id(id.as_str())).collect();
    let installed = || dialects::released().filter(|dialect| find_program(&dialect.install(), &place).is_some());
    let agents = if named.is_empty() { installed().collect() } else { named };
    let agents: Vec<AgentVersion> = agents.into_iter().map(|dialect| installed_version(dialect, &place)).collect();
    if agents.is_empty() {
        return Err(CliError::Usage("no agent is installed here; name one with --agent".to_owned()));
    }
    let request = GuardInstallRequest { guards: &chosen, agents: &agents, layer: *scope };
    let prepared = prepare_guards(&place, &DiskFiles, &request)?;
    let mut page = TextPage::new();
    text::install(&mut page, &prepared);
    patch_lines(&mut page, &prepared.changes.iter().map(|change| change.diff()).collect::<String>());
    write_stdout(&page.finish());
    if prepared.changes.is_empty() || *dry_run {
        return Ok(ExitStatus::Ok);
    }
    if !*yes {
        confirm_write("Write these files?", true)?;
    }
    write_all(&place, &prepared.changes, LinkPolicy::from_flag(*follow_links))?;
    write_stdout("written; the guards start in shadow mode. hookbench undo restores the files\n");
    Ok(ExitStatus::Ok)
}

fn mode(args: &GuardModeArgs) -> Result<ExitStatus, CliError> {
    let place = place_of(&args.place_args)?;
    let guard = guards(std::slice::from_ref(&args.guard))?.into_iter().next();
    let guard = guard.ok_or_else(|| CliError::Usage("name a guard".to_owned()))?;
    let change = mode_change(&place, guard, args.rule.as_deref(), args.mode).map_err(config_failure)?;
    write_config(&place, &change, args.yes)?;
    // The time of the change is recorded.
    let _ = guard_overview(&place);
    Ok(ExitStatus::Ok)
}

fn write_config(place: &Place, change: &ConfigChange, yes: bool) -> Result<(), CliError> {
    if change.diff.is_empty() {
        write_stdout("nothing to do\n");
        return Ok(());
    }
    let mut page = TextPage::new();
    patch_lines(&mut page, &change.diff);
    write_stdout(&page.finish());
    if !yes {
        confirm_write("Write this file?", true)?;
    }
    change.write(place).map_err(config_failure)?;
    write_stdout("written; hookbench undo restores the file\n");
    Ok(())
}

fn config_failure(why: ConfigChangeError) -> CliError {
    match why {
        ConfigChangeError::Write(why) => why.into(),
        ConfigChangeError::UnknownRule { .. } | ConfigChangeError::NoFile => CliError::Usage(why.to_string()),
        _ => CliError::BadInput(why.to_string()),
    }
}

fn judge_hit(args: &GuardJudgeArgs) -> Result<ExitStatus, CliError> {
    let place = place_of(&args.place_args)?;
    let judged = match args.judgement.as_str() {
        "right" => Some(Judgement::Right),
        "wrong" => Some(Judgement::Wrong),
        _ => None,
    };
    let hits = read_hits(&place);
    // A finding of `guard try` is in no list; its whole id is enough.
    let id = find_hit(&hits, &args.hit).map_or_else(|| args.hit.clone(), |found| found.hit.id);
    if id.len() != 12 || !id.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(CliError::Usage(format!("no finding has the id {}; `hookbench guard list` shows them", args.hit)));
    }
    judge(&place, &id, judged).map_err(|why| CliError::Internal(why.to_string()))?;
    if args.save_test {
        let found = find_hit(&read_hits(&place), &id).ok_or_else(|| {
            CliError::Usage(format!("no guard has recorded {id}; only recorded findings become tests"))
        })?;
        save_test(&place, &found)?;
    }
    Ok(ExitStatus::Ok)
}

/// Keeps a finding as a case of the project's suite, and prints the change.
fn save_test(place: &Place, found: &JudgedHit) -> Result<(), CliError> {
    let refused = |why: SuiteAdditionError| CliError::BadInput(why.to_string());
    let case = finding_case(found).map_err(refused)?;
    let change = addition_to(DEFAULT_SUITE, &[case], place, &DiskFiles).map_err(refused)?;
    let diff = change.diff();
    write_all(place, &[change], LinkPolicy::Refuse)?;
    write_stdout(&format!("{diff}written; hookbench test runs it, hookbench undo removes it\n"));
    let guard = &found.hit.guard;
    if needs_mode_hint(&guard_overview(place).0, guard) {
        write_stdout(&format!(
            "tests do not read your config.toml; put `hookbench guard {guard} --mode deny` into the settings of this project\n"
        ));
    }
    Ok(())
}

fn allow(args: &GuardAllowArgs) -> Result<ExitStatus, CliError> {
    let place = place_of(&args.place_args)?;
    let hits = read_hits(&place);
    let (rule, found_text, found_project) = match find_hit(&hits, &args.hit) {
        Some(found) => (found.hit.rule, found.hit.evidence, found.hit.project),
        None => (args.hit.clone(), String::new(), place.project.clone()),
    };
    let project = if args.everywhere { String::new() } else { found_project };
    let allowance =
        Allowance { rule, text: args.text.clone().unwrap_or(found_text), project, reason: args.reason.clone() };
    if hookbench_core::guard::find_rule(&allowance.rule).is_none() {
        let says = format!("{} is neither the id of a finding nor a rule; `hookbench guard list` shows them", args.hit);
        return Err(CliError::Usage(says));
    }
    let change = allow_change(&place, &allowance).map_err(config_failure)?;
    write_config(&place, &change, args.yes)?;
    Ok(ExitStatus::Ok)
}
