//! HW511: a command that does not end by itself and has no timeout.

use hookbench_script::{Started, Value, Walked};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::answers::HookText;
use crate::lint::handler_spans;

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let written = at.definition.raw.get("timeout").is_some_and(|value| !value.is_null());
    if written || at.definition.detached {
        return None;
    }
    let hook = HookText::of(at)?;
    let (start, what) = endless_command(&*hook.walk(at)?)?;
    let place = match at.script {
        Some(script) => script.line_span(hook.text.get(..start)?.matches('\n').count()),
        None => handler_spans::value_span(at, "command"),
    };
    let limit =
        at.definition.timeout.map(|limit| format!(": the agent ends it after {} s, every time", limit.as_secs()));
    let says = format!("{what} does not end by itself, and the hook has no timeout{}", limit.unwrap_or_default());
    let help = "add a `timeout`, run it in the background, or do one pass and exit";
    Some(Diagnostic::new(Code::HW511, says).at(place).with_help(help))
}

/// Returns the place of the endless command or loop, and its name.
fn endless_command(walked: &Walked) -> Option<(usize, String)> {
    let started = walked.started.iter().filter(|started| !started.is_limited);
    let mut programs = started.filter_map(|one| Some((one.at.start, format!("`{}`", endless_program(one)?))));
    programs.next().or_else(|| Some((walked.endless.first()?.start, "this loop".to_owned())))
}

/// The name of a program that runs until it is killed.
fn endless_program(started: &Started) -> Option<String> {
    let words: Vec<String> = started.arguments.iter().map_while(Value::known_text).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if words.iter().any(|word| matches!(*word, "-d" | "--detach" | "--dry-run")) {
        return None;
    }
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

#[cfg(test)]
mod tests {
    use hookbench_script::Grammar::{self, JavaScript, Python, Shell};
    use hookbench_script::{Given, ScriptModel};

    use super::endless_command;

    #[test]
    fn commands_and_loops_that_do_not_end_by_themselves() {
        let cases: [(Grammar, &str, bool); 51] = [
            (Shell, "tail -f /tmp/log", true),
            (Shell, "while true; do date; sleep 1; done", true),
            (Shell, "npm run dev", true),
            (Shell, "tsc --noEmit --watch", true),
            (Shell, "sleep infinity", true),
            (Shell, "until curl -s localhost; do sleep 1; done", true),
            (Shell, "while ! nc -z localhost 80; do\n  sleep 1\ndone", true),
            (Shell, "while [ ! -f ready ]; do sleep 1; done", true),
            (Shell, "for ((;;)); do date; done", true),
            (Shell, "watch_it() { while :; do date; done; }\nwatch_it\nexit 0", true),
            (Shell, "until curl -s localhost; do i=$((i+1)); [ $i -gt 9 ] && break; sleep 1; done", false),
            (Shell, "until curl -s localhost || [ $i -gt 9 ]; do ((i++)); sleep 1; done", false),
            (Shell, "until curl -s localhost; do i=$((i+1)); done", false),
            (Shell, "until curl -s localhost; do sleep 1; done &", false),
            (Shell, "timeout 60 bash -c 'until curl -s localhost; do sleep 1; done'", false),
            (Shell, "for ((i = 0; i < 3; i++)); do date; done", false),
            (Shell, "tail -n 5 log", false),
            (Shell, "tail -f log &", false),
            (Shell, "{ npm run dev; } &\necho started", false),
            (Shell, "timeout 5 tail -f log", false),
            (Shell, "nohup npm run dev >/dev/null 2>&1 &", false),
            (Shell, "(setsid npm run dev)", false),
            (Shell, "while true; do read -r l || break; done", false),
            (Shell, "while true; do if ok; then exit 0; fi; sleep 1; done", false),
            (Shell, "while true; do ok && exit 0; sleep 1; done\necho 'then break'", false),
            (Shell, "while true; do date; sleep 1; done # break, exit", true),
            (Shell, "while read -r line; do echo \"$line\"; done", false),
            (Shell, "# while true; do x; done", false),
            (Shell, "echo 'while true; do x; done'", false),
            (Shell, "npm run lint", false),
            (Shell, "jest --watch=false", false),
            (Shell, "vitest run", false),
            (Shell, "docker compose up -d", false),
            (Shell, "cargo test -- --nocapture", false),
            (Shell, "grep -q 'tail -n' x", false),
            (Shell, "echo 'run npm run dev first'", false),
            (Shell, "tail -f log | grep -q -m1 ready", false),
            (Shell, "tail -f log | grep ready", true),
            (Shell, "if jq -e '.command | test(\"(npm run dev|yarn dev)\")'; then\n  echo x\nfi", false),
            (Shell, "if a; then\n  npm run dev\nfi", true),
            (Python, "while True:\n    poll()\n", true),
            (Python, "while True:\n    if poll():\n        break\n", false),
            (Python, "while True:\n    line = sys.stdin.readline()\n    if not line:\n        return\n", false),
            (Python, "subprocess.Popen(['npm', 'run', 'dev'])", false),
            (Python, "subprocess.run(['npm', 'run', 'dev'], timeout=5)", false),
            (Python, "subprocess.run(['npm', 'run', 'dev'])", true),
            (JavaScript, "for (;;) {\n  poll();\n}\n", true),
            (JavaScript, "while (true) {\n  poll();\n}\n", true),
            (JavaScript, "let more = true;\nwhile (more) {\n  more = false;\n  more = next() || more;\n}\n", false),
            (Python, "more = True\nwhile more:\n    more = step()\n", false),
            (Shell, "while [ 1 ]; do date; done", true),
        ];
        for (language, text, want) in cases {
            let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
            assert_eq!(endless_command(&walked).is_some(), want, "{text}");
        }
    }
}
