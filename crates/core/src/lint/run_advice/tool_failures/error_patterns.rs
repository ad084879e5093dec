//! The error messages of interpreters, shells and tools on stderr, and the exit statuses that go with them.

use std::sync::LazyLock;

use crate::text::ascii_regex;
use regex::{Captures, Regex};

/// The number of lines at the end of stderr that are examined.
const LINES: usize = 60;

/// The program that caused an exit status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FailingProgram {
    pub program: String,
    /// The line on stderr that identifies it.
    pub line: String,
    /// The script did not run, or was aborted on the spot, so the status cannot be the script's.
    pub before_script: bool,
    /// Nothing else was printed after the line.
    pub last: bool,
    pub help: Option<&'static str>,
}

struct ErrorPattern {
    line: &'static str,
    /// The program, if the line does not name it in the group `p`.
    program: &'static str,
    /// The exit statuses that the program uses. Empty means any but 0.
    codes: &'static [i32],
    before_script: bool,
    help: Option<&'static str>,
}

const LOST: Option<&str> = Some("fix the path of the script");
const SYNTAX: Option<&str> = Some("fix the script: its interpreter cannot parse it");
const ARGUMENTS: Option<&str> = Some("fix the arguments in the command: argparse exits with 2 if they are wrong");
const MISSING: Option<&str> = Some("install it, or test for it: command -v NAME >/dev/null || exit 0");

const fn broken(
    line: &'static str,
    program: &'static str,
    codes: &'static [i32],
    help: Option<&'static str>,
) -> ErrorPattern {
    ErrorPattern { line, program, codes, before_script: true, help }
}

const fn tool(line: &'static str, program: &'static str, codes: &'static [i32]) -> ErrorPattern {
    ErrorPattern { line, program, codes, before_script: false, help: None }
}

/// The last line of stderr is tried first. For each line, the first matching shape counts.
const ERROR_PATTERNS: &[ErrorPattern] = &[
    // Interpreters that did not find a script or could not parse it.
    broken(r"^(?:\S*/)?(?P<p>python[\d.]*(?:\.exe)?): can't open file ", "", &[2], LOST),
    broken(r"^(?:\S*/)?(?P<p>python[\d.]*): (?:No module named|can't find '__main__')", "", &[1], LOST),
    broken(r"^(?P<p>ruby): No such file or directory -- ", "", &[1], LOST),
    broken(r"^Can't open (?P<p>perl) script ", "", &[2], LOST),
    broken(r"^Could not open input file: ", "php", &[1], LOST),
    broken(
        r"^(?:Uncaught )?Error: Cannot find module ",
        "node",
        &[1],
        Some("fix the path, or install the required module"),
    ),
    broken(
        r"^Error \[ERR_MODULE_NOT_FOUND\]|^\w*Error.*code: 'ERR_MODULE_NOT_FOUND'",
        "node",
        &[1],
        Some("install the modules that the script imports"),
    ),
    broken(
        r"^error: (?:Module not found|Script not found|Cannot find (?:module|package))",
        "the script's runtime",
        &[1],
        LOST,
    ),
    broken(
        r"^(?:ModuleNotFoundError|ImportError): ",
        "python",
        &[1],
        Some("install the modules that the script imports, for the python that runs it"),
    ),
    broken(r"^(?:SyntaxError|IndentationError|TabError)\b", "the script's interpreter", &[1], SYNTAX),
    broken(
        r"^(?:\S+: )?(?:-c: )?(?:line )?\d+: (?:[Ss]yntax error|unexpected EOF|conditional binary operator expected)",
        "the shell",
        &[2, 1, 127],
        SYNTAX,
    ),
    broken(r"^\S+: (?:-c: )?(?:line )?\d+: syntax error", "the shell", &[2, 1, 127], SYNTAX),
    broken(r"^syntax error at \S+ line \d+", "perl", &[], SYNTAX),
    broken(r"^Can't locate \S+ in @INC", "perl", &[2], Some("install the modules that the script uses")),
    broken(
        r"^\S.*: (?:bad interpreter|cannot execute: required file not found)",
        "the system",
        &[126, 127],
        Some("fix the #! line of the script"),
    ),
    broken(
        r"^(?:\S*/)?env: .*: No such file or directory",
        "env",
        &[127],
        Some("fix the #! line of the script, or install that program"),
    ),
    // Shells that could not start a program.
    ErrorPattern {
        line: r"^(?:\S+: )*(?:line )?\d+: (?P<p>[^:\s]+): (?:command )?not found$",
        program: "",
        codes: &[127],
        before_script: true,
        help: MISSING,
    },
    ErrorPattern {
        line: r"^(?:\S+: )?command not found: (?P<p>\S+)$",
        program: "",
        codes: &[127],
        before_script: true,
        help: MISSING,
    },
    ErrorPattern {
        line: r"^\S+: (?P<p>[^:\s]+): (?:command )?not found$",
        program: "",
        codes: &[127],
        before_script: true,
        help: MISSING,
    },
    broken(r"^.*: No such file or directory$", "the shell", &[127], LOST),
    broken(
        r"^.*: Permission denied$",
        "the shell",
        &[126],
        Some("run chmod +x, or write the interpreter before the script"),
    ),
    broken(r"^.*: (?:Is a directory|cannot execute binary file.*|Exec format error)$", "the shell", &[126], None),
    tool(r"^.*: (?P<w>\w+): (?:unbound variable|parameter not set)$", "the shell", &[1, 2, 127]),
    tool(r"^.*: (?:\[|test): .*(?:expected|missing|too many arguments|unknown|Illegal number)", "test", &[2]),
    tool(
        r"^.*(?:[Bb]ad substitution|ambiguous redirect|Illegal number|arithmetic (?:expression|syntax error).*)$",
        "the shell",
        &[1, 2],
    ),
    // Redirections that failed.
    tool(
        r"^(?:\S+: )*(?:line )?\d+: (?:cannot (?:create|open) )?(?P<p>\S+): (?:Directory nonexistent|No such file(?: or directory)?|Permission denied|Is a directory|Read-only file system|Not a directory)$",
        "the shell's redirection to ",
        &[1, 2],
    ),
    // Uncaught errors.
    tool(r"^(?P<w>[\w.]*(?:Error|Exception|Interrupt)): ", "python", &[1]),
    tool(r"^Node\.js v\d", "node", &[1]),
    tool(r"^\S+:\d+:in .*\((?:\w+::)*\w*(?:Error|Exception)\)", "ruby", &[1]),
    tool(r"^PHP (?:Fatal|Parse) error: ", "php", &[255, 254, 1]),
    tool(r"^thread '.*' panicked at ", "the program", &[101]),
    tool(r"^panic: ", "the program", &[2]),
    // Tools.
    tool(r"^(?:\S*/)?(?P<p>[efz]?grep|rg|ugrep): ", "", &[2]),
    tool(r"^(?P<p>jq): (?:error|\d+ compile error|Unknown|Could not open)", "", &[2, 3, 5]),
    tool(r"^(?:jq: )?parse error: ", "jq", &[2, 4, 5]),
    ErrorPattern { help: ARGUMENTS, ..tool(r"^(?P<p>[\w.-]+\.py(?: [\w-]+)?): error: ", "argparse in ", &[2]) },
    tool(r"^(?P<p>[\w.-]+(?: [\w-]+)?): error: ", "", &[2]),
    tool(
        r"^error: (?:unexpected argument|unrecognized subcommand|the following required arguments|invalid value|a value is required)",
        "a tool",
        &[2],
    ),
    tool(r"^(?P<p>make)(?:\[\d+\])?: \*\*\* ", "", &[2]),
    tool(r"^(?P<p>npm) (?:ERR!|error) ", "", &[]),
    tool(r"^fatal: ", "git", &[128, 1]),
    tool(
        r"^(?:\S*/)?(?P<p>sed|g?awk|mawk|find|ls|cat|cp|mv|rm|mkdir|head|tail|sort|cut|tr|xargs|diff|cmp|tar|curl|wget|stat|realpath|readlink|timeout|tee|date|chmod|touch|node|deno|bun|npx|yarn|pnpm|uv|pip3?|cargo|go|docker|ssh|rsync|bc|comm|join|paste|uniq|wc|od|base64|sha\d+sum|sqlite3|psql|gh|ruff|mypy|black|eslint|prettier|tsc|shellcheck|pytest): (?:\S.*)$",
        "",
        &[],
    ),
];

static COMPILED: LazyLock<Vec<(Regex, &'static ErrorPattern)>> =
    LazyLock::new(|| ERROR_PATTERNS.iter().filter_map(|shape| Some((Regex::new(shape.line).ok()?, shape))).collect());
/// Lines that follow an error message and belong to it.
static FOLLOW_UP_LINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r"(?i)^(?:\s|usage:|try |run |see |for more|hint|note:|node\.js v|help:|options:|\^+$|}|$)")
});

/// Finds the program that caused this status, from stderr.
pub(super) fn find_failing_program(stderr: &str, code: i32) -> Option<FailingProgram> {
    let lines: Vec<&str> = stderr.lines().map(str::trim_end).collect();
    let traceback = stderr.contains("Traceback (most recent call last)");
    let from = lines.len().saturating_sub(LINES);
    let mut last = true;
    for (index, line) in lines.iter().enumerate().skip(from).rev() {
        for (pattern, shape) in COMPILED.iter() {
            let fits = shape.codes.is_empty() || shape.codes.contains(&code);
            let Some(found) = pattern.captures(line).filter(|_| fits) else { continue };
            // A line that looks like an uncaught error is one only after a traceback or before a stack trace.
            let error = shape.program == "python" && !shape.before_script;
            let stack = lines.get(index + 1).is_some_and(|next| next.trim_start().starts_with("at "));
            if error && !traceback && !stack {
                continue;
            }
            let runtime = if shape.program == "python" && stack && !traceback { "node" } else { shape.program };
            let said =
                if runtime == "node" && line.starts_with("Node.js") { cause(&lines).unwrap_or(line) } else { line };
            return Some(FailingProgram {
                program: program(&found, runtime, &lines),
                line: said.trim().to_owned(),
                before_script: shape.before_script || traceback || shape.program == "node",
                last,
                help: shape.help,
            });
        }
        if !FOLLOW_UP_LINES.as_ref().is_some_and(|r| r.is_match(line)) {
            last = false;
        }
    }
    None
}

/// Returns the error message above a stack trace.
fn cause<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let at = lines.iter().position(|line| line.trim_start().starts_with("at "))?;
    lines.get(at.checked_sub(1)?).copied()
}

fn program(found: &Captures<'_>, given: &'static str, lines: &[&str]) -> String {
    let named = found.name("p").map(|name| name.as_str());
    match named {
        Some(name) => {
            format!("{}`{}`", if given.ends_with(' ') { given } else { "" }, name.rsplit('/').next().unwrap_or(name))
        }
        None if given == "the script's interpreter" => {
            let python = lines.iter().any(|line| line.trim_start().starts_with("File \""));
            if python { "`python`".to_owned() } else { "`node`".to_owned() }
        }
        None if given.starts_with("the ") || given.starts_with("a ") => given.to_owned(),
        None => format!("`{given}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(COMPILED.len(), ERROR_PATTERNS.len());
    }

    #[test]
    fn failing_programs_are_found() {
        for (stderr, code, want) in [
            ("python3: can't open file '/p/lost.py': [Errno 2] No such file or directory", 2, Some("`python3`")),
            ("/usr/bin/python3.12: can't open file 'x.py': [Errno 2] No such file", 2, Some("`python3.12`")),
            (
                "usage: guard.py [-h] --mode MODE\nguard.py: error: the following arguments are required: --mode",
                2,
                Some("argparse in `guard.py`"),
            ),
            (
                "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    x\nKeyError: 'tool_input'",
                1,
                Some("`python`"),
            ),
            ("  File \"/p/x.py\", line 3\n    if x\n        ^\nSyntaxError: expected ':'", 1, Some("`python`")),
            (
                "/p/x.js:3\nconst = 1\n      ^\n\nSyntaxError: Unexpected token '='\n    at wrapSafe (node:internal)\n\nNode.js v22.1.0",
                1,
                Some("`node`"),
            ),
            (
                "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module '/p/x.js'\n    at Module._resolve\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v22.1.0",
                1,
                Some("`node`"),
            ),
            (
                "/p/x.js:1\nfoo();\n^\n\nReferenceError: foo is not defined\n    at Object.<anonymous> (/p/x.js:1:1)\n\nNode.js v20.0.0",
                1,
                Some("`node`"),
            ),
            ("guard.sh: line 4: syntax error near unexpected token `fi'", 2, Some("the shell")),
            ("sh: 1: Syntax error: Unterminated quoted string", 2, Some("the shell")),
            ("bash: -c: line 1: syntax error: unexpected end of file", 2, Some("the shell")),
            ("guard.sh: line 2: jq: command not found", 127, Some("`jq`")),
            ("/bin/sh: 1: ./lost.sh: not found", 127, Some("`lost.sh`")),
            ("zsh:1: command not found: jq", 127, Some("`jq`")),
            ("bash: ./guard.sh: No such file or directory", 127, Some("the shell")),
            ("/bin/sh: 1: ./guard.sh: Permission denied", 126, Some("the shell")),
            ("env: 'node': No such file or directory", 127, Some("`env`")),
            ("/usr/bin/env: ‘node’: No such file or directory", 127, Some("`env`")),
            ("grep: rules.txt: No such file or directory", 2, Some("`grep`")),
            ("grep: Unmatched [, [^, [:, [., or [=", 2, Some("`grep`")),
            ("jq: error (at <stdin>:0): Cannot index string with \"x\"", 5, Some("`jq`")),
            ("jq: 1 compile error", 3, Some("`jq`")),
            ("parse error: Invalid numeric literal at line 1, column 5", 2, Some("`jq`")),
            ("make: *** No rule to make target 'x'.  Stop.", 2, Some("`make`")),
            ("guard.sh: 3: X: parameter not set", 2, Some("the shell")),
            ("guard.sh: line 3: [: : integer expression expected", 2, Some("`test`")),
            // Messages of a hook's own policy.
            ("Blocked: rm -rf is not allowed", 2, None),
            ("error: protected file", 2, None),
            ("ValueError: the command must not be empty", 2, None),
            ("ERROR: do not push to main", 1, None),
            ("grep: x: No such file or directory", 1, None),
            ("policy.py says: no", 2, None),
            ("", 2, None),
        ] {
            assert_eq!(find_failing_program(stderr, code).map(|c| c.program).as_deref(), want, "{stderr}");
        }
    }

    #[test]
    fn last_lines_are_recognized() {
        for (stderr, want) in [
            ("grep: x: No such file or directory", true),
            ("grep: x: No such file or directory\nBlocked by policy", false),
            ("Usage: grep [OPTION]... PATTERNS [FILE]...\ngrep: x\nTry 'grep --help' for more information.", true),
        ] {
            assert_eq!(find_failing_program(stderr, 2).map(|c| c.last), Some(want), "{stderr}");
        }
    }
}
