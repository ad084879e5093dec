//! One survey: the session or the command that asks the program for a whole table.

use std::fs;
use std::path::{Path, PathBuf};

use super::headless_session::AgentProgram;
use super::probe_run::{given_variables, held};
use super::result::UnansweredSurvey;
use super::scratch::ProbeScratch;
use hookbench_core::calibration::{ProgramTables, Survey, SurveyEvidence, SurveyReading};

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
        let evidence = SurveyEvidence { printed: "", file: Some(&text), requests: &[], runs: &[] };
        return survey.read(&evidence, program.dialect);
    }
    let probe = survey.session(program.dialect);
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
        _ => None,
    };
    let runs = held(program.dialect, scratch.take_log());
    let printed = run.printed();
    let evidence = SurveyEvidence { printed: &printed, file: written.as_deref(), requests: &run.requests, runs: &runs };
    let mut tables = survey.read(&evidence, program.dialect)?;
    tables.add_requests(&run.requests);
    let given = given_variables(&place);
    runs.iter().for_each(|noted| tables.add_run(noted, &given));
    Ok(tables)
}

/// The scripts of a program that contain a text: those beside the file that its command runs, and in directories there.
fn texts_of_program(program: &Path, wanted: &str) -> String {
    let mut all = String::new();
    let Ok(program) = fs::canonicalize(program) else { return all };
    let entries = |directory: &Path| -> Vec<PathBuf> {
        fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
    };
    let beside = program.parent().map(entries).unwrap_or_default();
    let below = beside.iter().filter(|path| path.is_dir()).flat_map(|path| entries(path));
    for path in beside.iter().cloned().chain(below) {
        if path.extension().is_some_and(|extension| extension == "js")
            && let Ok(text) = hookbench_system::disk::read_text(&path)
            && text.contains(wanted)
        {
            all.push_str(&text);
        }
    }
    all
}
