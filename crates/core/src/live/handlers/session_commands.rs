//! Classification of a session's commands, and their outcomes.

use serde::Serialize;
use serde_json::Value;

hookbench_base::words! {
    /// The outcome of a tool call.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ToolOutcome {
        Ok = "ok",
        Failed = "failed",
    }
    /// The word for it.
    fn word;
}

/// Commands that only list or print.
const LISTINGS: [&str; 18] = [
    "ls", "pwd", "cd", "cat", "head", "tail", "less", "tree", "find", "echo", "which", "wc", "file", "stat", "grep",
    "rg", "fd", "sleep",
];

/// Programs that always run tests, …
const TESTERS: [&str; 12] =
    ["pytest", "jest", "vitest", "mocha", "rspec", "phpunit", "tox", "nox", "ctest", "nextest", "bats", "playwright"];
/// … and programs that run tests if an argument says so.
const RUNNERS: [&str; 16] = [
    "cargo", "npm", "pnpm", "yarn", "bun", "deno", "go", "make", "just", "mvn", "gradle", "gradlew", "dotnet", "mix",
    "swift", "bazel",
];

/// Whether a command only lists or prints.
pub fn is_listing(command: &str) -> bool {
    let mut parts = parts(command).peekable();
    parts.peek().is_some() && parts.all(|part| LISTINGS.contains(&program(part)))
}

/// Whether a command runs tests.
pub fn is_test(command: &str) -> bool {
    parts(command).any(|part| {
        let words: Vec<&str> = part.split_whitespace().map(name).collect();
        let told = |at: usize| words[at + 1..].iter().any(|word| word.split(':').next() == Some("test"));
        words.iter().enumerate().any(|(at, word)| TESTERS.contains(word) || (RUNNERS.contains(word) && told(at)))
    })
}

fn parts(command: &str) -> impl Iterator<Item = &str> {
    command.split(['|', ';', '&', '\n']).map(str::trim).filter(|part| !part.is_empty())
}

/// Returns the first word that is not a variable assignment.
fn program(part: &str) -> &str {
    part.split_whitespace().find(|word| !word.contains('=')).map_or("", name)
}

/// Returns a program without its directory.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Returns the outcome of a tool call from its response. Agents report it in a key or in the text.
pub fn outcome(response: &Value) -> ToolOutcome {
    let failed = match response {
        Value::Object(keys) => {
            let error = keys.get("error").is_some_and(|error| !error.is_null() && error != &Value::Bool(false));
            let status = ["exit_code", "exitCode"].iter().find_map(|key| keys.get(*key)?.as_i64());
            let text = ["llmContent", "output"].iter().find_map(|key| keys.get(*key)?.as_str());
            let is_error = keys.get("is_error").or_else(|| keys.get("interrupted"));
            error
                || status.is_some_and(|status| status != 0)
                || is_error == Some(&Value::Bool(true))
                || text.is_some_and(says_failed)
        }
        Value::String(text) => says_failed(text),
        _ => false,
    };
    if failed { ToolOutcome::Failed } else { ToolOutcome::Ok }
}

/// Whether the text has a line such as `Exit code: 1`.
fn says_failed(text: &str) -> bool {
    const BEGINNINGS: [&str; 3] = ["exit code: ", "exit code ", "process exited with code "];
    text.lines().map(|line| line.trim().to_ascii_lowercase()).any(|line| {
        let number = BEGINNINGS.iter().find_map(|begin| line.strip_prefix(begin));
        number.is_some_and(|number| {
            let digits = number.trim_end_matches('.');
            !digits.is_empty() && digits != "0" && digits.bytes().all(|b| b.is_ascii_digit())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn listings_and_tests() {
        for (command, listing, test) in [
            ("ls -la", true, false),
            ("cd src && /bin/ls | head", true, false),
            ("X=1 cat a", true, false),
            ("cat a > b; rm a", false, false),
            ("cargo test --lib", false, true),
            ("cd a && RUST_LOG=x cargo nextest run", false, true),
            ("npm run test:unit", false, true),
            ("python -m pytest -q", false, true),
            ("./gradlew test", false, true),
            ("go test ./...", false, true),
            ("cargo build", false, false),
            ("echo test", true, false),
            ("", false, false),
        ] {
            assert_eq!((is_listing(command), is_test(command)), (listing, test), "{command}");
        }
    }

    #[test]
    fn outcomes_in_every_form() {
        for (response, failed) in [
            (json!("hi\n"), false),
            (json!("Exit code: 0\nfine"), false),
            (json!("Exit code: 101\nWall time: 1 seconds"), true),
            (json!("Process exited with code 2."), true),
            (json!("the exit code 3 is not said here"), false),
            (json!({"llmContent": "Command: x\nExit Code: 3\n"}), true),
            (json!({"llmContent": "x", "error": {"message": "no"}}), true),
            (json!({"error": null, "exitCode": 0}), false),
            (json!({"exit_code": 1}), true),
            (json!({"stdout": "", "interrupted": true}), true),
            (Value::Null, false),
        ] {
            assert_eq!(outcome(&response) == ToolOutcome::Failed, failed, "{response}");
        }
    }
}
