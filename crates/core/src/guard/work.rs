//! Commands that build or test, and whether they failed.

use hookbench_script::{ScriptSource, runner_words};

use super::command_reader::{CheckedCommand, read_commands};
use super::hit::line;
use super::pattern::Pattern;
use super::rule::ToolKind;
use super::window::WindowCall;

/// Programs that only build or test.
const ALWAYS: [&str; 15] = [
    "pytest", "vitest", "jest", "make", "mvn", "gradle", "gradlew", "ctest", "tox", "mypy", "eslint", "tsc", "rspec",
    "phpunit", "nox",
];
/// Programs that build or test with these arguments.
const WITH: [(&str, &[&str]); 8] = [
    ("cargo", &["test", "nextest", "build", "check", "clippy", "t", "b", "c"]),
    ("npm", &["test", "run", "t"]),
    ("pnpm", &["test", "run", "build", "lint", "t"]),
    ("yarn", &["test", "run", "build", "lint"]),
    ("bun", &["test", "run"]),
    ("go", &["test", "build", "vet"]),
    ("dotnet", &["test", "build"]),
    ("ruff", &["check"]),
];

static FAILED: Pattern = Pattern::new(
    &[],
    r"(?m)(\b[1-9]\d* (failed|failing|errors?)\b|\bFAILED\b|^FAIL\b|\bTraceback \(most recent call last\)|\berror(\[E\d+\])?:|exit(ed with)? (code|status)[: ]+[1-9]|\bBUILD FAILED\b|npm ERR!)",
);
static PASSED: Pattern = Pattern::new(
    &[],
    r"(?i)(\b0 (failed|failures|errors)\b|\btest result: ok\b|\b\d+ passed\b|\bAll tests passed\b|\bBUILD SUCCESS)",
);

/// Whether a command builds or tests.
fn is_build_or_test(command: &CheckedCommand) -> bool {
    let words = command.words();
    let mut words = words.as_slice();
    while let Some(inner) = runner_words(words) {
        words = inner;
    }
    if let ScriptSource::Module(place) = ScriptSource::of(words) {
        return words.get(place).is_some_and(|module| ALWAYS.contains(module) || *module == "unittest");
    }
    let Some(program) = words.first() else { return false };
    let questions = ["--version", "-V", "--help", "-h", "--list", "--collect-only"];
    if words.iter().any(|word| questions.contains(word)) {
        return false;
    }
    let argument = words.iter().skip(1).find(|word| !word.starts_with(['-', '+'])).unwrap_or(&"");
    ALWAYS.contains(program) || WITH.iter().any(|(name, with)| name == program && with.contains(argument))
}

/// Returns the command of a call that builds or tests.
pub fn build_or_test<'a>(call: &WindowCall<'a>) -> Option<&'a str> {
    let command = call.call.input.get("command").filter(|_| call.kind == ToolKind::Shell)?.as_str()?;
    read_commands(command).iter().any(is_build_or_test).then_some(command)
}

/// Returns the newest build or test command of a window and how it failed, if it did.
pub fn newest_failure(calls: &[WindowCall<'_>]) -> Option<(String, String)> {
    let (command, output) = calls.iter().rev().find_map(|call| Some((build_or_test(call)?, call.output?)))?;
    let shown = FAILED.regex(&output.text).and_then(|regex| {
        let found = regex.find(output.text.as_bytes())?;
        Some(super::hit::line_at(&output.text, found.start()).to_owned())
    });
    let failed = match output.failed {
        Some(true) => true,
        _ => shown.is_some() && !PASSED.is_match(&output.text),
    };
    let first = || output.text.lines().find(|text| !text.trim().is_empty()).unwrap_or("no output").to_owned();
    failed.then(|| (line(command), line(&shown.unwrap_or_else(first))))
}
