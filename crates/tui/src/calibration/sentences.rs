//! A calibration as sentences.

use super::rows::HOW;
use super::summary::basis_words;
use crate::model::Model;
use hookbench_core::dialects::name_of;
use hookbench_core::names::AgentId;

/// The calibration of an agent: that it runs, or what is known, and what differs.
pub fn sentences(model: &Model, agent: AgentId) -> Vec<String> {
    let name = name_of(agent);
    let mut all = Vec::new();
    if let Some(progress) = model.session.calibration_progress().filter(|progress| progress.agent == agent) {
        if progress.running {
            return vec![
                format!("The calibration of {name} runs: {}.", progress.headline()),
                "Say calibrate again to hear how far it is, or cancel to stop it.".to_owned(),
            ];
        }
        all.push(format!("{}.", progress.headline()));
    }
    let state = model.session.agents().iter().find(|state| state.dialect.id() == agent);
    all.extend(state.map(|state| format!("{name} {}.", basis_words(state))));
    let Some(found) = model.session.calibration_findings(agent) else {
        all.push(HOW.to_owned());
        return all;
    };
    if !found.coverage.is_empty() {
        all.push(format!("{}.", found.coverage));
    }
    all.extend(found.news.iter().map(|fact| format!("New to hookbench: {}.", fact.words())));
    for probe in &found.different {
        all.push(format!("{} differs: {}", probe.id, probe.says));
        for one in &probe.differences {
            all.push(format!("{}, {}: predicted {}, seen {}.", one.event, one.aspect, one.predicted, one.seen));
        }
        all.push(format!("Rules: {}.", probe.rules.join(", ")));
        all.push(format!("Settings: {}", probe.settings));
    }
    all.extend(found.failed.iter().map(|probe| format!("{} could not be asked: {}.", probe.id, probe.why)));
    all
}
