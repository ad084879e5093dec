//! Shows the session's answers: the effects of commands and facts.

use crate::keymap::UiCommand;
use crate::model::Model;
use crate::popup::{Popup, show_undo};
use crate::run_log::LogHint;
use crate::{calibration, events, stress, verification};
use hookbench_app::{FiringId, SessionEffect, TrialResult};

/// The last firing that was started.
pub(super) fn last_started(effects: &[SessionEffect]) -> Option<FiringId> {
    effects.iter().rev().find_map(|effect| if let SessionEffect::FiringStarted(id) = effect { Some(*id) } else { None })
}

/// The last firing of the event on the bench that was started. Pinned events that waited for consent start with it.
pub(super) fn started_on_bench(model: &Model, effects: &[SessionEffect]) -> Option<FiringId> {
    let bench = &model.session.bench().payload;
    let is_on_bench = |id: &FiringId| {
        let firing = model.session.firing(*id);
        firing.is_some_and(|firing| firing.agent == bench.agent && Some(&firing.input) == bench.input.as_ref())
    };
    effects.iter().rev().find_map(|effect| match effect {
        SessionEffect::FiringStarted(id) => Some(*id).filter(is_on_bench),
        _ => None,
    })
}

/// Shows effects that look the same on every page.
pub(super) fn show_effects(model: &mut Model, effects: Vec<SessionEffect>) {
    for effect in effects {
        match effect {
            SessionEffect::Message(says) => model.news.push(says),
            SessionEffect::HookTried(result) => {
                let says = match result {
                    TrialResult::Passed(says) => says,
                    TrialResult::Failed { name, why } => {
                        let undo = model.key(UiCommand::Undo);
                        format!("{name} does not do what it should; {undo} undoes it. {why}")
                    }
                };
                model.trial_result = Some(says.clone());
                model.news.push(says);
            }
            SessionEffect::StressStarted | SessionEffect::StressFinished => stress::show(model),
            SessionEffect::VerificationStarted => verification::show_start(model),
            SessionEffect::VerificationFinished(id) => verification::show(model, id),
            SessionEffect::ImpactKnown(says) => {
                model.news.push(format!("{says}   {} lists them", model.key(UiCommand::Impact)));
            }
            SessionEffect::ConsentNeeded(items) => model.ask_question(Popup::Consent { items, top: 0 }),
            SessionEffect::PayloadRefused(reason) => model.popups.push(Popup::PayloadRefused(reason)),
            SessionEffect::FiringWaits { pin } => {
                let event = pin.map_or("this event".to_owned(), |index| format!("pinned event {}", index + 1));
                model.news.push(format!("{event} waits for your consent; {} asks", model.key(UiCommand::Fire)));
            }
            SessionEffect::Pinned(index) => {
                let number = index + 1;
                model.toast = Some(if model.session.auto_fire().armed {
                    format!("pinned as {number}; saving a hook fires it")
                } else {
                    format!("pinned as {number}; {} fires it on save", model.key(UiCommand::AutoFire))
                });
            }
            SessionEffect::UndoRead(step) => show_undo(model, &step),
            SessionEffect::Unpinned => model.toast = Some("unpinned".to_owned()),
            SessionEffect::ReplayFinished(result) => events::show_replay(model, result),
            SessionEffect::ReplayQuestion(question) => model.ask_question(Popup::Replay { question, top: 0 }),
            SessionEffect::HookStatsRead(stats) => events::show_stats(model, stats),
            SessionEffect::SessionsListed(sessions) => events::show_sessions(model, sessions),
            SessionEffect::FiringStarted(_) => model.cancelled_once = false,
            SessionEffect::FiringSettled(_) => {
                if model.cancelled_once && !model.session.busy() {
                    model.toast = Some("the hooks have ended".to_owned());
                }
                if model.log_hint == LogHint::Due && !model.config.log_runs {
                    model.log_hint = LogHint::Shown;
                    model.news.push(format!("{}log on saves your runs", model.key(UiCommand::Palette)));
                }
            }
            SessionEffect::CalibrationStarted(agent) => calibration::show(model, agent),
            SessionEffect::CalibrationEnded => calibration_ended(model),
            SessionEffect::DebugLogsRead => model.definition_facts = None,
            SessionEffect::RunOpened => {
                model.shown_firing = None;
                model.tab = None;
                model.scroll = None;
                model.started = None;
                model.derive_facts();
            }
            SessionEffect::RunNotLogged(why) => model.toast = Some(why),
            SessionEffect::ModelFailed(why) => model.news.push(why),
            SessionEffect::SettingsLoaded | SessionEffect::PayloadReplaced | SessionEffect::AllAgentsFired => {}
        }
    }
}

/// Shows the result of a calibration: in its popup if that is open, otherwise as a message.
fn calibration_ended(model: &mut Model) {
    // The evidence for a version is part of each agent's facts.
    model.files.forget();
    model.derive_facts();
    if !matches!(model.popups.last(), Some(Popup::Calibration { .. })) {
        model.news.extend(model.session.calibration_progress().map(|progress| progress.message.clone()));
    }
}
