//! `server`: the program on pipes, as an editor uses it.

use std::path::Path;

use serde_json::{Value, json};

use crate::language_client::{LanguageClient, position_of, uri};
use crate::sandbox::Sandbox;

const SETTINGS: &str = ".claude/settings.json";

/// A hook whose matcher is written in the wrong case, behind a character that UTF-16 counts as two.
const WRONG_CASE: &str = r#"{"x": "😀", "hooks": {"PreToolUse": [{"matcher": "bash", "hooks": [{"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/hooks/guard.sh"}]}]}}
"#;

fn project() -> Sandbox {
    let sandbox = Sandbox::for_agent("claude");
    sandbox.file(SETTINGS, WRONG_CASE).file("hooks/guard.sh", "cat >/dev/null\nexit 2\n");
    sandbox
}

fn client(sandbox: &Sandbox, capabilities: Value) -> LanguageClient {
    open(sandbox, &[&sandbox.project], capabilities).0
}

fn open(sandbox: &Sandbox, folders: &[&Path], capabilities: Value) -> (LanguageClient, Value) {
    LanguageClient::open(sandbox.command(&["server".to_owned()]), folders, capabilities)
}

/// The code and the first characters of each diagnostic.
fn codes(diagnostics: &[Value]) -> Vec<(&str, u64, u64)> {
    let start = |one: &Value| {
        (one["range"]["start"]["line"].as_u64().unwrap(), one["range"]["start"]["character"].as_u64().unwrap())
    };
    diagnostics.iter().map(|one| (one["code"].as_str().unwrap(), start(one).0, start(one).1)).collect()
}

#[test]
fn requests_before_and_after_the_session_are_refused_and_unknown_ones_have_no_method() {
    let sandbox = project();
    let mut client = LanguageClient::start(sandbox.command(&["server".to_owned()]));
    assert_eq!(client.request("textDocument/hover", json!({}))["code"], -32002);
    let answer = client.request("initialize", json!({"capabilities": {}}));
    assert_eq!(answer["serverInfo"]["name"], "hookbench");
    assert_eq!(client.request("initialize", json!({"capabilities": {}}))["code"], -32600);
    assert_eq!(client.request("hookbench/unknown", json!({}))["code"], -32601);
    client.notify("hookbench/unknown", json!({}));
    for (body, code) in [("{\"a\":", -32700), ("[]", -32600), ("{\"id\": 7.5, \"result\": 1}", -32600)] {
        client.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let answer = client.wait_for(&|message| message.get("error").is_some());
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{body}");
    }
    assert_eq!(client.request("shutdown", Value::Null), Value::Null);
    assert_eq!(client.request("hookbench/unknown", json!({}))["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.end(), 0);
}

#[test]
fn a_document_without_a_folder_brings_its_own() {
    let (sandbox, other) = (project(), tempfile::tempdir().unwrap());
    let other = other.path().canonicalize().unwrap().join("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    std::fs::create_dir(other.join(".claude")).unwrap();
    std::fs::create_dir(sandbox.project.join(".git")).unwrap();
    let (mut client, _) = open(&sandbox, &[], json!({}));
    for project in [&sandbox.project, &other] {
        let found = client.open_document(&project.join(SETTINGS), WRONG_CASE);
        assert!(codes(&found).contains(&("HW301", 0, 49)), "{found:#?}");
    }
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn the_server_ends_with_its_client() {
    let sandbox = project();
    assert_eq!(client(&sandbox, json!({})).end(), 1, "the client closes the pipe");
    assert_eq!(client(&sandbox, json!({})).shut_down(), 0);
    let mut without_shutdown = client(&sandbox, json!({}));
    without_shutdown.notify("exit", Value::Null);
    assert_eq!(without_shutdown.end(), 1);
    let mut in_the_middle = client(&sandbox, json!({}));
    in_the_middle.write(b"Content-Length: 500\r\n\r\n{\"jsonrpc\"");
    assert_eq!(in_the_middle.end(), 1, "a message is cut");
}

#[test]
fn a_client_that_speaks_no_lsp_is_told() {
    let output = project().run_with("server", b"{}\r\n\r\n");
    assert_eq!(
        (output.status, output.stderr.as_str()),
        (
            1,
            "hookbench: stdin is not a message of the Language Server Protocol: Content-Length is missing, or above 64 MB"
        )
    );
}

#[test]
fn a_cancelled_request_gets_its_error() {
    let sandbox = project();
    let mut client = client(&sandbox, json!({}));
    // The cancellation comes first, as it does if the request still waits in the queue.
    client.notify("$/cancelRequest", json!({"id": 77}));
    client.send(json!({"id": 77, "method": "textDocument/hover", "params": {}}));
    assert_eq!(client.response(77)["code"], -32800);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn columns_are_counted_in_the_negotiated_encoding() {
    let sandbox = project();
    for (offered, encoding, column) in [
        (json!(["utf-8", "utf-16"]), "utf-8", 51),
        (json!(["utf-16"]), "utf-16", 49),
        (json!(["utf-32"]), "utf-32", 48),
    ] {
        let capabilities = json!({"general": {"positionEncodings": offered}});
        let (mut client, answer) = open(&sandbox, &[&sandbox.project], capabilities);
        assert_eq!(answer["capabilities"]["positionEncoding"], encoding);
        let found = client.open_document(&sandbox.project.join(SETTINGS), WRONG_CASE);
        assert!(codes(&found).contains(&("HW301", 0, column)), "{encoding}: {found:#?}");
        assert_eq!(client.shut_down(), 0);
    }
}

#[test]
fn diagnostics_follow_the_text_in_the_editor_and_not_the_disk() {
    let sandbox = project();
    let path = sandbox.project.join(SETTINGS);
    let mut client = client(&sandbox, json!({}));
    assert_eq!(codes(&client.open_document(&path, WRONG_CASE)), [("HW301", 0, 49)]);
    let place =
        |start: u64, end: u64| json!({"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}});
    let mended = client.edit(&path, json!({"range": place(50, 51), "text": "B"}));
    assert_eq!(codes(&mended), []);
    let end = json!({"line": 99, "character": 99});
    let broken = client.edit(&path, json!({"range": {"start": {"line": 0, "character": 1}, "end": end}, "text": ""}));
    assert_eq!(codes(&broken), [("HW101", 0, 1)]);
    assert_eq!(codes(&client.edit(&path, json!({"text": WRONG_CASE}))), [("HW301", 0, 49)]);
    client.edit(&path, json!({"text": "{}"}));
    // A closed document is what the disk has.
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri(&path)}}));
    let published = client.wait_for(&|message| {
        message["method"] == "textDocument/publishDiagnostics" && message["params"].get("version").is_none()
    });
    assert_eq!(codes(published["params"]["diagnostics"].as_array().unwrap()), [("HW301", 0, 49)]);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_script_has_the_findings_of_the_file_that_it_includes_as_the_editor_has_it() {
    let sandbox = project();
    sandbox.file(SETTINGS, WRONG_CASE.replace("bash", "Bash"));
    let (script, library) = (sandbox.project.join("hooks/guard.sh"), sandbox.project.join("hooks/lib.sh"));
    let refuse = "refuse() {\n  echo \"$1\" >&2\n  exit 1\n}\n";
    sandbox.file("hooks/lib.sh", refuse);
    let mut client = client(&sandbox, json!({}));
    let text = "input=$(cat)\n. \"$(dirname \"$0\")/lib.sh\"\ncase $input in *rm*) refuse no ;; esac\n";
    let found = client.open_document(&script, text);
    assert_eq!(codes(&found), [("HW601", 1, 0)]);
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("the cause is in hooks/lib.sh, which this statement includes"), "{message}");
    client.open_document(&library, refuse);
    client.change(&library, json!({"text": refuse.replace("exit 1", "exit 2")}));
    let published = client.wait_for(&|message| message["params"]["uri"] == uri(&script));
    assert_eq!(published["params"]["diagnostics"], json!([]));
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_diagnostic_has_its_severity_page_and_help_and_names_the_hook_of_a_script() {
    let sandbox = project();
    let settings = WRONG_CASE.replace("bash", "Bash");
    sandbox.file(SETTINGS, &settings);
    let script = sandbox.project.join("hooks/guard.sh");
    let mut client = client(&sandbox, json!({}));
    let text = "input=$(cat)\necho \"$input\" | jq -r .toolname | grep -q rm && exit 1\nexit 0\n";
    let found = client.open_document(&script, text);
    let one = found.iter().find(|one| one["range"]["start"]["line"] == 1).unwrap_or_else(|| panic!("{found:#?}"));
    let page = one["codeDescription"]["href"].as_str().unwrap().strip_prefix("file://").unwrap();
    let code = one["code"].as_str().unwrap();
    assert!(std::fs::read_to_string(page).unwrap().starts_with(&format!("# {code}: ")));
    let related = &one["relatedInformation"][0];
    assert_eq!(related["message"], "the hook guard.sh of PreToolUse starts this script");
    assert_eq!(related["location"]["uri"], uri(&sandbox.project.join(SETTINGS)));
    assert_eq!(related["location"]["range"]["start"], position_of(&settings, "{\"type\"", 0));
    let reported = sandbox.run("lint --format json");
    assert!(reported.raw.contains("\"schema\": \"lint/1\""), "the same rules: {}", reported.raw);
    assert_eq!(client.shut_down(), 0);
}

/// The code and the line of each finding about a file.
type FoundLines = std::collections::BTreeSet<(String, u64)>;

#[test]
fn the_editor_says_what_lint_says_in_the_settings_of_every_agent() {
    crate::for_each_agent(|agent| {
        let sandbox = crate::project(agent);
        let file = sandbox.settings_file();
        let path = sandbox.project.join(file).canonicalize().unwrap();
        // Some agents have only settings of the user.
        let shown = path.strip_prefix(&sandbox.project).map(|path| path.display().to_string());
        let shown = shown.unwrap_or_else(|_| format!("~/{}", path.strip_prefix(&sandbox.home).unwrap().display()));
        let text = std::fs::read_to_string(&path).unwrap().replace("hooks/format.sh", "hooks/missing.sh");
        sandbox.file(file, &text);
        let reported: Value = serde_json::from_str(&sandbox.run("lint --format json").raw).unwrap();
        let of_file = reported["diagnostics"].as_array().unwrap().iter().filter(|one| one["file"] == shown);
        let wanted: FoundLines =
            of_file.map(|one| (one["code"].as_str().unwrap().to_owned(), one["line"].as_u64().unwrap_or(1))).collect();
        let mut client = client(&sandbox, json!({}));
        let found = client.open_document(&path, &text);
        let found: FoundLines = codes(&found).into_iter().map(|(code, line, _)| (code.to_owned(), line + 1)).collect();
        assert_eq!(found, wanted, "{agent}");
        assert!(!found.is_empty(), "{agent} has a script that does not exist");
        assert_eq!(client.shut_down(), 0);
    });
}

#[test]
fn each_folder_has_its_own_hooks_and_all_share_those_of_the_user() {
    let (sandbox, other) = (project(), tempfile::tempdir().unwrap());
    let other_root = other.path().canonicalize().unwrap();
    std::fs::create_dir(other_root.join(".claude")).unwrap();
    let user_settings = sandbox.home.join(SETTINGS);
    std::fs::create_dir_all(user_settings.parent().unwrap()).unwrap();
    std::fs::write(&user_settings, WRONG_CASE).unwrap();
    let (mut client, _) = open(&sandbox, &[&sandbox.project, &other_root], json!({}));
    for path in [sandbox.project.join(SETTINGS), other_root.join(SETTINGS), user_settings] {
        let found = client.open_document(&path, WRONG_CASE);
        let wrong_case: Vec<_> = codes(&found).into_iter().filter(|(code, ..)| *code == "HW301").collect();
        assert_eq!(wrong_case, [("HW301", 0, 49)], "{}", path.display());
    }
    let folder = json!({"uri": uri(&other_root), "name": "other"});
    client.notify("workspace/didChangeWorkspaceFolders", json!({"event": {"added": [], "removed": [folder]}}));
    assert_eq!(codes(&client.edit(&other_root.join(SETTINGS), json!({"text": WRONG_CASE}))), []);
    assert_eq!(client.shut_down(), 0);
}

/// Settings in which `@` marks nothing; the matcher is right, and the script exists.
fn sound_settings() -> String {
    WRONG_CASE.replace("bash", "Bash|Edit")
}

fn opened(sandbox: &Sandbox, text: &str, capabilities: Value) -> (LanguageClient, std::path::PathBuf) {
    let path = sandbox.project.join(SETTINGS);
    let mut client = client(sandbox, capabilities);
    client.open_document(&path, text);
    (client, path)
}

#[test]
fn a_code_action_mends_the_finding_of_its_range_only() {
    let sandbox = project();
    let (mut client, path) = opened(&sandbox, WRONG_CASE, json!({}));
    let ask = |client: &mut LanguageClient, part: &str, context: Value| {
        let place = position_of(WRONG_CASE, part, 1);
        client.at(
            "textDocument/codeAction",
            &path,
            json!({"range": {"start": place, "end": place}, "context": context}),
        )
    };
    let actions = ask(&mut client, "\"bash\"", json!({"diagnostics": []}));
    let [action] = &actions.as_array().unwrap()[..] else { panic!("{actions:#}") };
    assert_eq!(
        (&action["title"], &action["kind"], &action["isPreferred"]),
        (&json!("write Bash instead"), &json!("quickfix"), &json!(true))
    );
    assert_eq!(action["diagnostics"][0]["code"], "HW301");
    let edit = &action["edit"]["changes"][uri(&path)][0];
    assert_eq!(codes(&client.edit(&path, json!({"range": edit["range"], "text": edit["newText"]}))), []);
    client.edit(&path, json!({"text": WRONG_CASE}));
    assert_eq!(ask(&mut client, "PreToolUse", json!({"diagnostics": []})), json!([]), "another place");
    assert_eq!(ask(&mut client, "\"bash\"", json!({"only": ["refactor"]})), json!([]), "another kind");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_script_becomes_executable_only_if_a_finding_offers_it() {
    let sandbox = project();
    let settings = WRONG_CASE.replace("bash", "Bash").replace("sh \\\"", "\\\"");
    sandbox.file(SETTINGS, &settings).file("hooks/guard.sh", "#!/bin/sh\nexit 2\n");
    let (mut client, path) = opened(&sandbox, &settings, json!({}));
    let everything = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let actions = client.at("textDocument/codeAction", &path, json!({"range": everything, "context": {}}));
    let offered = actions.as_array().unwrap().iter().find(|action| action.get("command").is_some());
    let command = &offered.unwrap_or_else(|| panic!("{actions:#}"))["command"];
    let other = json!({"command": command["command"], "arguments": [{"path": "/etc/passwd"}]});
    assert_eq!(client.request("workspace/executeCommand", other)["code"], -32803);
    assert_eq!(client.request("workspace/executeCommand", command.clone()), Value::Null);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(sandbox.project.join("hooks/guard.sh")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o111, 0o111);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn hover_explains_the_matcher_the_event_and_the_hook() {
    let sandbox = project();
    let text = sound_settings();
    let (mut client, path) = opened(&sandbox, &text, json!({}));
    let hover = |client: &mut LanguageClient, part: &str| {
        let found = client.at("textDocument/hover", &path, json!({"position": position_of(&text, part, 2)}));
        found["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    for (part, wanted) in [
        (
            "Bash|Edit",
            &[
                "**`Bash|Edit`** · PreToolUse",
                "- **Claude Code**: ",
                "matches 2 of 22 known names: Bash, Edit",
                "- **Gemini CLI**: ",
            ][..],
        ),
        ("PreToolUse", &["blocks: the tool does not run", "exit 2: The tool does not run", "Gemini CLI `BeforeTool`"]),
        ("guard.sh", &["**guard.sh** · PreToolUse", "1. ✓ file found: .claude/settings.json:1", "runs hooks/guard.sh"]),
    ] {
        let found = hover(&mut client, part);
        assert!(wanted.iter().all(|one| found.contains(one)), "{part}: {found}");
    }
    assert_eq!(hover(&mut client, "\"x\""), "");
    // The rest of the text is lost; what was known stays.
    let end = json!({"line": 9, "character": 0});
    let after = position_of(&text, "}]}]}}", 0);
    assert_eq!(codes(&client.edit(&path, json!({"range": {"start": after, "end": end}, "text": ""})))[0].0, "HW101");
    let found = hover(&mut client, "guard.sh");
    assert!(
        found.starts_with("The file cannot be read now. This is the hook of the last text that could be read."),
        "{found}"
    );
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn symbols_definitions_lenses_and_hints_are_at_the_hooks() {
    let sandbox = project();
    let text = sound_settings();
    let (mut client, path) = opened(&sandbox, &text, json!({}));
    let symbols = client.at("textDocument/documentSymbol", &path, json!({}));
    assert_eq!((&symbols[0]["name"], &symbols[0]["children"][0]["name"]), (&json!("PreToolUse"), &json!("guard.sh")));
    assert_eq!(symbols[0]["children"][0]["detail"], "Bash|Edit");
    let place = json!({"position": position_of(&text, "guard.sh", 2)});
    let script = client.at("textDocument/definition", &path, place);
    assert_eq!(script["uri"], uri(&sandbox.project.join("hooks/guard.sh")));
    let elsewhere = json!({"position": position_of(&text, "PreToolUse", 2)});
    assert_eq!(client.at("textDocument/definition", &path, elsewhere), Value::Null);
    let lenses = client.at("textDocument/codeLens", &path, json!({}));
    let shown: Vec<_> =
        lenses.as_array().unwrap().iter().map(|lens| (&lens["command"]["title"], &lens["range"]["start"])).collect();
    let at = position_of(&text, "{\"type\"", 0);
    assert_eq!(shown, [(&json!("fire"), &at), (&json!("stress"), &at), (&json!("why"), &at)]);
    let range = |line: u64| json!({"range": {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}});
    assert_eq!(client.at("textDocument/inlayHint", &path, range(0))[0]["label"], "PreToolUse · 2 of 22 tools");
    assert_eq!(client.at("textDocument/inlayHint", &path, range(5)), json!([]));
    assert_eq!(client.shut_down(), 0);
}

/// The labels of a completion at `^`, and the texts that they insert.
fn complete(client: &mut LanguageClient, path: &Path, text: &str) -> Vec<(String, String)> {
    let whole = text.replace('^', "");
    client.edit(path, json!({"text": whole}));
    let items = client.at("textDocument/completion", path, json!({"position": position_of(text, "^", 0)}));
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    items.as_array().unwrap().iter().map(|item| (word(&item["label"]), word(&item["textEdit"]["newText"]))).collect()
}

#[test]
fn completion_knows_the_place_in_settings_that_are_not_complete() {
    let sandbox = project();
    let (mut client, path) = opened(&sandbox, WRONG_CASE, json!({}));
    for (text, label, inserted) in [
        ("{ ^", "hooks", "\"hooks\": "),
        ("{\"hooks\": {\"Pre^", "PreToolUse", "PreToolUse"),
        ("{\"hooks\": {\"PreToolUse\": [{^", "matcher", "\"matcher\": "),
        ("{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash|E^", "Edit", "Edit"),
        ("{\"hooks\": {\"SessionStart\": [{\"matcher\": \"^", "resume", "resume"),
        ("{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"^", "timeout", "timeout"),
        ("{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": ^", "command", "\"command\""),
        ("{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"if\": \"^", "Bash(", "Bash("),
        (
            "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"sh $^",
            "$CLAUDE_PROJECT_DIR",
            "$CLAUDE_PROJECT_DIR",
        ),
        (
            "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"sh \\\"$CLAUDE_PROJECT_DIR\\\"/^",
            "hooks/",
            "hooks/",
        ),
        ("{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": \"sh hooks/g^", "guard.sh", "guard.sh"),
    ] {
        let found = complete(&mut client, &path, text);
        assert!(found.contains(&(label.to_owned(), inserted.to_owned())), "{text}: {found:?}");
    }
    assert_eq!(complete(&mut client, &path, "{\"permissions\": {\"^"), [], "settings that are not about hooks");
    client.edit(&path, json!({"text": sound_settings()}));
    let script = sandbox.project.join("hooks/guard.sh");
    client.open_document(&script, "");
    for (text, label) in
        [("jq -r .^", "tool_name"), ("jq -r .tool_input.comm^", "command"), ("payload['^", "tool_input")]
    {
        let found = complete(&mut client, &script, text);
        assert!(found.contains(&(label.to_owned(), label.to_owned())), "{text}: {found:?}");
    }
    assert_eq!(complete(&mut client, &script, "ech^"), []);
    assert_eq!(client.shut_down(), 0);
}

/// The MCP servers in the settings of each agent and of its user; one whose name a tool's name may spell otherwise is left out.
#[test]
fn a_matcher_is_completed_with_the_mcp_servers_of_the_settings_and_with_recorded_tools() {
    let sandbox = Sandbox::new();
    let servers = r#"{"mcpServers": {"docs": {"command": "x"}, "with space": {}}}"#;
    let of_project = format!(r#"{{"projects": {{"{}": {servers}}}}}"#, sandbox.project.display());
    let recorded = json!({"session_id": "s", "cwd": sandbox.project, "hook_event_name": "PreToolUse",
        "tool_name": "mcp__jira__open", "tool_input": {}});
    sandbox
        .file(".mcp.json", servers.replace("docs", "git-hub"))
        .file("../home/.claude.json", of_project)
        .file(".gemini/settings.json", servers)
        .file("../home/.codex/config.toml", "[mcp_servers.docs]\ncommand = \"x\"\n")
        .file("../home/.copilot/mcp-config.json", servers)
        .file("../home/.factory/mcp.json", servers)
        .file(".github/copilot/settings.json", "{}")
        .file(".factory/settings.json", "{}")
        .file("events.jsonl", recorded.to_string());
    sandbox.run("import events.jsonl").assert_status(0);
    let mut client = client(&sandbox, json!({}));
    for (file, event, wanted) in [
        (SETTINGS, "PreToolUse", &["mcp__git-hub__.*", "mcp__docs__.*", "mcp__jira__open"][..]),
        (".gemini/settings.json", "BeforeTool", &["mcp_docs_.*"]),
        (".codex/hooks.json", "PreToolUse", &["mcp__docs__.*"]),
        (".github/copilot/settings.json", "PreToolUse", &["docs-.*"]),
        (".factory/settings.json", "PreToolUse", &["mcp__docs__.*"]),
        (SETTINGS, "SessionStart", &[]),
    ] {
        let path = sandbox.project.join(file);
        client.open_document(&path, "");
        let rest = if file == ".gemini/settings.json" { format!(", {}", &servers[1..]) } else { "}".to_owned() };
        let text = format!("{{\"hooks\": {{\"{event}\": [{{\"matcher\": \"^\"}}]}}{rest}");
        let found = complete(&mut client, &path, &text);
        let special: Vec<_> = found.iter().filter(|(label, _)| label.contains(['*', '_', '-'])).collect();
        for label in wanted {
            assert!(special.contains(&&((*label).to_owned(), (*label).to_owned())), "{file}: {label} in {found:?}");
        }
        assert!(!special.iter().any(|(label, _)| label.contains("space")), "{found:?}");
        assert!(!wanted.is_empty() || !special.iter().any(|(label, _)| label.contains("docs")), "{event}: {found:?}");
    }
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn settings_and_scripts_that_another_program_saves_are_read_again() {
    let sandbox = project();
    let (settings, script) = (sandbox.home.join(SETTINGS), sandbox.home.join("guard.sh"));
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, WRONG_CASE.replace("\\\"$CLAUDE_PROJECT_DIR\\\"/hooks", "~")).unwrap();
    std::fs::write(&script, "exit 2\n").unwrap();
    let mut client = client(&sandbox, json!({}));
    // The server is never told of these files.
    let mut published = |file: &Path, code: &str, has: bool| {
        client.wait_for(&|message| {
            let params = &message["params"];
            let listed = params["diagnostics"].as_array();
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri(file)
                && listed.is_some_and(|listed| listed.iter().any(|one| one["code"] == code)) == has
        });
    };
    published(&settings, "HW301", true);
    std::fs::write(&script, "jq -r .toolname\nexit 1\n").unwrap();
    published(&script, "HW619", true);
    let saved = settings.with_extension("new");
    std::fs::write(&saved, "{}").unwrap();
    std::fs::rename(&saved, &settings).unwrap();
    published(&settings, "HW301", false);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn completion_follows_the_form_and_the_language_of_the_file() {
    let sandbox = Sandbox::new();
    sandbox
        .file(".codex/config.toml", "")
        .file("../home/.kimi-code/config.toml", "")
        .file("../home/.hermes/config.yaml", "");
    let mut client = client(&sandbox, json!({}));
    for (file, text, label, inserted) in [
        (".codex/config.toml", "[hooks]\n^", "PreToolUse", "PreToolUse = "),
        (".codex/config.toml", "[[hooks.PreToolUse]]\nmatcher = ^", "Bash", "\"Bash\""),
        (".codex/config.toml", "[[hooks.PreToolUse.hooks]]\ntype = \"^\"", "command", "command"),
        ("../home/.kimi-code/config.toml", "[[hooks]]\n^", "event", "event = "),
        ("../home/.kimi-code/config.toml", "[[hooks]]\nevent = \"^\"", "PreToolUse", "PreToolUse"),
        ("../home/.kimi-code/config.toml", "[[hooks]]\nevent = \"PreToolUse\"\nmatcher = \"Ba^\"", "Bash", "Bash"),
        ("../home/.hermes/config.yaml", "hooks:\n  ^", "pre_tool_call", "pre_tool_call: "),
        ("../home/.hermes/config.yaml", "hooks:\n  pre_tool_call:\n    - ^", "matcher", "matcher: "),
        ("../home/.hermes/config.yaml", "hooks:\n  pre_tool_call:\n    - matcher: ^", "terminal", "terminal"),
    ] {
        let path = sandbox.project.join(file).canonicalize().unwrap();
        client.open_document(&path, "");
        let found = complete(&mut client, &path, text);
        assert!(found.contains(&(label.to_owned(), inserted.to_owned())), "{file}: {text}: {found:?}");
    }
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_hook_is_fired_only_after_the_user_chooses_to_run_what_the_question_shows() {
    let sandbox = project();
    let text = sound_settings();
    sandbox.file(SETTINGS, &text).file("hooks/guard.sh", "cat >/dev/null\n: >fired\necho 'not here' >&2\nexit 2\n");
    let shows = json!({"window": {"showDocument": {"support": true}}});
    let (mut client, path) = opened(&sandbox, &text, shows);
    let lenses = client.at("textDocument/codeLens", &path, json!({}));
    let (fire, why) = (lenses[0]["command"].clone(), lenses[2]["command"].clone());
    let fired = sandbox.project.join("fired");
    for (answer, runs) in [(Value::Null, false), (json!({"title": "Cancel"}), false), (json!({"title": "Run"}), true)] {
        let id = client.ask("workspace/executeCommand", fire.clone());
        let question = client.wait_for(&|message| message["method"] == "window/showMessageRequest");
        let shown = question["params"]["message"].as_str().unwrap();
        assert!(shown.contains("sh \"$CLAUDE_PROJECT_DIR\"/hooks/guard.sh\n    .claude/settings.json:1\n"), "{shown}");
        // The server answers while the question is open.
        assert!(client.at("textDocument/hover", &path, json!({"position": position_of(&text, "Bash", 1)})).is_object());
        assert!(!fired.exists());
        client.send(json!({"id": question["id"], "result": answer}));
        let result = client.response(id);
        assert_eq!(fired.exists(), runs, "{result:#}");
        if !runs {
            assert_eq!(result["message"], "nothing was run");
            continue;
        }
        let page = client.wait_for(&|message| message["method"] == "window/showDocument");
        let page =
            std::fs::read_to_string(page["params"]["uri"].as_str().unwrap().strip_prefix("file://").unwrap()).unwrap();
        assert_eq!(result, page);
        assert!(page.contains("**DENY** The command does not run"), "{page}");
        assert!(page.contains("exit 2") && page.contains("    not here\n"), "{page}");
    }
    let explained = client.request("workspace/executeCommand", why.clone());
    assert!(explained.as_str().unwrap().contains("9. ✓ command: "), "{explained:#}");
    client.edit(&path, json!({"text": "{}"}));
    for command in [fire, why] {
        assert_eq!(
            client.request("workspace/executeCommand", command)["message"],
            "the hook is no longer at this place; choose the command again"
        );
    }
    assert_eq!(client.request("workspace/executeCommand", json!({"command": "hookbench.unknown"}))["code"], -32602);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn a_hook_that_runs_is_stopped_by_a_cancellation_and_by_the_end_of_the_client() {
    let sandbox = project();
    let text = sound_settings();
    sandbox.file(SETTINGS, &text).file("hooks/guard.sh", ": >started\nsleep 600\n");
    let started = sandbox.project.join("started");
    for cancels in [true, false] {
        let _ = std::fs::remove_file(&started);
        let (mut client, path) = opened(&sandbox, &text, json!({}));
        let fire = client.at("textDocument/codeLens", &path, json!({}))[0]["command"].clone();
        let id = client.ask("workspace/executeCommand", fire);
        if cancels {
            let question = client.wait_for(&|message| message["method"] == "window/showMessageRequest");
            client.send(json!({"id": question["id"], "result": {"title": "Run"}}));
        }
        while !started.exists() {
            std::thread::yield_now();
        }
        if cancels {
            client.notify("$/cancelRequest", json!({"id": id}));
            assert_eq!(client.response(id)["code"], -32800);
            assert_eq!(client.shut_down(), 0);
        } else {
            assert_eq!(client.end(), 1, "the approval is remembered, and the client ends while the hook runs");
        }
    }
}

/// Random edits, each also applied to a copy of the text in which a position beyond the end is the end.
struct RandomEdits {
    seed: u64,
    text: String,
}

impl RandomEdits {
    fn number(&mut self, below: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.seed >> 33).unwrap() % below.max(1)
    }

    /// A place near the text, and its offset.
    fn place(&mut self) -> (Value, usize) {
        let lines: Vec<String> = self.text.split_inclusive('\n').map(str::to_owned).chain([String::new()]).collect();
        let line = self.number(lines.len() + 1);
        let start: usize = lines.iter().take(line).map(String::len).sum();
        let content = lines.get(line).map_or("", |line| line.trim_end_matches('\n')).to_owned();
        let column = self.number(content.chars().count() + 3);
        let before: String = content.chars().take(column).collect();
        let beyond = column.saturating_sub(content.chars().count());
        let character = before.encode_utf16().count() + beyond;
        (json!({"line": line, "character": character}), start + before.len())
    }

    /// The next edit: a piece is inserted, deleted, repeated, or everything from a place on is cut.
    fn next(&mut self) -> Value {
        const PIECES: [&str; 12] = ["{", "}", "[", "]", "\"", ",", ":", "\n", "\\", "é😀", " true ", "\"hooks\": {"];
        let ((one, from), (other, to)) = (self.place(), self.place());
        let (start, end, from, to) = if from <= to { (one, other, from, to) } else { (other, one, to, from) };
        let kind = self.number(8);
        let (end, to) = if kind < 5 { (start.clone(), from) } else { (end, to) };
        let text = match kind {
            0..=3 => PIECES[self.number(PIECES.len())].to_owned(),
            4 => {
                let skipped = self.number(200);
                self.text.chars().skip(skipped).take(40).collect()
            }
            _ => String::new(),
        };
        // Large deletions are rare, so that there is a text to edit.
        let (end, to) = if to - from > 30 && self.number(6) > 0 { (start.clone(), from) } else { (end, to) };
        self.text.replace_range(from..to, &text);
        json!({"range": {"start": start, "end": end}, "text": text})
    }
}

/// Sends rounds of edits, and compares the diagnostics with those of a server that sees only the result.
fn compare_with_fresh_servers(rounds: u64, edits: usize) {
    let sandbox = project();
    sandbox.file("hooks/guard.sh", "input=$(cat)\necho \"$input\" | jq -r .toolname\nexit 1\n");
    let settings = serde_json::to_string_pretty(&serde_json::from_str::<Value>(WRONG_CASE).unwrap()).unwrap();
    for (file, first) in [
        (SETTINGS, settings),
        ("hooks/guard.sh", "input=$(cat)\necho \"$input\" | jq -r .toolname\nexit 1\n".to_owned()),
    ] {
        let path = sandbox.project.join(file);
        let mut editor = client(&sandbox, json!({}));
        editor.open_document(&path, &first);
        for round in 0..rounds {
            let mut random = RandomEdits { seed: round, text: first.clone() };
            let mut last = editor.edit(&path, json!({"text": first}));
            for edit in 1..=edits {
                let change = random.next();
                if edit == edits { last = editor.edit(&path, change) } else { editor.change(&path, change) }
            }
            let mut fresh = client(&sandbox, json!({}));
            let mut wanted = fresh.open_document(&path, &random.text);
            // Each server has its own copy of the pages.
            for one in last.iter_mut().chain(&mut wanted) {
                one["codeDescription"] = Value::Null;
            }
            assert_eq!(last, wanted, "{file}, round {round}:\n{}", random.text);
            assert_eq!(fresh.shut_down(), 0);
        }
        assert_eq!(editor.shut_down(), 0);
    }
}

#[test]
fn random_edits_lead_to_the_diagnostics_of_a_fresh_load() {
    compare_with_fresh_servers(10, 100);
}

/// `cargo test --test cli -- --ignored hundred_thousand_edits`
#[test]
#[ignore = "takes two minutes"]
fn a_hundred_thousand_edits_lead_to_the_diagnostics_of_a_fresh_load() {
    compare_with_fresh_servers(500, 100);
}
