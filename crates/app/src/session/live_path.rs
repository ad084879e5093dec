//! The live path in a session: its requests and facts, its events on the bench, and the other hooks that would run
//! for them.

use super::agent::AgentState;
use super::state::Session;
use super::update::SessionEffect;
use crate::firing::history::PastRun;
use crate::firing::input::{BuiltInput, InputRequest, read_payload};
use crate::firing::record::is_forwarding;
use crate::live::{ArrivedFact, DemoEvent, LiveFact, LiveRequest, PendingPayload};
use crate::session::bench::PayloadOrigin;
use crate::session::job::Job;
use hookbench_core::decide::Verdict;
use hookbench_core::dialects;
use hookbench_core::hook::HookDefinition;
use hookbench_core::live::{live_form, native_event};
use hookbench_core::names::AgentId;
use hookbench_core::plan::Selection;

/// The reaction of a project's hooks, other than hookbench's own, to an event. Only planned; nothing is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherHooks {
    /// The hooks that would run: name, and `file:line`.
    pub run: Vec<(String, String)>,
    /// The number of hooks for which it is unknown.
    pub unknown: usize,
    /// The number of hooks that would be skipped.
    pub skipped: usize,
    /// The result of the last firing of this event: verdict, and number of the firing.
    pub last: Option<(Verdict, u64)>,
}

/// Whether the settings of the agent have a forwarding hook that it does not refuse.
fn forwards(agent: &AgentState) -> bool {
    let handed = |definition: &HookDefinition| definition.rejection.is_none() && is_forwarding(definition);
    agent.loaded.as_ref().is_some_and(|loaded| loaded.definitions.iter().any(handed))
}

impl Session {
    pub(super) fn apply_live(&mut self, wish: LiveRequest) -> Vec<Job> {
        if let LiveRequest::ToBench(id) = &wish {
            self.live_to_bench(id);
        }
        let jobs = match wish {
            LiveRequest::HoldDemoEvent => {
                self.demo_event().map_or_else(Vec::new, |event| self.live_path.hold_demo_event(event))
            }
            wish => self.live_path.apply(wish),
        };
        self.effects.extend(self.live_path.messages.drain(..).map(SessionEffect::Message));
        jobs.into_iter().map(Job::Live).collect()
    }

    pub(super) fn absorb_live(&mut self, fact: LiveFact) -> Vec<Job> {
        let jobs = self.live_path.absorb(fact);
        self.effects.extend(self.live_path.messages.drain(..).map(SessionEffect::Message));
        jobs.into_iter().map(Job::Live).collect()
    }

    /// The event that the demo sends to itself: a template of the current agent, before a tool runs.
    fn demo_event(&self) -> Option<DemoEvent> {
        let directory = self.live_path.demo.clone()?;
        let agent = self.bench.payload.agent;
        let event = Some(native_event(live_form(agent.as_str())?, "pre_tool_use"));
        let built = self.build(&InputRequest { agent: Some(agent), event, ..InputRequest::default() }).ok()?;
        Some(DemoEvent { directory, agent, payload: built.input.body.to_string() })
    }

    /// Starts the capture when settings with forwarding hooks are loaded, because a user who installed them wants
    /// it. Happens once, so that a capture that the user stops stays stopped.
    pub(super) fn start_capture(&mut self, agent: &str) -> Vec<Job> {
        if !self.options.capture || !self.agent(agent).is_some_and(forwards) {
            return Vec::new();
        }
        self.options.capture = false;
        self.apply_live(LiveRequest::Start)
    }

    /// The agents whose settings have forwarding hooks.
    pub fn forwarding_agents(&self) -> Vec<AgentId> {
        self.agents().iter().filter(|agent| forwards(agent)).map(|agent| agent.dialect.id()).collect()
    }

    /// Whether the settings of an agent have forwarding hooks. Without them no event of an agent arrives.
    pub fn has_forwarding_hooks(&self) -> bool {
        self.agents().iter().any(forwards)
    }

    /// Plans the other hooks of this project for an event of a running agent.
    ///
    /// # Errors
    /// Returns an error that says why they cannot be planned.
    pub fn plan_other_hooks(&self, arrived: &ArrivedFact, payload: &str) -> Result<OtherHooks, String> {
        // An agent reports its current directory, which may be inside the project.
        if !std::path::Path::new(&arrived.project).starts_with(&self.place.project) {
            return Err(format!("its project is {}; open hookbench there to see its hooks", arrived.project));
        }
        let built = self.live_input(arrived, payload)?;
        let agent = self.agent(built.dialect.id().as_str()).ok_or("unknown agent")?;
        let scene = self.scene_of(agent, &built.input).ok_or("the settings are still being read")?;
        let plan = agent.dialect.plan(&scene);
        let mut others = OtherHooks { run: Vec::new(), unknown: 0, skipped: 0, last: None };
        for entry in &plan.entries {
            let Some(definition) = scene.loaded.definition(&entry.hook).filter(|d| !is_forwarding(d)) else { continue };
            match entry.selection {
                Selection::Fires { .. } => {
                    let place = format!("{}:{}", definition.provenance.file, definition.provenance.line);
                    others.run.push((definition.label(), place));
                }
                Selection::Unknown => others.unknown += 1,
                Selection::Skipped => others.skipped += 1,
            }
        }
        let last = self.history.last_of(agent.dialect.id(), &agent.version, &built.input);
        others.last = last.and_then(|run: &PastRun| Some((run.decision.as_ref()?.verdict, run.id.0)));
        Ok(others)
    }

    fn live_input(&self, arrived: &ArrivedFact, payload: &str) -> Result<BuiltInput, String> {
        let dialect = dialects::by_id(&arrived.agent).ok_or_else(|| format!("unknown agent {}", arrived.agent))?;
        let request = InputRequest {
            agent: Some(dialect.id()),
            event: Some(arrived.event.clone()),
            payload: Some(read_payload("payload", payload.as_bytes()).map_err(|why| why.to_string())?),
            ..InputRequest::default()
        };
        self.build(&request).map_err(|why| why.to_string())
    }

    /// Puts a pending event on the bench.
    fn live_to_bench(&mut self, id: &str) {
        let Some(held) = self.live_path.pending_event(id) else {
            self.say("this event is no longer held".to_owned());
            return;
        };
        let PendingPayload::Available(payload) = &held.payload else {
            self.say("its payload has not arrived yet".to_owned());
            return;
        };
        match self.live_input(&held.fact.arrived, payload) {
            Ok(built) => {
                self.put_input(built);
                self.bench.payload.origin = PayloadOrigin::Live;
            }
            Err(why) => self.say(format!("the event cannot be opened on the bench: {why}")),
        }
    }
}
