//! The configured model: consent, its speed in `doctor`, and its answers for prompt hooks in `fire`.

use serde_json::{Value, json};

use crate::agent_words;
use crate::fake_model::{FakeModel, FakeReply};
use crate::for_each_agent;
use crate::sandbox::Sandbox;

/// Writes the `[model]` table into the user's settings.
fn configure(sandbox: &Sandbox, lines: &str) {
    sandbox.file("../home/config/hookbench/config.toml", format!("[model]\n{lines}\n"));
}

fn url(server: &FakeModel) -> String {
    format!("url = \"{}\"\nname = \"judge-1\"", server.url)
}

#[test]
fn doctor_measures_a_model_that_the_user_allows() {
    let server = FakeModel::start(vec![FakeReply::text("ALLOW")]);
    let sandbox = Sandbox::new();
    let model =
        |line: &str| sandbox.run(&format!("doctor --format json {line}")).assert_status(0).json()["model"].clone();
    assert_eq!(model(""), Value::Null);
    sandbox.run("doctor --allow-model").assert_status(5).assert_stderr(&["no model is configured; add [model]"]);
    configure(&sandbox, "url = \"http://10.0.0.1/v1\"\nname = \"m\"");
    let broken = model("");
    assert_eq!(broken["state"], "broken");
    assert!(broken["says"].as_str().unwrap().contains("config.toml:2: model.url is not usable"), "{broken}");
    configure(&sandbox, &url(&server));
    assert_eq!(model("")["state"], "not_allowed");
    let text = sandbox.run("doctor").assert_status(0);
    assert!(text.stdout.contains("not measured: the user has not allowed it in this project"), "{text}");
    sandbox.run("doctor --allow-model").assert_status(4).assert_stderr(&["judge-1 (http://127.0.0.1", "add --yes"]);
    assert_eq!(server.seen().len(), 0);
    let measured = model("--allow-model --yes");
    assert_eq!((&measured["state"], &measured["budget_ms"]), (&json!("answered"), &json!(20_000)));
    assert!(measured["first_ms"].is_u64() && measured["second_ms"].is_u64(), "{measured}");
    // The approval is remembered.
    assert_eq!(model("")["state"], "answered");
    let text = sandbox.run("doctor").assert_status(0);
    assert!(text.stdout.contains("answers in ") && text.stdout.contains("a call gets 20.0 s (timeout_ms)"), "{text}");
    assert_eq!(server.seen().len(), 6);
}

#[test]
fn a_model_answers_prompt_hooks_and_is_named() {
    for_each_agent(|agent| {
        if !agent_words::words_of(agent).by_hand {
            return;
        }
        let server = FakeModel::start(vec![
            FakeReply::text(r#"{"ok": false, "reason": "tests are red"}"#),
            FakeReply::text("no idea"),
        ]);
        let sandbox = crate::project(agent);
        let fire = |line: &str| sandbox.run(&format!("fire @stop --agent {agent} --format json {line}"));
        fire("--yes --ask-model").assert_status(5).assert_stderr(&["no model is configured"]);
        configure(&sandbox, &url(&server));
        // Nothing is sent without consent, and nothing without the flag.
        fire("--ask-model").assert_status(4).assert_stderr(&["judge-1 (http://127.0.0.1"]);
        assert_eq!(fire("--yes").assert_status(0).json()["outcome"]["verdict"], "unknown");
        assert_eq!(server.seen().len(), 0);
        let answered = fire("--yes --ask-model").assert_status(0).json();
        assert_eq!(answered["runs"][0]["exit"], json!({"kind": "answered", "by": "judge-1"}));
        assert_eq!(answered["outcome"]["blocked"], true);
        assert!(answered["outcome"]["reason"].as_str().unwrap().contains("tests are red"), "{answered}");
        let seen = server.seen();
        let prompt = seen[0].body["messages"][0]["content"].as_str().unwrap();
        assert!(prompt.contains("Is the work done?"), "{prompt}");
        // The agent's own rules read the answer: this one is no answer for it.
        let text = sandbox.run(&format!("fire @stop --agent {agent} --yes --ask-model")).assert_status(0);
        assert!(text.stdout.contains("answered by judge-1, not by the agent"), "{text}");
    });
}

#[test]
fn a_model_that_fails_leaves_the_verdict_unknown() {
    for_each_agent(|agent| {
        if !agent_words::words_of(agent).by_hand {
            return;
        }
        let server = FakeModel::start(vec![FakeReply::status(401)]);
        let sandbox = crate::project(agent);
        configure(&sandbox, &url(&server));
        let done = sandbox.run(&format!("fire @stop --agent {agent} --yes --ask-model --format json")).assert_status(0);
        let done = done.assert_stderr(&["judge-1 did not answer: HTTP 401"]);
        assert_eq!(done.json()["outcome"]["verdict"], "unknown");
    });
    let sandbox = Sandbox::new();
    configure(&sandbox, "command = [\"true\"]");
    sandbox
        .run("fire PreToolUse --agent all --yes --ask-model")
        .assert_status(2)
        .assert_stderr(&["--ask-model works with one agent only"]);
}

/// A model that is still loading gets the time limit of the hook, and not the longer one of the settings.
#[test]
fn a_slow_model_ends_with_the_limit_of_the_hook() {
    for reply in [FakeReply::Silent, FakeReply::Dripping] {
        let server = FakeModel::start(vec![reply]);
        let sandbox = Sandbox::for_agent("claude");
        let hook = json!({"type": "prompt", "prompt": "Is the work done?", "timeout": 1});
        sandbox.settings(&json!({"hooks": {"Stop": [{"hooks": [hook]}]}}).to_string());
        configure(&sandbox, &format!("{}\ntimeout_ms = 120000\nattempts = 1", url(&server)));
        let done = sandbox.run("fire Stop --agent claude --yes --ask-model --format json").assert_status(0);
        let within = done.raw_stderr.split("judge-1 did not answer: no answer within ").nth(1);
        let within = within.and_then(|rest| rest.split(' ').next()).unwrap_or_else(|| panic!("{done}"));
        assert!(within.parse::<u64>().is_ok_and(|ms| ms <= 1000), "{within}");
        assert_eq!(done.json()["outcome"]["verdict"], "unknown");
        assert_eq!(server.seen().len(), 1);
    }
}

/// A cloned repository can bring a file that allows its text to be sent.
#[test]
fn a_consent_in_the_project_never_counts() {
    let server = FakeModel::start(vec![FakeReply::text("ALLOW")]);
    let sandbox = Sandbox::new();
    configure(&sandbox, &url(&server));
    let state = |env: &[(String, String)]| {
        sandbox.run_in(env, "doctor --format json").assert_status(0).json()["model"]["state"].clone()
    };
    sandbox.run("doctor --allow-model --yes --format json").assert_status(0);
    assert_eq!(state(&[]), "answered");
    let asked = server.seen().len();
    std::fs::rename(sandbox.home.join(".local"), sandbox.project.join(".local")).unwrap();
    for home in ["", "."] {
        assert_eq!(state(&[("HOME".to_owned(), home.to_owned())]), "not_allowed", "HOME={home:?}");
    }
    assert_eq!(server.seen().len(), asked);
}
