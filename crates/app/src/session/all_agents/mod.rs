//! One event in every agent: the event on the bench is translated for each agent, planned and fired under its own
//! settings. A comparison shows only data from [`CrossAgentEvent`] and its firings.

mod comparison_state;
mod event;
#[cfg(unix)]
#[cfg(test)]
mod tests;

use std::collections::HashSet;

pub(super) use event::SharedRun;
pub use event::{AgentEvent, CrossAgentEvent, PlannedAgentEvent};

use super::firing_start::{FiringStart, WaitingStart};
use super::state::Session;
use super::update::SessionEffect;
use crate::firing::approval::ConsentItem;
use crate::firing::record::{FiringId, FiringRecord};
use crate::session::fact::Fact;
use crate::session::job::Job;
use hookbench_core::diagnostic::{Code, Diagnostic};
use hookbench_core::firing::Firing;
use hookbench_core::port::{self, AgentVersion, MissingEvent, TranslationNote, TranslationNoteKind};
use hookbench_core::run::{RunId, RunReport};

impl Session {
    /// Translates and plans the event on the bench in every agent whose settings are loaded. Runs nothing.
    pub fn everywhere(&self) -> Option<CrossAgentEvent> {
        let (agent, input) = (self.current()?, self.bench.payload.input.as_ref()?);
        let from = AgentVersion { dialect: agent.dialect, version: agent.version.clone() };
        let id = agent.dialect.id();
        let mut agents = Vec::new();
        for state in &self.agents {
            let Some(loaded) = state.loaded.clone().filter(|_| self.compares(state.dialect.id().as_str())) else {
                continue;
            };
            let to = AgentVersion { dialect: state.dialect, version: state.version.clone() };
            let own = state.dialect.id() == id;
            let there = port::translate(input, &from, &to, &self.place).and_then(|translated| {
                let none = || MissingEvent { message: "its settings are still being read".to_owned(), nearest: None };
                let scene = self.scene_of(state, &translated.input).ok_or_else(none)?;
                let mut diagnostics = if own { self.bench.payload.diagnostics.clone() } else { Vec::new() };
                diagnostics.extend(translated.notes.iter().map(to_diagnostic));
                Ok(PlannedAgentEvent {
                    plan: state.dialect.plan(&scene),
                    filled: if own { self.bench.payload.filled.clone() } else { translated.filled },
                    input: translated.input,
                    notes: translated.notes,
                    loaded,
                    diagnostics,
                    firing: None,
                })
            });
            agents.push(AgentEvent {
                agent: state.dialect.id(),
                version: state.version.clone(),
                basis: state.basis.clone(),
                event: there,
            });
        }
        let canonical = port::mapping().row_of(id.as_str(), &input.event).map(|row| row.canonical);
        Some(CrossAgentEvent { origin: id.as_str(), canonical, agents })
    }

    /// The firing of an agent in a comparison, while it is kept.
    pub fn fired_there(&self, there: &PlannedAgentEvent) -> Option<&FiringRecord> {
        self.firing(there.firing?)
    }

    pub(super) fn fire_everywhere(&mut self) -> Vec<Job> {
        if self.is_refused() {
            return Vec::new();
        }
        let Some(all) = self.everywhere() else { return Vec::new() };
        self.start_with_consent(WaitingStart::AllAgents, |session| session.consent_missing_everywhere(&all))
    }

    /// The commands that the user has to approve before these plans may run.
    pub fn consent_missing_everywhere(&self, all: &CrossAgentEvent) -> Vec<ConsentItem> {
        let of = |(of, there): (&AgentEvent, &PlannedAgentEvent)| {
            let missing = |state| {
                let scene = self.scene_of(state, &there.input)?;
                Some(self.consent_missing_of(state, &there.plan, &scene))
            };
            self.agent(of.agent.as_str()).and_then(missing).unwrap_or_default()
        };
        all.translated().flat_map(of).collect()
    }

    pub(super) fn start_everywhere(&mut self) -> Vec<Job> {
        let Some(mut all) = self.everywhere() else { return Vec::new() };
        let mut starts = Vec::new();
        for of in &all.agents {
            let (Ok(there), Some(state)) = (&of.event, self.agent(of.agent.as_str())) else { continue };
            let Some(scene) = self.scene_of(state, &there.input) else { continue };
            starts.push(FiringStart {
                dialect: state.dialect,
                scene,
                plan: there.plan.clone(),
                filled: there.filled.clone(),
                diagnostics: there.diagnostics.clone(),
                auto: false,
                transcript: None,
            });
        }
        let (ids, jobs) = self.start_together(starts);
        for (there, id) in all.agents.iter_mut().filter_map(|of| of.event.as_mut().ok()).zip(ids) {
            there.firing = Some(id);
        }
        self.compared = Some(all);
        self.effects.push(SessionEffect::AllAgentsFired);
        jobs
    }

    /// Starts the next hooks of a firing; of all firings of a comparison together, because they share processes.
    pub(super) fn proceed(&mut self, firing: FiringId) -> Vec<Job> {
        let compared = self.compared.iter().flat_map(CrossAgentEvent::translated).filter_map(|(_, there)| there.firing);
        let together: Vec<FiringId> = compared.collect();
        if !together.contains(&firing) {
            return self.step_firing(firing, Firing::proceed);
        }
        let jobs = together.into_iter().flat_map(|id| self.step_firing(id, Firing::proceed)).collect();
        self.drop_shared_starts(jobs)
    }

    /// Starts several firings at once. Identical processes of two firings that start in the same step are started once.
    fn start_together(&mut self, starts: Vec<FiringStart>) -> (Vec<FiringId>, Vec<Job>) {
        let (mut ids, mut jobs) = (Vec::new(), Vec::new());
        for start in starts {
            ids.push(FiringId(self.next_firing));
            // Shared runs are found among the jobs of all firings.
            jobs.extend(self.start_scene(start));
        }
        (ids, self.drop_shared_starts(jobs))
    }

    /// Drops jobs that would start the same process as another firing: same program, arguments, directory,
    /// environment, stdin, timeout and output limit. Runs within one firing are never shared, because the user has
    /// to see that an agent runs a command twice.
    fn drop_shared_starts(&mut self, jobs: Vec<Job>) -> Vec<Job> {
        let mut kept: Vec<Job> = Vec::new();
        let mut taken: HashSet<((FiringId, RunId), FiringId)> = HashSet::new();
        for job in jobs {
            let Job::Start { firing, request } = &job else {
                kept.push(job);
                continue;
            };
            let same = kept.iter().find_map(|other| {
                let Job::Start { firing: first, request: started } = other else { return None };
                let key = (*first, started.run);
                let equal = first != firing
                    && started.launch == request.launch
                    && started.awaited == request.awaited
                    && self.budget(*first) == self.budget(*firing);
                (equal && !taken.contains(&(key, *firing))).then_some(key)
            });
            match same {
                Some(started) => {
                    taken.insert((started, *firing));
                    self.shared_runs.push(SharedRun { started, also: (*firing, request.run) });
                }
                None => kept.push(job),
            }
        }
        kept
    }

    fn budget(&self, id: FiringId) -> Option<std::time::Duration> {
        self.firing(id).and_then(|firing| firing.plan.budget)
    }

    /// The run that provides the result for this one. Killing it kills it for all firings, which have the same time
    /// budget and are cancelled together.
    pub(super) fn shared_with(&self, firing: FiringId, run: RunId) -> (FiringId, RunId) {
        let shared = self.shared_runs.iter().find(|shared| shared.also == (firing, run));
        shared.map_or((firing, run), |shared| shared.started)
    }

    /// Copies of a fact for all firings that share its run.
    pub(super) fn shared_facts(&self, fact: &Fact) -> Vec<Fact> {
        let (Fact::Started { firing, run, .. } | Fact::Output { firing, run, .. }) = fact else {
            let Fact::Ended { firing, report } = fact else { return Vec::new() };
            let others = self.followers(*firing, report.run);
            return others.map(|(firing, run)| ended(firing, run, report)).collect();
        };
        let others = self.followers(*firing, *run);
        others
            .map(|(other, own)| {
                let mut fact = fact.clone();
                if let Fact::Started { firing, run, .. } | Fact::Output { firing, run, .. } = &mut fact {
                    (*firing, *run) = (other, own);
                }
                fact
            })
            .collect()
    }

    fn followers(&self, firing: FiringId, run: RunId) -> impl Iterator<Item = (FiringId, RunId)> {
        self.shared_runs.iter().filter(move |shared| shared.started == (firing, run)).map(|shared| shared.also)
    }
}

fn ended(firing: FiringId, run: RunId, report: &RunReport) -> Fact {
    Fact::Ended { firing, report: Box::new(RunReport { run, ..report.clone() }) }
}

/// Converts a note to a diagnostic of the firing.
fn to_diagnostic(note: &TranslationNote) -> Diagnostic {
    let code = match note.kind {
        TranslationNoteKind::Lost => Code::PortLost,
        TranslationNoteKind::NotSent => Code::PortNotSent,
        TranslationNoteKind::Own => Code::PortOwn,
        TranslationNoteKind::Invented => Code::PortInvented,
        TranslationNoteKind::Kept => Code::PortKept,
    };
    Diagnostic::new(code, note.message.clone())
}
