//! The documents of the contract: their keys, and their schemas.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::{agent_words, for_each_agent, project};

/// The keys of an object: required and optional.
struct DocumentKeys {
    always: &'static [&'static str],
    sometimes: &'static [&'static str],
}

const FIRING: DocumentKeys = DocumentKeys {
    always: &[
        "schema",
        "agent",
        "agent_version",
        "basis",
        "event",
        "subject",
        "input",
        "filled",
        "schedule",
        "plan",
        "runs",
        "outcome",
        "diagnostics",
    ],
    sometimes: &["environment"],
};
const PLAN: DocumentKeys = DocumentKeys {
    always: &["hook", "name", "type", "command", "source", "matcher", "verdict", "order", "why"],
    sometimes: &["event"],
};
const SOURCE: DocumentKeys = DocumentKeys { always: &["layer", "file", "line", "column"], sometimes: &[] };
const RUN: DocumentKeys = DocumentKeys {
    always: &[
        "hook",
        "stdin",
        "stdout",
        "stderr",
        "exit",
        "async",
        "duration_ms",
        "inherited",
        "set",
        "stdin_read",
        "truncated",
        "leftovers",
        "vote",
        "used",
        "ignored",
        "invalid",
        "diagnostics",
    ],
    sometimes: &["stdout_base64", "stderr_base64"],
};
const OUTCOME: DocumentKeys = DocumentKeys {
    always: &[
        "verdict",
        "blocked",
        "decided_by",
        "reason",
        "additional_context",
        "updated_input",
        "system_message",
        "continue",
        "stop_reason",
        "suppress_output",
        "agent_does",
        "merged",
        "extra",
        "trace",
    ],
    sometimes: &[],
};
const TRACE: DocumentKeys = DocumentKeys { always: &["rule", "says", "evidence", "children"], sometimes: &[] };
const DIAGNOSTIC: DocumentKeys =
    DocumentKeys { always: &["code", "severity", "message", "file", "line", "column", "fix"], sometimes: &["help"] };
const WHY: DocumentKeys =
    DocumentKeys { always: &["schema", "hook", "event", "rungs", "answer", "nearest"], sometimes: &[] };
const RUNG: DocumentKeys = DocumentKeys { always: &["rung", "state", "says", "evidence"], sometimes: &["findings"] };
/// `diagnostics` is not in the contract's list.
const AGENT: DocumentKeys = DocumentKeys {
    always: &["agent", "version", "basis", "installed", "layers", "switches", "not_loaded", "diagnostics"],
    sometimes: &[],
};
/// `says` is not in the contract's list.
const LAYER: DocumentKeys = DocumentKeys { always: &["layer", "file", "state", "hooks"], sometimes: &["says"] };

#[track_caller]
fn has(value: &Value, keys: &DocumentKeys) {
    let Some(object) = value.as_object() else { panic!("not an object: {value}") };
    let found: BTreeSet<&str> = object.keys().map(String::as_str).collect();
    let always: BTreeSet<&str> = keys.always.iter().copied().collect();
    let missing: Vec<_> = always.difference(&found).collect();
    let more: Vec<_> = found.iter().filter(|k| !always.contains(*k) && !keys.sometimes.contains(k)).collect();
    assert!(missing.is_empty() && more.is_empty(), "missing {missing:?}, more {more:?} in {value:#}");
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().unwrap_or_else(|| panic!("not a list: {value}")).iter()
}

#[track_caller]
fn one_of(value: &Value, words: &str) {
    let word = value.as_str().unwrap_or_default();
    assert!(words.split(" | ").any(|w| w == word), "{value} is none of {words}");
}

#[track_caller]
fn plan_entry(entry: &Value) {
    has(entry, &PLAN);
    has(&entry["source"], &SOURCE);
    has(&entry["why"], &DocumentKeys { always: &["rule", "says"], sometimes: &[] });
    one_of(&entry["verdict"], "fires | skipped | unknown");
    one_of(
        &entry["source"]["layer"],
        "managed | system | system_defaults | user | project | local | flag | plugin | extension | session",
    );
}

fn trace(steps: &Value) {
    for step in items(steps) {
        has(step, &TRACE);
        trace(&step["children"]);
    }
}

fn firing(document: &Value) {
    has(document, &FIRING);
    assert_eq!(document["schema"], "firing/1");
    one_of(&document["schedule"], "parallel | sequential");
    items(&document["plan"]).for_each(plan_entry);
    items(&document["diagnostics"]).for_each(|d| has(d, &DIAGNOSTIC));
    for run in items(&document["runs"]) {
        has(run, &RUN);
        one_of(&run["vote"], "deny | ask | allow | block | defer | none");
        let exit: &'static [&'static str] = match run["exit"]["kind"].as_str().unwrap() {
            "code" => &["kind", "code"],
            "signal" => &["kind", "signal"],
            "timed_out" => &["kind", "after_ms"],
            "failed_to_start" => &["kind", "error"],
            "http" => &["kind", "status"],
            "cancelled" | "answered" => &["kind"],
            other => panic!("{other} is no way to end"),
        };
        has(&run["exit"], &DocumentKeys { always: exit, sometimes: &[] });
    }
    if !document["outcome"].is_null() {
        has(&document["outcome"], &OUTCOME);
        one_of(
            &document["outcome"]["verdict"],
            "deny | ask | allow | no_objection | not_run | failed_open | failed_closed | unknown",
        );
        trace(&document["outcome"]["trace"]);
    }
}

/// Firings that cover every kind of exit, output and mistake.
fn firings(agent: &str) -> Vec<Value> {
    let sandbox = Sandbox::for_agent(agent);
    let hook = |command: &str| json!({"type": "command", "command": command});
    let settings = json!({"hooks": {
        "@tool": [{"hooks": [
            hook("echo '{\"decision\":\"block\",\"reason\":\"no\",\"nonsense\":1}'"),
            hook("kill -9 $$"),
            {"type": "http", "url": "http://127.0.0.1:9/"},
        ]}, {"matcher": "[", "hooks": [hook("true")]}, {"matcher": "@write", "hooks": [hook("true")]}],
        "@prompt": [{"hooks": [
            {"type": "command", "command": "read x; cat; exec sleep 600", "timeout": agent_words::words_of(agent).second}
        ]}],
        "@stop": [{"hooks": [{"type": "prompt", "prompt": "done?"}]}],
        "Nonsense": [{"hooks": [hook("true")]}],
    }});
    sandbox.settings(&serde_json::to_string_pretty(&settings).unwrap());
    ["plan @tool", "fire @tool --yes", "fire @prompt --yes --timeout-scale 0.001", "fire @stop --yes"]
        .map(|line| sandbox.run(&format!("{line} --agent {agent} --format json")).assert_status(0).json())
        .to_vec()
}

#[test]
fn documents_have_the_contract_s_keys() {
    for_each_agent(|agent| {
        firings(agent).iter().for_each(firing);
        let sandbox = project(agent);
        let why = sandbox.run(&format!("why h1 --agent {agent} --format json")).assert_status(0).json();
        has(&why, &WHY);
        assert_eq!(why["schema"], "why/1");
        plan_entry(&why["hook"]);
        let rungs: Vec<&str> = items(&why["rungs"])
            .map(|rung| {
                has(rung, &RUNG);
                one_of(&rung["state"], "ok | no | skipped | unknown");
                rung["rung"].as_str().unwrap()
            })
            .collect();
        assert_eq!(
            rungs,
            [
                "file_found",
                "parsed",
                "layer_active",
                "event_known",
                "surface",
                "trusted",
                "matcher",
                "condition",
                "command",
                "started"
            ]
        );
        let list = sandbox.run(&format!("list --agent {agent} --format json")).assert_status(0).json();
        has(&list, &DocumentKeys { always: &["schema", "agents"], sometimes: &[] });
        assert_eq!(list["schema"], "list/1");
        for agent in items(&list["agents"]) {
            has(agent, &AGENT);
            for layer in items(&agent["layers"]) {
                has(layer, &LAYER);
                one_of(&layer["state"], "read | absent | broken | untrusted | off");
                for hook in items(&layer["hooks"]) {
                    plan_entry(hook);
                    assert!(hook["event"].is_string(), "a list says the event");
                }
            }
        }
    });
}

#[test]
fn documents_are_what_their_schema_says() {
    let schemas = Sandbox::new().run("schema").assert_status(0).json();
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let run = |line: &str| sandbox.run(&format!("{line} --agent {agent} --format json")).assert_status(0).json();
        let mut documents = firings(agent);
        documents.extend(["why h1", "list", "events", "fire @tool --yes", "fire @tool --yes --contain"].map(run));
        documents.push(sandbox.run(&format!("lint --agent {agent} --format json")).json());
        documents.push(sandbox.run("explain HW101 --format json").assert_status(0).json());
        let other = if agent == "qwen" { "gemini" } else { "qwen" };
        let convert = format!("convert --from {agent} --to {other} --yes --format json");
        documents.push(sandbox.run(&convert).json());
        documents.push(sandbox.run("undo --yes --format json").assert_status(0).json());
        let everywhere = ["plan PostToolBatch", "fire @tool --yes"];
        documents.extend(
            everywhere.map(|line| sandbox.run(&format!("{line} --agent all --format json")).assert_status(0).json()),
        );
        for document in documents {
            let name = document["schema"].as_str().unwrap().split_once('/').unwrap().0;
            let root = &schemas[name];
            let mut wrong = Vec::new();
            fits(&document, root, root, name, &mut wrong);
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    });
}

#[test]
fn settings_have_a_schema_for_each_agent_with_a_settings_file() {
    let sandbox = Sandbox::new();
    let schema = sandbox.run("schema settings --agent claude").assert_status(0).json();
    let stop = &schema["properties"]["hooks"]["properties"]["Stop"];
    assert_eq!((&stop["type"], &stop["items"]["required"]), (&Value::from("array"), &serde_json::json!(["hooks"])));
    for (line, message) in [
        ("schema settings", "settings differ between agents"),
        ("schema settings --agent cline", "Cline has no settings file for hooks: each is a script"),
        ("schema firing --agent claude", "only settings has a schema for each agent; firing has one for all"),
        ("schema nothing", "unknown document \"nothing\"; choose one of firing,"),
    ] {
        sandbox.run(line).assert_status(2).assert_stderr(&[message]);
    }
}

/// The subset of JSON Schema that our schemas use. An unknown keyword fails, so that none is ignored.
fn fits(value: &Value, schema: &Value, root: &Value, at: &str, wrong: &mut Vec<String>) {
    let Some(rules) = schema.as_object() else {
        if *schema != Value::Bool(true) {
            wrong.push(format!("{at}: nothing fits {schema}"));
        }
        return;
    };
    let any = |options: &Value| {
        items(options).any(|option| {
            let mut trouble = Vec::new();
            fits(value, option, root, at, &mut trouble);
            trouble.is_empty()
        })
    };
    for (keyword, rule) in rules {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "format" | "minimum" | "maximum" | "$defs" | "default" => {}
            "$ref" => {
                let pointer = rule.as_str().unwrap().trim_start_matches('#');
                fits(value, root.pointer(pointer).expect("a definition"), root, at, wrong);
            }
            "type" => {
                let words: Vec<&str> = rule
                    .as_str()
                    .into_iter()
                    .chain(rule.as_array().into_iter().flatten().filter_map(Value::as_str))
                    .collect();
                if !words.iter().any(|word| is(value, word)) {
                    wrong.push(format!("{at}: {value} is not {rule}"));
                }
            }
            "const" => {
                if value != rule {
                    wrong.push(format!("{at}: {value} is not {rule}"));
                }
            }
            "enum" => {
                if !items(rule).any(|option| option == value) {
                    wrong.push(format!("{at}: {value} is none of {rule}"));
                }
            }
            "anyOf" | "oneOf" => {
                if !any(rule) {
                    wrong.push(format!("{at}: {value} fits none of {rule}"));
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    fits(item, rule, root, &format!("{at}/{index}"), wrong);
                }
            }
            "properties" => {
                for (name, item) in value.as_object().into_iter().flatten() {
                    match rule.get(name) {
                        Some(rule) => fits(item, rule, root, &format!("{at}/{name}"), wrong),
                        None => wrong.push(format!("{at}: the schema does not have \"{name}\"")),
                    }
                }
            }
            "required" => {
                for name in items(rule).filter_map(Value::as_str) {
                    if value.as_object().is_some_and(|object| !object.contains_key(name)) {
                        wrong.push(format!("{at}: \"{name}\" is missing"));
                    }
                }
            }
            "additionalProperties" if *rule == Value::Bool(true) => {}
            // Our types use it only for maps, which have no named keys.
            "additionalProperties" => {
                assert!(rules.get("properties").is_none(), "{at}: named keys and others");
                for (key, item) in value.as_object().into_iter().flatten() {
                    fits(item, rule, root, &format!("{at}/{key}"), wrong);
                }
            }
            other => wrong.push(format!("{at}: the keyword {other} is not known to this test")),
        }
    }
}

fn is(value: &Value, word: &str) -> bool {
    match word {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// Bytes that are not kept are counted.
#[test]
fn a_flood_is_counted_in_bytes() {
    let sandbox = project("claude");
    sandbox.file("hooks/guard.sh", "yes water | head -c 60000000\n");
    let done = sandbox.run("fire PreToolUse --agent claude --yes").assert_status(0);
    assert!(done.stdout.contains("60000000 bytes in total, "), "{}", done.stdout.len());
}
