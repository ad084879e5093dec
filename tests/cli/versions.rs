//! Untested versions: the answer is that of the nearest tested version, and one note says so.

use hookbench::core::dialects::{self, default_version};
use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::{for_each_agent, project};

/// The parts of a document that describe the event, without times.
fn answer(document: &Value) -> Value {
    json!([document["schedule"], document["plan"], document["outcome"], document["diagnostics"]])
}

#[test]
fn a_newer_version_behaves_as_the_newest_measured() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let newest = default_version(dialects::by_id(agent).unwrap()).to_string();
        for line in ["fire @tool --yes", "fire @tool --yes --set tool_name=nothing", "plan @tool", "fire @stop --yes"] {
            let ask = |version: &str| {
                sandbox
                    .run(&format!("{line} --agent {agent} --agent-version {version} --format json"))
                    .assert_status(0)
                    .json()
            };
            let (measured, assumed) = (ask(&newest), ask("999.0.1"));
            assert_eq!(measured["agent_version"], newest);
            assert_eq!(measured["basis"]["kind"], "measured");
            assert_eq!(measured["basis"]["version"], newest);
            assert_eq!(assumed["agent_version"], "999.0.1");
            let at = &measured["basis"]["at"];
            assert!(at.is_string(), "{at}");
            assert_eq!(assumed["basis"], json!({"kind": "assumed", "version": newest, "at": at, "probes": null}));
            assert_eq!(answer(&assumed), answer(&measured), "{line}");
        }
        let fire = |rest: &str| sandbox.run(&format!("fire @tool --yes --agent {agent} {rest}"));
        fire(&format!("--agent-version {newest} --strict")).assert_status(0);
        fire("--agent-version 999.0.1").assert_status(0);
        // `--expect` takes precedence.
        fire("--agent-version 999.0.1 --strict --expect allow").assert_status(1);
        let text = fire("--agent-version 999.0.1 --strict").assert_status(3).stdout;
        let sentence = format!("999.0.1 was not tested; hookbench assumes that it behaves like {newest}");
        assert_eq!(text.matches(&sentence).count(), 1, "{text}");
        assert!(text.contains(&format!("999.0.1 ≈ {newest}")), "{text}");
        let text = sandbox.run(&format!("plan @tool --agent {agent} --agent-version 999.0.1")).assert_status(0).stdout;
        assert_eq!(text.matches(&sentence).count(), 1, "{text}");
        let list =
            sandbox.run(&format!("list --agent {agent} --agent-version 999.0.1 --format json")).assert_status(0).json();
        assert_eq!(list["agents"][0]["version"], "999.0.1");
        assert_eq!(list["agents"][0]["basis"]["kind"], "assumed");
    });
}

#[test]
fn an_older_version_behaves_as_the_oldest_known() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let oldest = dialects::by_id(agent).unwrap().versions().last().unwrap().from;
        let ask = |version: &str| {
            sandbox.run(&format!("fire @tool --yes --agent {agent} --agent-version {version} --format json")).json()
        };
        let (known, older) = (ask(oldest), ask("0.0.1"));
        assert_eq!(older["basis"]["kind"], "assumed");
        assert_eq!(older["basis"]["version"], oldest);
        assert_eq!(answer(&older), answer(&known));
    });
}

/// A program whose files state no version, such as one of a package manager, is installed all the same.
#[test]
fn a_program_without_a_version_is_installed() {
    for dialect in dialects::released() {
        let sandbox = Sandbox::for_agent(dialect.id().as_str());
        let newest = default_version(dialect);
        let list = format!("list --agent {}", dialect.id());
        let known = |of: &Value| (of["installed"].clone(), of["version_unknown"].clone(), of["version"].clone());
        let json = || sandbox.run(&format!("{list} --format json")).assert_status(0).json()["agents"][0].clone();
        assert_eq!(known(&json()), (json!(false), Value::Null, json!(newest.to_string())));
        let page = sandbox.run(&list).assert_status(0).stdout;
        assert!(page.contains("not installed; assuming"), "{page}");
        sandbox.script(&format!("../bin/{}", dialect.install().command), "#!/bin/sh\n");
        assert_eq!(known(&json()), (json!(true), json!(true), json!(newest.to_string())));
        let page = sandbox.run(&list).assert_status(0).stdout;
        assert!(page.contains(&format!("installed, version unknown; assuming {newest}")), "{page}");
        let doctor = sandbox.run("doctor").stdout;
        assert!(doctor.contains("version unknown"), "{doctor}");
    }
}
