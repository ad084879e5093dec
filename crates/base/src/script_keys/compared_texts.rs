//! Finds the texts with which a script compares a value of its payload: `tool_name == "Bash"`, `case "$TOOL" in
//! Bash|Write)`, `tool in ("Read", "Grep")`, `["Edit"].includes(tool)`, `select(.tool_name == "Bash")`. Only
//! literal texts are found, so an empty result does not mean that the script compares nothing.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// A text with which a value is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedText {
    pub name: String,
    /// The place in the script, without the quotes.
    pub at: Range<usize>,
    /// Whether a value matches if it contains the text (`grep -q Bash`, `=~ Bash`).
    pub is_substring: bool,
}

/// All texts with which a script compares one key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparisons {
    /// In script order.
    pub names: Vec<ComparedText>,
    /// Whether the script changes case somewhere, so that case is ignored.
    pub any_case: bool,
    /// Whether there is a pattern that is more than a list of names.
    pub unclear: bool,
}

impl Comparisons {
    /// Whether a value matches one of the texts.
    pub fn matches(&self, compared: &ComparedText, value: &str) -> bool {
        let (name, value) = if self.any_case {
            (compared.name.to_lowercase(), value.to_lowercase())
        } else {
            (compared.name.clone(), value.to_owned())
        };
        if compared.is_substring { value.contains(&name) } else { value == name }
    }
}

fn regex(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

/// Code that makes comparisons ignore case.
static FOLDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"\.lower\(\)|casefold|toLowerCase|toUpperCase|\.upper\(\)|ascii_downcase|,,\}|\^\^\}|\[:upper:\]|\[:lower:\]|nocasematch|re\.I\b|IGNORECASE|grep\s+(?:-\w+\s+)*-\w*i",
    )
});
/// The end of the expression that reads the value.
static CLOSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r#"^(?:["'\])}]|\s*,\s*(?:""|''|None|null|"unknown")\s*\)|\s*(?://|\|\||\?\?|or)\s*(?:""|''|empty)|:-\}|,,\}|\.(?:strip|trim|lower|casefold|toLowerCase)\(\))*"#,
    )
});
static QUOTED: LazyLock<Option<Regex>> = LazyLock::new(|| regex(r#"["']([^"'\n\\]{1,60})\\?["']"#));

/// Comparisons after the value. Each has its texts in the group `v`, or the name of a list in `id`.
static COMPARISONS_AFTER: LazyLock<Vec<(ComparisonKind, Regex)>> = LazyLock::new(|| {
    let all = [
        (ComparisonKind::Exact, r#"^\s*(?:===?|!==?)\s*\\?["'](?P<v>[^"'\\\n]{1,60})\\?["']"#),
        (ComparisonKind::Test, r#"^\s*!?=\s*["']?(?P<v>[^\s"'\];)$=~][^\s"'\];)$]*)"#),
        (ComparisonKind::Test, r"^\s*==\s*(?P<v>[^\s'\];)$]+)"),
        (ComparisonKind::Pattern, r#"^\s*=~\s*["']?(?P<v>[^\s"'$]+(?:\$(?:["'\s]|$))?)"#),
        (ComparisonKind::List, r"^\s*(?:not\s+)?in\s*[(\[{](?P<v>[^)\]}]*)[)\]}]"),
        (ComparisonKind::Named, r"^\s*(?:not\s+)?in\s+(?P<id>[A-Za-z_]\w*)\b\s*[:)\n]"),
        (ComparisonKind::List, r"^\s*\|\s*IN\((?P<v>[^)]*)\)"),
        (ComparisonKind::Pattern, r#"^\s*\|\s*(?:test|match)\(\\?["'](?P<v>[^"'\\]+)"#),
        (ComparisonKind::Pattern, r"^\s*\.match\(/(?P<v>[^/\n]+)/"),
        (ComparisonKind::Pattern, r#"^\s*\|\s*grep\s+(?:-\S+\s+)*["']?(?P<v>[^\s"';]+)"#),
        (
            ComparisonKind::Raw,
            r#"^\\?"?(?:\s|\\s\*|\[\[:space:\]\]\*|\*)*:(?:\s|\\s\*|\[\[:space:\]\]\*|\.\*|\*)*\\?"(?P<v>[\w|()]+)\\?""#,
        ),
    ];
    all.into_iter().filter_map(|(kind, pattern)| Some((kind, regex(pattern)?))).collect()
});
/// Comparisons before the value.
static COMPARISONS_BEFORE: LazyLock<Vec<(ComparisonKind, Regex)>> = LazyLock::new(|| {
    let all = [
        (ComparisonKind::Exact, r#"["'](?P<v>\w+)["']\s*(?:===?|!==?)\s*[\w.?\[\]"'($]*$"#),
        (ComparisonKind::List, r"\[(?P<v>[^\]\[]*)\]\s*\.includes\(\s*[\w.?]*$"),
        (ComparisonKind::Named, r"\b(?P<id>[A-Za-z_]\w*)\.(?:includes|has|test|match|search|fullmatch)\(\s*[\w.?]*$"),
        (ComparisonKind::Pattern, r"/(?P<v>[^/\n]+)/[a-z]*\.test\(\s*[\w.?]*$"),
        (ComparisonKind::Pattern, r#"re\.(?:match|search|fullmatch)\(\s*r?["'](?P<v>[^"'\n]+)["']\s*,\s*[\w.\["'(]*$"#),
        (ComparisonKind::Pattern, r#"grep\s+(?:-\S+\s+)*["']?(?P<v>[^\s"']+)["']?\s*<<<\s*"?\$\{?$"#),
    ];
    all.into_iter().filter_map(|(kind, pattern)| Some((kind, regex(pattern)?))).collect()
});
static ARMS: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r#"(?:^|;;|\n)\s*\(?(?P<v>["'\w*?.-]+(?:\s*\|\s*["'\w*?.-]+)*)\)"#));
static CASES: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r#"\bcase\s+(?P<v>["']\w+["'](?:\s*\|\s*["']\w+["'])*)\s*:"#));
static ASSIGNED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(r"(?m)(?:^|[\s;(])(?P<name>[A-Za-z_]\w*)\s*(?::\s*[\w\[\]|. ]+?)?=\s*(?P<value>[^=\n~][^\n]*)")
});
static RENAMED: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"[{,]\s*(?P<key>\w+)\s*:\s*(?P<name>[A-Za-z_]\w*)\s*[,}=]"));

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ComparisonKind {
    /// One text.
    Exact,
    /// One text in a shell test, in which `=` compares.
    Test,
    /// Texts in quotes.
    List,
    /// A list or pattern that is assigned to a variable.
    Named,
    Pattern,
    /// A pattern that is matched against the payload's raw text.
    Raw,
}

/// Finds the texts with which a script compares the value of `key`.
pub fn comparisons(text: &str, key: &str) -> Comparisons {
    let code = masked(text);
    if !code.contains(key) {
        return Comparisons::default();
    }
    let any_case = FOLDS.as_ref().is_some_and(|folds| folds.is_match(&code));
    let mut reading = ComparisonScanner { code: &code, found: Comparisons { any_case, ..Comparisons::default() } };
    for holder in holders(&code, key) {
        reading.holder(&holder, holder == key);
    }
    let mut found = reading.found;
    found.names.sort_by_key(|one| one.at.start);
    found.names.dedup();
    found
}

/// Replaces comments by blanks, so that offsets stay valid.
fn masked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        if start.starts_with('#') || start.starts_with("//") || start.starts_with("* ") || start.starts_with("/*") {
            out.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            out.push_str(line);
        }
    }
    out
}

/// The key, and the variables that hold its value.
fn holders(code: &str, key: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::from([key.to_owned()]);
    for found in ASSIGNED.iter().flat_map(|assigned| assigned.captures_iter(code)) {
        let (Some(name), Some(value)) = (found.name("name"), found.name("value")) else { continue };
        if value.as_str().contains(key) && holds(value.as_str(), key) {
            out.insert(name.as_str().to_owned());
        }
    }
    for found in RENAMED.iter().flat_map(|renamed| renamed.captures_iter(code)) {
        if found.name("key").is_some_and(|k| k.as_str() == key) {
            out.extend(found.name("name").map(|name| name.as_str().to_owned()));
        }
    }
    out
}

/// Whether an expression is the value itself and not something computed from it.
fn holds(value: &str, key: &str) -> bool {
    const MORE: [&str; 12] =
        ["==", "!=", "select(", "tool_input", "includes(", " in ", " in(", " if ", "f\"", "f'", "test(", "${"];
    let more = MORE.iter().any(|word| value.contains(word)) || value.matches(key).count() > 1;
    let shell = value.contains("$(") || value.starts_with('`');
    let read =
        [format!("[\"{key}\"]"), format!("['{key}']"), format!("(\"{key}\""), format!("('{key}'"), format!(".{key}")];
    let quoted = format!("\"{key}\"");
    !more && (read.iter().any(|form| value.contains(form.as_str())) || shell && value.contains(&quoted))
}

struct ComparisonScanner<'a> {
    code: &'a str,
    found: Comparisons,
}

impl ComparisonScanner<'_> {
    /// Checks the code around every occurrence of a value.
    fn holder(&mut self, holder: &str, is_key: bool) {
        let code = self.code;
        for (at, _) in code.match_indices(holder) {
            let end = at + holder.len();
            let word = |c: char| c == '_' || c.is_alphanumeric();
            let before = code.get(..at).unwrap_or("");
            let after = code.get(end..).unwrap_or("");
            if before.ends_with(word) || after.starts_with(word) || (!is_key && before.ends_with(['.', '"', '\''])) {
                // A quoted variable counts only in shell code.
                if !before.ends_with("\"$") && !before.ends_with('{') {
                    continue;
                }
            }
            let line = before.rsplit('\n').next().unwrap_or("");
            self.behind(end, line);
            self.before(at, line);
            self.branches(end, line);
        }
    }

    fn behind(&mut self, end: usize, line: &str) {
        let code = self.code;
        let after = code.get(end..).unwrap_or("");
        let closed = CLOSES.as_ref().and_then(|closes| closes.find(after)).map_or(0, |found| found.end());
        let tested = line.contains("[ ")
            || line.contains("[[")
            || line.trim_start().starts_with("test ")
            || line.contains(" test ");
        for (kind, pattern) in COMPARISONS_AFTER.iter() {
            let from = if *kind == ComparisonKind::Raw { end } else { end + closed };
            let Some(found) = pattern.captures(code.get(from..).unwrap_or("")) else { continue };
            let wanted = match kind {
                ComparisonKind::Test => tested,
                ComparisonKind::Raw => line.contains("grep"),
                _ => true,
            };
            if wanted {
                self.take(*kind, &found, from);
                return;
            }
        }
    }

    fn before(&mut self, at: usize, line: &str) {
        let from = at - line.len();
        for (kind, pattern) in COMPARISONS_BEFORE.iter() {
            if let Some(found) = pattern.captures(line) {
                self.take(*kind, &found, from);
                return;
            }
        }
    }

    /// Finds the branches of `case … in`, `switch (…) {`, `match …:`.
    fn branches(&mut self, end: usize, line: &str) {
        let code = self.code;
        let rest = code.get(end..).unwrap_or("");
        let head =
            line.trim_end_matches(|c: char| c == '_' || c.is_alphanumeric() || "\"'${[(.?".contains(c)).trim_end();
        // `case "$(jq -r .tool_name)" in`
        let command = line.rfind("case ").is_some_and(|at| line.get(at..).is_some_and(|line| line.contains("$(")));
        let (arms, until) = if head.ends_with("case") || command {
            let Some(at) = rest.find(" in").filter(|at| !rest.get(..*at).is_some_and(|r| r.contains([':', '\n', '$'])))
            else {
                return;
            };
            (ARMS.as_ref().map(|arms| (arms, at + 3)), rest.find("esac"))
        } else if head.ends_with("switch") || head.ends_with("match") {
            (CASES.as_ref().map(|cases| (cases, 0)), rest.find("switch").or_else(|| rest.find("\nmatch ")))
        } else {
            return;
        };
        let Some((arms, skip)) = arms else { return };
        let inside = rest.get(skip..until.unwrap_or(rest.len())).unwrap_or("");
        for found in arms.captures_iter(inside) {
            let Some(value) = found.name("v") else { continue };
            self.alternatives(value.as_str(), end + skip + value.start(), false);
        }
    }

    fn take(&mut self, kind: ComparisonKind, found: &regex::Captures<'_>, from: usize) {
        if let Some(value) = found.name("v") {
            let at = from + value.start();
            match kind {
                ComparisonKind::Exact => self.add(value.as_str(), at, false),
                ComparisonKind::Test => self.alternatives(value.as_str().trim_matches('"'), at, false),
                ComparisonKind::List | ComparisonKind::Named => self.quoted(value.as_str(), at),
                ComparisonKind::Pattern => self.pattern(value.as_str(), at),
                ComparisonKind::Raw => self.alternatives(value.as_str().trim_matches(['(', ')']), at, false),
            }
        } else if let Some(id) = found.name("id") {
            self.named(id.as_str());
        }
    }

    /// Finds the definition of a named list or pattern.
    fn named(&mut self, id: &str) {
        let list = format!(
            r"(?s)\b{id}\s*(?::[^=\n]+)?=\s*(?:new Set\(|frozenset\(|set\(|tuple\()?\s*[(\[{{](?P<v>[^)\]}}]*)[)\]}}]"
        );
        let pattern = format!(r#"\b{id}\s*=\s*(?:re\.compile\(\s*r?["'](?P<p>[^"'\n]+)["']|/(?P<j>[^/\n]+)/)"#);
        let code = self.code;
        if let Some(found) = regex(&pattern).and_then(|pattern| pattern.captures(code)) {
            let value = found.name("p").or_else(|| found.name("j"));
            if let Some(value) = value {
                self.pattern(value.as_str(), value.start());
            }
        } else if let Some(value) = regex(&list).and_then(|list| list.captures(code)).and_then(|found| found.name("v"))
        {
            self.quoted(value.as_str(), value.start());
        } else {
            self.found.unclear = true;
        }
    }

    fn quoted(&mut self, text: &str, from: usize) {
        for found in QUOTED.iter().flat_map(|quoted| quoted.captures_iter(text)) {
            if let Some(name) = found.get(1) {
                self.add(name.as_str(), from + name.start(), false);
            }
        }
    }

    /// Accepts names between bars; any other pattern is unclear.
    fn pattern(&mut self, text: &str, from: usize) {
        let start = text.len() - text.trim_start_matches(['^', '(', '?', ':', '\\', 'b']).len();
        let start =
            if text.get(..start).is_some_and(|s| s.ends_with('b') && !s.ends_with("\\b")) { start - 1 } else { start };
        let inner = text.get(start..).unwrap_or("").trim_end_matches(['$', ')', '"', '\'']);
        self.alternatives(inner, from + start, true);
    }

    /// Parses `A|B|C`, either shell patterns or names between bars.
    fn alternatives(&mut self, text: &str, from: usize, inside: bool) {
        let mut at = from;
        for part in text.split('|') {
            let lead = part.len() - part.trim_start_matches([' ', '"', '\'', '^', '(', '\n', '\t']).len();
            let name = part.trim_matches([' ', '"', '\'', '^', '$', '(', ')', '\\', '\n', '\t']);
            let stars = name.trim_matches('*');
            if stars.chars().all(|c| c == '_' || c == '-' || c.is_alphanumeric()) && !stars.is_empty() {
                let open = inside || stars.len() < name.len();
                let skip = name.len() - name.trim_start_matches('*').len();
                self.add(stars, at + lead + skip, open);
            } else if !stars.is_empty() && !stars.starts_with("mcp") {
                self.found.unclear = true;
            }
            at += part.len() + 1;
        }
    }

    fn add(&mut self, name: &str, at: usize, inside: bool) {
        self.found.names.push(ComparedText { name: name.to_owned(), at: at..at + name.len(), is_substring: inside });
    }
}

#[cfg(test)]
mod tests {
    use super::comparisons;

    #[test]
    fn texts_that_are_compared() {
        let mut wrong = Vec::new();
        for (script, want) in [
            // Python
            ("if e[\"tool_name\"] == \"Bash\" and \"rm -rf\" in c: deny()", "Bash"),
            ("t = d.get(\"tool_name\", \"\")\nif t != 'Bash':\n    sys.exit(0)", "Bash"),
            ("tool_name = d.get('tool_name')\nif tool_name in (\"Write\", \"Edit\"): pass", "Write Edit"),
            ("W = {\"Write\", 'Edit'}\nif d['tool_name'] not in W: pass\n", "Write Edit"),
            ("if 'Bash' == d[\"tool_name\"]: pass", "Bash"),
            ("match tool_name:\n  case \"Bash\" | \"Shell\":\n    x()\n  case \"Edit\":", "Bash Shell Edit"),
            ("if re.match(r'^(Write|Edit)$', d['tool_name']): pass", "~Write ~Edit"),
            ("# if tool_name == \"Bash\"\nlog(tool_name)", ""),
            ("tool_name = \"Bash\"", ""),
            ("f(tool_name=\"Bash\")", ""),
            ("{\"tool_name\": \"Bash\"}", ""),
            // Shells and jq
            ("T=$(jq -r '.tool_name // empty')\nif [ \"$T\" = \"Bash\" ]; then :; fi", "Bash"),
            ("T=$(jq -r .tool_name)\n[[ $T == Bash ]] || exit 0", "Bash"),
            ("T=$(jq -r .tool_name)\n[[ \"$T\" != \"Bash\" && \"$T\" != \"Task\" ]] && exit", "Bash Task"),
            ("T=$(jq -r .tool_name)\n[[ $T =~ ^(Write|Edit)$ ]] || exit 0", "~Write ~Edit"),
            (
                "T=$(jq -r .tool_name)\ncase \"$T\" in\n  Bash) x ;;\n  Write|\"Edit\") y ;;\n  mcp__*) z ;;\n  *) exit 0 ;;\nesac",
                "Bash Write Edit ~mcp__",
            ),
            ("case \"$(jq -r .tool_name)\" in Bash|Edit) x;; esac", "Bash Edit"),
            ("jq -e 'select(.tool_name == \"Bash\")'", "Bash"),
            ("jq -r 'if (.tool_name // \"\") == \"Bash\" then 1 else 0 end'", "Bash"),
            ("jq -e '.tool_name | test(\"^(Bash|Edit)$\")'", "~Bash ~Edit"),
            ("cat | grep -q '\"tool_name\": *\"Bash\"' || exit 0", "Bash"),
            ("C=$(jq -r 'select(.tool_name==\"Bash\")|.tool_input.command')\n[ \"$C\" = ls ]", "Bash"),
            // JavaScript
            ("const { tool_name, tool_input } = d;\nif (tool_name === 'Bash') {}", "Bash"),
            ("const t = d.tool_name;\nif (['Edit', 'Write'].includes(t)) {}", "Edit Write"),
            ("const W = new Set(['Edit']);\nif (!W.has(d.tool_name)) {}", "Edit"),
            ("switch (d.tool_name) { case 'Bash': x(); break; case \"Edit\": y(); }", "Bash Edit"),
            ("if (/^(Edit|Write)$/.test(d.tool_name)) {}", "~Edit ~Write"),
            ("const { tool_name: tool } = d;\nif (tool !== 'Bash') return;", "Bash"),
        ] {
            let found = comparisons(script, "tool_name");
            let names: Vec<String> = found
                .names
                .iter()
                .map(|one| format!("{}{}", if one.is_substring { "~" } else { "" }, &script[one.at.clone()]))
                .collect();
            if names.join(" ") != want {
                wrong.push(format!("{script}\n   {names:?}, want {want}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_is_not_a_list_of_names_is_unclear() {
        for (script, want) in [
            ("if re.match(r'.*_file', d['tool_name']): pass", true),
            ("if d['tool_name'] in TOOLS: pass\n", true),
            ("if d['tool_name'] == 'Bash': pass", false),
        ] {
            assert_eq!(comparisons(script, "tool_name").unclear, want, "{script}");
        }
    }
}
