//! Consent: hooks run only after the user agrees, and the answer is remembered.

use std::io::{Read as _, Write as _};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::sandbox::Sandbox;
use crate::{for_each_agent, project, settings_file};

/// Fires in a terminal and answers the question. Returns the exit status and everything that was shown.
pub(crate) fn answer_at_a_terminal(sandbox: &Sandbox, args: &str, answer: &str) -> (u32, String) {
    let pty = native_pty_system().openpty(PtySize { rows: 40, cols: 120, ..PtySize::default() }).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_hookbench"));
    command.args(sandbox.in_agent_words(args).split_whitespace());
    command.cwd(&sandbox.project);
    command.env_clear();
    for (name, value) in sandbox.env() {
        command.env(name, value);
    }
    let mut child = pty.slave.spawn_command(command).unwrap();
    drop(pty.slave);
    let mut reader = pty.master.try_clone_reader().unwrap();
    let mut writer = pty.master.take_writer().unwrap();
    let (mut shown, mut chunk) = (Vec::new(), [0; 4096]);
    let mut asked = false;
    // When the program has exited, the terminal returns an error instead of end-of-file.
    while let Ok(count @ 1..) = reader.read(&mut chunk) {
        shown.extend_from_slice(&chunk[..count]);
        if !asked && String::from_utf8_lossy(&shown).contains("[y/N] ") {
            asked = true;
            writer.write_all(format!("{answer}\n").as_bytes()).unwrap();
        }
    }
    let status = child.wait().unwrap();
    assert!(asked, "nobody was asked: {}", String::from_utf8_lossy(&shown));
    (status.exit_code(), sandbox.rewrite(&String::from_utf8_lossy(&shown)))
}

#[test]
fn without_a_terminal_the_commands_are_listed() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let done = sandbox.run(&format!("fire @tool --agent {agent}")).assert_status(4);
        assert_eq!(done.raw, "", "nothing was decided");
        insta::assert_snapshot!("consent", done);
        // An event without hooks needs no consent.
        sandbox.run(&format!("fire @idle --agent {agent}")).assert_status(0);
    });
}

#[test]
fn consent_is_remembered_until_the_command_changes() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        let fire = format!("fire @tool --agent {agent}");
        let (status, shown) = answer_at_a_terminal(&sandbox, &fire, "n");
        assert_eq!(status, 4, "{shown}");
        assert!(shown.contains("nothing was run"), "{shown}");
        sandbox.run(&fire).assert_status(4);

        let (status, shown) = answer_at_a_terminal(&sandbox, &fire, "y");
        assert_eq!(status, 0, "{shown}");
        assert!(shown.contains("sh hooks/guard.sh"), "the question names the command: {shown}");
        assert!(shown.contains("Later edits of the scripts run too"), "{shown}");
        // The program does not ask again: a changed script does not count as a changed command.
        sandbox.run(&fire).assert_status(0);
        sandbox.file("hooks/guard.sh", "exit 0\n");
        sandbox.run(&fire).assert_status(0);

        let settings = settings_file(agent);
        let text = std::fs::read_to_string(sandbox.project.join(settings)).unwrap();
        sandbox.settings(&text.replace("sh hooks/guard.sh", "sh hooks/guard.sh --now"));
        let again = sandbox.run(&fire).assert_status(4);
        assert!(again.stderr.contains("guard.sh --now"), "{again}");
        // The original settings still have consent.
        sandbox.settings(&text);
        sandbox.run(&fire).assert_status(0);
    });
}

/// Variables from settings are part of the hook's input, so they are part of the question, of the consent and of
/// `why`.
#[test]
fn variables_of_settings_ask_again() {
    let agent = "claude";
    let sandbox = project(agent);
    let fire = format!("fire @tool --agent {agent}");
    answer_at_a_terminal(&sandbox, &fire, "y");
    sandbox.run(&fire).assert_status(0);
    let text = std::fs::read_to_string(sandbox.project.join(settings_file(agent))).unwrap();
    let with = |env: &str| text.replacen('{', &format!("{{\"env\": {env},"), 1);
    sandbox.settings(&with(
        r#"{"NODE_OPTIONS": "--require ./x.js", "A_TOKEN": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}"#,
    ));
    let asked = sandbox.run(&fire).assert_status(4);
    assert!(asked.stderr.contains("NODE_OPTIONS=--require ./x.js"), "{asked}");
    assert!(!asked.stderr.contains("ghp_0123456789"), "{asked}");
    answer_at_a_terminal(&sandbox, &fire, "y");
    sandbox.run(&fire).assert_status(0);
    let why = sandbox.run(&format!("why guard.sh --agent {agent}"));
    assert!(why.raw.contains("sets NODE_OPTIONS, A_TOKEN"), "{why}");
    sandbox.settings(&with(r#"{"NODE_OPTIONS": "--require ./y.js"}"#));
    sandbox.run(&fire).assert_status(4);
    // Without the variables, the first consent applies again.
    sandbox.settings(&text);
    sandbox.run(&fire).assert_status(0);
}

#[test]
fn yes_is_not_remembered() {
    for_each_agent(|agent| {
        let sandbox = project(agent);
        sandbox.run(&format!("fire @tool --agent {agent} --yes")).assert_status(0);
        sandbox.run(&format!("fire @tool --agent {agent}")).assert_status(4);
    });
}

#[test]
fn the_consent_file_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    for_each_agent(|agent| {
        let sandbox = project(agent);
        answer_at_a_terminal(&sandbox, &format!("fire @tool --agent {agent}"), "y");
        let directory = sandbox.home.join("state/hookbench");
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&directory), mode(&directory.join("consent.json"))), (0o700, 0o600));
        // A damaged consent file is ignored without a failure.
        std::fs::write(directory.join("consent.json"), "nonsense").unwrap();
        sandbox.run(&format!("fire @tool --agent {agent}")).assert_status(4);
    });
}

/// `--as-trusted` decides as if the agent trusted the project and its hooks were reviewed; nothing is recorded.
#[test]
fn a_project_is_tried_as_if_trusted() {
    for (agent, file, event, text) in [
        (
            "gemini",
            ".gemini/settings.json",
            "BeforeTool",
            r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#,
        ),
        (
            "codex",
            ".codex/hooks.json",
            "PreToolUse",
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#,
        ),
    ] {
        let sandbox = Sandbox::new();
        sandbox.file(file, text);
        let fire = format!("fire {event} --agent {agent} --yes --format json");
        let verdict = |args: &str| sandbox.run(args).json()["outcome"]["verdict"].clone();
        assert_eq!(verdict(&fire), "not_run", "{agent}");
        assert_ne!(verdict(&format!("{fire} --as-trusted")), "not_run", "{agent}");
        assert_eq!(verdict(&fire), "not_run", "{agent}");
    }
}

/// A cloned repository can bring files of any name. None of them may count as the user's own, however the home directory is
/// named.
#[test]
fn an_approval_in_the_project_never_counts() {
    let sandbox = project("claude");
    let fire = "fire @tool --agent claude --home @home".replace("@home", sandbox.home.to_str().unwrap());
    answer_at_a_terminal(&sandbox, &fire, "y");
    sandbox.run(&fire).assert_status(0);
    let (kept, brought) = (sandbox.home.join("state/hookbench"), sandbox.project.join(".local/state/hookbench"));
    std::fs::create_dir_all(brought.parent().unwrap()).unwrap();
    std::fs::rename(&kept, &brought).unwrap();
    for home in ["", ".", "./", "hooks/.."] {
        for state in ["", ".local/state"] {
            let env = [("HOME", home), ("XDG_STATE_HOME", state)].map(|(name, value)| (name.to_owned(), value.to_owned()));
            let asked = sandbox.run_in(&env, &fire).assert_status(4);
            assert!(asked.stderr.contains("needs your approval"), "HOME={home:?} XDG_STATE_HOME={state:?}: {asked}");
        }
    }
    // With an absolute directory the same files count.
    let state = sandbox.project.join(".local/state").to_str().unwrap().to_owned();
    sandbox.run_in(&[("XDG_STATE_HOME".to_owned(), state)], &fire).assert_status(0);
}
