//! The desk step by step: the matching breakpoint, held events and their deadlines, and possible decisions.

use hookbench::core::live::intercept::{
    AnswerRecord, Breakpoint, BreakpointAction, DecisionError, InterceptStep, PathPattern, TimeoutAction, UserDecision,
};
use hookbench::core::live::{AcceptedDecisions, Decision, DecisionKind, RawJson};
use regex::Regex;
use serde_json::json;

use super::intercept_events::{WALL, answer, arrival, budget, deny, desk, replace, shell};

fn fixed(name: &str, decision: Decision) -> Breakpoint {
    Breakpoint { action: BreakpointAction::Fixed(decision), ..Breakpoint::holding(name) }
}

#[allow(clippy::unnecessary_wraps, reason = "for fields that may be none")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn observed() -> AnswerRecord {
    AnswerRecord::default()
}

#[test]
fn without_breakpoints_nothing_is_held() {
    for agent in ["claude", "codex", "gemini", "qwen", "nobody"] {
        for event in ["pre_tool_use", "stop", "session_start", "pre_compact", "notification", "never_heard_of"] {
            let mut desk = desk(Vec::new());
            let steps = desk.handle_event(0, WALL, arrival(1, agent, event, &json!({})));
            assert_eq!(steps.len(), 1);
            assert_eq!(answer(&steps), (Decision::Observe, "default".to_owned(), observed()), "{agent} {event}");
            assert_eq!(desk.next_deadline(), None);
        }
    }
}

#[test]
fn the_first_breakpoint_that_matches_counts() {
    let hold = Breakpoint::holding;
    let command = |pattern: &str| Some(Regex::new(pattern).unwrap());
    let path = |pattern: &str| Some(PathPattern::new(pattern).unwrap());
    let bash = |agent, tool: &str| {
        arrival(1, agent, "pre_tool_use", &json!({"tool_name": tool, "tool_input": {"command": "git push -f"}}))
    };
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: src/b.rs\n+z\n*** End Patch\n";
    let edit = |agent| match agent {
        "codex" => {
            arrival(1, agent, "pre_tool_use", &json!({"tool_name": "apply_patch", "tool_input": {"command": patch}}))
        }
        _ => {
            arrival(1, agent, "pre_tool_use", &json!({"tool_name": "Edit", "tool_input": {"file_path": "/p/src/b.rs"}}))
        }
    };
    for (point, event, matches) in [
        (hold("all"), bash("claude", "Bash"), true),
        (Breakpoint { enabled: false, ..hold("off") }, bash("claude", "Bash"), false),
        (Breakpoint { agent: some("codex"), ..hold("x") }, bash("claude", "Bash"), false),
        (Breakpoint { event: some("stop"), ..hold("x") }, bash("claude", "Bash"), false),
        (Breakpoint { session: some("s1"), ..hold("x") }, bash("claude", "Bash"), true),
        (Breakpoint { session: some("s2"), ..hold("x") }, bash("claude", "Bash"), false),
        // A tool by any of its names, in every agent.
        (Breakpoint { tool: some("Bash"), ..hold("x") }, bash("claude", "Bash"), true),
        (Breakpoint { tool: some("Bash"), ..hold("x") }, bash("gemini", "run_shell_command"), true),
        (Breakpoint { tool: some("run_shell_command"), ..hold("x") }, bash("codex", "Bash"), true),
        (Breakpoint { tool: some("shell"), ..hold("x") }, bash("qwen", "run_shell_command"), true),
        (Breakpoint { tool: some("Edit"), ..hold("x") }, bash("claude", "Bash"), false),
        (Breakpoint { tool: some("Edit"), ..hold("x") }, edit("codex"), true),
        (Breakpoint { tool: some("Write"), ..hold("x") }, edit("codex"), true),
        (Breakpoint { tool: some("mcp__mem__put"), ..hold("x") }, bash("codex", "mcp__mem__put"), true),
        (Breakpoint { tool: some("Bash"), ..hold("x") }, arrival(1, "claude", "stop", &json!({})), false),
        (Breakpoint { tool: some("odd"), ..hold("x") }, bash("nobody", "odd"), true),
        (Breakpoint { command: command("^git push"), ..hold("x") }, bash("claude", "Bash"), true),
        (Breakpoint { command: command("^push"), ..hold("x") }, bash("claude", "Bash"), false),
        (Breakpoint { command: command(""), ..hold("x") }, edit("claude"), false),
        // Any file that a patch changes.
        (Breakpoint { path: path("src/**"), ..hold("x") }, edit("codex"), true),
        (Breakpoint { path: path("/p/*.rs"), ..hold("x") }, edit("codex"), true),
        (Breakpoint { path: path("src/*.rs"), ..hold("x") }, edit("claude"), true),
        (Breakpoint { path: path("*.rs"), ..hold("x") }, edit("claude"), false),
        (Breakpoint { path: path("**"), ..hold("x") }, bash("claude", "Bash"), false),
    ] {
        let mut desk = desk(vec![point.clone(), fixed("second", deny("second"))]);
        let steps = desk.handle_event(0, WALL, event.clone());
        let held = steps.contains(&InterceptStep::Held { seq: 1 });
        assert_eq!(held, matches, "{point:?}\n{:?}", event.normal);
        if !matches && event.provider != "nobody" {
            assert_eq!(answer(&steps).1, "rule:second", "{point:?}");
        }
    }
}

#[test]
fn a_fixed_decision_is_sent_where_it_is_understood() {
    let old = AcceptedDecisions::parse(None);
    let modify = Decision::Modify { updated_input: RawJson::parse(r#"{"command":"true"}"#).unwrap(), reason: None };
    let raw = Decision::Raw { stdout: "x".to_owned(), stderr: String::new(), exit_code: 2 };
    let ask = Decision::Ask { reason: None };
    for (agent, event, accept, decision, suppressed) in [
        ("claude", "pre_tool_use", AcceptedDecisions::all(), deny("no"), None),
        ("claude", "pre_tool_use", AcceptedDecisions::all(), modify.clone(), None),
        ("claude", "pre_tool_use", old.clone(), deny("no"), Some("deny: not accepted")),
        ("claude", "session_start", old, replace("text"), None),
        ("codex", "pre_tool_use", AcceptedDecisions::all(), ask.clone(), Some("ask: not expressible")),
        ("codex", "permission_request", AcceptedDecisions::all(), modify, Some("modify: not expressible")),
        // Decisions without an effect in that agent, although documented.
        ("qwen", "pre_tool_use", AcceptedDecisions::all(), replace("text"), Some("replace: not expressible")),
        ("nobody", "pre_tool_use", AcceptedDecisions::all(), deny("no"), Some("deny: not expressible")),
        ("claude", "notification", AcceptedDecisions::all(), deny("no"), Some("deny: answered at once")),
        ("claude", "subagent_start", AcceptedDecisions::all(), replace("text"), Some("replace: answered at once")),
        ("claude", "pre_tool_use", AcceptedDecisions::all(), raw, Some("raw: raw not allowed")),
        ("claude", "pre_tool_use", AcceptedDecisions::all(), replace(&"x".repeat(1 << 20)), Some("replace: too long")),
        ("claude", "pre_tool_use", AcceptedDecisions::all(), Decision::Observe, None),
    ] {
        let mut desk = desk(vec![fixed("rule", decision.clone()), Breakpoint::holding("never reached")]);
        let mut event_in = arrival(1, agent, event, &json!({}));
        event_in.accept = accept;
        let (decided, source, record) = answer(&desk.handle_event(0, WALL, event_in));
        let says = record.suppressed.as_ref().map(ToString::to_string);
        assert_eq!(says.as_deref(), suppressed, "{agent} {event} {:?}", decision.kind());
        let at_once = suppressed.is_some_and(|s| s.ends_with("answered at once"));
        assert_eq!(source, if at_once { "default" } else { "rule:rule" }, "{agent} {event}");
        assert_eq!(decided, if suppressed.is_some() { Decision::Observe } else { decision });
        assert_eq!(record.held_ms, None);
    }
}

#[test]
fn only_what_waits_for_a_user_is_held() {
    for (event, until) in [
        ("pre_tool_use", Some(289_500)),
        ("permission_request", Some(289_500)),
        ("user_prompt_submit", Some(24_500)),
        ("post_tool_use", Some(109_500)),
        ("stop", Some(109_500)),
        ("subagent_stop", Some(109_500)),
        ("session_start", None),
        ("pre_compact", None),
        ("post_tool_batch", None),
        ("session_end", None),
        ("notification", None),
        ("never_heard_of", None),
    ] {
        let mut desk = desk(vec![Breakpoint::holding("all")]);
        let steps = desk.handle_event(1_000, WALL, arrival(7, "claude", event, &json!({})));
        if let Some(until) = until {
            assert_eq!(steps, [InterceptStep::Processing { seq: 7 }, InterceptStep::Held { seq: 7 }], "{event}");
            assert_eq!(desk.held().map(|held| (held.since, held.until)).collect::<Vec<_>>(), [(1_000, 1_000 + until)]);
        } else {
            let (decision, source, record) = answer(&steps);
            assert_eq!((decision, source.as_str()), (Decision::Observe, "default"), "{event}");
            assert_eq!(record.suppressed.map(|s| s.to_string()).as_deref(), Some("hold: never held"), "{event}");
        }
    }
}

#[test]
fn a_hold_lasts_as_long_as_the_shorter_of_both_allow() {
    for (hold, until) in [(60_000, Some(59_500)), (900_000, Some(289_500)), (501, Some(1)), (500, None), (0, None)] {
        let mut desk = desk(vec![Breakpoint::holding("all")]);
        let mut event = shell(1);
        event.budget = Some(budget(hold));
        desk.handle_event(0, WALL, event);
        assert_eq!(desk.held().map(|held| held.until).next(), until, "{hold}");
    }
}

#[test]
fn who_waits_is_reminded_and_answered_in_time() {
    for (on_timeout, agent, decided, suppressed) in [
        (TimeoutAction::Pass, "claude", DecisionKind::Observe, None),
        (TimeoutAction::Deny, "claude", DecisionKind::Deny, None),
        (TimeoutAction::Ask, "claude", DecisionKind::Ask, None),
        (TimeoutAction::Ask, "codex", DecisionKind::Observe, Some("ask: not expressible")),
    ] {
        let mut desk = desk(vec![Breakpoint { on_timeout, ..Breakpoint::holding("all") }]);
        let mut event = arrival(1, agent, "pre_tool_use", &json!({}));
        event.budget = Some(budget(25_500));
        desk.handle_event(100, WALL, event);
        assert_eq!((desk.next_deadline(), desk.tick(10_099)), (Some(10_100), Vec::new()));
        assert_eq!(
            (desk.tick(10_100), desk.next_deadline()),
            (vec![InterceptStep::Processing { seq: 1 }], Some(20_100))
        );
        assert_eq!(
            (desk.tick(20_150), desk.next_deadline()),
            (vec![InterceptStep::Processing { seq: 1 }], Some(25_100))
        );
        let steps = desk.tick(25_100);
        let (decision, source, record) = answer(&steps);
        assert_eq!((steps.len(), decision.kind(), source.as_str()), (1, decided, "timeout"));
        assert_eq!(record.held_ms, Some(25_000));
        assert_eq!(record.suppressed.map(|s| s.to_string()).as_deref(), suppressed);
        assert_eq!((desk.next_deadline(), desk.held().count()), (None, 0));
    }
}

#[test]
fn a_user_decides_what_the_agent_can_be_told() {
    use DecisionKind as K;
    for (agent, event, accept, raw, choices) in [
        (
            "claude",
            "pre_tool_use",
            None,
            false,
            vec![K::Observe, K::Replace, K::Allow, K::Deny, K::Ask, K::Modify, K::Halt],
        ),
        ("claude", "pre_tool_use", Some("deny"), false, vec![K::Observe, K::Deny]),
        ("codex", "pre_tool_use", None, true, vec![K::Observe, K::Replace, K::Deny, K::Modify, K::Halt, K::Raw]),
        ("gemini", "pre_tool_use", None, false, vec![K::Observe, K::Deny, K::Ask, K::Modify, K::Halt]),
        ("codex", "permission_request", None, false, vec![K::Observe, K::Allow, K::Deny]),
        ("nobody", "pre_tool_use", None, false, vec![K::Observe]),
    ] {
        let mut desk = desk(vec![Breakpoint::holding("all")]);
        if raw {
            desk = hookbench::core::live::intercept::Interceptor::new(
                hookbench::core::live::intercept::InterceptSettings {
                    breakpoints: vec![Breakpoint::holding("all")],
                    allow_raw: true,
                    ..Default::default()
                },
            );
        }
        let mut event = arrival(1, agent, event, &json!({}));
        event.accept = accept.map_or_else(AcceptedDecisions::all, |text| AcceptedDecisions::parse(Some(text)));
        desk.handle_event(0, WALL, event);
        assert_eq!(desk.held().next().unwrap().choices, choices, "{agent}");
    }
}

#[test]
fn what_cannot_be_told_is_refused_and_stays_held() {
    let verbatim = |text| RawJson::parse(text).unwrap();
    let modify = |text| Decision::Modify { updated_input: verbatim(text), reason: None };
    let mut desk = desk(vec![Breakpoint::holding("all")]);
    let mut event = arrival(1, "codex", "pre_tool_use", &json!({}));
    event.accept = AcceptedDecisions::parse(Some("modify, raw, replace"));
    desk.handle_event(0, WALL, event);
    let raw = Decision::Raw { stdout: String::new(), stderr: String::new(), exit_code: 0 };
    let ask = DecisionError::NotExpressible { decision: DecisionKind::Ask, event: "pre_tool_use".to_owned() };
    for (decision, why) in [
        (Decision::Ask { reason: None }, ask),
        (deny("no"), DecisionError::NotAccepted(DecisionKind::Deny)),
        (modify("[1]"), DecisionError::NotAnObject),
        (raw, DecisionError::RawNotAllowed),
    ] {
        assert_eq!(desk.decide(5, 1, UserDecision { decision }), Err(why));
    }
    let long = desk.decide(5, 1, UserDecision { decision: replace(&"\u{1}".repeat(200_000)) });
    assert!(matches!(long, Err(DecisionError::TooLong { bytes }) if bytes > 1 << 20), "{long:?}");
    assert_eq!(desk.decide(5, 2, UserDecision { decision: Decision::Observe }), Err(DecisionError::NotHeld(2)));
    let steps = desk.decide(5, 1, UserDecision { decision: modify(r#"{"command": 1.0}"#) }).unwrap();
    let record = AnswerRecord { held_ms: Some(5), ..AnswerRecord::default() };
    assert_eq!(answer(&steps), (modify(r#"{"command": 1.0}"#), "user".to_owned(), record));
    assert_eq!(desk.decide(5, 1, UserDecision { decision: Decision::Observe }), Err(DecisionError::NotHeld(1)));
}

#[test]
fn parallel_requests_are_decided_one_by_one_and_released_in_order() {
    let mut desk = desk(vec![Breakpoint::holding("all")]);
    for seq in [3, 1, 2, 4] {
        desk.handle_event(0, WALL, shell(seq));
    }
    let seqs =
        |desk: &hookbench::core::live::intercept::Interceptor| desk.held().map(|h| h.arrival.seq).collect::<Vec<_>>();
    assert_eq!(seqs(&desk), [1, 2, 3, 4]);
    assert_eq!(answer(&desk.decide(1, 3, UserDecision { decision: deny("x") }).unwrap()).0, deny("x"));
    assert_eq!(desk.client_disconnected(1, 1), [InterceptStep::Abandoned { seq: 1, held_ms: 1 }]);
    assert_eq!(desk.client_disconnected(1, 1), []);
    assert_eq!(seqs(&desk), [2, 4]);
    desk.pause(true);
    assert_eq!(answer(&desk.handle_event(1, WALL, shell(5))).1, "default");
    assert_eq!(seqs(&desk), [2, 4]);
    let released: Vec<u64> = desk
        .release_all(2)
        .iter()
        .map(|step| match step {
            InterceptStep::Answer { seq, answer, .. } if answer.decision == Decision::Observe => *seq,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((released, desk.next_deadline(), desk.counters().abandoned), (vec![2, 4], None, 1));
    desk.pause(false);
    assert_eq!(desk.handle_event(3, WALL, shell(6))[0], InterceptStep::Processing { seq: 6 });
}

#[test]
fn a_full_desk_lets_pass_and_counts() {
    let mut desk = desk(vec![Breakpoint::holding("all")]);
    for seq in 0..256 {
        assert_eq!(desk.handle_event(0, WALL, shell(seq)).len(), 2);
    }
    let (decision, source, record) = answer(&desk.handle_event(0, WALL, shell(256)));
    assert_eq!((decision, source.as_str(), record.passed_full), (Decision::Observe, "default", true));
    assert_eq!((desk.counters().passed_full, desk.held().count()), (1, 256));
    desk.client_disconnected(0, 9);
    assert_eq!(desk.handle_event(0, WALL, shell(257)).len(), 2);
}

#[test]
fn a_desk_that_closes_answers_all_and_holds_nothing_more() {
    let mut desk = desk(vec![Breakpoint::holding("all")]);
    desk.handle_event(0, WALL, shell(1));
    desk.handle_event(5, WALL, shell(2));
    let steps = desk.shutdown(10);
    let sources: Vec<(u64, Option<u64>)> = steps
        .iter()
        .map(|step| match step {
            InterceptStep::Answer { seq, answer, record } => {
                assert_eq!(
                    answer.to_json(),
                    format!(r#"{{"decision":"observe","id":"id-{seq}","source":"shutdown"}}"#)
                );
                (*seq, record.held_ms)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(sources, [(1, Some(10)), (2, Some(5))]);
    assert_eq!(answer(&desk.handle_event(11, WALL, shell(3))), (Decision::Observe, "shutdown".to_owned(), observed()));
    assert_eq!((desk.shutdown(12), desk.next_deadline()), (Vec::new(), None));
}

/// An input that would make the agent's call fail is refused. Other inputs are left to the user.
#[test]
fn another_input_has_what_the_tool_of_this_agent_needs() {
    let lacks = "the new input of Bash needs a string under \"command\": without it, the call fails in this agent";
    for (agent, tool, input, refused) in [
        ("codex", "Bash", r#"{"command":"ls","more":1}"#, None),
        ("codex", "Bash", r#"{"cmd":"ls"}"#, Some(lacks)),
        ("codex", "Bash", r#"{"command":["ls"]}"#, Some(lacks)),
        ("codex", "Bash", r#"{"command":"ls","command":null}"#, Some(lacks)),
        ("codex", "apply_patch", "{}", Some(&*lacks.replace("Bash", "apply_patch"))),
        ("codex", "mcp__mem__put", "{}", None),
        ("claude", "Bash", "{}", None),
        ("gemini", "run_shell_command", "{}", None),
    ] {
        let event = arrival(1, agent, "pre_tool_use", &json!({"tool_name": tool, "tool_input": {"command": "x"}}));
        let modify = Decision::Modify { updated_input: RawJson::parse(input).unwrap(), reason: None };
        let mut desk = desk(vec![Breakpoint::holding("all")]);
        desk.handle_event(0, WALL, event.clone());
        let decided = desk.decide(1, 1, UserDecision { decision: modify.clone() });
        let why = decided.as_ref().err().map(ToString::to_string);
        assert_eq!(why.as_deref(), refused, "{agent} {tool} {input}");
        // A breakpoint with such an input lets the call continue as without a hook.
        let mut desk = self::desk(vec![fixed("rule", modify.clone())]);
        let (decision, _, record) = answer(&desk.handle_event(0, WALL, event));
        let suppressed = record.suppressed.map(|suppressed| suppressed.to_string());
        match refused {
            None => assert_eq!((decision, suppressed), (modify, None), "{agent} {tool} {input}"),
            Some(_) => {
                assert_eq!((decision, suppressed.as_deref()), (Decision::Observe, Some("modify: not expressible")));
            }
        }
    }
}
