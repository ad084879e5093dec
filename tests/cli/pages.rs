//! The README and the pages under `docs`: every command line runs, every printed output is the program's, every link
//! leads somewhere, and the generated tables are up to date. `assets/pictures/make` writes the generated parts.

use hookbench::core::decide::Verdict;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hookbench::app::Demo;
use hookbench::core::diagnostic::CodeFamily;
use hookbench::core::dialects;
use hookbench::core::lint::pages as rule_pages;
use pretty_assertions::assert_eq;
use serde_json::Value;

use crate::fleet::call;
use crate::sandbox::Sandbox;
use crate::telemetry::gzip;

/// Command lines that the test does not run, and the reasons.
const NOT_RUN: &[(&str, &str)] = &[
    ("hookbench", "it needs a terminal; tests/terminal opens it in one"),
    ("hookbench demo", "it needs a terminal; tests/terminal opens it in one"),
    ("hookbench test --watch", "it runs until it is stopped"),
    ("hookbench stress guard.sh --yes", "it runs for a minute; cli/stress.rs runs it on smaller hooks"),
    ("hookbench serve", "it runs until it is stopped"),
    ("hookbench calibrate", "it needs an installed agent; cli/calibrate.rs runs it on one for tests"),
    ("hookbench calibrate --agent claude --quick", "the same"),
    (
        "hookbench fire PreToolUse --agent claude --tool Bash --input '{\"command\":\"rm -rf build\"}' --verify",
        "it needs an installed agent; cli/verify.rs runs it on one for tests",
    ),
    ("hookbench serve --remote-decide", "it needs a terminal for the token, and runs until it is stopped"),
    ("hookbench install --agent claude", "it asks on the terminal; the line with --yes is run"),
];

/// Commands that exit with 1 because they found something.
const REPORTS: &[(&str, &str)] = &[
    ("hookbench portable", "no answer refuses in every agent"),
    ("hookbench lint", "the sample project has a wrong matcher on purpose"),
    ("hookbench convert", "a hook of the sample project has a condition that the other agent does not know"),
];

/// The programs that the hooks and command lines of the sample project use. No agent is among them.
const PROGRAMS: [&str; 7] = ["env", "git", "mkdir", "sed", "tail", "tr", "make"];

/// Returns true if the line may exit with 1.
pub fn reports(line: &str) -> bool {
    REPORTS.iter().any(|(command, _)| line.starts_with(command))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn drawing() -> bool {
    std::env::var_os("HOOKBENCH_DRAW").is_some()
}

/// Returns the README and all pages, with their paths below the repository.
fn texts() -> Vec<(PathBuf, String)> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|ext| ext == "md")).collect();
    paths.push(root().join("README.md"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// A fenced block of a page.
struct Block<'a> {
    language: &'a str,
    text: &'a str,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let fences = text.split("```").skip(1).step_by(2);
    fences.filter_map(|fence| fence.split_once('\n')).map(|(language, text)| Block { language, text }).collect()
}

/// Returns the lines of a block that run the program or prepare a directory for it, without their comments.
fn command_lines<'a>(block: &Block<'a>) -> Vec<&'a str> {
    let lines = block.text.lines().filter(|_| block.language == "sh");
    let lines = lines.map(|line| line.split("  #").next().unwrap_or(line).trim());
    let wanted =
        |line: &&str| line.starts_with("hookbench") || line.contains("| hookbench") || line.starts_with("mkdir ");
    lines.filter(wanted).collect()
}

/// A copy of the sample project in a git repository, with a session that an agent recorded there and a payload of
/// another one. PATH has no agent.
pub struct Shop {
    demo: Demo,
    pub sandbox: Sandbox,
}

impl Shop {
    pub fn new() -> Shop {
        let (demo, sandbox) = (Demo::unpack().unwrap(), Sandbox::new());
        for program in PROGRAMS {
            sandbox.program(program);
        }
        let shop = Shop { demo, sandbox };
        let project = shop.demo.project().canonicalize().unwrap().to_str().unwrap().to_owned();
        let session = fs::read_to_string(root().join("tests/transcripts/claude-transcript/made.jsonl")).unwrap();
        let session = session.replace("/home/u/p", &project);
        let slug: String = project.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let directory = shop.demo.home().join(".claude/projects").join(slug);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("s1.jsonl"), &session).unwrap();
        for line in [
            "git init --quiet --initial-branch main .",
            "git add --all",
            "git -c user.name=dev -c user.email=dev@example.com commit --quiet --message shop",
        ] {
            assert_eq!(shop.run(line).0, 0, "{line}");
        }
        let put = |name: &str, text: &str| fs::write(shop.demo.project().join(name), text).unwrap();
        put("session.jsonl", &session);
        put(
            "payload.json",
            r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}"#,
        );
        let telemetry = root().join("tests/transcripts/telemetry");
        let collected = fs::read(telemetry.join("claude-details.jsonl")).unwrap();
        fs::write(shop.demo.project().join("collector.jsonl.gz"), gzip(&collected)).unwrap();
        let command = |n| match n {
            3 | 9 => "rm -rf build",
            14 => "make && rm -rf dist",
            _ => "cargo test",
        };
        let calls = (0..20).map(|n| call(n, command(n))).collect::<String>();
        fs::write(shop.demo.project().join("company.jsonl.gz"), gzip(calls.as_bytes())).unwrap();
        fs::copy(telemetry.join("gemini.json"), shop.demo.project().join("telemetry.json")).unwrap();
        fs::create_dir(shop.demo.home().join("telemetry")).unwrap();
        fs::copy(telemetry.join("codex.jsonl"), shop.demo.home().join("telemetry/codex.jsonl")).unwrap();
        shop
    }

    /// Runs a line in the project's shell. Returns its exit status, its stdout, and its stderr.
    pub fn run(&self, line: &str) -> (i32, String, String) {
        let bin = Path::new(env!("CARGO_BIN_EXE_hookbench")).parent().unwrap().display();
        let env = self.sandbox.env();
        let path = env.iter().find(|(name, _)| *name == "PATH").map(|(_, path)| path.clone()).unwrap();
        let mut command = Command::new("/usr/bin/env");
        command.args(["bash", "-o", "pipefail", "-c", line]).current_dir(self.demo.project()).env_clear().envs(env);
        command.env("HOME", self.demo.home()).env("PATH", format!("{path}:{bin}")).stdin(Stdio::null());
        command.env("XDG_RUNTIME_DIR", &self.sandbox.home);
        let done = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (done.status.code().unwrap_or(-1), text(done.stdout), text(done.stderr))
    }
}

/// Each page is run from its first line to its last in a project of its own. A `text` block is the output of the line
/// before it; a last line ` …` stands for the rest of the output.
#[test]
fn every_command_line_runs_and_prints_what_its_page_shows() {
    let texts = texts();
    // Two threads: most of the time is spent in the hooks' interpreters.
    let lines: Vec<&str> = std::thread::scope(|scope| {
        let halves = texts.chunks(texts.len().div_ceil(2));
        let threads: Vec<_> = halves
            .map(|pages| scope.spawn(|| pages.iter().flat_map(|(path, text)| run_page(path, text)).collect()))
            .collect();
        threads.into_iter().flat_map(|thread| -> Vec<&str> { thread.join().unwrap() }).collect()
    });
    let unused: Vec<_> = NOT_RUN.iter().filter(|(line, _)| !lines.contains(line)).collect();
    assert!(unused.is_empty(), "no page has these lines: {unused:?}");
}

/// Runs the command lines of a page, compares the outputs that it shows, and returns the lines.
fn run_page<'a>(path: &Path, text: &'a str) -> Vec<&'a str> {
    let name = path.strip_prefix(root()).unwrap().display();
    let (mut lines, mut shop, mut printed, mut page) = (Vec::new(), None, String::new(), text.to_owned());
    for block in blocks(text) {
        for line in command_lines(&block) {
            lines.push(line);
            if NOT_RUN.iter().any(|(not_run, _)| *not_run == line) {
                continue;
            }
            let (status, stdout, stderr) = shop.get_or_insert_with(Shop::new).run(line);
            assert!(status == 0 || reports(line) && status == 1, "{name}: {line}: exit {status}\n{stdout}{stderr}");
            printed = stdout;
        }
        if block.language == "text" {
            let shown = match block.text.strip_suffix(" …\n") {
                Some(shown) => printed.split_inclusive('\n').take(shown.lines().count()).chain([" …\n"]).collect(),
                None => printed.clone(),
            };
            if drawing() && times_replaced(block.text) != times_replaced(&shown) {
                page = page.replacen(&format!("```text\n{}```", block.text), &format!("```text\n{shown}```"), 1);
                fs::write(path, &page).unwrap();
                continue;
            }
            assert_eq!(times_replaced(block.text), times_replaced(&shown), "{name}: run assets/pictures/make");
        }
    }
    lines
}

fn times_replaced(text: &str) -> String {
    regex::Regex::new(r" *\b[0-9]+ ms\b *").unwrap().replace_all(text, " <ms> ").into_owned()
}

#[test]
fn the_readme_is_short_and_leads_to_every_page() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.len() <= 10_000, "{} bytes: move something to docs", readme.len());
    for (path, _) in texts() {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        assert!(name == "README.md" || readme.contains(&format!("({name})")), "the README does not link {name}");
    }
}

/// `docs/words.md` explains every verdict and every sign of a hook.
#[test]
fn the_words_and_signs_of_the_screen_are_explained() {
    let page = fs::read_to_string(root().join("docs/words.md")).unwrap();
    for verdict in Verdict::ALL {
        assert!(page.contains(&format!("\n| {} | ", verdict.title())), "{}", verdict.title());
    }
    let theme = fs::read_to_string(root().join("crates/tui/src/theme/mod.rs")).unwrap();
    let mark = regex::Regex::new(r#"Mark::\w+ => \("(.)", "(.)"\)"#).unwrap();
    let marks: Vec<_> = mark.captures_iter(&theme).collect();
    assert_eq!(marks.len(), 7);
    for found in marks {
        assert!(page.contains(&format!("\n| `{}` | `{}` | ", &found[1], &found[2])), "{}", &found[0]);
    }
}

#[test]
fn every_link_leads_to_a_file() {
    let link = regex::Regex::new(r#"\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)""#).unwrap();
    for (path, text) in texts() {
        for found in link.captures_iter(&text) {
            let target = found.get(1).or_else(|| found.get(2)).unwrap().as_str().split('#').next().unwrap();
            let remote = target.is_empty() || target.contains("://");
            assert!(remote || path.parent().unwrap().join(target).exists(), "{}: {target}", path.display());
        }
    }
}

/// Writes the generated page when `HOOKBENCH_DRAW` is set, and otherwise compares it.
pub fn check_generated(name: &str, made: &str) {
    let file = root().join("docs").join(name);
    if drawing() {
        fs::write(&file, made).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap_or_default(), made, "docs/{name} is stale: run assets/pictures/make");
}

/// Escapes what would end a cell or begin a tag.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

#[test]
fn the_page_of_codes_is_up_to_date() {
    const FAMILIES: [(CodeFamily, &str); 8] = [
        (CodeFamily::Files, "Files and their structure"),
        (CodeFamily::Events, "Events"),
        (CodeFamily::Matchers, "Matchers"),
        (CodeFamily::Commands, "Commands and handlers"),
        (CodeFamily::Timeouts, "Timeouts and limits"),
        (CodeFamily::Answers, "Scripts and their answers"),
        (CodeFamily::Layers, "Trust, switches and safety"),
        (CodeFamily::Safety, "Conditions and other agents"),
    ];
    let mut page = String::from(
        "# Look up a code of a finding\n\n\
         Each code has a page: why the problem matters, an example, the fix, and the versions of the agents that were \
         measured. `hookbench explain HW301` prints such a page.\n\n\
         This page is generated: `assets/pictures/make`.\n",
    );
    let mut listed = 0;
    for (family, title) in FAMILIES {
        page.push_str(&format!("\n## {title}\n\n| Code | Finding | Severity | Fix |\n|---|---|---|---|\n"));
        for rule in rule_pages().iter().filter(|rule| rule.code.family() == Some(family)) {
            let severity = rule.code.severity().word();
            let code = rule.code;
            page.push_str(&format!(
                "| [{code}](../assets/docs/{code}.md) | {} | {severity} | {} |\n",
                cell(rule.title),
                rule.fix
            ));
            listed += 1;
        }
    }
    assert_eq!(listed, rule_pages().len(), "a group is missing");
    check_generated("codes.md", &page);
}

#[test]
fn the_page_of_events_is_up_to_date() {
    let sandbox = Sandbox::new();
    let doc = sandbox.run("events --format json").assert_status(0).json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let names: Vec<(&str, &str)> = dialects::released().map(|d| (d.id().as_str(), d.name())).collect();
    let agents = names.iter().flat_map(|(id, _)| {
        list(&sandbox.run(&format!("events --agent {id} --format json")).assert_status(0).json()["agents"])
    });
    let mut page = String::from(
        "# Look up an event\n\n\
         An event has a name in each agent, and a neutral name that every command accepts. `hookbench events Stop` prints \
         one event in full: its fields, the answers that have an effect, and templates.\n\n\
         This page is generated from the tables of the agents: `assets/pictures/make`.\n\n\
         ## The same event in every agent\n\n",
    );
    let heads: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
    page.push_str(&format!("| Neutral name | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(heads.len())));
    let is_in_released_agent = |row: &&Value| names.iter().any(|(id, _)| row["events"][id].is_string());
    for row in list(&doc["mapping"]).iter().filter(is_in_released_agent) {
        let cells: Vec<String> = names
            .iter()
            .map(|(id, _)| row["events"][id].as_str().map_or_else(|| "–".to_owned(), |event| format!("`{event}`")))
            .collect();
        page.push_str(&format!("| `{}` | {} |\n", text(&row["canonical"]), cells.join(" | ")));
    }
    for agent in agents {
        let (id, version) = (text(&agent["agent"]), text(&agent["version"]));
        let name = names.iter().find(|(known, _)| *known == id).map_or(id.as_str(), |(_, name)| name);
        page.push_str(&format!(
            "\n## {name} {version}\n\n| Event | When | Matched against | A block means | Exit 2 |\n|---|---|---|---|---|\n"
        ));
        for event in list(&agent["events"]) {
            let subject = event["subject"].as_str().map_or_else(|| "–".to_owned(), |key| format!("`{key}`"));
            let blocks = event["blocks"].as_str().unwrap_or("–");
            page.push_str(&format!(
                "| `{}` | {} | {subject} | {} | {} |\n",
                text(&event["event"]),
                cell(&text(&event["about"])),
                cell(blocks),
                cell(&text(&event["exit_2"])),
            ));
        }
    }
    check_generated("events.md", &page);
}
