//! Properties of a desk for any sequence of inputs.

use std::collections::BTreeMap;

use hookbench::core::live::handlers::{HandlerResult, HandlerWork};
use hookbench::core::live::intercept::{
    Breakpoint, BreakpointAction, EnabledHandlers, InterceptSettings, InterceptStep, Interceptor, TimeoutAction,
    UserDecision,
};
use hookbench::core::live::{Decision, DecisionKind};
use proptest::prelude::*;
use serde_json::json;

use super::intercept_events::{WALL, arrival, budget, deny, handoff};

/// Possible inputs.
#[derive(Debug, Clone, Copy)]
enum DeskInput {
    Arrive { agent: usize, event: usize, hold: u64 },
    Decide { which: usize, deny: bool },
    Gone { which: usize },
    Handled { which: usize, fails: bool },
    ReleaseAll,
    Pause(bool),
    Wait(u64),
    Shutdown,
}

const AGENTS: [&str; 6] = ["claude", "codex", "droid", "gemini", "qwen", "nobody"];
const EVENTS: [&str; 8] = [
    "pre_tool_use",
    "permission_request",
    "stop",
    "session_start",
    "pre_compact",
    "user_prompt_submit",
    "notification",
    "session_end",
];

fn happens() -> impl Strategy<Value = DeskInput> {
    prop_oneof![
        6 => (0..AGENTS.len(), 0..EVENTS.len(), prop_oneof![Just(0), 0..2_000_u64, 0..400_000_u64])
            .prop_map(|(agent, event, hold)| DeskInput::Arrive { agent, event, hold }),
        3 => (any::<usize>(), any::<bool>()).prop_map(|(which, deny)| DeskInput::Decide { which, deny }),
        2 => any::<usize>().prop_map(|which| DeskInput::Gone { which }),
        3 => (any::<usize>(), any::<bool>()).prop_map(|(which, fails)| DeskInput::Handled { which, fails }),
        1 => Just(DeskInput::ReleaseAll),
        1 => any::<bool>().prop_map(DeskInput::Pause),
        4 => prop_oneof![0..500_u64, 0..200_000_u64].prop_map(DeskInput::Wait),
        1 => Just(DeskInput::Shutdown),
    ]
}

/// The test's view of a request.
#[derive(Debug, Clone, Default)]
struct RequestState {
    /// The time at which its client gives up.
    deadline: u64,
    ends: u32,
    gone: bool,
}

struct DeskWorld {
    desk: Interceptor,
    now: u64,
    known: BTreeMap<u64, RequestState>,
    works: Vec<(u64, HandlerWork)>,
    last_reminded: BTreeMap<u64, u64>,
}

impl DeskWorld {
    fn take(&mut self, steps: Vec<InterceptStep>) {
        for step in steps {
            match step {
                InterceptStep::Answer { seq, answer, .. } => {
                    let known = self.known.get_mut(&seq).unwrap();
                    known.ends += 1;
                    assert!(!known.gone, "{seq} is answered though its client has gone");
                    assert!(self.now <= known.deadline, "{seq} is answered at {} after {}", self.now, known.deadline);
                    assert!(answer.source.is_some() && answer.id == Some(format!("id-{seq}")));
                }
                InterceptStep::Abandoned { seq, .. } => self.known.get_mut(&seq).unwrap().ends += 1,
                InterceptStep::Processing { seq } => {
                    assert_eq!(self.known[&seq].ends, 0, "{seq} is reminded after its answer");
                    self.last_reminded.insert(seq, self.now);
                }
                InterceptStep::Held { seq } => assert_eq!(self.known[&seq].ends, 0),
                InterceptStep::Handle { seq, work } => self.works.push((seq, work)),
                InterceptStep::Store(_) | InterceptStep::ModelFailed { .. } => {}
            }
        }
        let held: Vec<u64> = self.desk.held().map(|held| held.arrival.seq).collect();
        assert!(held.is_sorted(), "{held:?}");
        for seq in held {
            assert_eq!(self.known[&seq].ends, 0, "{seq} is held after its answer");
            assert!(self.now - self.last_reminded[&seq] <= 10_000, "{seq} was not reminded");
        }
    }

    /// Advances the time, with a tick whenever the desk asked for one.
    fn wait(&mut self, ms: u64) {
        let end = self.now + ms;
        while let Some(at) = self.desk.next_deadline().filter(|at| *at <= end) {
            assert!(at >= self.now, "the desk asks for the past");
            self.now = at;
            let steps = self.desk.tick(at);
            assert!(!steps.is_empty(), "woken for nothing at {at}");
            self.take(steps);
        }
        self.now = end;
        let steps = self.desk.tick(end);
        self.take(steps);
    }

    fn open(&self, which: usize) -> Option<u64> {
        let open: Vec<u64> = self.known.iter().filter(|(_, known)| known.ends == 0).map(|(seq, _)| *seq).collect();
        (!open.is_empty()).then(|| open[which % open.len()])
    }

    fn step(&mut self, seq: u64, happens: DeskInput) {
        match happens {
            DeskInput::Arrive { agent, event, hold } => {
                let source = ["startup", "compact"][usize::try_from(hold % 2).unwrap()];
                let payload = json!({"tool_name": "Bash", "source": source});
                let mut event = arrival(seq, AGENTS[agent], EVENTS[event], &payload);
                event.budget = Some(budget(hold));
                let known = RequestState { deadline: self.now + hold.saturating_sub(500), ..RequestState::default() };
                self.known.insert(seq, known);
                let steps = self.desk.handle_event(self.now, WALL, event);
                self.take(steps);
            }
            DeskInput::Decide { which, deny: no } => {
                let Some(seq) = self.open(which) else { return };
                let decision = if no { deny("no") } else { Decision::Observe };
                if let Ok(steps) = self.desk.decide(self.now, seq, UserDecision { decision }) {
                    self.take(steps);
                    assert_eq!(self.known[&seq].ends, 1);
                }
            }
            DeskInput::Gone { which } => {
                let Some(seq) = self.open(which) else { return };
                let steps = self.desk.client_disconnected(self.now, seq);
                self.take(steps);
                self.known.get_mut(&seq).unwrap().gone = true;
            }
            DeskInput::Handled { which, fails } => {
                if self.works.is_empty() {
                    return;
                }
                let (seq, work) = self.works.swap_remove(which % self.works.len());
                let done = if fails { HandlerResult::Failed("no".to_owned()) } else { done(&work) };
                let steps = self.desk.work_done(self.now, WALL, seq, done);
                self.take(steps);
            }
            DeskInput::ReleaseAll => {
                let steps = self.desk.release_all(self.now);
                self.take(steps);
                assert_eq!(self.desk.held().count(), 0);
            }
            DeskInput::Pause(paused) => self.desk.pause(paused),
            DeskInput::Wait(ms) => self.wait(ms),
            DeskInput::Shutdown => {
                let announced: BTreeMap<u64, DecisionKind> =
                    self.desk.held().map(|held| (held.arrival.seq, held.announced().decision("").kind())).collect();
                let steps = self.desk.shutdown(self.now);
                for step in &steps {
                    if let InterceptStep::Answer { seq, answer, .. } = step
                        && let Some(kind) = announced.get(seq)
                    {
                        assert_eq!(answer.decision.kind(), *kind, "{seq} does not get the announced answer");
                    }
                }
                self.take(steps);
                assert!(self.known.values().all(|known| known.ends == 1), "somebody waits on a closed desk");
            }
        }
    }
}

fn done(work: &HandlerWork) -> HandlerResult {
    match work {
        HandlerWork::Overview { .. } => HandlerResult::Overview("text".to_owned()),
        HandlerWork::Handoff(asked) => HandlerResult::Handoff(handoff(asked)),
    }
}

fn breakpoints() -> impl Strategy<Value = Vec<Breakpoint>> {
    let one = (0..EVENTS.len(), any::<bool>(), 0..3_usize).prop_map(|(event, hold, timeout)| Breakpoint {
        event: Some(EVENTS[event].to_owned()),
        action: if hold { BreakpointAction::Hold } else { BreakpointAction::Fixed(deny("rule")) },
        on_timeout: [TimeoutAction::Pass, TimeoutAction::Deny, TimeoutAction::Ask][timeout],
        ..Breakpoint::holding("one")
    });
    prop::collection::vec(one, 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    /// Every event gets exactly one final answer unless its client has gone, and never after its client has given
    /// up; waiting clients get reminders; and in the end no client waits.
    #[test]
    fn every_request_is_answered_once_and_in_time(
        points in breakpoints(),
        handlers in any::<bool>(),
        all in prop::collection::vec(happens(), 0..60),
    ) {
        let on = EnabledHandlers { overview: handlers, handoff: handlers, stop_failure: handlers };
        let settings = InterceptSettings { breakpoints: points, handlers: on, ..InterceptSettings::default() };
        let mut world = DeskWorld {
            desk: Interceptor::new(settings),
            now: 1_000,
            known: BTreeMap::new(),
            works: Vec::new(),
            last_reminded: BTreeMap::new(),
        };
        for (seq, one) in (1..).zip(all) {
            world.step(seq, one);
        }
        world.wait(400_000);
        prop_assert!(world.known.values().all(|known| known.ends == 1), "{:?}", world.known);
        prop_assert_eq!(world.desk.next_deadline(), None);
    }
}
