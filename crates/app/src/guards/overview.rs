//! The guards with their modes, where they are installed, and how often they found something.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::hits::{JudgedHit, Judgement, read_hits};
use super::settings::{changed_at, guard_settings};
use crate::disk::files::DiskFiles;
use crate::disk::state_dir::StateDir;
use crate::environment::installed_agents::find_installed;
use crate::environment::place::make_place;
use crate::recordings::store::now_ms;
use hookbench_core::config::Place;
use hookbench_core::dialects::{self, default_version};
use hookbench_core::guard::{GuardMode, GuardName, GuardSettings};
use hookbench_core::hook::Handler;
use hookbench_core::moderator::ModeratorRuling;
use hookbench_core::names::AgentId;
use hookbench_core::recorded::format_time;
use hookbench_system::guard::ModeratorRequest;
use hookbench_system::model_client::GuardModeration;

const MODES: &str = "guard-modes.json";

/// One guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardOverview {
    pub guard: GuardName,
    /// The mode in the configuration.
    pub mode: GuardMode,
    /// The time since which it has this mode, as text.
    pub since: Option<String>,
    pub installed: Vec<InstalledCommand>,
    /// The number of findings, and those that were judged right and wrong.
    pub hits: usize,
    pub right: usize,
    pub wrong: usize,
}

/// A hook that runs a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledCommand {
    pub agent: AgentId,
    pub event: String,
    /// The file with the line.
    pub place: String,
    /// The mode on the command line, which is stronger than the configuration.
    pub mode: Option<GuardMode>,
    /// The reason why the agent does not run it.
    pub inactive: Option<String>,
}

/// A mode, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KnownMode {
    mode: String,
    since: Option<String>,
}

/// Returns all guards, with the recorded findings.
pub fn guard_overview(place: &Place) -> (Vec<GuardOverview>, Vec<JudgedHit>) {
    let settings = guard_settings(place);
    let hits = read_hits(place);
    let since = modes_since(place, &settings);
    let installed = installed_guards(place);
    let overview = GuardName::ALL.into_iter().map(|guard| {
        let own = || hits.iter().filter(move |one| one.hit.guard == guard.word());
        let judged = |judgement| own().filter(|one| one.judged == Some(judgement)).count();
        GuardOverview {
            guard,
            mode: settings.guard_mode(guard),
            since: since.get(&guard).cloned().flatten(),
            installed: installed
                .iter()
                .filter(|(name, _)| *name == guard)
                .map(|(_, command)| command.clone())
                .collect(),
            hits: own().count(),
            right: judged(Judgement::Right),
            wrong: judged(Judgement::Wrong),
        }
    });
    (overview.collect(), hits)
}

/// Returns since when each guard has its mode. A mode that is seen for the first time holds since the last change of
/// the configuration.
fn modes_since(place: &Place, settings: &GuardSettings) -> BTreeMap<GuardName, Option<String>> {
    let state = StateDir::of(place);
    let mut known: BTreeMap<String, KnownMode> =
        state.read(MODES).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let (before, first) = (known.clone(), known.is_empty());
    for guard in GuardName::ALL {
        let mode = settings.guard_mode(guard).word();
        if known.get(guard.word()).is_none_or(|known| known.mode != mode) {
            // Without a record, a guard in shadow mode has always had it.
            let default = first && !settings.guards.contains_key(&guard) && settings.mode == GuardMode::default();
            let since = (!default).then(|| changed_at(place).unwrap_or_else(now_ms)).and_then(format_time);
            known.insert(guard.word().to_owned(), KnownMode { mode: mode.to_owned(), since });
        }
    }
    if known != before {
        // The times are only shown, so an error is ignored.
        let _ = state.write(MODES, &serde_json::to_string_pretty(&known).unwrap_or_default());
    }
    GuardName::ALL
        .into_iter()
        .map(|guard| (guard, known.get(guard.word()).and_then(|known| known.since.clone())))
        .collect()
}

/// Returns the hooks that run guards, in all agents.
fn installed_guards(place: &Place) -> Vec<(GuardName, InstalledCommand)> {
    let mut found = Vec::new();
    for dialect in dialects::released() {
        let installed = find_installed(&dialect.install(), place);
        if !dialects::is_listed(dialect, installed.is_present(), place, &DiskFiles) {
            continue;
        }
        let version = installed.version().cloned().unwrap_or_else(|| default_version(dialect));
        let loaded = dialect.load(place, &DiskFiles, &version);
        for definition in &loaded.definitions {
            if !matches!(definition.handler, Handler::Command(_)) {
                continue;
            }
            let Some((guard, mode)) = guard_command(&definition.handler.text()) else { continue };
            let place = format!("{}:{}", definition.provenance.file, definition.provenance.line);
            let inactive = definition.rejection.as_ref().map(|refused| refused.message.clone());
            let inactive = inactive.or_else(|| loaded.hooks_off.clone());
            let (agent, event) = (dialect.id(), definition.event.clone());
            found.push((guard, InstalledCommand { agent, event, place, mode, inactive }));
        }
    }
    found
}

/// Parses `hookbench guard NAME [--mode MODE]`.
pub fn guard_command(command: &str) -> Option<(GuardName, Option<GuardMode>)> {
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let at = words.iter().position(|word| *word == "guard")?;
    let program = words.get(at.checked_sub(1)?)?;
    if program.rsplit(['/', '\\']).next().is_none_or(|base| base.trim_end_matches(".exe") != "hookbench") {
        return None;
    }
    let guard = words.iter().skip(at + 1).find_map(|word| GuardName::from_word(word))?;
    let mode = words.iter().position(|word| *word == "--mode").and_then(|at| GuardMode::from_word(words.get(at + 1)?));
    Some((guard, mode))
}

/// The time limit of a guard that no settings file contains, for example because another program starts it.
const UNKNOWN_LIMIT: Duration = Duration::from_secs(10);

/// Asks the model. `None` if it is not asked. The time limit of the hook is that of the command line, else the shortest
/// one of this guard in the agent's settings.
pub fn ask_moderator(request: &ModeratorRequest<'_>) -> Option<ModeratorRuling> {
    let moderation = GuardModeration {
        guard: request.guard.word(),
        is_critical: request.guard.is_critical(),
        at_stop: request.evidence.call.is_none(),
        call: request.evidence.call.clone(),
        todos: request.evidence.todos.clone(),
        messages: request.evidence.messages.clone(),
        session: request.session,
        project: Path::new(request.project),
        home: request.home,
        hook_limit: request.limit.map_or_else(|| configured_limit(request), Some),
        spent: request.started.elapsed(),
    };
    moderation.ask(request.settings)
}

/// The shortest time limit of this guard on this event. `None` if the agent sets no limit.
fn configured_limit(request: &ModeratorRequest<'_>) -> Option<Duration> {
    let Ok(place) = make_place(Some(Path::new(request.project)), None) else { return Some(UNKNOWN_LIMIT) };
    let loaded = request.dialect.load(&place, &DiskFiles, &default_version(request.dialect));
    let own = loaded.definitions.iter().filter(|definition| {
        definition.event == request.event
            && guard_command(&definition.handler.text()).is_some_and(|(guard, _)| guard == request.guard)
    });
    let limits: Vec<Option<Duration>> = own.map(|definition| definition.timeout).collect();
    if limits.is_empty() { Some(UNKNOWN_LIMIT) } else { limits.into_iter().flatten().min() }
}
