//! Builds the model before the first frame, for the screen, for plain text mode and for scripts.

use crate::model::{Model, ProgramOptions};
use crate::{config, crash, saved_layout};
use hookbench_app::{
    Consent, Demo, DiskFiles, ExitStatus, OpenRequest, SavedLayout, Session, SessionOptions, StateDir,
    agents_of_project, find_installed, make_place, read_calibrations, read_findings, remove_abandoned_directories,
    start_line,
};
use hookbench_core::dialects;

/// Number of firings stored in full; of older ones only the row remains.
const KEEP: usize = 200;

/// Builds the model before the first frame.
pub fn prepare(args: &OpenRequest) -> Result<(Model, Option<Demo>), (ExitStatus, String)> {
    remove_abandoned_directories();
    let demo = if args.demo {
        let demo =
            Demo::unpack().map_err(|why| (ExitStatus::Internal, format!("cannot create the sample project: {why}")))?;
        Some(demo)
    } else {
        None
    };
    let (project, home) = match &demo {
        Some(demo) => (Some(demo.project()), Some(demo.home())),
        None => (args.dir.clone(), args.home.clone()),
    };
    let mut place =
        make_place(project.as_deref(), home.as_deref()).map_err(|why| (ExitStatus::BadFile, why.to_string()))?;
    if let Some(demo) = &demo {
        // The sample has no user layer, but its hooks run in the user's own environment.
        place.home_given = false;
        demo.use_own_state(&mut place);
    }
    let state = StateDir::of(&place);
    let (left, problem) =
        if args.remember && !args.reset_layout { SavedLayout::read(&state, &place.project) } else { (None, None) };
    let was = left.as_ref().and_then(|l| dialects::by_id(l.agent.as_deref()?)).map(|d| d.id());
    // A new project opens on an agent that has settings in it.
    let of_project = || agents_of_project(&place, &DiskFiles).first().map(|dialect| dialect.id());
    let words = args.agent_words.as_deref();
    let of_words = || words.and_then(|words| dialects::arguments_for(words, None)).map(|given| given.agent);
    let named = args.agent.or_else(of_words);
    let agent = named.or(was).or_else(of_project).unwrap_or_else(|| dialects::DEFAULT.id());
    place.arguments = words.and_then(|words| dialects::arguments_for(words, Some(agent)));
    let installed: Vec<_> = dialects::released().map(|d| (d.id(), find_installed(&d.install(), &place))).collect();
    let options = SessionOptions {
        yes: args.yes,
        keep_firings: KEEP,
        agent_version: args.agent_version.clone(),
        lint: true,
        capture: true,
        demo: demo.as_ref().map(|demo| demo.directory().to_owned()),
        calibrations: read_calibrations(&place),
        findings: read_findings(&place),
        // A remembered event is only valid for its own agent.
        begin_with: left
            .as_ref()
            .filter(|_| was == Some(agent))
            .and_then(|l| Some((l.event.clone()?, l.template.unwrap_or(0)))),
        ..SessionOptions::default()
    };
    let consent = Consent::read(&state);
    let program_options = ProgramOptions {
        project: project.map(|p| p.display().to_string()),
        home: home.map(|h| h.display().to_string()),
        agent_args: place.arguments.as_ref().map(start_line),
    };
    let refused = consent.ignored_reason.clone();
    let session = Session::new(options, place, Box::new(DiskFiles), agent, &installed, consent);
    let var = |name: &str| std::env::var(name).ok();
    let (config, problems) = config::read(&var);
    let (theme, shades) = config.theme.resolve(&var);
    let mut model = Model::new(session, theme);
    model.shades = shades;
    model.configure(config, &problems);
    model.program_options = program_options;
    model.saves_layout = args.remember;
    if let Some(left) = &left {
        saved_layout::restore(&mut model, left);
    }
    if let Some(says) = refused.or(problem) {
        model.toast = Some(says);
        model.store_toast();
    }
    model.demo = demo.is_some();
    model.markdown = args.markdown;
    crash::note_agents(&model.session);
    Ok((model, demo))
}
