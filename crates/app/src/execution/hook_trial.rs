//! Fires the examples of a hook that was just written, in each of its agents: in the project, in a subdirectory, and after
//! `cd`. Of all hooks in the settings, only the written one runs.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::process_jobs::ProcessJobs;
use crate::analysis::new_hook::NewHook;
use crate::analysis::new_hook::trial::{HookToWrite, HookTrial, TrialPlace, TrialResult};
use crate::disk::files::DiskFiles;
use crate::environment::installed_agents::Installation;
use crate::firing::approval::{Consent, ConsentItem};
use crate::firing::input::{BuiltInput, FieldSetting, InputRequest};
use crate::firing::record::FiringRecord;
use crate::firing::setup::{CannedReports, FiringSetup};
use crate::session::command::Command;
use crate::session::fact::FACT_QUEUE;
use crate::session::{Session, SessionOptions};
use hookbench_core::config::Place;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::settings_format::SettingsAbove;
use hookbench_core::dialects::{self, SessionMemory, default_version};
use hookbench_core::hook::Handler;
use hookbench_core::names::AgentId;
use hookbench_core::port::{AgentVersion, command_of_any_agent, translate};
use hookbench_core::recipe::ComposedCase;
use hookbench_core::text::stringify;

/// Concurrent firings.
const AT_ONCE: usize = 4;
/// A directory that is not in any project.
const ELSEWHERE: &str = "/";

/// An example to fire.
#[derive(Clone)]
struct Attempt {
    agent: AgentVersion,
    case: ComposedCase,
    place: TrialPlace,
}

impl HookToWrite {
    /// Fires the examples of the written hook. `None` if none was fired.
    pub async fn try_examples(&self, place: &Place) -> Option<TrialResult> {
        let agents = self.agents.iter().filter_map(|(id, version)| {
            Some(AgentVersion { dialect: dialects::by_id(id.as_str())?, version: version.clone() })
        });
        let agents: Vec<AgentVersion> = agents.collect();
        TrialResult::of(&self.hook.composed.name, &self.hook.try_examples(&agents, place).await)
    }
}

impl NewHook {
    /// Fires the examples of the written hook. Empty if it does more than decide: then firing it would run a program of the
    /// user's.
    pub async fn try_examples(&self, agents: &[AgentVersion], place: &Place) -> Vec<HookTrial> {
        let mut attempts = Vec::new();
        if self.only_decides {
            // An agent that reads the file of another one runs the hook from there.
            for agent in agents.iter().filter(|agent| {
                let has_entry = self.composed.settings.iter().any(|one| one.agent == agent.dialect.id());
                has_entry || !self.loaded_alone(agent, place).loaded.definitions.is_empty()
            }) {
                attempts.extend(self.attempts_in(agent, place));
            }
        }
        let hook = Arc::new(self.clone());
        let place = Arc::new(place.clone());
        let mut waiting = attempts.into_iter().enumerate();
        let (mut tasks, mut trials) = (JoinSet::new(), Vec::new());
        loop {
            while tasks.len() < AT_ONCE
                && let Some((number, attempt)) = waiting.next()
            {
                let (hook, place) = (Arc::clone(&hook), Arc::clone(&place));
                tasks.spawn(async move { (number, hook.try_example(&attempt, &place).await) });
            }
            match tasks.join_next().await {
                Some(Ok(done)) => trials.push(done),
                Some(Err(why)) if why.is_panic() => std::panic::resume_unwind(why.into_panic()),
                Some(Err(_)) => {}
                None => break,
            }
        }
        trials.sort_by_key(|(number, _)| *number);
        let mut trials: Vec<HookTrial> = trials.into_iter().map(|(_, trial)| trial).collect();
        compare_reasons(&mut trials);
        trials
    }

    /// The examples to fire in an agent.
    fn attempts_in(&self, agent: &AgentVersion, place: &Place) -> Vec<Attempt> {
        let format = agent.dialect.settings_format();
        let reads_above = self.is_read_below(agent, place);
        let mut all = Vec::new();
        for case in self.cases_of(agent) {
            let mut at = |place| all.push(Attempt { agent: agent.clone(), case: case.clone(), place });
            at(TrialPlace::Project);
            if reads_above || format.event_directory_moves {
                at(TrialPlace::Subdirectory);
            }
            // A path of a harmless example may be harmful elsewhere.
            if format.event_directory_moves && case.caught {
                at(TrialPlace::Elsewhere);
            }
        }
        all
    }

    /// The cases of the hook that the agent runs. An agent that reads the file of another one gets the cases of that file.
    fn cases_of(&self, agent: &AgentVersion) -> impl Iterator<Item = &ComposedCase> {
        let (cases, id) = (&self.composed.cases, agent.dialect.id());
        let has_own = cases.iter().any(|case| case.agents.contains(&id));
        let own = move |case: &&ComposedCase| {
            if has_own { case.agents.contains(&id) } else { case.hook == self.composed.name && !case.of_user }
        };
        cases.iter().filter(own)
    }

    /// Whether the agent reads the settings also in sessions that start in a subdirectory of the project.
    fn is_read_below(&self, agent: &AgentVersion, place: &Place) -> bool {
        match agent.dialect.settings_format().settings_above {
            SettingsAbove::None => false,
            SettingsAbove::Root => self.repository.as_deref() == Some(place.project.as_str()),
            SettingsAbove::UpToRoot => self.repository.is_some(),
        }
    }

    /// Whether the session of an attempt starts there.
    fn starts_there(&self, attempt: &Attempt, place: &Place) -> bool {
        match attempt.place {
            TrialPlace::Project => true,
            TrialPlace::Subdirectory => self.is_read_below(&attempt.agent, place),
            TrialPlace::Elsewhere => false,
        }
    }

    /// The agent in a place, with the written hook only.
    fn loaded_alone(&self, agent: &AgentVersion, place: &Place) -> FiringSetup {
        let version = Some(agent.version.clone());
        let setup = FiringSetup::load_with(place.as_trusted(), agent.dialect, version, &DiskFiles);
        let mut loaded = (*setup.loaded).clone();
        let wanted: Vec<String> =
            self.composed.settings.iter().map(|settings| command_of_any_agent(&settings.command)).collect();
        let sources = Arc::clone(&setup.loaded);
        loaded.definitions.retain(|definition| {
            let Handler::Command(handler) = &definition.handler else { return false };
            // A line that no shell reads is split into words; a script is run by its path.
            let is_wanted = |line: &String| wanted.contains(&command_of_any_agent(line));
            let is_named = handler.args.is_some() && definition.label() == self.composed.name;
            let is_split = is_named || handler.args.iter().flatten().any(is_wanted);
            let path = sources.sources.path(definition.provenance.span.source);
            let scripts = self.composed.settings.iter().filter(|one| one.file.form.script.is_some());
            is_split || is_wanted(&handler.command) || scripts.map(|one| &one.file.path).any(|script| script == path)
        });
        FiringSetup { loaded: Arc::new(loaded), ..setup }
    }

    async fn try_example(&self, attempt: &Attempt, place: &Place) -> HookTrial {
        let Attempt { agent, case, place: at } = attempt;
        let mut trial = HookTrial {
            agent: agent.dialect.id(),
            event: case.event,
            example: case.example().to_owned(),
            caught: case.caught,
            place: *at,
            starts_there: self.starts_there(attempt, place),
            verdict: None,
            problem: None,
            reason: None,
        };
        match self.fire_example(attempt, place).await {
            Err(says) => trial.problem = Some(says),
            Ok(record) => {
                let verdict = record.outcome.as_ref().map(|outcome| outcome.verdict);
                trial.verdict = verdict;
                trial.reason = record.outcome.as_ref().and_then(|outcome| outcome.reason.clone());
                trial.problem = problem(case, &record, verdict);
            }
        }
        trial
    }

    async fn fire_example(&self, attempt: &Attempt, place: &Place) -> Result<FiringRecord, String> {
        let Attempt { agent, case, place: at } = attempt;
        let settings = self.composed.settings.iter().find(|one| one.agent == agent.dialect.id());
        let settings = settings.or(self.composed.settings.first()).ok_or("no agent has an entry")?;
        // The directory of the settings is a subdirectory of every project.
        let directory = settings.file.path.rsplit_once('/').map_or("/", |(directory, _)| directory);
        let starts_below = *at == TrialPlace::Subdirectory && self.starts_there(attempt, place);
        let project = if starts_below { directory } else { &place.project };
        let setup = self.loaded_alone(agent, &Place { project: project.to_owned(), ..place.clone() });
        let moved = match at {
            TrialPlace::Project => None,
            TrialPlace::Subdirectory => Some(directory).filter(|_| !starts_below),
            TrialPlace::Elsewhere => Some(ELSEWHERE),
        };
        let input = built(case, agent, &setup, moved)?;
        setup.fire(input, &CannedReports::new()).await.ok_or_else(|| "the agent's plan cannot be determined".to_owned())
    }
}

/// The event of a case in an agent, with another directory if one is given.
fn built(
    case: &ComposedCase,
    agent: &AgentVersion,
    setup: &FiringSetup,
    directory: Option<&str>,
) -> Result<BuiltInput, String> {
    let author = case.agents.first().and_then(|id| dialects::by_id(id.as_str())).unwrap_or(agent.dialect);
    let set = case.set.iter().map(|(path, value)| FieldSetting { path: path.clone(), text: stringify(value) });
    let moves =
        directory.map(|directory| FieldSetting { path: "cwd".to_owned(), text: stringify(&Value::from(directory)) });
    let request = InputRequest {
        event: Some(case.event.to_owned()),
        tool: case.tool.clone(),
        tool_input: case.input.clone(),
        set: set.chain(moves).collect(),
        ..InputRequest::default()
    };
    if author.id() == agent.dialect.id() {
        return setup.build(&request).map_err(|why| why.to_string());
    }
    let from = AgentVersion { dialect: author, version: default_version(author) };
    let there = FiringSetup { dialect: author, version: from.version.clone(), ..setup.clone() };
    let built = there.build(&request).map_err(|why| why.to_string())?;
    let moved = translate(&built.input, &from, agent, &setup.place).map_err(|missing| missing.message)?;
    Ok(built.translated(agent.dialect, moved))
}

/// Why a firing is not what the case expects.
fn problem(case: &ComposedCase, record: &FiringRecord, verdict: Option<Verdict>) -> Option<String> {
    let Some(run) = record.runs.first() else {
        let lost = record.plan.lost.as_ref().map(|lost| &lost.why);
        let why = lost.or_else(|| record.plan.entries.first().map(|entry| &entry.why));
        return Some(why.map_or("it does not run".to_owned(), |why| format!("it does not run: {}", why.message)));
    };
    match (case.verdict, verdict) {
        (Some(wanted), Some(is)) if wanted != is => {
            let said = String::from_utf8_lossy(&run.stderr.head).lines().next().map(str::to_owned);
            let said = said.filter(|line| !line.trim().is_empty()).map(|line| format!(": {line}")).unwrap_or_default();
            Some(format!("{} instead of {}{said}", is.word(), wanted.word()))
        }
        (_, None) => Some("the agent's decision is not known".to_owned()),
        _ => None,
    }
}

/// A hook that refuses everywhere for the same reason sees the same deed. Another reason would be a failure that only looks
/// like a refusal, for example of a script that is not found.
fn compare_reasons(trials: &mut [HookTrial]) {
    let usual: Vec<(AgentId, Option<String>)> = trials
        .iter()
        .filter(|trial| trial.caught && trial.place == TrialPlace::Project)
        .map(|trial| (trial.agent, trial.reason.clone()))
        .collect();
    for trial in trials.iter_mut().filter(|trial| trial.caught && trial.problem.is_none()) {
        let other = usual.iter().find(|(agent, _)| *agent == trial.agent).filter(|(_, usual)| *usual != trial.reason);
        if other.is_some() {
            let says = trial.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or("no reason");
            trial.problem = Some(format!("refused for another reason: {says}"));
        }
    }
}

impl FiringSetup {
    /// Creates a session with the event on its bench and a plan. Runs nothing.
    pub fn plan(&self, input: BuiltInput) -> Option<Session> {
        self.session(input, Consent::default())
    }

    fn session(&self, input: BuiltInput, consent: Consent) -> Option<Session> {
        let options = SessionOptions {
            headless: self.headless,
            yes: true,
            agent_version: Some(self.version.clone()),
            keep_firings: 1,
            ..SessionOptions::default()
        };
        let id = self.dialect.id();
        let installed = [(id, Installation::Version(self.version.clone()))];
        let mut session = Session::new(options, self.place.clone(), Box::new(DiskFiles), id, &installed, consent);
        session.set_loaded(id, Arc::clone(&self.loaded));
        session.put_input(input);
        session.bench().plan.is_some().then_some(session)
    }

    /// The commands that an event would run and that the user has not consented to.
    pub fn consent_missing(&self, input: BuiltInput, consent: &Consent) -> Vec<ConsentItem> {
        self.session(input, consent.clone()).map(|session| session.consent_missing()).unwrap_or_default()
    }

    /// Fires an event and waits until every run has ended. Dropping the future ends every process that it has
    /// started.
    pub async fn fire(&self, input: BuiltInput, given: &CannedReports) -> Option<FiringRecord> {
        self.fire_after(SessionMemory::default(), input, given).await
    }

    /// Fires an event with the state that earlier events of its session have left.
    pub async fn fire_after(
        &self,
        memory: SessionMemory,
        input: BuiltInput,
        given: &CannedReports,
    ) -> Option<FiringRecord> {
        let mut session = self.plan(input)?;
        session.assume_memory(memory);
        session.apply(Command::SetContained(self.contain));
        let (sender, mut facts) = mpsc::channel(FACT_QUEUE);
        let mut processes = ProcessJobs::new(Arc::clone(session.place()), sender, self.timeout_scale, given.clone());
        processes.start_with(self.prefix.clone());
        let mut jobs = session.apply(Command::Fire).jobs;
        loop {
            for job in jobs {
                processes.perform(job);
            }
            if !session.busy() {
                return session.history().newest_record().cloned();
            }
            jobs = session.absorb(facts.recv().await?).jobs;
        }
    }
}
