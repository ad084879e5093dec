//! HW511: a command that does not end by itself and has no timeout.

use std::sync::LazyLock;

use regex::Regex;

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::handler_spans;

/// Programs that run until they are killed.
static NEVER_ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?:^|[\s;&|(])(?:tail\s+(?:-\w*\s+)*(?:-\w*[fF]\w*|--follow)|watch\s+-|sleep\s+infinity|journalctl\s+(?:\S+\s+)*-\w*f|inotifywait\s+(?:\S+\s+)*-m|fswatch\s|nodemon\s|(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:dev|start|serve|watch)\b|python3?\s+-m\s+http\.server|(?:tsc|jest|vitest|cargo|esbuild|webpack)\s(?:\S+\s+)*(?:--watch\b|watch\b)|docker\s+compose\s+up\b)",
    )
    .ok()
});
/// Endless loops.
static LOOP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\bwhile\s+(?:true|:|\[\s*1\s*\]|1)\s*(?:;|\n)\s*do\b|\bwhile\s+(?:True|1)\s*:|\bwhile\s*\(\s*(?:true|1)\s*\)|\bfor\s*\(\s*;\s*;\s*\)|\bfor\s+\(\(\s*;\s*;\s*\)\)").ok()
});
/// Statements that end a loop or a program.
static ENDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\b(?:break|exit|return|raise|throw)\b|process\.exit|\bkill\b").ok());
/// Marks of a line that runs in the background, has a time limit, or turns watching off.
static BOUNDED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"&\s*(?:$|\)|disown)|\bnohup\b|\btimeout\s+\S|\bsetsid\b|--watch(?:All)?=false|\s-d\b|--detach|--dry-run|\|\s*(?:head|grep\s+-\w*[qm]|sed\s+\S*q)\b").ok()
});

/// Calls that start a program in other languages.
const STARTS: [&str; 7] = ["subprocess", "os.system", "Popen", "exec(", "execSync(", "spawn(", "spawnSync("];

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let written = at.definition.raw.get("timeout").is_some_and(|value| !value.is_null());
    if written || at.definition.detached {
        return None;
    }
    let command = at.command()?;
    let text = at.script.map_or(command.as_str(), |script| script.text.as_str());
    let shell = at.script.is_none_or(|script| script.shell.is_some());
    let (line, what) = endless_command(text, shell)?;
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
fn endless_command(text: &str, shell: bool) -> Option<(usize, String)> {
    let bounded = BOUNDED.as_ref()?;
    for (index, line) in text.lines().enumerate() {
        let code = line.trim();
        if code.starts_with('#') || code.starts_with("//") || code.starts_with("echo ") || code.starts_with("printf ") {
            continue;
        }
        // Other languages may only print such a command or write it to a file.
        let runs = shell || STARTS.iter().any(|word| code.contains(word));
        if let Some(found) = NEVER_ENDS.as_ref()?.find(code).filter(|_| runs && !bounded.is_match(code)) {
            let words: Vec<&str> =
                found.as_str().trim_matches([' ', ';', '&', '|', '(']).split_whitespace().take(3).collect();
            return Some((index, format!("`{}`", words.join(" "))));
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
        ] {
            assert_eq!(endless_command(text, true).is_some(), want, "{text}");
        }
    }
}
