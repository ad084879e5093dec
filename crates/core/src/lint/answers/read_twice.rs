//! HW632: a script that reads its input twice. The second read gets nothing.

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let text = HookText::of(at)?;
    let place = text.walk(at)?.reads_nothing.first()?.clone();
    let says = "this command reads stdin after another command has already read all of it, so it gets nothing";
    let help = if text.is_shell() {
        "read stdin once into a variable (INPUT=$(cat)), and use the variable"
    } else {
        "read stdin once, and keep the result"
    };
    Some(Diagnostic::new(Code::HW632, says).at(text.span_of(place)).with_help(help))
}

#[cfg(test)]
mod tests {
    use hookbench_script::Grammar::{self, JavaScript, Python, Shell};
    use hookbench_script::{Given, ScriptModel};

    #[test]
    fn what_is_read_to_its_end_is_not_read_again() {
        let cases: [(Grammar, &str, Option<&str>); 27] = [
            (Shell, "T=$(jq -r .tool_name)\nC=$(jq -r .tool_input.command)", Some("jq -r .tool_input.command")),
            (Shell, "INPUT=$(cat)\nC=$(jq -r .tool_input.command)", Some("jq -r .tool_input.command")),
            (Shell, "cat > /tmp/log\njq -r .tool_name", Some("jq -r .tool_name")),
            (Shell, "cat | tee log\njq -r .tool_name", Some("jq -r .tool_name")),
            (Shell, "read_it() { cat; }\nINPUT=$(read_it)\njq .a", Some("jq .a")),
            (Shell, "jq -e .a >/dev/null || cat", None),
            (Shell, "take() { [ -n \"$INPUT\" ] || INPUT=$(cat); }\ntake\ntake", None),
            (Shell, "if [ \"$1\" = a ]; then INPUT=$(cat); fi\njq .a", Some("jq .a")),
            (Shell, "INPUT=$(cat)\necho \"$INPUT\" | jq -r .tool_name", None),
            (Shell, "INPUT=$(cat)\njq -r .tool_name <<< \"$INPUT\"\njq -r .cwd <<< \"$INPUT\"", None),
            (Shell, "INPUT=$(cat)\nV=$(jq -r .version package.json)", None),
            (Shell, "INPUT=$(cat)\njq -n '{}'", None),
            (Shell, "if x; then jq .a; else jq .b; fi", None),
            (Shell, "cat <<EOF\nx\nEOF\njq .a", None),
            (Shell, "tee >(jq .a) | jq .b", None),
            (Shell, "cat file; jq .a", None),
            (Shell, "INPUT=$(cat)\nwhile read -r line; do jq .a; done < list", None),
            (Shell, "INPUT=$(cat)\ncat /etc/hosts | while read -r l; do cat; done", None),
            (Shell, "read -r first\njq .a", None),
            (Shell, "# cat\njq .a", None),
            (Python, "raw = sys.stdin.read()\nd = json.load(sys.stdin)\n", Some("json.load(sys.stdin)")),
            (
                Python,
                "def a():\n    return sys.stdin.read()\na()\nb = json.load(sys.stdin)\n",
                Some("json.load(sys.stdin)"),
            ),
            (Python, "try:\n    d = json.load(sys.stdin)\nexcept ValueError:\n    d = sys.stdin.read()\n", None),
            (Python, "d = json.load(sys.stdin)\n# json.load(sys.stdin)\n", None),
            (Python, "if a:\n    d = json.load(sys.stdin)\nelse:\n    d = sys.stdin.read()\n", None),
            (
                JavaScript,
                "const a = fs.readFileSync(0);\nconst b = fs.readFileSync(0, 'utf8');",
                Some("fs.readFileSync(0, 'utf8')"),
            ),
            (JavaScript, "const a = JSON.parse(fs.readFileSync(0, 'utf8'));", None),
        ];
        for (language, text, want) in cases {
            let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
            let second = walked.reads_nothing.first().map(|place| &text[place.clone()]);
            assert_eq!(second, want, "{text}");
        }
    }
}
