//! HW409, HW415: programs that a hook needs and that are not on its PATH, or not on that of the agent.

use std::ops::Range;

use hookbench_script::bare_name;

use super::environment::{on_path, value};
use super::shell_texts::{self, ShellText};
use crate::config::Os;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::answers::HookText;
use crate::text::Span;
use crate::text::shell::{CommandJoin, Word};

/// Programs that may be missing on a machine.
pub const OPTIONAL_PROGRAMS: [&str; 40] = [
    "jq",
    "yq",
    "python",
    "python3",
    "node",
    "npm",
    "npx",
    "pnpm",
    "yarn",
    "bun",
    "bunx",
    "deno",
    "tsx",
    "uv",
    "uvx",
    "ruby",
    "perl",
    "php",
    "go",
    "gofmt",
    "cargo",
    "rustfmt",
    "prettier",
    "eslint",
    "biome",
    "black",
    "ruff",
    "mypy",
    "pytest",
    "gh",
    "rg",
    "fd",
    "curl",
    "wget",
    "shellcheck",
    "shfmt",
    "gitleaks",
    "terraform",
    "osascript",
    "notify-send",
];

/// Directories of version managers, which are on the PATH of interactive shells only.
const MANAGERS: [(&str, &str); 16] = [
    ("/.nvm/", "nvm"),
    ("/fnm_multishells/", "fnm"),
    ("/.fnm/", "fnm"),
    ("/.local/share/fnm/", "fnm"),
    ("/.volta/", "Volta"),
    ("/.nodenv/", "nodenv"),
    ("/.pyenv/", "pyenv"),
    ("/.rbenv/", "rbenv"),
    ("/.rvm/", "RVM"),
    ("/.asdf/", "asdf"),
    ("/.local/share/mise/", "mise"),
    ("/.sdkman/", "SDKMAN"),
    ("/.jenv/", "jenv"),
    ("/.nix-profile/", "Nix"),
    ("/nix/", "Nix"),
    ("/miniconda3/", "conda"),
];

/// Program directories of every login shell.
const LOGIN_DIRECTORIES: [&str; 10] = [
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/snap/bin",
    "/home/linuxbrew/.linuxbrew/bin",
];

/// Reports each missing program once.
pub(super) fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    if at.agent.place.os == Os::Windows || at.start.is_none_or(|start| start.refused.is_some()) {
        return Vec::new();
    }
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for line in shell_texts::new_lines(at) {
        // A script that changes PATH or loads other scripts cannot be checked.
        let changed = line.shell.assigned_variables().contains("PATH")
            || line.shell.commands.iter().any(|s| matches!(s.name(), Some("source" | "." | "eval")));
        if changed {
            break;
        }
        // A script runs few programs many times.
        let mut known: Vec<String> = Vec::new();
        for simple in &line.shell.commands {
            let Some(word) = simple.unwrapped_words().first() else { continue };
            let is_new = |name: &String| !name.contains('/') && !seen.contains(name) && !known.contains(name);
            let Some(name) = word.constant().filter(is_new) else { continue };
            if guarded(line, &name) || line.shell.functions.contains(&name) {
                known.push(name);
                continue;
            }
            let place = || line.span_of(word.at.clone());
            match on_path(at, &name) {
                Some(path) => match check_path_of_agent(at, &name, &path, place()) {
                    Some(one) => {
                        seen.push(name);
                        found.push(one);
                    }
                    None => known.push(name),
                },
                None if simple.depth == 0
                    && simple.join != CommandJoin::Or
                    && OPTIONAL_PROGRAMS.contains(&name.as_str()) =>
                {
                    let says = format!("this hook needs {name}, which is not found on PATH");
                    let help =
                        "install it, or test for it with `command -v` and choose the exit status if it is missing";
                    let one = Diagnostic::new(Code::HW415, says).at(place()).with_help(help);
                    found.push(one.with_cause(format!("{name} is not found")));
                    seen.push(name);
                }
                None if OPTIONAL_PROGRAMS.contains(&name.as_str()) => {}
                None => known.push(name),
            }
        }
    }
    found.extend(check_started_programs(at, &seen));
    found.extend(check_shebang_program(at));
    found
}

/// Whether the script tests for the program before using it.
fn guarded(line: ShellText<'_>, name: &str) -> bool {
    line.shell.commands.iter().any(|simple| {
        let asks = matches!(simple.name(), Some("command" | "which" | "type" | "hash" | "has"));
        asks && simple.words.iter().skip(1).any(|word: &Word| word.text() == name)
    })
}

/// Signs that a script handles the absence of a program.
const CAREFUL: [&str; 3] = ["except", "catch", "ENOENT"];

/// HW415: the programs that a script in another language starts, unless it looks for them or handles their absence.
fn check_started_programs(at: &RuleContext<'_>, seen: &[String]) -> Vec<Diagnostic> {
    let script = at.new_script().filter(|script| script.shell.is_none());
    let Some(script) = script.filter(|script| !CAREFUL.iter().any(|sign| script.text.contains(sign))) else {
        return Vec::new();
    };
    let Some(walked) = HookText::of(at).and_then(|text| text.walk(at)) else { return Vec::new() };
    let mut found: Vec<(&String, Range<usize>, Option<String>)> = Vec::new();
    for started in &walked.started {
        let name = &started.program;
        // An indented call is in a branch or a function, which may not run.
        let before = script.text.get(..started.at.start).unwrap_or_default();
        if !before.rsplit('\n').next().unwrap_or_default().starts_with([' ', '\t'])
            && OPTIONAL_PROGRAMS.contains(&name.as_str())
            && !seen.contains(name)
            && !walked.searched.contains(name)
            && !found.iter().any(|(known, ..)| *known == name)
        {
            found.push((name, started.place_of(name, &script.text), on_path(at, name)));
        }
    }
    found
        .into_iter()
        .filter_map(|(name, range, path)| {
            let place = script.span(range.start, range.end);
            if let Some(path) = path {
                return check_path_of_agent(at, name, &path, place);
            }
            let says = format!("this script starts {name}, which is not found on PATH");
            let help = "install it, or look for it first and choose the exit status if it is missing";
            let found = Diagnostic::new(Code::HW415, says).at(place);
            Some(found.with_help(help).with_cause(format!("{name} is not found")))
        })
        .collect()
}

/// HW409: a program that the agent was last seen without, or of a version manager that login shells do not have.
fn check_path_of_agent(at: &RuleContext<'_>, name: &str, path: &str, place: Span) -> Option<Diagnostic> {
    let is_in = |directory: &str| at.agent.files.executable(&format!("{directory}/{name}")) == Some(true);
    let shown = at.agent.place.display_path(path);
    let says = match &at.agent.machine.seen_path {
        Some(seen) if seen.split(':').any(is_in) => return None,
        Some(seen) => {
            format!("{name} ({shown}) is not on the PATH that {} was last seen with: {seen}", at.agent_name())
        }
        None => {
            let (_, manager) = MANAGERS.iter().find(|(directory, _)| path.contains(directory))?;
            if LOGIN_DIRECTORIES.into_iter().any(is_in) {
                return None;
            }
            format!(
                "{name} comes from {manager} ({shown}): an agent that is not started from your shell does not find it"
            )
        }
    };
    let help = "write the absolute path, or test for it with `command -v` and choose the exit status if it is missing";
    Some(Diagnostic::new(Code::HW409, says).at(place).with_help(help))
}

/// Checks the `#!/usr/bin/env …` line of a script that is executed directly.
fn check_shebang_program(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let script = at.new_script().filter(|script| !script.interpreted)?;
    let line = script.text.lines().next()?;
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let env = words.next()?;
    let program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    if !env.ends_with("/env") || value(at, "PATH").is_none() {
        return None;
    }
    match on_path(at, program) {
        Some(path) => check_path_of_agent(at, program, &path, script.line_span(0)),
        None => {
            let says =
                format!("{} is not found on PATH, but the first line of this script requires it", bare_name(program));
            let help = "install it, or run the script with an installed interpreter";
            Some(Diagnostic::new(Code::HW415, says).at(script.line_span(0)).with_help(help))
        }
    }
}
