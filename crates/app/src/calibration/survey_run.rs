//! One survey: the session or the command that asks the program for a whole table.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::headless_session::AgentProgram;
use super::probe_run::{given_variables, held};
use super::result::UnansweredSurvey;
use super::scratch::ProbeScratch;
use hookbench_core::calibration::{ProgramTables, Survey, SurveyEvidence, SurveyReading, declared_names};

/// Runs a survey.
///
/// # Errors
/// Returns the reason if the program did not answer.
pub(super) async fn run_survey(program: &AgentProgram, survey: &Survey) -> Result<ProgramTables, UnansweredSurvey> {
    let asked = ask(program, survey).await;
    asked.map_err(|why| UnansweredSurvey { id: survey.probe.id.clone(), why })
}

async fn ask(program: &AgentProgram, survey: &Survey) -> Result<ProgramTables, String> {
    if let SurveyReading::EventsInProgram { before, .. } = &survey.reads {
        let text = texts_of_program(program.path(), before);
        let declared = BTreeSet::new();
        let evidence = SurveyEvidence { printed: "", file: Some(&text), requests: &[], runs: &[], declared: &declared };
        return survey.read(&evidence);
    }
    let declared = names_of_declarations(program.path());
    let probe = survey.session(program.dialect, &declared);
    let scratch = ProbeScratch::create(program)?;
    scratch.lay(program, &probe)?;
    let link = scratch.isolation.as_ref().and_then(|spec| spec.link.as_deref());
    let model = program.start_model(&probe, &scratch.directories, link).await;
    let model = model.map_err(|why| format!("cannot start a stand-in of the model: {why}"))?;
    let (project, home) = (Path::new(&scratch.directories.project), Path::new(&scratch.directories.home));
    let place = program.place(project, home, &scratch.temporary(), &probe, &model.url);
    let file = scratch.base.join("spec");
    let isolation = scratch.isolation.as_ref().map(|spec| (spec, file.as_path()));
    let prompt = (probe.prompt.as_deref().unwrap_or("run it"), false);
    let run = program.run(&probe, &model, &place, isolation, prompt).await?;
    if let Some(why) = run.failure() {
        return Err(why);
    }
    let written = match &survey.reads {
        SurveyReading::EventList { file, .. } => hookbench_system::disk::read_text(project.join(file)).ok(),
        SurveyReading::UnknownEventsInLog { below, .. } => {
            let files = entries(Path::new(&scratch.directories.fill(below)));
            Some(files.iter().filter_map(|path| hookbench_system::disk::read_text(path).ok()).collect())
        }
        _ => None,
    };
    let runs = held(program.dialect, scratch.take_log());
    let printed = run.printed();
    let evidence = SurveyEvidence {
        printed: &printed,
        file: written.as_deref(),
        requests: &run.requests,
        runs: &runs,
        declared: &declared,
    };
    let mut tables = survey.read(&evidence)?;
    tables.add_requests(&run.requests);
    let given = given_variables(&place);
    for noted in &runs {
        tables.add_run(noted, &given);
    }
    Ok(tables)
}

/// The scripts of a program that contain a text: those beside the file that its command runs, and in directories there.
fn texts_of_program(program: &Path, wanted: &str) -> String {
    let Ok(program) = fs::canonicalize(program) else { return String::new() };
    let beside = program.parent().map(entries).unwrap_or_default();
    let below = beside.iter().filter(|path| path.is_dir()).flat_map(|path| entries(path));
    let all = beside.iter().cloned().chain(below).filter(|path| has_ending(path, ".js"));
    let texts = all.filter_map(|path| hookbench_system::disk::read_text(path).ok());
    texts.filter(|text| text.contains(wanted)).collect()
}

/// The names in type declarations of the packages that belong to the publisher of the program, such as its SDK.
fn names_of_declarations(program: &Path) -> BTreeSet<String> {
    let Ok(program) = fs::canonicalize(program) else { return BTreeSet::new() };
    let of_publisher = |path: &&Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('@'));
    let packages = program.ancestors().find(of_publisher).map(entries).unwrap_or_default();
    let files = packages.iter().flat_map(|package| entries(package)).filter(|path| has_ending(path, ".d.ts"));
    files
        .filter_map(|path| hookbench_system::disk::read_text(path).ok())
        .flat_map(|text| declared_names(&text))
        .collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(ending))
}
