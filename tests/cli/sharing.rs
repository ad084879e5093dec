//! Pages for others: Markdown and HTML of each command that has them, and what they mask.

use serde_json::json;

use crate::sandbox::Sandbox;

/// A secret-like token, and texts that mean something in Markdown and HTML.
const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const FOREIGN: &str = "<b>bold</b> & ```fence``` *star*";

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    let hook = |script: &str| json!({"type": "command", "command": format!("sh hooks/{script}")});
    let hooks = [hook("guard.sh"), hook("quiet.sh")];
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}});
    let guard = format!("cat > /dev/null\necho '{FOREIGN} {TOKEN}' >&2\nexit 2\n");
    sandbox.settings(&settings.to_string()).file("hooks/guard.sh", guard).file("hooks/quiet.sh", "cat > /dev/null\n");
    let event = payload(&sandbox, "rm -rf build");
    sandbox.file("event.json", event);
    std::fs::create_dir_all(sandbox.home.join("config/hookbench")).unwrap();
    std::fs::write(sandbox.home.join("config/hookbench/config.toml"), "[log]\nruns = true\n").unwrap();
    sandbox
}

fn payload(sandbox: &Sandbox, command: &str) -> String {
    json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": sandbox.project, "transcript_path": "/t", "tool_name": "Bash",
        "tool_input": {"command": command, "api_key": TOKEN, "note": FOREIGN}
    })
    .to_string()
}

/// The commands that have pages for others. Two runs are in the log before.
const COMMANDS: [&str; 8] = [
    "fire --payload event.json --yes",
    "fire --payload event.json --yes --repeat 1",
    "fire --payload event.json --yes --agent all",
    "why h1",
    "replay --filter ~fired",
    "stress h1 --yes --variants-only --payload event.json",
    "lint",
    "stats",
];

fn with_log() -> Sandbox {
    let sandbox = project();
    sandbox.run("fire --payload event.json --yes").assert_status(0);
    let event = payload(&sandbox, "ls");
    sandbox.file("event.json", event);
    sandbox.run("fire --payload event.json --yes").assert_status(0);
    sandbox
}

#[test]
fn every_page_is_one_html_file_without_script_or_network() {
    let sandbox = with_log();
    for line in COMMANDS.into_iter().chain(["diff 1 2"]) {
        let done = sandbox.run(&format!("{line} --format html"));
        let html = &done.raw;
        assert!(html.starts_with("<!doctype html>\n") && html.ends_with("</html>\n"), "{done}");
        for part in
            ["<meta name=\"viewport\"", "prefers-color-scheme:light", "@media print", "<h1>", "are masked</footer>"]
        {
            assert!(html.contains(part), "{line}: {part}\n{html}");
        }
        for part in ["<script", "http", "src=", "url(", "@import", "<b>", TOKEN, "\u{1b}"] {
            assert!(!html.contains(part), "{line}: {part}\n{html}");
        }
        let balance = |open: &str, close: &str| (html.matches(open).count(), html.matches(close).count());
        for (open, close) in [("<section", "</section"), ("<p", "</p"), ("<span", "</span")] {
            let (opened, closed) = balance(open, close);
            assert_eq!(opened, closed, "{line}: {open}\n{html}");
        }
    }
}

#[test]
fn every_page_is_markdown_whose_texts_stay_texts() {
    let sandbox = with_log();
    for line in COMMANDS.into_iter().chain(["diff 1 2"]) {
        let done = sandbox.run(&format!("{line} --format markdown"));
        let text = &done.raw;
        assert!(text.starts_with("### "), "{done}");
        assert!(text.ends_with("values that look like secrets are masked_\n") && !text.contains(TOKEN), "{done}");
        // Outside of fences nothing foreign is left unescaped.
        let mut fence: Option<&str> = None;
        for row in text.lines() {
            let ticks = &row[..row.len() - row.trim_start_matches('`').len()];
            match fence {
                Some(open) if row == open => fence = None,
                Some(_) => {}
                None if ticks.len() >= 3 => fence = Some(ticks),
                None => assert!(!row.contains("<b>") && !row.contains("```"), "{line}: {row}\n{text}"),
            }
        }
        assert_eq!(fence, None, "{line}: a fence is open\n{text}");
    }
}

#[test]
fn secrets_are_shown_on_request_and_on_a_terminal() {
    let sandbox = project();
    let fire = |more: &str| sandbox.run(&format!("fire --payload event.json --yes {more}")).assert_status(0).raw;
    for (more, masked, says) in [
        ("", false, None),
        ("--format markdown", true, Some("are masked")),
        ("--format html", true, Some("are masked")),
        ("--format markdown --show-secrets", false, Some("nothing is masked")),
        ("--format html --show-secrets", false, Some("nothing is masked")),
    ] {
        let page = fire(more);
        assert_eq!(!page.contains(TOKEN), masked, "{more}\n{page}");
        assert!(says.is_none_or(|says| page.contains(says)), "{more}\n{page}");
    }
    assert!(fire("--format html").contains("&lt;b&gt;bold&lt;/b&gt; &amp; ```fence```"), "the text itself is there");
    assert!(!fire("").contains("api_key"), "a terminal gets no payload");
    assert!(fire("--format markdown").contains("\"api_key\": [masked]"), "the payload, without its secret");
}

#[test]
fn stats_count_runs_failures_and_times_of_a_selection() {
    let sandbox = with_log();
    sandbox.file("hooks/quiet.sh", "exit 7\n");
    sandbox.run("fire --payload event.json --yes").assert_status(0);
    let stats = |filter: &str| sandbox.run(&format!("stats --format json --filter '{filter}'")).assert_status(0).json();
    let rows = |doc: &serde_json::Value| {
        let mut rows: Vec<(String, u64, u64)> = doc["hooks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let text = one["hook"].as_str().unwrap().to_owned();
                (text, one["runs"].as_u64().unwrap(), one["failures"].as_u64().unwrap())
            })
            .collect();
        rows.sort();
        rows
    };
    let all = stats("");
    assert_eq!(rows(&all), [("guard.sh".to_owned(), 3, 0), ("quiet.sh".to_owned(), 3, 1)]);
    assert_eq!((&all["schema"], &all["runs"]), (&json!("stats/1"), &json!(6)));
    for one in all["hooks"].as_array().unwrap() {
        assert_eq!(
            (&one["agent"], &one["event"], &one["timeouts"]),
            (&json!("claude"), &json!("PreToolUse"), &json!(0))
        );
        assert_eq!(one["source"], ".claude/settings.json:1");
        let times = &one["times"];
        let ms = |key: &str| times[key].as_f64().unwrap();
        assert_eq!((times["runs"].as_u64(), times["course_ms"].as_array().unwrap().len()), (Some(3), 3));
        assert!(ms("p50_ms") <= ms("p95_ms") && ms("p95_ms") <= ms("slowest_ms"), "{one}");
        assert!(
            (one["share_of_limit"].as_f64().unwrap() - ms("p95_ms") / one["limit_ms"].as_f64().unwrap()).abs() < 1e-9
        );
    }
    assert_eq!(rows(&stats("~b build")), [("guard.sh".to_owned(), 1, 0), ("quiet.sh".to_owned(), 1, 0)]);
    assert_eq!(rows(&stats("~h quiet.sh & ~x 7")).len(), 2, "both hooks of the event are counted");
    assert_eq!(rows(&stats("~v allow")), []);
    let text = sandbox.run("stats").assert_status(0).stdout;
    assert!(text.contains("2 hooks, 6 recorded runs") && text.contains("slowest run of"), "{text}");
}

#[test]
fn a_repeated_firing_is_measured_beside_a_bare_start() {
    let sandbox = project();
    sandbox.script("hooks/tick.py", "#!/usr/bin/env python3\n");
    let hook = |command: &str| json!({"type": "command", "command": command});
    let hooks = [hook("python3 hooks/tick.py"), hook("sh hooks/quiet.sh")];
    sandbox.settings(&json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": hooks}]}}).to_string());
    let doc = sandbox.run("fire --payload event.json --yes --repeat 3 --format json").assert_status(0).json();
    assert_eq!((&doc["schema"], &doc["repeats"], &doc["event"]), (&json!("repeat/1"), &json!(3), &json!("PreToolUse")));
    let hooks = doc["hooks"].as_array().unwrap();
    let mut bare: Vec<(&str, &str)> = hooks
        .iter()
        .map(|one| (one["name"].as_str().unwrap(), one["bare"]["command"].as_str().unwrap_or("none")))
        .collect();
    bare.sort_unstable();
    assert_eq!(bare, [("quiet.sh", ":"), ("tick.py", "python3 -c pass")]);
    for one in hooks {
        let warm = |key: &str| one["warm"][key].as_f64().unwrap();
        assert!(one["cold_ms"].as_f64().unwrap() > 0.0, "{one}");
        assert!(warm("min_ms") <= warm("median_ms") && warm("median_ms") <= warm("p95_ms"), "{one}");
    }
    assert!(!sandbox.home.join("state/hookbench/hookbench.db").exists(), "a measurement is not logged");
    sandbox.run("fire --payload event.json --yes --repeat 0").assert_status(2);
    sandbox.run("fire --payload event.json --yes --repeat 2 --agent all").assert_status(2).assert_stderr(&["--repeat"]);
}

#[test]
fn two_runs_are_compared_by_decision_hooks_payload_and_output() {
    let sandbox = with_log();
    sandbox.file("hooks/guard.sh", "cat > /dev/null\necho fine\n");
    sandbox.run("fire --payload event.json --yes").assert_status(0);
    let diff = |line: &str| sandbox.run(&format!("diff {line} --format json")).assert_status(0).json();
    let payload = diff("1 2");
    assert_eq!(
        payload["payload"],
        json!([{"path": "tool_input.command", "before": "\"rm -rf build\"", "after": "\"ls\""}])
    );
    assert_eq!((&payload["changes"], &payload["same"], &payload["outputs"]), (&json!([]), &json!(false), &json!([])));
    let outcome = diff("2 3");
    let what: Vec<(&str, Option<&str>)> = outcome["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["what"].as_str().unwrap(), one["hook"].as_str()))
        .collect();
    assert_eq!(
        what,
        [("verdict", None), ("ended", Some("guard.sh")), ("blocked", None), ("decided_by", None), ("reason", None)]
    );
    let streams: Vec<&str> =
        outcome["outputs"].as_array().unwrap().iter().map(|one| one["stream"].as_str().unwrap()).collect();
    assert_eq!((streams, outcome["times"].as_array().unwrap().len()), (vec!["stdout", "stderr"], 2));
    assert_eq!(diff("2 2")["same"], true);
    let id = payload["before"]["id"].as_str().unwrap().to_owned();
    assert_eq!(diff(&format!("{id} '#2'"))["before"]["number"], 1, "an id names an event, too");
    let text = sandbox.run("diff 2 3").assert_status(0).stdout;
    assert!(text.contains("- #2      DENY") && text.contains("+ #3      NO OBJECTION"), "{text}");
}
