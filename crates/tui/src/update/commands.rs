//! Commands to the session, and their consequences on the screen.

use super::LoopRequest;
use super::effects::{last_started, show_effects, started_on_bench};
use crate::crash;
use crate::model::Model;
use hookbench_app::{Command, SessionEffect, SessionUpdate};

/// Runs a command and shows its consequences.
pub(crate) fn command(model: &mut Model, command: Command, asks: &mut Vec<LoopRequest>) {
    run_command(model, command, asks);
}

/// Runs a command and shows its consequences. Returns whether the payload on the bench was replaced.
pub(crate) fn run_command(model: &mut Model, command: Command, asks: &mut Vec<LoopRequest>) -> bool {
    crash::note(command.name());
    let pin = matches!(command, Command::UsePin(_));
    let recalled = if let Command::UsePastRun(id) = &command { Some(*id) } else { None };
    let SessionUpdate { jobs, effects } = model.session.apply(command);
    asks.push(LoopRequest::Jobs(jobs));
    let replaced = effects.contains(&SessionEffect::PayloadReplaced);
    let refused = effects.iter().any(|effect| matches!(effect, SessionEffect::PayloadRefused(_)));
    if let Some(last) = last_started(&effects) {
        let together = model.session.compared().filter(|_| effects.contains(&SessionEffect::AllAgentsFired));
        // For a firing in every agent, the bench shows its own agent's.
        let own = together.and_then(|all| all.firing_in(model.session.bench().payload.agent.as_str()));
        model.compare.started = own.map(|_| model.now);
        model.shown_firing = own.or_else(|| started_on_bench(model, &effects)).or(Some(last));
        model.tab = None;
        model.scroll = None;
        let running = model.firing().is_some_and(|f| !f.settled);
        model.started = running.then_some(model.now);
        if !running {
            model.refresh_shared();
            model.select_decider();
        }
    } else if let Some(id) = recalled {
        model.shown_firing = Some(id);
        model.tab = None;
        model.scroll = None;
        model.started = None;
        model.derive_facts();
    } else if replaced || refused {
        // The shown firing is of another event.
        model.shown_firing = None;
        model.tab = None;
        model.scroll = None;
        model.derive_facts();
        if pin {
            show_last_run(model);
        }
    }
    show_effects(model, effects);
    replaced
}

/// Shows the last run of an event that was fired before.
pub(super) fn show_last_run(model: &mut Model) {
    model.shown_firing = model.session.last_of_bench().map(|run| run.id);
    model.derive_facts();
}
