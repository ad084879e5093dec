//! Branches of a script that refuse by their structure: a test of the payload guards them, and all they do is write a message
//! and end the script with a failure.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::payload_names::PayloadNames;

/// A branch that refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayloadRefusal {
    /// The line that ends the script, counted from 0.
    pub line: usize,
    /// The exit status.
    pub status: i32,
    /// The bytes of the status, if the line contains it.
    pub at: Option<Range<usize>>,
}

/// The number of lines of a branch. A longer one does more than refuse.
const LONGEST: usize = 8;

static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:\}?\s*(?:if|elif|elsif|else\s+if|unless)\b\s*(.*)|(?:\[\[?\s.*|echo\s.*\||grep\s.*|printf\s.*\|.*)&&\s*(?:\{|die\b|fail\b).*)$").ok()
});
static CASE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\s*case\s+(.*?)\s+in\b").ok());
static ARM: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\s*\(?[^\s()=][^()=]*\)(.*)$").ok());
/// Statements that only write a message.
static MESSAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^\s*(?:
        (?:echo|printf|>&2|1>&2|cat\s*>&2|err|error|log|warn)\b | >&2 | 1>&2
        | print\( | sys\.stderr\.write\( | logging\.\w+\( | logger\.\w+\( | console\.(?:error|warn|log)\(
        | process\.stderr\.write\( | \$stderr\.puts\b | STDERR\.puts\b | puts\b | print\s+STDERR\b | warn\b
        )",
    )
    .ok()
});
/// Statements that end a script with a failure, and the status.
static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)(?:^|[\s;{(&])(?:
        exit\s+([1-9]\d*)\b | (?:sys\.)?exit\(\s*([1-9]\d*)\s*\) | SystemExit\(\s*([1-9]\d*)\s*\)
        | process\.exit\(\s*([1-9]\d*)\s*\) | process\.exitCode\s*=\s*([1-9]\d*)\b
        )",
    )
    .ok()
});
/// Statements that end a script with 1 and a message.
static ENDS_WITH_TEXT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?:\bsys\.exit\(|\bSystemExit\(|^\s*abort[\s(]\s*|[;{]\s*abort[\s(]\s*)\s*[fr]{0,2}["']"#).ok()
});
static RETURN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\s*return\s+([1-9]\d*)\s*;?\s*$").ok());
/// A shell function that writes its arguments and ends the script.
static DIE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^\s*(?:function\s+)?(\w+)\s*\(\)\s*\{?[^}]*?\bexit\s+([1-9]\d*)[^}]*\}").ok());
/// Messages about the hook itself, and warnings.
static OTHER_MESSAGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\bwarn(?:ing)?\b[:\s]|\bhint\b|\bnote:|\bmissing\b|not\s+(?:found|installed|set|valid|available|exist|a\s+git)|\binvalid\b|could\s+not|failed\s+to|unable\s+to|cannot\s+(?:read|parse|open|find|load|be\s+read)|can't\s+(?:read|parse|open|find|load)|\busage\b|\bexpected\b|no\s+(?:input|payload|command|file|path)\b|\bempty\b|\bunknown\b|does\s+not\s+exist|\brequired?\b|\bmalformed\b|\btimed?\s*out\b",
    )
    .ok()
});
/// Tests of whether the payload is there and has the expected form.
static VALIDITY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        \s-z\s | ==?=?\s*(?:""|''|null\b|undefined\b|None\b|"null")(?:\s|\]|\)|;|:|$) | \bis\s+None\b | \btypeof\b
        | \bisinstance\( | \bArray\.isArray\b | jq\s+(?:-\w+\s+)*(?:empty|\.)(?:\s|$) | \bcommand\s+-v\b | \bwhich\s
        | !\s*-[defrx]\s | \bnot\s+os\.path\. | stop_hook_active | \.exists\(\)
        "#,
    )
    .ok()
});
/// A test of whether a value is empty, in languages without `-z`.
static IS_EMPTY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\(?\s*(?:not\s+|!\s*)[\w.$?]+(?:\([^()]*\)|\[[^\]]*\])*\s*\)?\s*[:{]?\s*$").ok());

/// The first branch that refuses with a failure other than `2`.
pub fn payload_refusal(text: &str) -> Option<PayloadRefusal> {
    let lines: Vec<&str> = text.split('\n').collect();
    let values = PayloadNames::of(&lines);
    let script = RefusingScript { text, lines: &lines, values: &values };
    (0..lines.len()).find_map(|index| script.refusal_at(index))
}

struct RefusingScript<'a> {
    text: &'a str,
    lines: &'a [&'a str],
    values: &'a PayloadNames,
}

impl RefusingScript<'_> {
    fn refusal_at(&self, index: usize) -> Option<PayloadRefusal> {
        let line = self.lines.get(index)?;
        if is_comment(line) {
            return None;
        }
        self.after_condition(index, line)
            .or_else(|| self.in_case(index, line))
            .or_else(|| self.with_modifier(index, line))
    }

    /// `if TEST` and `TEST && { … }`.
    fn after_condition(&self, index: usize, line: &str) -> Option<PayloadRefusal> {
        let found = CONDITION.as_ref()?.captures(line)?;
        let test = found.get(1).map_or(line, |test| test.as_str());
        if !self.tests_payload(test) {
            return None;
        }
        // The body can begin on the line of the test.
        let behind = ["then", "{", ":"].iter().find_map(|word| line.rsplit_once(word)).map(|(_, behind)| behind);
        let own = behind.filter(|own| !own.trim().is_empty());
        self.refusing_body(index, own, indent(line))
    }

    /// An arm of `case "$value" in`.
    fn in_case(&self, index: usize, line: &str) -> Option<PayloadRefusal> {
        let subject = CASE.as_ref()?.captures(line)?.get(1)?.as_str();
        if !self.values.mentions(subject) {
            return None;
        }
        let arms =
            self.lines.iter().enumerate().skip(index + 1).take_while(|(_, line)| !line.trim().starts_with("esac"));
        arms.filter(|(_, line)| !is_comment(line)).find_map(|(at, line)| {
            let found = ARM.as_ref()?.captures(line)?;
            let pattern = line.trim().split(')').next()?.trim_matches(['(', ' ']);
            if pattern == "*" || pattern.contains("\"\"") || pattern.contains("''") {
                return None;
            }
            let own = found.get(1).map(|own| own.as_str()).filter(|own| !own.trim().is_empty());
            self.refusing_body(at, own, indent(line))
        })
    }

    /// `abort "…" if TEST` and `die "…" if TEST`.
    fn with_modifier(&self, index: usize, line: &str) -> Option<PayloadRefusal> {
        let (statement, test) = line.rsplit_once(" if ")?;
        let starts = statement.trim_start();
        if !(starts.starts_with("abort") || starts.starts_with("die ")) || !self.tests_payload(test) {
            return None;
        }
        let status = if starts.starts_with("abort") { 1 } else { 255 };
        self.is_refusal(statement).then_some(PayloadRefusal { line: index, status, at: None })
    }

    /// Whether the messages of a branch are those of a refusal, and not about the hook itself.
    fn is_refusal(&self, messages: &str) -> bool {
        let is_text = messages.contains(['"', '\'', '`']) || messages.contains("<<") || self.values.mentions(messages);
        is_text && !OTHER_MESSAGE.as_ref().is_some_and(|other| other.is_match(messages))
    }

    fn tests_payload(&self, test: &str) -> bool {
        let padded = format!(" {test}");
        self.values.mentions(test)
            && !VALIDITY.as_ref().is_some_and(|validity| validity.is_match(&padded))
            && !IS_EMPTY.as_ref().is_some_and(|empty| empty.is_match(test.trim()))
    }

    /// The end of a branch that only writes a message and ends the script. `own` is the part of the branch on its first line.
    fn refusing_body(&self, index: usize, own: Option<&str>, outer: usize) -> Option<PayloadRefusal> {
        let mut messages = String::new();
        let mut open = 0_i32;
        let first = own.map(|own| (index, own));
        let rest = self.lines.iter().enumerate().skip(index + 1).take(LONGEST).map(|(at, line)| (at, *line));
        for (at, line) in first.into_iter().chain(rest) {
            let trimmed = line.trim();
            if trimmed.is_empty() || is_comment(line) || matches!(trimmed, "then" | "{") {
                continue;
            }
            // The branch ends here.
            if at > index && indent(line) <= outer && open <= 0 && !trimmed.starts_with('{') {
                return None;
            }
            if let Some(end) = self.end_of_script(at, line).filter(|_| open > 0 || only_writes(line)) {
                messages.push_str(line);
                return self.is_refusal(&messages).then_some(end);
            }
            if open <= 0 && !MESSAGE.as_ref()?.is_match(trimmed) {
                return None;
            }
            messages.push_str(line);
            messages.push('\n');
            open += balance(line);
        }
        None
    }

    fn end_of_script(&self, index: usize, line: &str) -> Option<PayloadRefusal> {
        let start: usize = self.lines.iter().take(index).map(|line| line.len() + 1).sum();
        let own = self.lines.get(index)?;
        // The branch can be a part of the line.
        let before = own.len() - line.len();
        let ended = |at: Range<usize>| {
            let status: i32 = line.get(at.clone())?.parse().ok()?;
            let at = start + before + at.start..start + before + at.end;
            (status != 2).then_some(PayloadRefusal { line: index, status, at: Some(at) })
        };
        let literal = ENDS
            .as_ref()?
            .captures(line)
            .and_then(|found| found.iter().skip(1).flatten().next().map(|one| one.range()));
        if let Some(at) = literal {
            return ended(at);
        }
        if ENDS_WITH_TEXT.as_ref()?.is_match(line) {
            return Some(PayloadRefusal { line: index, status: 1, at: None });
        }
        let returned = RETURN.as_ref()?.captures(line).and_then(|found| found.get(1)).map(|one| one.range());
        if let Some(at) = returned.filter(|_| self.returns_status(index)) {
            return ended(at);
        }
        let word = line.trim_start().trim_start_matches("{ ").split([' ', ';']).next()?;
        let mut dies = DIE.as_ref()?.captures_iter(self.text);
        let found = dies.find(|found| found.get(1).is_some_and(|name| name.as_str() == word))?;
        let status: i32 = found.get(2)?.as_str().parse().ok()?;
        (status != 2).then_some(PayloadRefusal { line: index, status, at: None })
    }

    /// Whether what a function returns becomes the status of the script.
    fn returns_status(&self, index: usize) -> bool {
        let above = self.lines.get(..index).unwrap_or_default();
        let opens = |line: &&&str| {
            let line = line.trim_start();
            line.starts_with("def ") || line.starts_with("function ") || line.contains("() {")
        };
        let Some(function) = above.iter().rev().find(opens) else { return false };
        let name = function.trim_start().trim_start_matches("def ").trim_start_matches("function ");
        let name = name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
        let last = self.lines.iter().rev().map(|line| line.trim()).find(|line| !line.is_empty());
        let ends =
            ["sys.exit(", "SystemExit(", "exit("].iter().any(|exit| self.text.contains(&format!("{exit}{name}(")));
        let is_last = last.is_some_and(|last| last == name || last.strip_prefix(name) == Some(" \"$@\""));
        !name.is_empty() && (ends || is_last)
    }
}

/// Whether the statements of a line before its end only write a message.
fn only_writes(line: &str) -> bool {
    let statements: Vec<&str> = line.split(';').map(|part| part.trim().trim_start_matches(['{', '(', ' '])).collect();
    let ends = |part: &str| {
        let by = |pattern: &LazyLock<Option<Regex>>| pattern.as_ref().is_some_and(|pattern| pattern.is_match(part));
        by(&ENDS) || by(&ENDS_WITH_TEXT) || by(&RETURN)
    };
    let last = statements.iter().position(|part| ends(part)).unwrap_or(statements.len());
    let before = statements.get(..last).unwrap_or_default();
    let writes = |part: &&str| part.is_empty() || MESSAGE.as_ref().is_some_and(|message| message.is_match(part));
    // `command || exit 1` ends with the failure of a command.
    let own = statements.get(last).is_none_or(|part| !part.contains("||") && !part.contains("&&"));
    own && (last == statements.len() || before.iter().all(writes))
}

/// The number of brackets that a line opens and does not close.
fn balance(line: &str) -> i32 {
    let count = |c: char| i32::try_from(line.matches(c).count()).unwrap_or(0);
    count('(') - count(')')
}

fn is_comment(line: &str) -> bool {
    matches!(line.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..])
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::payload_refusal;

    #[test]
    fn branches_that_refuse() {
        let shell = "input=$(cat)\ncmd=$(jq -r .tool_input.command <<<\"$input\")\n";
        let python = "import json, sys\ne = json.load(sys.stdin)\nc = e['tool_input']['command']\n";
        let node = "const e = JSON.parse(readFileSync(0));\n";
        for (head, body, want) in [
            (shell, "if [[ $cmd == *push* ]]; then\n  echo \"Pushing is for people\" >&2\n  exit 1\nfi", Some((2, 1))),
            (shell, "if [[ $cmd == *push* ]]; then echo 'no push' >&2; exit 1; fi", Some((0, 1))),
            (shell, "[[ $cmd == *push* ]] && { echo 'no push' >&2; exit 1; }", Some((0, 1))),
            (shell, "case \"$cmd\" in\n  *push*)\n    echo 'use CI' >&2\n    exit 1 ;;\nesac", Some((3, 1))),
            (shell, "die() { echo \"$1\" >&2; exit 1; }\ncase $cmd in\n  *push*) die 'use CI' ;;\nesac", Some((2, 1))),
            (
                shell,
                "main() {\n  if [[ $cmd == *x* ]]; then\n    echo 'in CI' >&2\n    return 1\n  fi\n}\nmain",
                Some((3, 1)),
            ),
            (python, "if 'push' in c:\n    print('use CI', file=sys.stderr)\n    sys.exit(1)", Some((2, 1))),
            (
                python,
                "if 'push' in c:\n    print(\n        'use CI',\n        file=sys.stderr,\n    )\n    sys.exit(1)",
                Some((5, 1)),
            ),
            (python, "if 'push' in c:\n    raise SystemExit('use CI')", Some((1, 1))),
            (python, "why = check(c)\nif why:\n    print(why, file=sys.stderr)\n    sys.exit(1)", Some((3, 1))),
            (python, "if 'push' in c:\n    sys.exit(1)", None),
            (
                python,
                "def main():\n    if 'push' in c:\n        print('use CI', file=sys.stderr)\n        return 1\nsys.exit(main())",
                Some((3, 1)),
            ),
            (
                node,
                "if (/push/.test(e.tool_input.command)) {\n  console.error('use CI');\n  process.exit(1);\n}",
                Some((2, 1)),
            ),
            ("e = JSON.parse($stdin.read)\n", "abort \"use the template\" if e['path'].include?('gen')", Some((0, 1))),
            // The hook itself.
            (shell, "if [ -z \"$cmd\" ]; then echo 'no text' >&2; exit 1; fi", None),
            (shell, "if ! jq -e . <<<\"$input\"; then echo 'bad text' >&2; exit 1; fi", None),
            (shell, "command -v npm >/dev/null || { echo 'npm is not installed' >&2; exit 1; }", None),
            (shell, "if [[ $cmd == *x* ]]; then echo 'jq is missing' >&2; exit 1; fi", None),
            (shell, "if [[ $cmd == *x* ]]; then echo 'Warning: slow' >&2; exit 1; fi", None),
            (python, "if not c:\n    print('nothing here', file=sys.stderr)\n    sys.exit(1)", None),
            (python, "if c is None:\n    sys.exit('nothing here')", None),
            (node, "if (!e.tool_input) {\n  console.error('nothing');\n  process.exit(1);\n}", None),
            // Branches that do something, or do not end the script with a failure.
            (shell, "if [[ $cmd == *x* ]]; then\n  touch \"$HOME/seen\"\n  echo 'seen' >&2\n  exit 1\nfi", None),
            (shell, "if [[ $cmd == *x* ]]; then echo 'fine' >&2; exit 0; fi", None),
            (shell, "if [[ $cmd == *x* ]]; then\n  npx fmt || { echo 'fmt failed' >&2; exit 1; }\nfi", None),
            (shell, "if [[ $cmd == *x* ]]; then\n  npx fmt || exit 1\nfi", None),
            (
                shell,
                "is_push() {\n  if [[ $cmd == *x* ]]; then\n    echo 'x' >&2\n    return 1\n  fi\n}\nis_push && echo y",
                None,
            ),
            (shell, "if [ -f package.json ]; then echo 'no tests' >&2; exit 1; fi", None),
            ("", "if [[ $CI == true ]]; then echo 'not here' >&2; exit 1; fi", None),
        ] {
            let text = format!("{head}{body}");
            let got = payload_refusal(&text).map(|found| (found.line - head.lines().count(), found.status));
            assert_eq!(got, want, "{text}");
        }
    }
}
