//! Finds answers that a script prints as literals: `echo '{"decision": "block"}'`, `print(json.dumps({"decision":
//! "deny"}))`, `jq -n '{decision: "allow"}'`. A value that is computed at run time is replaced by a placeholder.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

/// The keys with which an answer can begin.
const ANSWER_KEYS: [&str; 7] = [
    "hookSpecificOutput",
    "decision",
    "permissionDecision",
    "continue",
    "stopReason",
    "suppressOutput",
    "updatedInput",
];
/// The placeholder for a computed value.
pub const COMPUTED: &str = "…";
/// The number of lines after an answer in which an exit is searched.
const LINES: usize = 4;
/// The nesting limit for objects.
const DEEPEST: usize = 8;

static ENDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^\}?\s*(?:exit\s+(\d+)|(?:sys\.|process\.)?exit\(\s*(\d+)\s*\)|return\s+(\d+)\b)").ok()
});
/// Lines that end the body of a condition or a function.
static LEAVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:fi\b|;;|else\b|elif\b|esac|done|def\s|function\s|if\b|case\b|except\b|\}\s*(?:else|catch)|\w+\(\)\s*\{)",
    )
    .ok()
});

/// An answer that a script prints as a literal.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedAnswer {
    pub value: Value,
    pub at: Range<usize>,
    /// The exit status if the script exits right after the answer.
    pub exit: Option<i32>,
}

/// The literal answers in a script, in order.
pub fn printed_answers(text: &str) -> Vec<PrintedAnswer> {
    let mut out: Vec<PrintedAnswer> = Vec::new();
    for (at, _) in text.match_indices('{') {
        if out.last().is_some_and(|last| at < last.at.end) || is_comment(text, at) {
            continue;
        }
        let mut reader = AnswerParser { text, at, deep: 0 };
        let Some(Value::Object(map)) = reader.value() else { continue };
        let first = map.keys().next().is_some_and(|key| ANSWER_KEYS.contains(&key.as_str()));
        if first && !is_destructured(text, at) {
            let exit = exit_after(text, reader.at);
            out.push(PrintedAnswer { value: Value::Object(map), at: at..reader.at, exit });
        }
    }
    out
}

fn is_comment(text: &str, at: usize) -> bool {
    let line = text.get(..at).unwrap_or("").rsplit('\n').next().unwrap_or("").trim_start();
    line.starts_with('#') || line.starts_with("//") || line.starts_with("* ")
}

/// Whether the object is the left side of an assignment that destructures an answer.
fn is_destructured(text: &str, at: usize) -> bool {
    let line = text.get(..at).unwrap_or("").rsplit('\n').next().unwrap_or("").trim();
    ["const", "let", "var"].contains(&line) || is_stored_unprinted(text, line)
}

/// The parts of the statement around an answer: the rest of its first line before it, and of its last line after it.
fn around<'a>(text: &'a str, answer: &PrintedAnswer) -> (&'a str, &'a str) {
    let before = text.get(..answer.at.start).unwrap_or("").rsplit('\n').next().unwrap_or("");
    let after = text.get(answer.at.end..).unwrap_or("").split('\n').next().unwrap_or("");
    (before, after)
}

/// Whether a script writes an answer to stderr.
pub fn is_on_stderr(text: &str, answer: &PrintedAnswer) -> bool {
    let (before, after) = around(text, answer);
    let writers = ["console.error(", "process.stderr.write(", "$stderr.puts", ">&2 ", "sys.stderr.write("];
    let own = after.split(';').next().unwrap_or("");
    writers.iter().any(|writer| before.contains(writer))
        || [">&2", "file=sys.stderr", ", sys.stderr)"].iter().any(|target| own.contains(target))
}

/// Whether a script prints an answer where it is written, so that no key is added later.
pub fn is_printed_whole(text: &str, answer: &PrintedAnswer) -> bool {
    let (before, after) = around(text, answer);
    let printers = ["echo", "printf", "print(", "json.dump(", "stringify(", "jq ", "puts "];
    let grows = after.trim_start_matches(['\'', '"', ')']).trim_start().starts_with(['+', '|', '*', '.']);
    printers.iter().any(|printer| before.contains(printer)) && !grows
}

/// Whether a shell stores the text in a variable that it never prints.
fn is_stored_unprinted(text: &str, line: &str) -> bool {
    let Some((name, quote)) = line.rsplit_once('=') else { return false };
    let name = name.trim_start_matches("local ").trim_start_matches("export ");
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !matches!(quote, "'" | "\"") || name.is_empty() || !name.chars().all(word) {
        return false;
    }
    let used = [format!("${name}"), format!("${{{name}}}"), format!("${{{name}")];
    let prints = |line: &str| {
        let starts = line.trim_start();
        let printer = ["echo", "printf", "cat", "jq", "exec"]
            .iter()
            .any(|p| starts.starts_with(p) || line.contains(&format!(" {p} ")));
        printer && used.iter().any(|used| line.contains(used.as_str()))
    };
    !text.lines().any(prints)
}

/// The exit status if the script exits after an answer, before any branch.
fn exit_after(text: &str, end: usize) -> Option<i32> {
    let rest = text.get(end..).unwrap_or("");
    let (own, below) = rest.split_once('\n').unwrap_or((rest, ""));
    let own = own.split(';').skip(1);
    for (index, part) in own.chain(below.lines().take(LINES)).enumerate() {
        let part = part.trim();
        if let Some(found) = ENDS.as_ref()?.captures(part) {
            return found.iter().skip(1).flatten().next()?.as_str().parse().ok();
        }
        if index > LINES || LEAVES.as_ref()?.is_match(part) {
            return None;
        }
    }
    None
}

/// Parses an object in the syntax of JSON, Python, JavaScript, jq or a quoted shell text.
struct AnswerParser<'a> {
    text: &'a str,
    at: usize,
    deep: usize,
}

impl AnswerParser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
            let trimmed = trimmed.strip_prefix("\\n").or_else(|| trimmed.strip_prefix("\\\n")).unwrap_or(trimmed);
            if trimmed.len() == rest.len() {
                return;
            }
            self.at = self.text.len() - trimmed.len();
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    fn value(&mut self) -> Option<Value> {
        self.blanks();
        if self.rest().starts_with('{') {
            return self.object();
        }
        let start = self.at;
        let simple = self.simple();
        self.blanks();
        // More text follows, so the value is computed.
        if !self.rest().starts_with([',', '}', ']']) || simple.is_none() {
            self.at = start;
            self.expression()?;
            return Some(Value::from(COMPUTED));
        }
        simple
    }

    fn simple(&mut self) -> Option<Value> {
        if let Some(text) = self.string() {
            return Some(Value::from(text));
        }
        for (word, value) in [("true", true), ("True", true), ("false", false), ("False", false)] {
            if self.eat(word) {
                return Some(Value::Bool(value));
            }
        }
        (self.eat("null") || self.eat("None")).then_some(Value::Null)
    }

    /// Parses `"x"`, `'x'` or `\"x\"`.
    fn string(&mut self) -> Option<String> {
        let quote = ["\\\"", "\"", "'"].into_iter().find(|quote| self.rest().starts_with(quote))?;
        let inside = self.rest().get(quote.len()..)?;
        let mut skip = false;
        for (index, c) in inside.char_indices() {
            if quote.len() == 1 && (skip || c == '\\') {
                skip = !skip && c == '\\';
                continue;
            }
            if inside.get(index..)?.starts_with(quote) {
                let text = inside.get(..index)?;
                let made = text.contains(['$', '`']) || text.contains("\\(") || text.contains("'\"");
                let text = if made { COMPUTED.to_owned() } else { text.to_owned() };
                self.at += 2 * quote.len() + index;
                return Some(text);
            }
        }
        None
    }

    fn object(&mut self) -> Option<Value> {
        self.deep += 1;
        if self.deep > DEEPEST || !self.eat("{") {
            return None;
        }
        let mut map = Map::new();
        loop {
            self.blanks();
            if self.eat("}") {
                self.deep -= 1;
                return Some(Value::Object(map));
            }
            let key = match self.string() {
                Some(key) => key,
                None => {
                    let name: String =
                        self.rest().chars().take_while(|c| *c == '_' || c.is_ascii_alphanumeric()).collect();
                    self.at += name.len();
                    name
                }
            };
            if key.is_empty() || key == COMPUTED {
                return None;
            }
            self.blanks();
            let value = if self.eat(":") {
                self.value()?
            } else if self.rest().starts_with([',', '}']) {
                // `{ decision }` in JavaScript and jq.
                Value::from(COMPUTED)
            } else {
                return None;
            };
            map.insert(key, value);
            self.blanks();
            if !self.eat(",") && !self.rest().starts_with('}') {
                return None;
            }
        }
    }

    /// Skips to the end of an expression.
    fn expression(&mut self) -> Option<()> {
        const LONGEST: usize = 2000;
        let mut depth = 0usize;
        let mut quote: Option<char> = None;
        let mut skip = false;
        for (index, c) in self.rest().char_indices().take(LONGEST) {
            match (quote, c) {
                _ if skip => skip = false,
                (_, '\\') => skip = true,
                (Some(q), c) if q == c => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'' | '`') => quote = Some(c),
                (None, '(' | '[' | '{') => depth += 1,
                (None, ',' | '}') if depth == 0 => {
                    self.at += index;
                    return Some(());
                }
                (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{is_on_stderr, is_printed_whole, printed_answers};

    #[test]
    fn where_an_answer_goes() {
        for (script, want) in [
            ("echo '{\"decision\": \"block\"}'", (false, true)),
            ("echo '{\"decision\": \"block\"}' >&2", (true, true)),
            ("echo '{\"decision\": \"block\"}'; echo no >&2", (false, true)),
            ("print(json.dumps({\"decision\": \"block\"}), file=sys.stderr)", (true, true)),
            ("json.dump({\n  \"decision\": \"block\"\n}, sys.stderr)", (true, true)),
            ("console.error(JSON.stringify({ decision: 'block' }))", (true, true)),
            ("answer = {\"decision\": \"block\"}", (false, false)),
            ("jq -n '{decision: \"block\"} + {reason: $r}'", (false, false)),
        ] {
            let answers = printed_answers(script);
            let got = answers.first().map(|one| (is_on_stderr(script, one), is_printed_whole(script, one)));
            assert_eq!(got, Some(want), "{script}");
        }
    }

    #[test]
    fn answers_as_scripts_write_them() {
        let mut wrong = Vec::new();
        for (script, want) in [
            ("echo '{\"decision\": \"block\", \"reason\": \"no\"}'\nexit 2", r#"{"decision":"block","reason":"no"} 2"#),
            (
                "echo \"{\\\"decision\\\":\\\"allow\\\",\\\"reason\\\":\\\"$R\\\"}\"",
                r#"{"decision":"allow","reason":"…"}"#,
            ),
            (
                "print(json.dumps({\"decision\": \"deny\", \"reason\": f\"no {x}\"}))\nsys.exit(0)",
                r#"{"decision":"deny","reason":"…"} 0"#,
            ),
            (
                "json.dump({\n  'hookSpecificOutput': {\n    'hookEventName': 'PreToolUse',\n    'permissionDecision': 'allow',\n  }\n}, sys.stdout)",
                r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#,
            ),
            (
                "jq -n --arg r \"$R\" '{decision: \"block\", reason: $r}'; exit 2",
                r#"{"decision":"block","reason":"…"} 2"#,
            ),
            (
                "console.log(JSON.stringify({ decision: 'block', reason }));\nprocess.exit(2);",
                r#"{"decision":"block","reason":"…"} 2"#,
            ),
            (
                "cat <<EOF\n{\n  \"continue\": false,\n  \"stopReason\": \"$WHY\"\n}\nEOF\nexit 2",
                r#"{"continue":false,"stopReason":"…"} 2"#,
            ),
            ("if x; then\n  echo '{\"decision\":\"approve\"}'\nelse\n  exit 2\nfi", r#"{"decision":"approve"}"#),
            ("const { decision, reason } = answer;", ""),
            ("{\"a\": 1}", ""),
            ("# {\"decision\": \"block\"}", ""),
            ("{\"decision\": ", ""),
        ] {
            let found: Vec<String> = printed_answers(script)
                .iter()
                .map(|one| format!("{}{}", one.value, one.exit.map_or(String::new(), |code| format!(" {code}"))))
                .collect();
            if found.join(" | ") != want {
                wrong.push(format!("{script}\n   {found:?}\n   want {want}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
