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
    client.write(b"Content-Length: 5\r\n\r\n{\"a\":");
    assert_eq!(client.request("shutdown", Value::Null), Value::Null);
    assert_eq!(client.request("hookbench/unknown", json!({}))["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.end(), 0);
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
