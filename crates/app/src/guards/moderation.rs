//! Asks the configured model for a guard, within the time that the agent gives the hook.

use std::path::Path;
use std::time::Duration;

use hookbench_core::dialects::default_version;
use hookbench_core::moderator::ModeratorRuling;
use hookbench_system::guard::ModeratorRequest;
use hookbench_system::model_client::GuardModeration;

use super::overview::guard_command;
use crate::disk::files::DiskFiles;
use crate::environment::place::make_place;

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
