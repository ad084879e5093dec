//! Finds the payload keys that a script reads, if its text shows them plainly: jq paths, `["a"]["b"]`, `.get("a")`,
//! `data.a.b`. Only literal keys are found.

mod access;
mod hook_walks;
mod jq;
mod key;
mod stdin_source;
mod wrong_keys;

pub use hook_walks::{RunScript, hook_walks};
pub use hookbench_script::Walked;
pub use key::{ScriptKey, key_paths};
pub use wrong_keys::{GUESSED_INPUT_KEYS, meant_keys};

/// The keys that a script (or a command line) reads, without duplicates, in order of first use.
pub fn script_keys(text: &str) -> Vec<ScriptKey> {
    let code = without_comments(text);
    let (mut found, code) = jq::paths(&code);
    found.extend(access::paths(&code));
    let mut keys: Vec<ScriptKey> = Vec::new();
    for key in &found {
        // Only the longest path is kept: a script that reads `a.b` also reads `a`.
        let inner = |other: &ScriptKey| {
            other.path.len() > key.path.len() && other.rooted == key.rooted && other.path.starts_with(&key.path)
        };
        let surer = |other: &ScriptKey| other.path == key.path && other.rooted && !key.rooted;
        if !keys.contains(key) && !found.iter().any(|other| inner(other) || surer(other)) {
            keys.push(key.clone());
        }
    }
    keys
}

/// Removes lines that are only a comment, and texts in triple quotes, which are documentation.
fn without_comments(text: &str) -> String {
    let comment = |line: &str| {
        let line = line.trim_start();
        line.starts_with('#') || line.starts_with("//") || line.starts_with("* ") || line.starts_with("/*")
    };
    let mut code = String::with_capacity(text.len());
    let parts: Vec<&str> = text.split("\"\"\"").collect();
    // Unpaired triple quotes are not documentation.
    let documented = parts.len() % 2 == 1;
    for (index, part) in parts.iter().enumerate() {
        if documented && index % 2 == 1 {
            continue;
        }
        for line in part.lines().filter(|line| !comment(line)) {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::script_keys;

    #[test]
    fn finds_what_scripts_read() {
        let mut wrong: Vec<String> = Vec::new();
        for (script, want) in [
            // jq
            ("cmd=$(jq -r '.tool_input.command')", "/tool_input/command"),
            ("cmd=\"$(printf '%s' \"$in\" | jq -r '.tool_input.command // empty')\"", "/tool_input/command"),
            ("jq -er .tool_name", "/tool_name"),
            ("jq -r '.tool_input[\"file_path\"], .cwd'", "/tool_input/file_path /cwd"),
            ("jq -r '.tool_input | .command'", "/tool_input/command"),
            ("jq '.tool_input | to_entries[] | .key'", "/tool_input"),
            ("jq 'select(.tool_name == \"Bash\") | .tool_input.command'", "/tool_name /tool_input/command"),
            ("jq '{a: .x.y, b: (.z | length)}'", "/x/y /z"),
            ("jq -r '\"\\(.a.b) is .c\"'", "/a/b"),
            ("jq -r '.questions[].question, .list[0].b'", "/questions/*/question /list/0/b"),
            ("jq -n --arg r \"$why\" '{reason: $r, x: .y}'", ""),
            ("jq -r .version package.json", "version"),
            ("jq --arg a b '.k' <<<\"$input\"", "/k"),
            ("jq '$x.foo, ..|.bar?'", ""),
            ("# jq .comment", ""),
            ("echo jqx .no", ""),
            // Python
            ("d = json.load(sys.stdin)\nd[\"tool_input\"][\"command\"]", "/tool_input/command"),
            ("d = json.load(sys.stdin)\n(d.get('tool_input') or {}).get('command', \"\")", "/tool_input/command"),
            ("d = json.loads(sys.stdin.read())\nti = d.get(\"tool_input\", {})\nti.get(\"path\")", "/tool_input/path"),
            ("json.load(sys.stdin.buffer).get(\"tool_name\") or ''", "/tool_name"),
            (
                "def f(tool_input):\n  tool_input.get(\"command\")\nf(json.load(sys.stdin)[\"tool_input\"])",
                "/tool_input/command",
            ),
            ("def f(event):\n  return event.get(\"tool\")", "tool"),
            ("c = json.load(open('c.json'))\nc['limit']", "limit"),
            ("os.environ.get(\"HOME\"), os.environ['X'], CONFIG['a']", ""),
            ("d = json.load(sys.stdin)\nd['decision'] = 'block'\nif d['a'] == 1: pass", "/a"),
            ("\"\"\"Reads d['prose'].\"\"\"\nif x in ['list', \"b\"]: pass", ""),
            ("d = json.load(sys.stdin)\nprint(f\"{d['tool_name']}\")\nd.items()", "/tool_name"),
            // JavaScript
            (
                "const data = JSON.parse(fs.readFileSync(0, 'utf8'));\ndata.tool_input.command.length",
                "/tool_input/command",
            ),
            (
                "let d = JSON.parse(readFileSync('/dev/stdin'));\nif (d.tool_input?.[\"file_path\"]) {}",
                "/tool_input/file_path",
            ),
            (
                "const { tool_name, tool_input: input } = JSON.parse(readFileSync(0));\ninput.command.startsWith('x')",
                "/tool_name /tool_input/command",
            ),
            ("const x = JSON.parse(s);\nx.tool_name", "tool_name"),
            ("process.env['X']; foo.bar.baz", ""),
        ] {
            let got: Vec<String> = script_keys(script)
                .iter()
                .map(|k| format!("{}{}", if k.rooted { "/" } else { "" }, k.path.join("/")))
                .collect();
            if got.join(" ") != want {
                wrong.push(format!("{script}\n  got {got:?}, want {want}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn no_text_breaks_it() {
        for text in
            ["jq", "jq '", "jq -r", "a[\"", "x.get(", "x.get('é", "jq '.a[\"", "{ a } = JSON.parse(", "é[\"x\"]"]
        {
            let _ = script_keys(text);
        }
    }
}
