//! Valid and invalid filters.

use proptest::prelude::*;

use super::*;
use crate::recorded::PayloadSource;

#[test]
fn filters_are_read() {
    for (text, want) in [
        ("", ""),
        ("  ", ""),
        ("~e Stop", "~e Stop"),
        ("~e Stop ~t Bash", "~e Stop & ~t Bash"),
        ("~v deny|~s>1.5s", "~v deny | ~s>1500ms"),
        ("a | b c", "a | (b & c)"),
        ("(a|b)c", "(a | b) & c"),
        ("!~marked rm", "!~marked & rm"),
        ("!(a | b)", "!(a | b)"),
        ("~b \"rm -rf \\\"x\\\"\"", "~b \"rm -rf \\\"x\\\"\""),
        ("\"rm -rf\" build*", "\"rm -rf\" & build*"),
        ("~s > 2s a", "~s>2s & a"),
        ("~s<250us", "~s<250us"),
        ("~since 2026-11-20", "~since 2026-11-20T00:00:00.000Z"),
        ("~since 2026-11-20T14:30", "~since 2026-11-20T14:30:00.000Z"),
        ("~until 2026-11-20T14:30:00+02:00", "~until 2026-11-20T12:30:00.000Z"),
        ("~since 90m", "~since 90m"),
        ("~since 2w", "~since 14d"),
        ("~x 2 ~x TIMED_OUT", "~x 2 & ~x timed_out"),
        ("~v FAILED_*", "~v FAILED_*"),
        ("~answer deny ~answer rule:pushes", "~answer deny & ~answer rule:pushes"),
        ("e~e", "e~e"),
    ] {
        let written = parse(text).map(|filter| filter.to_string());
        assert_eq!(written.as_deref(), Ok(want), "{text}");
    }
}

#[test]
fn what_is_no_filter_says_where_and_why() {
    for (text, place, says, help) in [
        ("~event Stop", 0..6, "unknown operator ~event", "Did you mean ~e?"),
        ("a ~evnet Stop", 2..8, "unknown operator ~evnet", "Did you mean ~e?"),
        ("~mark", 0..5, "unknown operator ~mark", "Did you mean ~marked?"),
        ("~sesion x", 0..7, "unknown operator ~sesion", "Did you mean ~session?"),
        ("~", 0..1, "unknown operator ~", "Operators are listed"),
        ("~e", 0..2, "~e needs EVENT", "Example: ~e *Stop"),
        ("~e | b", 0..2, "~e needs EVENT", "Example"),
        ("~v denied", 3..9, "denied is not a verdict", "Verdicts are "),
        (
            "~answer denied",
            8..14,
            "denied is neither an answer nor who gives one",
            "Answers are observe, replace, allow",
        ),
        ("~l repo", 3..7, "repo is not a layer", "Layers are managed, system, system_defaults, user, project,"),
        ("~layer user", 0..6, "unknown operator ~layer", "Did you mean ~l?"),
        (
            "~x killed",
            3..9,
            "killed is not an exit status or an end of a run",
            "Write a number, or one of code, signal",
        ),
        ("~s>500", 2..6, "a time needs its unit: us, ms or s", "~s>500ms"),
        ("~s 5s", 3..5, "a time is compared with > or <", "~s>500ms"),
        ("~s>5h", 2..5, "h is not a unit of time; use us, ms or s", ""),
        ("~s>-5s", 2..6, "-5s is not a time", ""),
        ("~since tuesday", 7..14, "tuesday is not a time", "Write a date"),
        ("(a", 0..1, "this ( is not closed", ""),
        ("a)", 1..2, "this ) has no matching (", ""),
        ("()", 1..2, "a part of the filter is missing before )", ""),
        ("a |", 3..3, "a part of the filter is missing here", ""),
        ("| a", 0..1, "a part of the filter is missing before |", ""),
        ("a & & b", 4..5, "a part of the filter is missing before &", ""),
        ("!", 1..1, "a part of the filter is missing here", ""),
        ("ä \"b", 3..4, "this quote is not closed", ""),
        ("-- a", 0..2, "the text has no letter or digit to search for", "~b"),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!((error.start..error.end, error.message.as_str()), (place, says), "{text}");
        assert!(error.help.contains(help), "{text}: {}", error.help);
        assert!(!error.help.is_empty(), "{text}");
    }
    let long = parse(&"x".repeat(65)).expect_err("too long");
    assert!(long.message.contains("longer than 64"), "{}", long.message);
    assert!(parse(&"(".repeat(5000)).is_err());
    let error = parse("ä ~evnt x").expect_err("no operator");
    assert_eq!(error.with_carets("ä ~evnt x"), "ä ~evnt x\n  ^^^^^");
}

#[test]
fn every_operator_of_the_help_is_read() {
    for operator in OPERATORS {
        let filter = parse(operator.example).expect(operator.example);
        assert!(filter.to_string().starts_with(operator.name), "{filter}");
        assert_ne!(filter.required_tests().len(), 0);
        assert_eq!(operator.argument.is_some(), parse(operator.name).is_err(), "{}", operator.name);
    }
}

fn texts() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z*/_.-]{1,8}", "[ -~äßé日\\t]{1,10}"].prop_filter("empty", |text| !text.is_empty())
}

fn tests() -> impl Strategy<Value = FilterTest> {
    let words = texts().prop_filter_map("no word", |text| Phrase::parse(&text).map(FilterTest::Words));
    prop_oneof![
        texts().prop_map(|t| FilterTest::Event(WordPattern(t))),
        texts().prop_map(|t| FilterTest::Subject(WordPattern(t))),
        texts().prop_map(|t| FilterTest::Agent(WordPattern(t))),
        Just(FilterTest::Verdict(WordPattern("no_*".to_owned()))),
        Just(FilterTest::Layer(WordPattern("p*".to_owned()))),
        texts().prop_map(|t| FilterTest::Code(WordPattern(t))),
        texts().prop_map(FilterTest::Hook),
        any::<i32>().prop_map(|n| FilterTest::Ended(RunEnding::Status(i64::from(n)))),
        (0..RunEnding::KINDS.len()).prop_map(|n| FilterTest::Ended(RunEnding::Kind(RunEnding::KINDS[n]))),
        (0u64..10_000_000).prop_map(FilterTest::Longer),
        (0u64..10_000).prop_map(|n| FilterTest::Shorter(n * 1000)),
        (0..5usize).prop_map(|n| FilterTest::PayloadSource(PayloadSource::ALL[n])),
        Just(FilterTest::Marked),
        Just(FilterTest::Replay),
        Just(FilterTest::Sub),
        texts().prop_map(FilterTest::Session),
        texts().prop_map(FilterTest::Project),
        (0i64..4_000_000_000_000).prop_map(|at| FilterTest::Since(TimeBound::At(at))),
        (0i64..1_000_000).prop_map(|ago| FilterTest::Until(TimeBound::Ago(ago))),
        texts().prop_map(FilterTest::Comment),
        texts().prop_map(FilterTest::Bytes),
        words,
    ]
}

fn filters() -> impl Strategy<Value = Filter> {
    tests().prop_map(Filter::Test).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Filter::All),
            proptest::collection::vec(inner.clone(), 2..4).prop_map(Filter::Any),
            inner.prop_map(|part| Filter::Not(Box::new(part))),
        ]
    })
}

proptest! {
    /// A filter survives being written and parsed again.
    #[test]
    fn filters_come_back(filter in filters()) {
        let text = filter.to_string();
        prop_assert_eq!(parse(&text), Ok(filter), "{}", text);
    }

    /// Any input is parsed or rejected, and every error span is inside the text.
    #[test]
    fn any_text_is_read_or_refused(text in "[~a-z0-9 ()|&!\"\\\\<>é日-]{0,24}") {
        if let Err(error) = parse(&text) {
            prop_assert!(text.is_char_boundary(error.start) && text.is_char_boundary(error.end), "{:?}", error);
            prop_assert!(error.start <= error.end && error.end <= text.len(), "{:?}", error);
            prop_assert!(!error.with_carets(&text).is_empty());
        }
    }
}
