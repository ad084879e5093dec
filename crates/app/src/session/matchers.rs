//! Queries about matchers: the board of subjects, the ladder for one name, and a file with a changed matcher.

use hookbench_core::text::unified_diff;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::agent::AgentState;
use super::job::Job;
use super::state::Session;
use super::update::SessionEffect;
use crate::analysis::ladder::{Ladder, LadderParts, ladder};
use crate::analysis::matching::MatcherChange;
use crate::disk::user_file::shown;
use crate::recordings::impact::{Impact, SettingsChange};
use crate::recordings::store::SubjectCounts;
use crate::session::task::Task;
use hookbench_core::config::{LoadedConfig, OverlayFiles, Place};
use hookbench_core::dialects::find_event;
use hookbench_core::fix::{MatcherEditError, set_matcher};
use hookbench_core::hook::{HookDefinition, HookInput, Layer};
use hookbench_core::matching::MatchTable;
use hookbench_core::names::RungName;
use hookbench_core::port::AgentVersion;
use hookbench_core::text::edit::EditSet;

fn side(agent: &AgentState) -> AgentVersion {
    AgentVersion { dialect: agent.dialect, version: agent.version.clone() }
}

impl Session {
    /// The subjects that a matcher of an event is tested against. `shows` selects the agents to include besides the
    /// first. `definition` is the hook with the matcher; for a hook of the user, recorded events of all projects count.
    pub fn board(
        &self,
        (agent, event): (&str, &str),
        shows: &dyn Fn(&str) -> bool,
        kinds: Option<&SubjectCounts>,
        definition: Option<&HookDefinition>,
        typed: &[String],
    ) -> Option<MatchTable> {
        let own = self.agent(agent)?;
        let spec = find_event(own.dialect, &own.version, event)?;
        let others: Vec<AgentVersion> =
            self.agents.iter().filter(|a| shows(a.dialect.id().as_str())).map(side).collect();
        let project = self.files.canonical(&self.place.project).unwrap_or_else(|| self.place.project.clone());
        let everywhere = definition.is_some_and(|definition| definition.provenance.layer == Layer::User);
        let seen = kinds.map(|kinds| kinds.in_project((!everywhere).then_some(project.as_str()))).unwrap_or_default();
        let table = MatchTable::new(&side(own), spec, &others, &seen, typed);
        let lacks_matcher = definition.is_some_and(|definition| definition.matcher.is_none());
        Some(if lacks_matcher { table.without_matcher() } else { table })
    }

    /// The ladder of a definition, if it had this matcher, for its event with this name.
    pub fn ladder_for(&self, agent: &str, definition: &HookDefinition, matcher: &str, name: &str) -> Option<Ladder> {
        let agent = self.agent(agent)?;
        let event = find_event(agent.dialect, &agent.version, &definition.event)?;
        let loaded = agent.loaded.as_ref()?;
        let mut changed = definition.clone();
        if changed.matcher.is_some() || matcher != "*" {
            changed.matcher = Some(Value::from(matcher));
        }
        // A refusal because of the old matcher does not apply to the new one.
        changed.rejection = changed.rejection.filter(|refused| refused.rung != RungName::Matcher);
        let mut body = agent.dialect.examples(event, &self.place, &agent.version).into_iter().next()?.body;
        if let (Some(key), Some(map)) = (event.subject, body.as_object_mut()) {
            map.insert(key.to_owned(), Value::from(name));
        }
        let subject = agent.dialect.subject(event, &body, &agent.version);
        let input = HookInput { event: definition.event.clone(), subject, body };
        let mut scene = self.scene_of(agent, &input)?;
        let alone = LoadedConfig {
            definitions: vec![changed.clone()],
            layers: loaded.layers.clone(),
            switches: loaded.switches.clone(),
            hooks_off: loaded.hooks_off.clone(),
            agent_settings: loaded.agent_settings.clone(),
            trust: loaded.trust.clone(),
            refusal: loaded.refusal.clone(),
            ..LoadedConfig::default()
        };
        scene.loaded = Arc::new(alone);
        let plan = agent.dialect.plan(&scene);
        let resolved = self.resolve(agent, definition);
        let missing = self.missing_for_agent(agent, definition, self.hook_script(agent, definition).as_ref());
        let parts = LadderParts {
            event: Some(event),
            entry: plan.entry(&changed.id),
            resolved: resolved.as_ref(),
            missing_for_agent: missing.as_deref(),
            ..LadderParts::of(&changed, &scene.loaded)
        };
        Some(ladder(parts))
    }

    /// Changes the matcher of a definition in its file. The new text is loaded by the agent to verify the result.
    ///
    /// # Errors
    /// Returns an error if the file does not belong to the user, or if the change would have another effect.
    pub fn change_matcher(&self, agent: &str, hook: &str, matcher: &str) -> Result<MatcherChange, MatcherEditError> {
        let nothing = || MatcherEditError("the hook no longer exists".to_owned());
        let state = self.agent(agent).ok_or_else(nothing)?;
        let loaded = state.loaded.as_ref().ok_or_else(nothing)?;
        let index = loaded.definitions.iter().position(|d| d.id == hook).ok_or_else(nothing)?;
        let definition = loaded.definitions.get(index).ok_or_else(nothing)?;
        let edit = set_matcher(loaded, definition, matcher)?;
        let source = definition.provenance.span.source;
        let (path, before) = (loaded.sources.path(source).to_owned(), loaded.sources.text(source).to_owned());
        let file = definition.provenance.file.clone();
        let other =
            || MatcherEditError(format!("the change would also affect something else in {file}; edit it there"));
        let line = loaded.sources.position(source, edit.start).line;
        let after = EditSet::from_iter([edit]).apply(&before).map_err(|_| other())?;
        let files = OverlayFiles { files: self.files.as_ref(), replaced: vec![(&path, &after)] };
        let then = state.dialect.load(&self.place, &files, &state.version);
        let same = |(was, is): (&HookDefinition, &HookDefinition)| {
            let changes = is.matcher != was.matcher;
            let right = if changes { is.matcher == Some(Value::from(matcher)) } else { true };
            right && was.event == is.event && was.raw == is.raw
        };
        let changed = then.definitions.get(index).is_some_and(|d| d.matcher == Some(Value::from(matcher)));
        let all = loaded.definitions.len() == then.definitions.len()
            && loaded.definitions.iter().zip(&then.definitions).all(same);
        if !changed || !all {
            return Err(other());
        }
        // Definitions in the same group get the new matcher, too.
        let pairs = loaded.definitions.iter().zip(&then.definitions).enumerate();
        let also = pairs.filter(|(at, (was, is))| *at != index && was.matcher != is.matcher);
        let refused = then.definitions.get(index).and_then(|d| d.rejection.as_ref());
        Ok(MatcherChange {
            agent: state.dialect.id(),
            line,
            previous: definition.matcher.as_ref().map(|_| definition.matcher_text()),
            matcher: matcher.to_owned(),
            diff: unified_diff(&shown(Path::new(&self.place.project), &path, &file), &before, &after),
            affected_hooks: also.map(|(_, (was, _))| was.label()).collect(),
            next_step: refused.filter(|r| r.rung == RungName::Trusted).map(|r| r.message.clone()),
            path,
            file,
            before,
            after,
        })
    }
}

impl AgentState {
    /// A change from one configuration to another.
    fn change(&self, place: &Arc<Place>, headless: bool, [before, after]: [Arc<LoadedConfig>; 2]) -> SettingsChange {
        let (dialect, version, place) = (self.dialect, self.version.clone(), Arc::clone(place));
        SettingsChange { dialect, version, place, headless, before, after }
    }

    /// Stores a loaded configuration. Returns the task that computes the impact of the change, or prepares for one.
    pub(super) fn set_loaded(&mut self, loaded: Arc<LoadedConfig>, place: &Arc<Place>, headless: bool) -> Task {
        self.changes += 1;
        self.impact = None;
        self.preview = None;
        match self.loaded.replace(Arc::clone(&loaded)) {
            Some(before) => Task::Impact { change: self.change(place, headless, [before, loaded]), previewed: false },
            None => Task::ReadAhead(self.change(place, headless, [Arc::clone(&loaded), loaded])),
        }
    }
}

impl Session {
    /// Returns a job that computes the impact of a previewed change.
    pub(super) fn preview_impact(&mut self, change: &MatcherChange) -> Option<Job> {
        let state = self.agents.iter_mut().find(|state| state.dialect.id() == change.agent)?;
        let before = state.loaded.clone()?;
        let files = OverlayFiles { files: self.files.as_ref(), replaced: vec![(&change.path, &change.after)] };
        let after = state.dialect.load(&self.place, &files, &state.version);
        state.preview = Some((change.after.clone(), None));
        let change = state.change(&self.place, self.options.headless, [before, after]);
        Some(self.tasks.start(Task::Impact { change, previewed: true }))
    }

    /// Stores an impact, and reports it to the user unless it is that of a previewed change.
    pub(super) fn set_impact(&mut self, previewed: bool, impact: Impact) {
        let Some(agent) = self.agents.iter_mut().find(|agent| agent.dialect.id() == impact.agent) else { return };
        if previewed {
            if let Some((_, known)) = &mut agent.preview {
                *known = Some(impact);
            }
            return;
        }
        if let Some(words) = impact.words() {
            let whose = if impact.agent == self.bench.payload.agent { "" } else { agent.dialect.name() };
            let between = if whose.is_empty() { "" } else { ", " };
            self.effects.push(SessionEffect::ImpactKnown(format!("recorded events{between}{whose}: {words}")));
        }
        agent.impact = Some(impact);
    }
}
