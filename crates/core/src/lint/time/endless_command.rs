//! HW511: a command that does not end by itself and has no timeout.

use std::sync::LazyLock;

use hookbench_script::{Started, Value, Walked};
use regex::Regex;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::answers::HookText;
use crate::lint::handler_spans;
use crate::text::ascii_regex;

/// Endless loops.
static LOOP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"\bwhile\s+(?:true|:|\[\s*1\s*\]|1)\s*(?:;|\n)\s*do\b|\bwhile\s+(?:True|1)\s*:|\bwhile\s*\(\s*(?:true|1)\s*\)|\bfor\s*\(\s*;\s*;\s*\)|\bfor\s+\(\(\s*;\s*;\s*\)\)",
    )
});
/// Statements that end a loop or a program.
static ENDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"\b(?:break|exit|return|raise|throw)\b|process\.exit|\bkill\b"));
/// Marks of a line that runs in the background, has a time limit, or turns watching off.
static BOUNDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"&\s*(?:$|\)|disown)|\bnohup\b|\btimeout\s+\S|\bsetsid\b|--watch(?:All)?=false|\s-d\b|--detach|--dry-run|\|\s*(?:head|grep\s+-\w*[qm]|sed\s+\S*q)\b",
    )
});

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let written = at.definition.raw.get("timeout").is_some_and(|value| !value.is_null());
    if written || at.definition.detached {
        return None;
    }
    let hook = HookText::of(at)?;
    let (line, what) = endless_command(&hook.text, hook.walk(at).as_deref())?;
    let place = match at.script {
        Some(script) => script.line_span(line),
        None => handler_spans::value_span(at, "command"),
    };
    let limit =
        at.definition.timeout.map(|limit| format!(": the agent ends it after {} s, every time", limit.as_secs()));
    let says = format!("{what} does not end by itself, and the hook has no timeout{}", limit.unwrap_or_default());
    let help = "add a `timeout`, run it in the background, or do one pass and exit";
    Some(Diagnostic::new(Code::HW511, says).at(place).with_help(help))
}

/// Returns the line (counted from 0) of the endless command or loop, and its name.
fn endless_command(text: &str, walked: Option<&Walked>) -> Option<(usize, String)> {
    let bounded = BOUNDED.as_ref()?;
    let line_of = |place: usize| text.get(..place).map_or(0, |before| before.matches('\n').count());
    for started in walked.map_or(&[][..], |walked| &walked.started) {
        let line = line_of(started.at.start);
        let code = text.lines().nth(line).unwrap_or_default();
        if let Some(name) = endless_program(started).filter(|_| !bounded.is_match(code)) {
            return Some((line, format!("`{name}`")));
        }
    }
    if let Some(line) = unbounded_wait(text) {
        return Some((line, "this loop".to_owned()));
    }
    let found = LOOP.as_ref()?.find(text)?;
    let inside = text.get(found.end()..).unwrap_or_default();
    let line = text.get(..found.start()).map_or(0, |before| before.matches('\n').count());
    let comment = text.lines().nth(line).is_some_and(|l| l.trim_start().starts_with(['#', '/']));
    (!comment && !ENDS.as_ref()?.is_match(inside) && !bounded.is_match(inside)).then(|| (line, "this loop".to_owned()))
}

/// The name of a program that runs until it is killed.
fn endless_program(started: &Started) -> Option<String> {
    let words: Vec<String> = started.arguments.iter().map_while(Value::known_text).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let option = |letter: char| {
        words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    let program = started.program.rsplit('/').next()?;
    let (shown, endless) = match (program, words.as_slice()) {
        ("tail", _) => (1, option('f') || option('F') || words.iter().any(|word| word.starts_with("--follow"))),
        ("journalctl", _) => (1, option('f')),
        ("inotifywait", _) => (1, option('m')),
        ("watch" | "fswatch" | "nodemon", [_, ..]) => (1, true),
        ("sleep", ["infinity"]) => (1, true),
        ("npm" | "pnpm" | "yarn" | "bun", ["run", script, ..]) => (2, is_server(script)),
        ("npm" | "pnpm" | "yarn" | "bun", [script, ..]) => (1, is_server(script)),
        ("python" | "python3", ["-m", "http.server", ..]) => (2, true),
        ("docker", ["compose", "up", ..]) => (2, true),
        ("tsc" | "jest" | "vitest" | "cargo" | "esbuild" | "webpack", words) => {
            (1, words.contains(&"--watch") || words.contains(&"watch"))
        }
        _ => (0, false),
    };
    endless.then(|| std::iter::once(program).chain(words.iter().take(shown).copied()).collect::<Vec<_>>().join(" "))
}

/// Whether a script of a package serves or watches.
fn is_server(script: &str) -> bool {
    ["dev", "start", "serve", "watch"].contains(&script)
}

/// Returns the line (counted from 0) of a loop that sleeps until something is ready and does not count its
/// attempts.
fn unbounded_wait(text: &str) -> Option<usize> {
    const COUNTS: [&str; 8] = ["((", "+= 1", "+=1", "expr ", "let ", "timeout ", "break", "exit "];
    let lines: Vec<&str> = text.lines().collect();
    let begins = |line: &str| {
        let line = line.trim_start();
        line.starts_with("until ") || line.starts_with("while !") || line.starts_with("while [ ! ")
    };
    lines.iter().enumerate().filter(|(_, line)| begins(line)).find_map(|(index, _)| {
        let below = lines.get(index..)?;
        let end = below.iter().position(|line| line.split([';', ' ']).any(|word| word == "done"))?;
        let body = below.get(..=end)?.join("\n");
        let sleeps = body.contains("sleep ");
        (sleeps && !COUNTS.iter().any(|word| body.contains(word))).then_some(index)
    })
}

#[cfg(test)]
mod tests {
    use hookbench_script::{Given, Grammar, ScriptModel};

    use super::endless_command;

    #[test]
    fn endless_commands() {
        for (text, want) in [
            ("tail -f /tmp/log", true),
            ("while true; do date; sleep 1; done", true),
            ("while True:\n    poll()\n", true),
            ("npm run dev", true),
            ("tsc --noEmit --watch", true),
            ("sleep infinity", true),
            ("until curl -s localhost; do sleep 1; done", true),
            ("while ! nc -z localhost 80; do\n  sleep 1\ndone", true),
            ("until curl -s localhost; do i=$((i+1)); [ $i -gt 9 ] && break; sleep 1; done", false),
            ("until curl -s localhost; do i=$((i+1)); done", false),
            ("tail -n 5 log", false),
            ("tail -f log &", false),
            ("timeout 5 tail -f log", false),
            ("nohup npm run dev >/dev/null 2>&1 &", false),
            ("while true; do read -r l || break; done", false),
            ("while true; do if ok; then exit 0; fi; sleep 1; done", false),
            ("while read -r line; do echo \"$line\"; done", false),
            ("# while true; do x; done", false),
            ("npm run lint", false),
            ("jest --watch=false", false),
            ("vitest run", false),
            ("docker compose up -d", false),
            ("cargo test -- --nocapture", false),
            ("grep -q 'tail -n' x", false),
            ("echo 'run npm run dev first'", false),
            ("tail -f log | grep -q -m1 ready", false),
            ("if jq -e '.command | test(\"(npm run dev|yarn dev)\")'; then\n  echo x\nfi", false),
            ("if a; then\n  npm run dev\nfi", true),
        ] {
            let walked = ScriptModel::parse(text, Grammar::Shell).unwrap().walk(&Given::default());
            assert_eq!(endless_command(text, Some(&walked)).is_some(), want, "{text}");
        }
    }
}
