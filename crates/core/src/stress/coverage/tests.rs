//! Changes of payloads, comparisons of runs, missing keys, and the smallest deciding text.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::*;
use crate::config::Place;
use crate::decide::Verdict;
use crate::dialects::{ALL, default_version, find_event};
use crate::hook::PayloadField;
use crate::script_keys::{hook_walks, read_keys};

fn path(dotted: &str) -> Vec<String> {
    dotted.split('.').map(str::to_owned).collect()
}

fn run(verdict: Verdict, stderr: &str) -> ObservedRun {
    ObservedRun {
        verdict,
        exit: "exit 2".to_owned(),
        stdout: String::new(),
        stderr: stderr.to_owned(),
        files: Some(Vec::new()),
    }
}

#[test]
fn each_value_and_the_first_item_of_a_list_is_probed() {
    for (body, want) in [
        (json!({"a": 1, "b": {"c": "x", "d": {"e": null}}}), "a b.c b.d.e"),
        (json!({"list": [{"q": 1, "r": 2}, {"q": 3}]}), "list.0.q list.0.r"),
        (json!({"empty": {}, "none": []}), "empty none"),
        (json!({}), ""),
        (json!("text"), ""),
    ] {
        let paths: Vec<String> = probed_paths(&body).iter().map(|path| path.join(".")).collect();
        assert_eq!(paths.join(" "), want, "{body}");
    }
}

#[test]
fn a_probe_changes_one_key() {
    use KeyChange as C;
    let body = json!({"a": {"b/c": 1, "d": [1, 2]}, "e": "x"});
    for (key, change, want) in [
        ("a.b/c", C::Replaced(json!(2)), json!({"a": {"b/c": 2, "d": [1, 2]}, "e": "x"})),
        ("a.d.0", C::Missing, json!({"a": {"b/c": 1, "d": [2]}, "e": "x"})),
        ("e", C::Missing, json!({"a": {"b/c": 1, "d": [1, 2]}})),
        ("f", C::Missing, body.clone()),
        ("f", C::Replaced(json!(1)), body.clone()),
        ("f", C::Added(json!(1)), json!({"a": {"b/c": 1, "d": [1, 2]}, "e": "x", "f": 1})),
        ("a.g.h", C::Added(json!(1)), json!({"a": {"b/c": 1, "d": [1, 2], "g": {"h": 1}}, "e": "x"})),
        ("q.*.r", C::Added(json!(1)), json!({"a": {"b/c": 1, "d": [1, 2]}, "e": "x", "q": [{"r": 1}]})),
    ] {
        let probe = KeyProbe { path: path(key), change };
        let mut changed = body.clone();
        probe.apply(&mut changed);
        assert_eq!(changed, want, "{probe:?}");
    }
}

#[test]
fn another_value_has_the_same_type() {
    const MODE: PayloadField =
        PayloadField { name: "mode", kind: "string", optional: false, values: &["default", "plan"] };
    for (value, field, want) in [
        (json!(true), None, json!(false)),
        (json!(7), None, json!(8)),
        (json!(0.5), None, json!(1.5)),
        (json!("x"), None, json!("hookbench-other")),
        (json!("/work/shop"), None, json!("/hookbench-other")),
        (json!("http://a.b"), None, json!("https://example.com/")),
        (json!("default"), Some(&MODE), json!("plan")),
        (json!("plan"), Some(&MODE), json!("default")),
        (json!([1]), None, json!(["hookbench-other"])),
        (json!({}), None, json!({"hookbench_other": true})),
    ] {
        let other = other_value(&value, field);
        assert_eq!(other, want);
        assert_ne!(other, value);
    }
}

#[test]
fn numbers_and_varying_aspects_are_not_compared() {
    let mut usual = RunComparison::new(run(Verdict::Deny, "pid 41 at 10:22"));
    assert_eq!(usual.differences(&run(Verdict::Deny, "pid 4711 at 9:05")), []);
    assert_eq!(usual.differences(&run(Verdict::Deny, "pid x")), [RunAspect::Stderr]);
    let ends = ObservedRun { exit: "exit 0".to_owned(), ..run(Verdict::NoObjection, "pid 1 at 2:3") };
    assert_eq!(usual.differences(&ends), [RunAspect::Decision, RunAspect::ExitStatus]);
    let writes =
        ObservedRun { files: Some(vec![("log".to_owned(), "x".to_owned())]), ..run(Verdict::Deny, "pid 1 at 2:3") };
    assert_eq!(usual.differences(&writes), [RunAspect::Files]);
    let unobserved = ObservedRun { files: None, ..writes };
    assert_eq!(usual.differences(&unobserved), []);
    assert_eq!(varying_limit(&usual), None);
    usual.add_unchanged(&run(Verdict::Deny, "token abc"));
    assert_eq!(usual.varying(), [RunAspect::Stderr]);
    assert_eq!(usual.differences(&run(Verdict::Ask, "anything")), [RunAspect::Decision]);
    let limit = "stderr differs from run to run and cannot show what the hook reads";
    assert_eq!(varying_limit(&usual).as_deref(), Some(limit));
}

#[test]
fn runs_become_the_coverage_of_a_key() {
    use KeyChange as C;
    let usual = RunComparison::new(run(Verdict::Deny, "no"));
    let silent = || run(Verdict::NoObjection, "");
    for (runs, effect, explanation) in [
        (vec![], KeyEffect::NotTried, ""),
        (vec![(C::Missing, run(Verdict::Deny, "no"))], KeyEffect::Ignored, ""),
        (vec![(C::Missing, run(Verdict::Deny, "why"))], KeyEffect::Read, "without it: different stderr"),
        (
            vec![(C::Replaced(json!(1)), run(Verdict::Deny, "why")), (C::Missing, silent())],
            KeyEffect::Decides,
            "without it: no objection",
        ),
        (vec![(C::Replaced(json!(1)), silent())], KeyEffect::Decides, "with another value: no objection"),
    ] {
        let found = KeyCoverage::of(&KeyRuns { path: path("a.b"), named: false, runs }, &usual);
        assert_eq!((found.effect, found.explanation.as_str(), found.key.as_str()), (effect, explanation, "a.b"));
    }
}

#[test]
fn a_key_without_an_effect_may_be_named() {
    let usual = RunComparison::new(run(Verdict::Deny, "no"));
    let runs = vec![(KeyChange::Missing, run(Verdict::Deny, "no"))];
    let found = KeyCoverage::of(&KeyRuns { path: path("a"), named: true, runs }, &usual);
    assert_eq!((found.effect, found.explanation.as_str()), (KeyEffect::Named, "no change of it has an effect here"));
}

/// The remaining text for a hook that refuses texts with all of these words.
fn reduced(text: &str, words: &[&str]) -> (String, usize) {
    let mut reduction = TextReduction::new(text);
    let mut runs = 0;
    while let Some(candidate) = reduction.candidate() {
        runs += 1;
        assert!(runs < 100, "{text}");
        reduction.report(words.iter().all(|word| candidate.contains(word)));
    }
    (reduction.remaining(), runs)
}

#[test]
fn a_text_is_reduced_to_the_deciding_words() {
    for (text, words, want) in [
        ("rm -rf build", &["rm", "-rf"][..], "rm -rf"),
        ("rm -r -f build", &["rm", "-f"], "rm … -f"),
        ("git push --force origin main", &["push", "main"], "push … main"),
        ("psql -c 'DROP TABLE users'", &["psql", "DROP TABLE"], "psql … DROP TABLE"),
        ("echo \"rm -rf x\"; ls", &["rm -rf"], "rm -rf"),
        ("sudo reboot", &["sudo"], "sudo"),
        ("src/config/.env", &["/.env"], "/.env"),
        ("don't delete the build", &["delete"], "delete"),
        ("cat <<E\nrm -rf\nE", &["rm -rf"], "rm -rf"),
        ("ls", &["x"], "ls"),
        ("", &["x"], ""),
        ("a b c", &["a b c"], "a b c"),
        ("a \\'b c", &["b"], "\\'b"),
    ] {
        assert_eq!(reduced(text, words).0, want, "{text}");
    }
    let (whole, runs) = reduced("a b c d e f g h", &["nothing"]);
    assert_eq!((whole.as_str(), runs), ("a b c d e f g h", 8));
}

#[test]
fn a_text_of_any_form_ends() {
    for text in ["'", "\"a", "\\", "a\\", "/", "//a//", "é 'ü ö' ", "  a  ", "''''", "'a'b'c d'"] {
        for words in [&["a"][..], &["zz"], &[]] {
            reduced(text, words);
        }
    }
}

#[test]
fn keys_that_the_event_lacks_have_an_origin() {
    let place = Place { project: "/work/shop".to_owned(), home: "/home/user".to_owned(), ..Place::default() };
    for dialect in ALL {
        let version = default_version(dialect);
        let name = dialect.name();
        let Some(event) = ["PreToolUse", "BeforeTool"].iter().find_map(|name| find_event(dialect, &version, name))
        else {
            panic!("{name} has no event before a tool")
        };
        let at = EventPlace { dialect, version: &version, place: &place, event };
        let body = dialect.examples(event, &place, &version).remove(0).body;
        let found = |script: &str| missing_keys(&read_keys(&hook_walks(script, None)), &body, at);
        assert_eq!(found("jq -r .tool_name,.cwd"), [], "{name}");
        let [camel] = &found("jq -r .toolName")[..] else { panic!("{name}: toolName") };
        assert_eq!(camel.origin, format!("{name} sends tool_name"));
        assert_eq!(Some(&camel.value), body.get("tool_name"));
        let [unknown] = &found("jq -r .colour_of_sky")[..] else { panic!("{name}: colour_of_sky") };
        assert_eq!((unknown.origin.as_str(), &unknown.value), ("no agent sends it", &json!("hookbench-other")));
        let [later] = &found("jq -r .prompt")[..] else { panic!("{name}: prompt") };
        assert!(later.origin.starts_with("sent in "), "{name}: {}", later.origin);
        assert!(later.value.is_string());
    }
}

#[test]
fn the_headline_names_the_deciding_text() {
    let key = |key: &str, effect| KeyCoverage { key: key.to_owned(), effect, explanation: String::new() };
    let missing = MissingKey { coverage: key("toolName", KeyEffect::Ignored), origin: "no agent sends it".to_owned() };
    let text = DecidingText { key: "tool_input.command".to_owned(), text: "rm\n-rf".to_owned(), is_smallest: true };
    let coverage = PayloadCoverage {
        keys: vec![key("a", KeyEffect::Decides), key("b", KeyEffect::Ignored), key("c", KeyEffect::NotTried)],
        missing: vec![missing.clone()],
        deciding_text: Some(text),
        limits: Vec::new(),
    };
    assert_eq!(
        coverage.headline(),
        "reacts to 1 of 2 keys; names toolName, which this event lacks; \
         the decision depends on `rm -rf` in tool_input.command"
    );
    assert_eq!(missing.explanation(), "no agent sends it; with it: no difference");
    assert_eq!(coverage.keys_with(KeyEffect::Ignored), ["b"]);
}
