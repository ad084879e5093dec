//! `--help` at 80 columns with and without colour, its examples, typos of commands, completion scripts and manual
//! pages.

use std::collections::BTreeSet;
use std::fs;

use pretty_assertions::assert_eq;

use crate::pages::{Shop, reports};
use crate::sandbox::{ProgramOutput, Sandbox};

/// Examples that are not run, and the reasons.
const NOT_RUN: &[(&str, &str)] = &[
    ("hookbench demo", "it needs a terminal; tests/terminal opens it in one"),
    ("hookbench serve", "it runs until it is stopped"),
    ("hookbench server", "it runs until its editor ends it; cli/server.rs runs it"),
    ("hookbench calibrate", "it needs an installed agent; cli/calibrate.rs runs it on one for tests"),
    ("hookbench calibrate --agent claude --quick", "the same"),
    ("hookbench fire pre_tool_use --tool Bash --yes --verify", "the same; cli/verify.rs does"),
    ("hookbench stress guard.sh --yes", "it runs for a minute; cli/stress.rs runs it on smaller hooks"),
    ("hookbench serve --format jsonl", "it runs until it is stopped"),
];

/// The columns of a small terminal.
const COLUMNS: usize = 80;

fn help(sandbox: &Sandbox, path: &str) -> ProgramOutput {
    let env = [("COLUMNS".to_owned(), COLUMNS.to_string())];
    sandbox.run_in(&env, &format!("{path} --help")).assert_status(0)
}

/// Returns the names below a heading of a help text that ends with one of these words.
fn commands_in(help: &str) -> Vec<String> {
    let (mut names, mut inside) = (Vec::new(), false);
    for line in help.lines() {
        let heading = !line.starts_with(' ') && line.ends_with(':');
        inside =
            if heading { !["Options:", "Arguments:", "Examples:"].contains(&line) } else { inside && !line.is_empty() };
        if let Some(name) = line.strip_prefix("  ").filter(|text| inside && !text.starts_with([' ', '-', '['])) {
            names.push(name.split(' ').next().unwrap().to_owned());
        }
    }
    names.retain(|name| name != "help");
    names
}

/// Returns every command that does something, such as `fire` and `db list`.
fn every_command(sandbox: &Sandbox) -> Vec<String> {
    let top = commands_in(&help(sandbox, "").raw);
    assert!(top.len() > 20, "{top:?}");
    let below = |name: &String| {
        let inner = commands_in(&help(sandbox, name).raw);
        if inner.is_empty() { vec![name.clone()] } else { inner.iter().map(|one| format!("{name} {one}")).collect() }
    };
    top.iter().flat_map(below).collect()
}

/// Returns the command lines of the examples at the end of a help text.
fn examples(help: &str) -> Vec<&str> {
    let (_, text) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("no examples:\n{help}"));
    text.lines().filter_map(|line| line.strip_prefix("    ")).collect()
}

#[test]
fn the_commands_are_in_groups() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!("help", help(&sandbox, ""));
    insta::assert_snapshot!("help_fire", help(&sandbox, "fire"));
    insta::assert_snapshot!("help_install", help(&sandbox, "install"));
}

#[test]
fn help_fits_80_columns_in_colour_and_without() {
    let sandbox = Sandbox::new();
    let commands = every_command(&sandbox);
    let escapes = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    for path in commands.iter().map(String::as_str).chain(["", "db", "report"]) {
        let plain = help(&sandbox, path).raw;
        let wide: Vec<&str> = plain.lines().filter(|line| line.chars().count() > COLUMNS).collect();
        assert!(wide.is_empty(), "{path}: {wide:#?}");
        let env = [("COLUMNS", "80"), ("CLICOLOR_FORCE", "1")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let coloured = sandbox.run_in(&env, &format!("{path} --help")).raw;
        assert!(coloured != plain, "{path} has no colour");
        assert_eq!(escapes.replace_all(&coloured, ""), plain, "{path}: colour changes the layout");
    }
}

#[test]
fn every_example_runs() {
    let sandbox = Sandbox::new();
    let commands = every_command(&sandbox);
    let lines: BTreeSet<String> = std::thread::scope(|scope| {
        let halves = commands.chunks(commands.len().div_ceil(2));
        let threads: Vec<_> = halves.map(|half| scope.spawn(|| run_examples(&sandbox, half))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let unused: Vec<_> = NOT_RUN.iter().filter(|(line, _)| !lines.contains(*line)).collect();
    assert!(unused.is_empty(), "no help has these lines: {unused:?}");
}

/// Runs the examples of each command in a sample project with one recorded session. Returns the lines.
fn run_examples(sandbox: &Sandbox, commands: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for path in commands {
        let text = help(sandbox, path).raw;
        let lines = examples(&text);
        assert!((1..=3).contains(&lines.len()), "{path} has {} examples", lines.len());
        let shop = Shop::new();
        shop.sandbox.fake_program("man");
        shop.run("hookbench import session.jsonl");
        for line in lines {
            all.push(line.to_owned());
            if NOT_RUN.iter().any(|(not_run, _)| *not_run == line) {
                continue;
            }
            let (status, stdout, stderr) = shop.run(line);
            assert!(status == 0 || reports(line) && status == 1, "{line}: exit {status}\n{stdout}{stderr}");
        }
    }
    all
}

#[test]
fn a_typo_of_a_command_is_no_directory() {
    let sandbox = Sandbox::new();
    for line in ["lnit", "lnit --fix", "Lint", "--plain lnit"] {
        sandbox.run(line).assert_status(2).assert_stderr(&["unknown command", "did you mean \"lint\"?"]);
    }
    sandbox.run("--plain demo").assert_status(2).assert_stderr(&["options come after the command", "demo --help"]);
    sandbox.run("xyzzy").assert_status(2).assert_stderr(&["no directory has this name", "hookbench --help"]);
    sandbox.run("./no/such").assert_status(5).assert_stderr(&["./no/such does not exist"]);
    sandbox.file("notes.txt", "").run("notes.txt").assert_status(5).assert_stderr(&["notes.txt"]);
    sandbox.file("lnit/file", "").run("lnit").assert_stderr(&["needs a terminal"]);
    sandbox.run("db lst").assert_status(2).assert_stderr(&["list"]);
}

#[test]
fn a_code_needs_no_letters() {
    let sandbox = Sandbox::new();
    let page = sandbox.run("explain HW301").assert_status(0).raw;
    for code in ["301", "hw301", "HW301"] {
        assert_eq!(sandbox.run(&format!("explain {code}")).assert_status(0).raw, page, "{code}");
    }
    let list = sandbox.run("explain HW3").assert_status(0).raw;
    assert_eq!(sandbox.run("explain 3").assert_status(0).raw, list);
    sandbox.run("explain 999").assert_status(2).assert_stderr(&["999"]);
    sandbox.run("lint --select 301").assert_status(0);
}

#[test]
fn neutral_names_of_events_are_accepted() {
    let shop = Shop::new();
    for dialect in hookbench::core::dialects::ALL {
        let line = format!("hookbench plan pre_tool_use --agent {} --format json", dialect.id());
        let (status, stdout, stderr) = shop.run(&line);
        assert_eq!(status, 0, "{line}: {stderr}");
        assert!(!stdout.contains("pre_tool_use"), "{line}: the document has the agent's own name");
    }
    for line in ["why audit.py pre_tool_use", "match Bash --event pre_tool_use", "events pre_tool_use"] {
        let (status, _, stderr) = shop.run(&format!("hookbench {line}"));
        assert_eq!(status, 0, "{line}: {stderr}");
    }
}

#[test]
fn completion_scripts_know_commands_and_agents() {
    let sandbox = Sandbox::new();
    let agent = hookbench::core::dialects::ALL[0].id();
    for shell in ["bash", "zsh", "fish", "powershell", "nushell"] {
        let script = sandbox.run(&format!("completions {shell}")).assert_status(0).raw;
        // PowerShell's scripts complete no values.
        let words =
            ["uninstall", "agent-version", if shell == "powershell" { "timeout-scale" } else { agent.as_str() }];
        for word in words {
            assert!(script.contains(word), "{shell} does not complete {word}");
        }
    }
    sandbox.run("completions csh").assert_status(2).assert_stderr(&["powershell"]);
    let shop = Shop::new();
    let candidates = "source <(hookbench completions bash); COMP_WORDS=(hookbench li); COMP_CWORD=1; \
                      _hookbench hookbench li hookbench; echo ${COMPREPLY[*]}";
    let (status, stdout, stderr) = shop.run(candidates);
    assert_eq!((status, stdout.trim()), (0, "lint list"), "{stderr}");
}

#[test]
fn every_command_has_a_manual_page() {
    let sandbox = Sandbox::new();
    let page = sandbox.run("man fire").assert_status(0).raw;
    assert!(page.starts_with(".ie") || page.contains(".TH"), "{page}");
    assert!(page.contains("pre_tool_use"), "the examples are missing: {page}");
    assert!(!page.contains('\u{1b}'), "{page}");
    assert!(sandbox.run("man db list").assert_status(0).raw.contains("db"));
    sandbox.run("man nothing").assert_status(2).assert_stderr(&["unknown command \"nothing\""]);
    sandbox.run("man --dir pages").assert_status(0);
    let files: BTreeSet<String> = fs::read_dir(sandbox.project.join("pages"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    for path in every_command(&sandbox) {
        let file = format!("hookbench-{}.1", path.replace(' ', "-"));
        assert!(files.contains(&file), "{file} is missing in {files:?}");
    }
    assert!(files.contains("hookbench.1"));
}
