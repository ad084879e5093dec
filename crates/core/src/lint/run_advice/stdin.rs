//! HW420, HW421, HW507: how a run used its input.

use std::sync::LazyLock;

use hookbench_script::{Given, Grammar, ScriptModel, interpreter_of};
use regex::Regex;

use super::RunContext;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::ScriptFile;
use crate::output::Vote;
use crate::run::{Exit, Launch};
use crate::text::ascii_regex;

/// A matcher with a single name.
static ONE_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| ascii_regex(r"^\^?[\w-]+\$?$"));
/// Scripts that keep reading, or that wait for data and never end by themselves.
static READS_FOREVER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(
        r"(?m)while\s+(?:true|:|\[\s*1\s*\]|1)\s*;?\s*do[\s\S]*?\bread\b|while\s+(?:True|1)\s*:[\s\S]*?\breadline\(|\bon\(\s*['\x22]data['\x22]",
    )
});
/// Statements that end such a loop.
static ENDS_LOOP: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"\bbreak\b|\bread\b[^\n]*\|\||on\(\s*['\x22](?:end|close)['\x22]|process\.exit|sys\.exit|\breturn\b")
});

pub(super) fn check(at: &RunContext<'_>) -> Vec<Diagnostic> {
    let Launch::Process(spec) = &at.run.launch else { return Vec::new() };
    let given = spec.stdin.len() as u64;
    if given == 0 {
        return Vec::new();
    }
    let report = &at.run.report;
    let read = report.stdin_read;
    if matches!(report.exit, Exit::TimedOut { .. }) {
        let text = at.text();
        let goes_on = READS_FOREVER.as_ref().is_some_and(|r| r.is_match(&text));
        let stops = ENDS_LOOP.as_ref().is_some_and(|r| r.is_match(&text));
        if read >= given && goes_on && !stops {
            let says = "the hook read its whole input and then waited for more until it timed out";
            let help = "stop reading at the end of the input, or after the first JSON value";
            return vec![Diagnostic::new(Code::HW507, says).with_help(help)];
        }
        return Vec::new();
    }
    let Some(code) = at.code().filter(|_| read == 0) else { return Vec::new() };
    let silent = report.stdout.total == 0 && report.stderr.total == 0;
    if let Some(script) = at.facts.script.as_ref().filter(|_| code == 0 && silent)
        && let Some(why) = does_nothing(script)
    {
        let took = report.timing.duration().as_millis();
        let says = format!(
            "the hook exited with 0 after {took} ms, read nothing and printed nothing: {} {why}",
            at.scene.place.display_path(&script.path)
        );
        let help = if why == DEFINES {
            "call the function that the script defines, and read the input from stdin"
        } else {
            "read the input from stdin, and refuse with exit 2 or an answer on stdout"
        };
        return vec![Diagnostic::new(Code::HW421, says).with_help(help)];
    }
    check_unread_input(at).into_iter().collect()
}

/// HW420: a hook that decides without reading its input.
fn check_unread_input(at: &RunContext<'_>) -> Option<Diagnostic> {
    let vote = at.run.output.vote;
    let stop = at.event.fields.iter().any(|field| field.name == "stop_hook_active");
    if stop && vote == Vote::Block {
        let says =
            "the hook keeps the agent from stopping without reading its input, so it cannot see `stop_hook_active`";
        return Some(
            Diagnostic::new(Code::HW420, says).with_help("read the input, and exit 0 when `stop_hook_active` is true"),
        );
    }
    if !at.before_tool() || at.definition.detached || vote == Vote::None && may_read(at) {
        return None;
    }
    let narrow = match at.definition.matcher.as_ref().map(serde_json::Value::as_str) {
        Some(Some(text)) => ONE_NAME.as_ref().is_some_and(|r| r.is_match(text)),
        _ => false,
    } || at.definition.condition.is_some();
    let (severity, says) = match vote {
        Vote::None => (Severity::Info, "the hook did not read its input: it does the same for every call".to_owned()),
        vote => (
            if narrow { Severity::Info } else { Severity::Warning },
            format!(
                "the hook answered `{}` without reading its input: it gives every call the same answer",
                vote.words()
            ),
        ),
    };
    Some(Diagnostic::lowered(Code::HW420, severity, says).with_help("read the payload: one JSON object on stdin"))
}

/// Whether the script of a run reads its input on another way.
fn may_read(at: &RunContext<'_>) -> bool {
    let Some(script) = &at.facts.script else { return false };
    let program = at.facts.start.as_ref().and_then(|start| start.program.as_deref()).filter(|_| script.interpreted);
    let language = Grammar::of(&interpreter_of(program, &script.path, &script.text));
    let model = language.and_then(|language| ScriptModel::parse(&script.text, language));
    model.is_some_and(|model| model.walk(&Given::default()).reads_stdin)
}

/// The reason of a script whose functions are never called.
const DEFINES: &str = "only defines functions and variables, and never calls anything";

/// Returns why a script that ended normally has no effect.
fn does_nothing(script: &ScriptFile) -> Option<&'static str> {
    let kind = kind(script)?;
    let (mut any, mut defines) = (false, false);
    let mut depth = 0_i32;
    let mut quoted: Option<&str> = None;
    for line in script.text.lines() {
        let code = line.trim();
        if let Some(quote) = quoted {
            quoted = (!code.contains(quote)).then_some(quote);
            continue;
        }
        if kind == ScriptLanguage::Python
            && let Some(quote) = ["\"\"\"", "'''"].into_iter().find(|q| code.starts_with(q))
        {
            quoted = (code.matches(quote).count() < 2).then_some(quote);
            continue;
        }
        if code.is_empty()
            || code.starts_with('#')
            || code.starts_with("//")
            || code.starts_with('*')
            || code.starts_with("/*")
        {
            continue;
        }
        any = true;
        defines |= !matches!(code, "exit 0" | "true" | ":" | "pass");
        if depth == 0 && !line.starts_with([' ', '\t']) && !is_definition(kind, code) {
            return None;
        }
        for c in code.chars() {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ => {}
            }
        }
    }
    Some(match (any, defines) {
        (false, _) => "contains only comments",
        (true, false) => "only exits",
        (true, true) => DEFINES,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptLanguage {
    Python,
    JavaScript,
    Shell,
}

fn kind(script: &ScriptFile) -> Option<ScriptLanguage> {
    let head = script.text.lines().next().filter(|line| line.starts_with("#!")).unwrap_or("");
    let ends = |list: &[&str]| list.iter().any(|end| script.path.ends_with(end));
    if ends(&[".py"]) || head.contains("python") {
        Some(ScriptLanguage::Python)
    } else if ends(&[".js", ".mjs", ".cjs", ".ts", ".mts"]) || head.contains("node") || head.contains("bun") {
        Some(ScriptLanguage::JavaScript)
    } else if ends(&[".sh", ".bash"]) || head.contains("sh") {
        Some(ScriptLanguage::Shell)
    } else {
        None
    }
}

/// Whether a top-level line only defines something and has no effect.
fn is_definition(kind: ScriptLanguage, code: &str) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| code.starts_with(word));
    match kind {
        ScriptLanguage::Python => {
            begins(&["import ", "from ", "def ", "async def ", "class ", "@", ")", "]", "}", "pass"])
                || assigned_value(code).is_some_and(|value| !value.contains('('))
        }
        ScriptLanguage::JavaScript => {
            let made =
                ["const ", "let ", "var ", "module.exports", "exports."].iter().any(|word| code.starts_with(word))
                    && assigned_value(code).is_some_and(|value| {
                        let value = value.trim();
                        !value.contains('(')
                            || value.starts_with("require(")
                            || value.starts_with("function")
                            || value.starts_with("async ")
                            || value.starts_with("class")
                            || value.contains("=>") && value.starts_with('(')
                    });
            let words = [
                "import ",
                "export ",
                "function ",
                "async function ",
                "class ",
                "'use strict'",
                "\"use strict\"",
                "}",
                ")",
                "]",
                "type ",
                "interface ",
            ];
            (begins(&words) && !begins(&["import(", "import '", "import \""])) || made
        }
        ScriptLanguage::Shell => {
            let name = code.split("()").next().unwrap_or(code);
            let function = code.contains("()")
                && name.trim_start_matches("function ").trim().chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
            function
                || begins(&["function ", "}", "set -", "export ", "readonly ", "local ", "exit 0", "true", ":"])
                || assigned_value(code)
                    .is_some_and(|value| !value.contains("$(") && !value.contains('`') && !value.contains(' '))
        }
    }
}

/// Returns the assigned value if a line is an assignment.
fn assigned_value(code: &str) -> Option<&str> {
    let (name, value) = code.split_once('=')?;
    let name = name.trim().split(':').next()?.trim();
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_. ".contains(c));
    (plain && !value.starts_with('=')).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_only_exits_defines_nothing() {
        let script = |text: &str| ScriptFile { path: "a.sh".to_owned(), text: text.to_owned(), interpreted: true };
        assert_eq!(does_nothing(&script("#!/bin/sh\n# later\nexit 0\n")), Some("only exits"));
        assert_eq!(does_nothing(&script("#!/bin/sh\nLOG=x\nexit 0\n")), Some(DEFINES));
    }

    #[test]
    fn scripts_that_do_nothing() {
        for (path, text, want) in [
            ("a.py", "import sys\n\ndef main():\n    sys.exit(2)\n", true),
            ("a.py", "\"\"\"Guards.\nmain()\n\"\"\"\nRULES = [\n  'a',\n]\nclass A:\n  pass\n", true),
            ("a.py", "import sys\ndef main():\n    pass\nmain()\n", false),
            ("a.py", "def main(): pass\nif __name__ == '__main__':\n    main()\n", false),
            ("a.py", "import os\nos.makedirs('x', exist_ok=True)\n", false),
            ("a.py", "from setup import *\nNOW = load()\n", false),
            ("a.mjs", "import fs from 'fs';\nexport async function run(input) {\n  return 1;\n}\n", true),
            ("a.js", "const fs = require('fs');\nfunction main() {\n  fs.x();\n}\nmodule.exports = { main };\n", true),
            ("a.js", "const main = async () => {\n  work();\n};\n", true),
            ("a.js", "const main = async () => {\n  work();\n};\nmain();\n", false),
            ("a.js", "const log = fs.createWriteStream('x');\n", false),
            ("a.js", "import './work.js';\n", false),
            ("a.sh", "#!/bin/sh\n# later\n", true),
            ("a.sh", "#!/bin/sh\nset -eu\nexit 0\n", true),
            ("a.sh", "#!/bin/sh\nguard() {\n  exit 2\n}\n", true),
            ("a.sh", "#!/bin/sh\nguard() {\n  exit 2\n}\nguard\n", false),
            ("a.sh", "#!/bin/sh\ndate >> log\n", false),
            ("a.sh", "#!/bin/sh\nX=$(date)\n", false),
            ("a.sh", "FOO=1 ./run\n", false),
            ("tool", "\u{7f}ELF", false),
        ] {
            let script = ScriptFile { path: path.to_owned(), text: text.to_owned(), interpreted: true };
            assert_eq!(does_nothing(&script).is_some(), want, "{path}: {text}");
        }
    }
}
