//! The documents that scripts build on, recorded: every command that prints JSON, over the sample project in each
//! agent. A change of the code that means to change nothing else leaves them as they are, to the byte.
//!
//! `HOOKBENCH_DRAW=1 cargo test --test cli recorded` writes them anew.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use hookbench::app::Demo;
use hookbench::core::dialects;

use crate::sandbox::Sandbox;

/// The commands, in sections; `@tool` and its like are the agent's own words.
const COMMANDS: &str = include_str!("recorded/commands.txt");

/// Hooks with one mistake each, so that the findings are many.
const MISTAKES: &str = include_str!("recorded/mistakes.json");

/// A case that holds and one that does not.
const SUITE: &str = "\
agent: @agent
cases:
  - name: the guard refuses
    event: @tool
    expect: { verdict: deny }
  - name: the formatter refuses
    event: @tool
    tool: @write
    expect: { verdict: deny }
";

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The commands of a section.
fn commands(section: &str) -> impl Iterator<Item = &'static str> {
    let title = format!("[{section}]");
    COMMANDS.lines().skip_while(move |line| *line != title).skip(1).take_while(|line| !line.is_empty())
}

/// A sandbox for the commands of a section.
fn sandbox(agent: &str, section: &str) -> Sandbox {
    match section {
        "mistakes" => {
            let sandbox = Sandbox::for_agent(agent);
            sandbox.settings(MISTAKES);
            sandbox
        }
        "answers" => {
            let sandbox = crate::project(agent);
            let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(agent);
            copy(&recordings, &sandbox.home.join("recordings"));
            sandbox.file("hooks.test.yaml", sandbox.in_agent_words(SUITE).replace("@agent", agent));
            sandbox
        }
        _ => {
            let sandbox = Sandbox::for_agent(agent);
            copy(&Demo::unpack().unwrap().project(), &sandbox.project);
            let settings = sandbox.project.join(sandbox.settings_file());
            sandbox.mark_reviewed(&fs::read_to_string(settings).unwrap());
            sandbox
        }
    }
}

/// Identifiers and times that differ from run to run become words.
fn settle(text: &str) -> String {
    let mut text = text.replace(env!("CARGO_BIN_EXE_hookbench"), "<program>");
    for (pattern, word) in [
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<id>"),
        (r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)?", "<time>"),
        (r#""(pid|started_at|received_at|at)": ?[0-9]+"#, r#""$1": "<number>""#),
        (r#""event": "[0-9a-f]{16}""#, r#""event": "<id>""#),
        (r"hb[A-Za-z0-9]{6}\b", "<dir>"),
    ] {
        text = regex::Regex::new(pattern).unwrap().replace_all(&text, word).into_owned();
    }
    text
}

fn documents(agent: &str, section: &str) -> String {
    let sandbox = sandbox(agent, section);
    let mut text = String::new();
    for command in commands(section) {
        let line = sandbox.fill_directories(&format!("{} --format json", command.replace("@agent", agent)));
        let done = sandbox.run(&line);
        writeln!(text, "$ hookbench {command}\n{}\nexit {}\n", settle(&done.stdout), done.status).unwrap();
    }
    text
}

fn check(agent: &str, section: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/recorded");
    let path = directory.join(format!("{section}-{agent}.txt"));
    let now = documents(agent, section);
    if std::env::var_os("HOOKBENCH_DRAW").is_some() {
        return fs::write(path, now).unwrap();
    }
    let recorded = fs::read_to_string(&path).unwrap();
    let differ = recorded.lines().zip(now.lines()).enumerate().find(|(_, (a, b))| a != b);
    if let Some((at, (was, is))) = differ {
        panic!("{}:{}: recorded\n  {was}\nnow\n  {is}", path.display(), at + 1);
    }
    assert_eq!(recorded.len(), now.len(), "{}: one of them ends early", path.display());
}

#[test]
fn documents_of_the_sample_project() {
    // The sample project has settings of these.
    for dialect in dialects::ALL {
        check(dialect.id().as_str(), "sample");
    }
    check("claude", "program");
}

#[test]
fn documents_of_mistakes() {
    crate::for_each_agent(|agent| check(agent, "mistakes"));
}

#[test]
fn documents_of_firings() {
    crate::for_each_agent(|agent| check(agent, "answers"));
}
