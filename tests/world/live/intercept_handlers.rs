//! Work that the desk requests besides answers: after which answer, how often, and for which agent.

use hookbench::core::live::handlers::{FailureClass, HandlerResult, HandlerWork, Handoff, HandoffTrigger, HandoffWork};
use hookbench::core::live::intercept::{
    AnswerRecord, Breakpoint, BreakpointAction, Cooldown, EnabledHandlers, InterceptSettings, InterceptStep,
    Interceptor, PersistedState,
};
use hookbench::core::live::{AcceptedDecisions, Decision};
use serde_json::{Value, json};

use super::intercept_events::{WALL, answer, arrival, budget, deny, handoff, replace};

fn on() -> EnabledHandlers {
    EnabledHandlers { overview: true, handoff: true, stop_failure: true }
}

fn handling(breakpoints: Vec<Breakpoint>) -> Interceptor {
    Interceptor::new(InterceptSettings { breakpoints, handlers: on(), ..InterceptSettings::default() })
}

/// Returns the requested work in the steps.
fn works(steps: &[InterceptStep]) -> Vec<&HandlerWork> {
    steps
        .iter()
        .filter_map(|step| if let InterceptStep::Handle { work, .. } = step { Some(work) } else { None })
        .collect()
}

fn kept(steps: &[InterceptStep]) -> Vec<PersistedState> {
    steps
        .iter()
        .filter_map(|step| if let InterceptStep::Store(kept) = step { Some(kept.clone()) } else { None })
        .collect()
}

/// Ends a turn at these offsets in milliseconds: by the client's clock and by the server's clock.
fn stop(desk: &mut Interceptor, seq: u64, said: i64, wall: i64) -> (bool, AnswerRecord, String) {
    let mut event =
        arrival(seq, "claude", "stop", &json!({"transcript_path": "/t.jsonl", "last_assistant_message": "bye"}));
    event.received_ms = WALL + said;
    let steps = desk.handle_event(seq, WALL + wall, event);
    let (decision, source, record) = answer(&steps);
    assert_eq!(decision, Decision::Observe);
    // The work comes after the answer.
    assert!(matches!(steps[0], InterceptStep::Answer { .. }), "{steps:?}");
    (!works(&steps).is_empty(), record, source)
}

#[test]
fn work_after_a_stop_is_done_every_three_minutes() {
    let (mut desk, mut memory) = (handling(Vec::new()), Vec::new());
    let gated = AnswerRecord { cooldown: true, ..AnswerRecord::default() };
    for (seq, said, done) in [(1, 0, true), (2, 179_999, false), (3, 180_000, true), (4, 181_000, false)] {
        if seq == 4 {
            // After a restart, only persisted state is known.
            desk = handling(Vec::new());
            desk.remember(std::mem::take(&mut memory), Vec::new());
        }
        let mut event = arrival(seq, "claude", "stop", &json!({}));
        event.received_ms = WALL + said;
        let steps = desk.handle_event(seq, WALL + said, event);
        let (decision, source, record) = answer(&steps);
        assert_eq!((decision, !works(&steps).is_empty()), (Decision::Observe, done), "{said}");
        assert_eq!(
            (source.as_str(), record),
            if done { ("default", AnswerRecord::default()) } else { ("cooldown", gated.clone()) }
        );
        for kept in kept(&steps) {
            let PersistedState::Cooldown(cooldown) = kept else { panic!("{kept:?}") };
            assert_eq!(cooldown.last_received_ms, WALL + said);
            memory.push(cooldown);
        }
    }
}

#[test]
fn a_clock_that_cannot_be_right_is_not_believed() {
    const HOUR: i64 = 3_600_000;
    let mut desk = handling(Vec::new());
    // An hour ahead: the server's clock is used, and the next time is compared with it.
    let (done, record, _) = stop(&mut desk, 1, HOUR, 0);
    assert_eq!((done, record.clock_skew, record.cooldown), (true, true, false));
    let (done, record, _) = stop(&mut desk, 2, 180_000, 180_000);
    assert_eq!((done, record.clock_skew), (true, false));
    // A small difference is accepted.
    let (done, record, _) = stop(&mut desk, 3, 365_000, 360_000);
    assert_eq!((done, record.clock_skew), (true, false));
    // Earlier than the last one.
    let (done, record, _) = stop(&mut desk, 4, 359_999, 361_000);
    assert_eq!((done, record.clock_skew, record.cooldown), (false, true, true));
    let (done, record, _) = stop(&mut desk, 5, 360_000, 545_000);
    assert_eq!((done, record.clock_skew), (false, false));
    // The server's clock was set back by a day: the cooldown does not last a day.
    let (done, record, _) = stop(&mut desk, 6, 360_000 - 24 * HOUR, 360_000 - 24 * HOUR);
    assert_eq!((done, record.clock_skew), (true, true));
}

#[test]
fn each_session_has_its_own_cooldown_and_sub_agents_have_none() {
    let mut desk = handling(Vec::new());
    let mut of = |event: &str, session: &str| {
        let mut arrival = arrival(1, "claude", event, &json!({}));
        arrival.provider_ref = session.to_owned();
        let steps = desk.handle_event(0, WALL, arrival);
        (works(&steps).len(), answer(&steps).2.cooldown)
    };
    assert_eq!(of("stop", "a"), (1, false));
    assert_eq!(of("stop", "b"), (1, false));
    assert_eq!(of("stop", "a"), (0, true));
    assert_eq!(of("subagent_stop", "a"), (0, false));
    // Disabled handlers never start work or a cooldown.
    let mut off = Interceptor::new(InterceptSettings::default());
    for _ in 0..2 {
        let steps = off.handle_event(0, WALL, arrival(1, "claude", "stop", &json!({})));
        assert_eq!(answer(&steps), (Decision::Observe, "default".to_owned(), AnswerRecord::default()));
        assert_eq!(steps.len(), 1);
    }
}

#[test]
fn breakpoints_count_for_a_gated_stop_too() {
    let rule = Breakpoint { action: BreakpointAction::Fixed(deny("go on")), ..Breakpoint::holding("more") };
    let mut desk = handling(vec![rule]);
    for (seq, gated) in [(1, false), (2, true)] {
        let steps = desk.handle_event(0, WALL, arrival(seq, "claude", "stop", &json!({})));
        let (decision, source, record) = answer(&steps);
        assert_eq!((decision, source.as_str(), record.cooldown), (deny("go on"), "rule:more", gated));
        assert_eq!(works(&steps).is_empty(), gated);
    }
    // For a held event the work starts when it is answered, and also when its client has gone; but not on shutdown.
    for ended in ["decided", "gone", "late", "shut down"] {
        let mut desk = handling(vec![Breakpoint::holding("all")]);
        let steps = desk.handle_event(0, WALL, arrival(1, "claude", "stop", &json!({})));
        assert_eq!((works(&steps).len(), kept(&steps).len()), (0, 1));
        let steps = match ended {
            "decided" => desk.release_all(1),
            "gone" => desk.client_disconnected(1, 1),
            "late" => desk.tick(200_000),
            _ => desk.shutdown(1),
        };
        assert_eq!(works(&steps).len(), usize::from(ended != "shut down"), "{ended}");
        assert!(!matches!(steps[0], InterceptStep::Handle { .. }), "{ended}");
    }
}

#[test]
fn a_session_that_ends_and_one_that_fails() {
    let mut desk = handling(Vec::new());
    let payload = json!({"transcript_path": "/t.jsonl"});
    let steps = desk.handle_event(0, WALL, arrival(1, "claude", "session_end", &payload));
    let work = HandoffWork {
        provider: "claude".to_owned(),
        provider_ref: "s1".to_owned(),
        project: "/p".to_owned(),
        transcript: Some("/t.jsonl".to_owned()),
        last_message: None,
        trigger: HandoffTrigger::SessionEnd,
    };
    assert_eq!(works(&steps), [&HandlerWork::Handoff(work.clone())]);
    let PersistedState::Handoff(made) =
        kept(&desk.work_done(5, WALL + 5, 1, HandlerResult::Handoff(handoff(&work)))).remove(0)
    else {
        panic!()
    };
    assert_eq!((made.trigger, made.created_ms), (HandoffTrigger::SessionEnd, WALL + 5));
    let failed = json!({"error": "rate_limit", "error_details": "429"});
    let steps = desk.handle_event(0, WALL, arrival(2, "claude", "stop_failure", &failed));
    assert_eq!(answer(&steps).0, Decision::Observe);
    assert!(
        matches!(&steps[1], InterceptStep::ModelFailed { seq: 2, failure } if failure.class == FailureClass::RateLimit),
        "{steps:?}"
    );
    let mut off = Interceptor::new(InterceptSettings::default());
    assert_eq!(off.handle_event(0, WALL, arrival(2, "claude", "stop_failure", &failed)).len(), 1);
}

#[test]
fn a_session_that_begins_waits_for_its_overview() {
    for (source, waits) in [("startup", true), ("resume", true), ("clear", false), ("compact", false)] {
        let mut desk = handling(vec![Breakpoint::holding("never here")]);
        let steps = desk.handle_event(0, WALL, arrival(1, "claude", "session_start", &json!({"source": source})));
        if !waits {
            assert_eq!(answer(&steps).0, Decision::Observe);
            continue;
        }
        let work = HandlerWork::Overview { project: "/p".to_owned() };
        assert_eq!(steps, [InterceptStep::Processing { seq: 1 }, InterceptStep::Handle { seq: 1, work }]);
        assert_eq!((desk.held().count(), desk.next_deadline()), (0, Some(9_500)));
        let steps = desk.work_done(40, WALL, 1, HandlerResult::Overview("text".to_owned()));
        let (decision, who, record) = answer(&steps);
        assert_eq!((decision, who.as_str(), record.held_ms), (replace("text"), "handler:overview", Some(40)));
    }
    // The overview takes too long: the answer goes out without it, and the late result is ignored.
    let mut desk = handling(Vec::new());
    desk.handle_event(0, WALL, arrival(1, "claude", "session_start", &json!({"source": "startup"})));
    assert_eq!(desk.work_done(9_500, WALL, 1, HandlerResult::Overview("late".to_owned())), []);
    let (decision, who, _) = answer(&desk.tick(9_500));
    assert_eq!((decision, who.as_str()), (Decision::Observe, "timeout"));
    assert_eq!(desk.work_done(9_600, WALL, 1, HandlerResult::Overview("later".to_owned())), []);
    // The overview fails.
    desk.handle_event(0, WALL, arrival(2, "claude", "session_start", &json!({"source": "startup"})));
    let (decision, who, _) = answer(&desk.work_done(5, WALL, 2, HandlerResult::Failed("no".to_owned())));
    assert_eq!((decision, who.as_str()), (Decision::Observe, "default"));
    // The client has no time for it, or does not understand texts.
    let mut hurried = arrival(3, "claude", "session_start", &json!({"source": "startup"}));
    hurried.budget = Some(budget(400));
    assert_eq!(answer(&desk.handle_event(0, WALL, hurried)).0, Decision::Observe);
    let mut deaf = arrival(4, "claude", "session_start", &json!({"source": "startup"}));
    deaf.accept = AcceptedDecisions::parse(Some("deny"));
    desk.handle_event(0, WALL, deaf);
    let (decision, _, record) = answer(&desk.work_done(5, WALL, 4, HandlerResult::Overview("text".to_owned())));
    let says = record.suppressed.map(|suppressed| suppressed.to_string());
    assert_eq!((decision, says.as_deref()), (Decision::Observe, Some("replace: not accepted")));
}

/// Compacts a session. Returns the agent's answer and the state that the desk persists.
fn compact(desk: &mut Interceptor, agent: &str) -> (Decision, Vec<PersistedState>) {
    let steps = desk.handle_event(0, WALL, arrival(1, agent, "pre_compact", &json!({"trigger": "auto"})));
    let work = match works(&steps)[..] {
        [HandlerWork::Handoff(work)] => work.clone(),
        _ => panic!("{steps:?}"),
    };
    assert_eq!(work.trigger, HandoffTrigger::PreCompact);
    let steps = desk.work_done(10, WALL, 1, HandlerResult::Handoff(handoff(&work)));
    (answer(&steps).0, kept(&steps))
}

fn told(handoff: &Handoff) -> Decision {
    replace(&handoff.yaml)
}

#[test]
fn a_handoff_reaches_each_agent_where_it_listens_and_once() {
    let after = |source: &str| ("session_start", json!({"source": source}));
    let prompt = || ("user_prompt_submit", json!({"prompt": "go on"}));
    for (agent, at_once, passes, (event, payload)) in [
        ("claude", false, vec![prompt(), after("clear")], after("compact")),
        ("codex", false, vec![prompt(), after("clear")], after("compact")),
        ("gemini", false, vec![after("compact"), ("stop", json!({}))], prompt()),
        ("qwen", true, vec![prompt()], after("compact")),
    ] {
        let mut desk = handling(Vec::new());
        let (decision, memory) = compact(&mut desk, agent);
        let PersistedState::Handoff(made) = &memory[0] else { panic!("{memory:?}") };
        let delivered = |at: i64| PersistedState::Delivered {
            provider: agent.to_owned(),
            provider_ref: "s1".to_owned(),
            created_ms: WALL,
            at_ms: at,
        };
        assert_eq!(decision, if at_once { told(made) } else { Decision::Observe }, "{agent}");
        assert_eq!(memory[1..], if at_once { vec![delivered(WALL)] } else { vec![] }, "{agent}");
        let ask = |desk: &mut Interceptor, session: &str, at: i64, event: &str, payload: &Value| {
            let mut arrival = arrival(2, agent, event, payload);
            arrival.provider_ref = session.to_owned();
            let steps = desk.handle_event(20, WALL + at, arrival);
            (
                answer(&steps).0,
                kept(&steps).into_iter().filter(|k| !matches!(k, PersistedState::Cooldown(_))).collect::<Vec<_>>(),
            )
        };
        for (event, payload) in passes {
            assert_eq!(ask(&mut desk, "s1", 1, event, &payload), (Decision::Observe, vec![]), "{agent} {event}");
        }
        assert_eq!(ask(&mut desk, "s2", 1, event, &payload), (Decision::Observe, vec![]), "{agent}: another session");
        let second = ask(&mut desk, "s1", 600_000, event, &payload);
        let due = (told(made), vec![delivered(WALL + 600_000)]);
        assert_eq!(second, if at_once { (Decision::Observe, vec![]) } else { due.clone() }, "{agent}");
        assert_eq!(ask(&mut desk, "s1", 600_000, event, &payload), (Decision::Observe, vec![]), "{agent}: once only");
        if at_once {
            continue;
        }
        // After ten minutes it has expired.
        compact(&mut desk, agent);
        assert_eq!(ask(&mut desk, "s1", 600_001, event, &payload), (Decision::Observe, vec![]), "{agent}: too late");
        // With a restart in between.
        let mut again = handling(Vec::new());
        again.remember(Vec::<Cooldown>::new(), vec![made.clone()]);
        assert_eq!(ask(&mut again, "s1", 600_000, event, &payload), due, "{agent}: after a restart");
    }
}

#[test]
fn a_handoff_that_was_not_told_waits_on() {
    // The client does not understand texts, but the next one may.
    let mut desk = handling(Vec::new());
    compact(&mut desk, "claude");
    let mut deaf = arrival(2, "claude", "session_start", &json!({"source": "compact"}));
    deaf.accept = AcceptedDecisions::parse(Some("deny"));
    assert_eq!(answer(&desk.handle_event(0, WALL, deaf)).0, Decision::Observe);
    let steps = desk.handle_event(0, WALL, arrival(3, "claude", "session_start", &json!({"source": "compact"})));
    assert_eq!(answer(&steps).1, "handler:handoff");
    // A handoff after a stop is stored, but never sent.
    let steps = desk.handle_event(0, WALL, arrival(4, "gemini", "stop", &json!({})));
    let [HandlerWork::Handoff(work)] = works(&steps)[..] else { panic!("{steps:?}") };
    let memory = kept(&desk.work_done(1, WALL, 4, HandlerResult::Handoff(handoff(work))));
    let [PersistedState::Handoff(stopped)] = &memory[..] else { panic!("{memory:?}") };
    desk.remember(Vec::new(), vec![stopped.clone()]);
    let steps = desk.handle_event(2, WALL, arrival(5, "gemini", "user_prompt_submit", &json!({"prompt": "x"})));
    assert_eq!(answer(&steps).1, "default");
    // The client disconnects during the work: the session gets the handoff anyway.
    let steps = desk.handle_event(3, WALL, arrival(6, "codex", "pre_compact", &json!({})));
    let [HandlerWork::Handoff(work)] = works(&steps)[..] else { panic!("{steps:?}") };
    let work = work.clone();
    assert_eq!(desk.client_disconnected(4, 6), [InterceptStep::Abandoned { seq: 6, held_ms: 1 }]);
    assert_eq!(desk.work_done(5, WALL, 6, HandlerResult::Handoff(handoff(&work))).len(), 1);
    let steps = desk.handle_event(6, WALL, arrival(7, "codex", "session_start", &json!({"source": "compact"})));
    assert_eq!(answer(&steps).1, "handler:handoff");
}
