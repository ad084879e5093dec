//! A filter means the same in SQL and in memory, whichever events are in the index.

use proptest::prelude::*;

use super::*;

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("rm -rf build".to_owned()),
        Just("Rm build".to_owned()),
        Just("été ÉTÉ 日本".to_owned()),
        "[a-c ]{0,6}",
        "[ -~]{0,12}",
    ]
}

fn payloads() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        texts()
            .prop_map(|text| serde_json::json!({"tool_input": {"command": text}, "n": 1.5}).to_string().into_bytes()),
        texts().prop_map(String::into_bytes),
        proptest::collection::vec(any::<u8>(), 0..6),
    ]
}

fn runs() -> impl Strategy<Value = Vec<RecordedRun>> {
    let exits = prop_oneof![
        (0..3i32).prop_map(Exit::Code),
        Just(Exit::Signal(2)),
        Just(Exit::Http { status: 2 }),
        Just(Exit::TimedOut { after: Duration::from_millis(5) }),
    ];
    let run_of = (prop_oneof![Just("guard.sh"), Just("Log")], exits, 0..4u64).prop_map(|(hook, exit, ms)| {
        let mut run = run(hook, exit, ms);
        if ms == 3 {
            // A transcript without times.
            run.report.timing = Timing::default();
        }
        run.layer = ["project", "user", "plugin"].get(usize::try_from(ms).unwrap()).map(|&layer| layer.to_owned());
        run
    });
    proptest::collection::vec(run_of, 0..3)
}

fn events() -> impl Strategy<Value = Vec<RecordedEvent>> {
    let some = |text: &'static str| prop_oneof![Just(None), Just(Some(text.to_owned()))];
    let names = (
        prop_oneof![Just("x"), Just("Yy")],
        prop_oneof![Just("Stop"), Just("SubStop"), Just("Before")],
        prop_oneof![Just(None), Just(Some("Bash".to_owned())), Just(Some(String::new()))],
        prop_oneof![Just("s-1"), Just("s-2"), Just("S-3%")],
        prop_oneof![Just(None), Just(Some("/p/shop".to_owned())), Just(Some("/p/shop-2/x".to_owned()))],
    );
    let answer = prop_oneof![
        Just(None),
        (prop_oneof![Just("deny"), Just("allow")], prop_oneof![Just("user"), Just("rule:no rm"), Just("timeout")])
            .prop_map(|(decision, by)| {
                Some(RecordedAnswer {
                    decision: decision.to_owned(),
                    by: by.to_owned(),
                    reason: None,
                    at: Some(NOW),
                    held_ms: None,
                })
            }),
    ];
    let rest = (
        prop_oneof![Just(None), (0..4i64).prop_map(|n| Some(NOW - n * 1000))],
        (0..4usize).prop_map(|n| PayloadSource::ALL[n]),
        some("sub"),
        prop_oneof![Just(None), Just(Some("deny".to_owned())), Just(Some("no_objection".to_owned()))],
        (any::<bool>(), prop::sample::subsequence(vec!["HW301", "HW616", "hook/needs-agent"], 0..3)),
        (prop_oneof![Just(None), texts().prop_map(Some)], answer),
    );
    let one = (names, rest, payloads(), runs()).prop_map(
        |(
            (agent, event, subject, session, project),
            (at, made, agent_id, verdict, (marked, codes), (comment, answer)),
            payload,
            runs,
        )| {
            RecordedEvent {
                agent: agent.to_owned(),
                event: event.to_owned(),
                subject,
                session: session.to_owned(),
                project,
                at,
                payload_source: made,
                agent_id,
                verdict,
                answer,
                diagnostics: codes.into_iter().map(str::to_owned).collect(),
                marked,
                comment,
                payload,
                runs,
                ..super::event(0)
            }
        },
    );
    proptest::collection::vec(one, 1..16).prop_map(|events| {
        let numbered = events.into_iter().enumerate();
        numbered.map(|(n, event)| RecordedEvent { id: format!("{n:016x}"), ..event }).collect()
    })
}

/// Filters as text.
fn filters() -> impl Strategy<Value = String> {
    let tests = prop::sample::select(vec![
        "~e stop",
        "~e *stop",
        "~e none",
        "~t bash",
        "~t *",
        "~a y*",
        "~v deny",
        "~answer deny",
        "~answer user",
        "~answer rule",
        "~answer rule:no*",
        "~answer *",
        "~v *",
        "~h guard",
        "~h LOG",
        "~l project",
        "~l P*",
        "~d hw616",
        "~d HW*",
        "~d hook/needs-agent",
        "~x 2",
        "~x signal",
        "~x timed_out",
        "~s>1ms",
        "~s<2ms",
        "~s>0ms",
        "~rec",
        "~reb",
        "~edi",
        "~syn",
        "~fired",
        "~marked",
        "~sub",
        "~session s-",
        "~session S-3%",
        "~p /p/shop",
        "~p /p",
        "~p SHOP",
        "~since 2s",
        "~since 1000ms",
        "~until 1s",
        "~until 2100-01-01",
        "~c B",
        "~c rm",
        "~c É",
        "rm",
        "\"rm rf\"",
        "bui*",
        "été",
        "日",
        "本*",
        "\"5\"",
        "command",
        "~b rm",
        "~b \"\\\"\"",
        "~b é",
        "a",
        "b*",
    ]);
    tests.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} & {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} | {b})")),
            inner.prop_map(|a| format!("!({a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn sql_and_memory_agree(events in events(), asked in proptest::collection::vec(filters(), 1..12), index in any::<bool>(), many in any::<bool>()) {
        let place = StoreDirectory::new();
        let mut store = place.store();
        // Among many other events, few events are found by their kind.
        let others = (1000..if many { 1400 } else { 1000 }).map(|n| RecordedEvent { event: "Other".to_owned(), ..super::event(n) });
        let events: Vec<RecordedEvent> = events.into_iter().chain(others).collect();
        let half = events.len() / 2;
        add(&mut store, &events[..half]);
        if index {
            store.continue_index(Duration::ZERO).unwrap();
        }
        add(&mut store, &events[half..]);
        for text in asked {
            let filter = filter(&text);
            let mut want: Vec<(i64, i64)> = events
                .iter()
                .enumerate()
                .filter(|(_, event)| matches(&filter, event, NOW))
                .map(|(n, event)| (event.at.unwrap_or(i64::MIN), i64::try_from(n).unwrap() + 1))
                .collect();
            want.sort_unstable();
            let want: Vec<i64> = want.into_iter().map(|(_, seq)| seq).collect();
            let forward = store.page(&filter, NOW, ListDirection::Forward, None, 9999).unwrap();
            prop_assert_eq!(&seqs(&forward), &want, "{}", text);
            let mut backward = seqs(&store.page(&filter, NOW, ListDirection::Backward, None, 9999).unwrap());
            backward.reverse();
            prop_assert_eq!(&backward, &want, "{}", text);
            prop_assert_eq!(store.count(&filter, NOW).unwrap(), want.len() as u64, "{}", text);
            if let Some(last) = forward.last() {
                prop_assert_eq!(store.position(&filter, NOW, last.position()).unwrap(), want.len() as u64 - 1, "{}", text);
                let rest = store.page(&filter, NOW, ListDirection::Backward, Some(last.position()), 9999).unwrap();
                prop_assert_eq!(rest.len(), want.len() - 1, "{}", text);
            }
            let in_sessions: u64 = store.sessions(&filter, NOW).unwrap().iter().map(|row| row.events).sum();
            prop_assert_eq!(in_sessions, want.len() as u64, "{}", text);
        }
    }
}
