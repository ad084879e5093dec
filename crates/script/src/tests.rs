//! Scripts in three languages: payload keys, output, exit statuses.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::{Given, Grammar, Include, IncludedFile, Printed, Run, ScriptModel, ScriptStream, Started, Value};

/// The text on a stream. `unknown` gives the text for a value that is not known.
fn text_on(run: &Run, stream: ScriptStream, unknown: &dyn Fn(&Value) -> String) -> String {
    run.printed_on(stream).into_iter().flat_map(|one| &one.text).map(|piece| piece.text(unknown)).collect()
}

fn shown(text: &str, language: Grammar, given: &Given<'_>) -> Vec<String> {
    let script = ScriptModel::parse(text, language).unwrap();
    let walked = script.walk(given);
    let unknown = |value: &Value| match value {
        Value::Payload(path) => format!("<{}>", path.join(".")),
        Value::Stdin => "<stdin>".to_owned(),
        Value::Environment(name) => format!("<${name}>"),
        _ => "<?>".to_owned(),
    };
    let mut runs: Vec<String> = walked
        .runs
        .iter()
        .map(|run| {
            let status = run.status.map_or("?".to_owned(), |status| status.to_string());
            let out = text_on(run, ScriptStream::Stdout, &unknown);
            let err = text_on(run, ScriptStream::Stderr, &unknown);
            let err = if err.is_empty() { String::new() } else { format!(" !{}", err.trim_end()) };
            let out = out.trim_end();
            let out = if out.is_empty() { String::new() } else { format!(" {out}") };
            format!("{status}{out}{err}")
        })
        .collect();
    runs.sort();
    runs
}

/// The keys of the payload, after `/`, and those of other values.
fn reads(text: &str, language: Grammar) -> String {
    let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
    let own = walked.reads.iter().map(|path| format!("/{}", path.join("/")));
    own.chain(walked.other_reads.iter().map(|path| path.join("/"))).collect::<Vec<_>>().join(" ")
}

#[test]
fn shell_scripts_end_as_they_are_written() {
    let mut wrong = Vec::new();
    for (text, want) in [
        ("echo no >&2\nexit 2", vec!["2 !no"]),
        ("echo '{\"decision\": \"block\"}'", vec!["0 {\"decision\": \"block\"}"]),
        ("cmd=$(jq -r '.tool_input.command // empty')\necho \"$cmd\"", vec!["0 <tool_input.command>"]),
        (
            "input=$(cat)\ncmd=$(printf '%s' \"$input\" | jq -r .tool_input.command)\nif [[ \"$cmd\" == *rm* ]]; then\n  echo \"no $cmd\" >&2\n  exit 2\nfi\nexit 0",
            vec!["0", "2 !no <tool_input.command>"],
        ),
        ("cat <<EOF\n{\"a\": \"$(jq -r .cwd)\"}\nEOF", vec!["0 {\"a\": \"<cwd>\"}"]),
        ("cat <<'EOF' >&2\n$x\nEOF\nexit 3", vec!["3 !$x"]),
        (
            "deny() { jq -n --arg r \"$1\" '{decision: \"block\", reason: $r}'; exit 0; }\n[ -n \"$(cat)\" ] && deny \"not $USER\"\nexit 1",
            vec!["0 {\"decision\":\"block\",\"reason\":\"not <$USER>\"}", "1"],
        ),
        ("case $(jq -r .tool_name) in Bash) echo b;; Edit|Write) echo e;; *) exit 4;; esac", vec!["0 b", "0 e", "4"]),
        ("case $(jq -r .tool_name) in [BE]*) echo b;; *) exit 4;; esac", vec!["0 b", "4"]),
        ("x=Bash\ncase $x in [A-C]*) echo b;; *) exit 4;; esac", vec!["0 b", "4"]),
        ("x=1\nif true; then x=2; fi\necho $x", vec!["0 2"]),
        ("echo a >/dev/null; echo b 2>&1 1>&2", vec!["0 b"]),
        ("jq -e .x || exit 5", vec!["5 <x>", "? <x>"]),
        ("grep -q a && echo yes", vec!["0 yes", "?"]),
        ("trap 'echo bye' EXIT\nexit 2", vec!["2 bye"]),
        ("exec 1>&2\necho a", vec!["0 !a"]),
        ("> \"$LOG\"\necho a", vec!["0 a"]),
        ("(exit 3)\necho $x", vec!["0 <$x>"]),
        ("for i in a b; do echo x; break; done", vec!["0 x"]),
        ("read -r line; echo \"$line\" | jq -r .a", vec!["0 <a>"]),
        ("f() { return 2; }\nf || exit 7", vec!["7"]),
        ("echo \"$(echo a)\" | cat", vec!["0 a"]),
        ("set -e\nfalse\necho a", vec!["1"]),
        ("x=$(python3 -c 'print(\"a\")'); echo $x; python3 -c 'import sys; sys.exit(3)'", vec!["3 a"]),
    ] {
        let got = shown(text, Grammar::Shell, &Given::default());
        if got != want {
            wrong.push(format!("{text}\n  got  {got:?}\n  want {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn python_scripts_end_as_they_are_written() {
    let mut wrong = Vec::new();
    for (text, want) in [
        ("import sys\nprint('no', file=sys.stderr)\nsys.exit(2)", vec!["2 !no"]),
        (
            "print(json.dumps({\"decision\": \"deny\", \"reason\": f\"no {x}\"}))\nsys.exit(0)",
            vec!["0 {\"decision\":\"deny\",\"reason\":\"no <?>\"}"],
        ),
        (
            "def main():\n    try:\n        d = json.load(sys.stdin)\n    except ValueError:\n        sys.exit(1)\n    if 'rm' in d.get('tool_input', {}).get('command', ''):\n        print(json.dumps({'a': d['cwd']}))\n        return\n    sys.exit(3)\nif __name__ == '__main__':\n    main()\n",
            vec!["0 {\"a\":\"<cwd>\"}", "1", "3"],
        ),
        (
            "out = {}\nout['a'] = {'b': 1}\nout['a']['c'] = 'x'\njson.dump(out, sys.stdout)",
            vec!["0 {\"a\":{\"b\":1,\"c\":\"x\"}}"],
        ),
        (
            "def deny(why, code=2):\n    sys.stderr.write(why)\n    sys.exit(code)\nif re.search('a', b):\n    deny('bad')\n",
            vec!["0", "2 !bad"],
        ),
        ("raise SystemExit(2)", vec!["2"]),
        ("raise ValueError('x')", vec!["1"]),
        ("sys.exit('why')", vec!["1 !why"]),
        ("print('a %s b' % y, 'c {} d'.format(x))", vec!["0 a <?> b c <?> d"]),
        ("x = 'a' if y else 'b'\nprint(x)", vec!["0 a", "0 b"]),
        (
            "def f(x):\n    if x:\n        return 'a', 'b'\n    return None\ndef g(e, one, two):\n    print(one + two)\nr = f(y)\nif r:\n    g(1, *r)",
            vec!["0", "0 ab"],
        ),
    ] {
        let got = shown(text, Grammar::Python, &Given::default());
        if got != want {
            wrong.push(format!("{text}\n  got  {got:?}\n  want {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn javascript_ends_as_it_is_written() {
    let mut wrong = Vec::new();
    for (text, want) in [
        ("console.error('no'); process.exit(2);", vec!["2 !no"]),
        (
            "let s = '';\nprocess.stdin.on('data', (c) => { s += c; });\nprocess.stdin.on('end', () => {\n  const d = JSON.parse(s);\n  const { tool_input: { command = '' } = {} } = d;\n  if (/x/.test(command)) {\n    console.log(JSON.stringify({ decision: 'block', reason: `no ${d.cwd}` }));\n    return;\n  }\n  process.exitCode = 3;\n});",
            vec!["0 {\"decision\":\"block\",\"reason\":\"no <cwd>\"}", "3"],
        ),
        (
            "async function main(a: string) {\n  const chunks = [];\n  for await (const c of process.stdin) chunks.push(c);\n  const d = JSON.parse(Buffer.concat(chunks).toString());\n  switch (d.tool_name) {\n    case 'Bash': console.log('b'); break;\n    default: process.exit(4);\n  }\n}\nmain().catch(() => process.exit(1));",
            vec!["0 b", "4"],
        ),
        (
            "const d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\nif (d.a) { throw new Error('x'); }",
            vec!["0", "1"],
        ),
        (
            "const d = JSON.parse(require('fs').readFileSync(0));\nconst e = d && d.a;\nif (e === 'x') console.log('of x'); else console.log(e && e.b);",
            vec!["0 <a.b>", "0 of x"],
        ),
        (
            "const lines = [];\nlines.push('a');\nlines.push(...more());\nconsole.log(JSON.stringify({ reason: lines.join('\\n') }));",
            vec!["0 {\"reason\":\"<?>\"}"],
        ),
        (
            "const words = ['a'];\nwords.push('b', ...['c']);\nif (words.includes('a') && words.includes('c')) console.log('all');",
            vec!["0 all"],
        ),
        (
            "const out = { continue: true };\nout.reason = 'a';\nprocess.stdout.write(JSON.stringify(out) + '\\n');",
            vec!["0 {\"continue\":true,\"reason\":\"a\"}"],
        ),
    ] {
        let got = shown(text, Grammar::JavaScript, &Given::default());
        if got != want {
            wrong.push(format!("{text}\n  got  {got:?}\n  want {want:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_given_decides_the_branches() {
    let event = [(vec!["hook_event_name".to_owned()], "Stop".to_owned())];
    let arguments = [Value::text("hook"), Value::text("post")];
    let given = Given { arguments: &arguments, payload: &event, keys: &[], status: None };
    let text = "e=$(jq -r .hook_event_name)\nif [ \"$e\" = Stop ]; then echo stop; else echo other; fi";
    assert_eq!(shown(text, Grammar::Shell, &given), ["0 stop"]);
    let shim = "rc=2\nif [ \"$1\" = \"--hook\" ]; then rc=0; shift; fi\n[ -f \"$1\" ] || exit $rc\nexec python3 \"$1\"";
    let arguments = [Value::text("shim"), Value::text("--hook"), Value::Unknown];
    assert_eq!(shown(shim, Grammar::Shell, &Given { arguments: &arguments, ..Given::default() }), ["0", "? <?>"]);
    let text = "const [command, ...rest] = process.argv.slice(2);\nswitch (command) { case 'pre': console.log('a'); break; case 'post': console.log('b'); }";
    assert_eq!(shown(text, Grammar::JavaScript, &given), ["0 b"]);
    let text = "case \"$1\" in pre) echo a;; post) echo b;; esac";
    assert_eq!(shown(text, Grammar::Shell, &given), ["0 b"]);
    let text = "d = json.load(sys.stdin)\nif d['hook_event_name'] == 'Stop' and sys.argv[1] != 'pre':\n    print('s')\nelse:\n    print('o')";
    assert_eq!(shown(text, Grammar::Python, &given), ["0 s"]);
}

#[test]
fn keys_that_scripts_read() {
    use Grammar::{JavaScript, Python, Shell};
    let mut wrong = Vec::new();
    for (text, language, want) in [
        ("cmd=$(jq -r '.tool_input.command')", Shell, "/tool_input/command"),
        ("cmd=\"$(printf '%s' \"$(cat)\" | jq -r '.tool_input.command // empty')\"", Shell, "/tool_input/command"),
        ("jq -er .tool_name", Shell, "/tool_name"),
        ("jq -r '.tool_input[\"file_path\"], .cwd'", Shell, "/tool_input/file_path /cwd"),
        ("jq -r '.tool_input | .command'", Shell, "/tool_input/command"),
        ("jq '.tool_input | to_entries[] | .key'", Shell, "/tool_input"),
        ("jq 'select(.tool_name == \"Bash\") | .tool_input.command'", Shell, "/tool_name /tool_input/command"),
        ("jq '{a: .x.y, b: (.z | length)}'", Shell, "/x/y /z"),
        ("jq -r '\"\\(.a.b) is .c\"'", Shell, "/a/b"),
        ("jq -r '.questions[].question, .list[0].b'", Shell, "/questions/*/question /list/0/b"),
        ("jq -n --arg r \"$why\" '{reason: $r, x: .y}'", Shell, ""),
        ("jq -r .version package.json", Shell, ""),
        ("input=$(cat); jq --arg a b '.k' <<<\"$input\"", Shell, "/k"),
        ("jq '$x.foo, ..|.bar?'", Shell, ""),
        ("# jq .comment", Shell, ""),
        ("echo jqx .no", Shell, ""),
        ("jq 'has(\"asked\")'", Shell, ""),
        ("d = json.load(sys.stdin)\nd[\"tool_input\"][\"command\"]", Python, "/tool_input/command"),
        ("d = json.load(sys.stdin)\n(d.get('tool_input') or {}).get('command', \"\")", Python, "/tool_input/command"),
        (
            "d = json.loads(sys.stdin.read())\nti = d.get(\"tool_input\", {})\nti.get(\"path\")",
            Python,
            "/tool_input/path",
        ),
        ("json.load(sys.stdin.buffer).get(\"tool_name\") or ''", Python, "/tool_name"),
        ("def f(event):\n  return event.get('tool')\nf(json.load(sys.stdin))", Python, "/tool"),
        (
            "def f(tool_input):\n  tool_input.get(\"command\")\nf(json.load(sys.stdin)[\"tool_input\"])",
            Python,
            "/tool_input/command",
        ),
        (
            "class A:\n  def __init__(self, d):\n    self.d = d\n  def run(self):\n    return self.d['a']\nA(json.load(sys.stdin)).run()",
            Python,
            "/a",
        ),
        ("def f(event):\n  return event.get(\"tool\")", Python, "tool"),
        (
            "def a(d): d['a']\ndef b(d): d['b']\nf = {'a': a, 'b': b}[sys.argv[1]]\nf(json.load(sys.stdin))",
            Python,
            "/a /b",
        ),
        ("d = {}\nif not sys.stdin.isatty():\n  d = json.load(sys.stdin)\nd['a']", Python, "/a"),
        ("const d = JSON.parse(readFileSync(0));\nd.hasOwnProperty('a') || Object.hasOwn(d, 'b')", JavaScript, ""),
        ("if (process.stdin.isTTY) process.exit(0);\nJSON.parse(readFileSync(0)).a", JavaScript, "/a"),
        ("from lib import payload\nd = payload()\nd['tool_input']['command']", Python, "tool_input/command"),
        ("c = json.load(open('c.json'))\nc['limit']", Python, "limit"),
        ("os.environ.get(\"HOME\"), os.environ['X'], CONFIG['a']", Python, ""),
        ("d = json.load(sys.stdin)\nd['decision'] = 'block'\nif d['a'] == 1: pass", Python, "/a"),
        ("d = json.load(sys.stdin)\nif 'asked' in d or 'rm' in d['b']: pass", Python, "/b"),
        ("\"\"\"Reads d['prose'].\"\"\"\nif x in ['list', \"b\"]: pass", Python, ""),
        ("d = json.load(sys.stdin)\nprint(f\"{d['tool_name']}\")\nd.items()", Python, "/tool_name"),
        (
            "const data = JSON.parse(fs.readFileSync(0, 'utf8'));\ndata.tool_input.command.length",
            JavaScript,
            "/tool_input/command",
        ),
        (
            "let d = JSON.parse(readFileSync('/dev/stdin'));\nif (d.tool_input?.[\"file_path\"]) {}",
            JavaScript,
            "/tool_input/file_path",
        ),
        (
            "const { tool_name, tool_input: input } = JSON.parse(readFileSync(0));\ninput.command.startsWith('x')",
            JavaScript,
            "/tool_name /tool_input/command",
        ),
        (
            "class A { constructor(d) { this.d = d } run() { return this.d.a } }\nnew A(JSON.parse(readFileSync(0))).run()",
            JavaScript,
            "/a",
        ),
        ("module.exports = function (d) { return d['tool'] }", JavaScript, "tool"),
        ("process.env['X']; foo.bar.baz", JavaScript, ""),
    ] {
        let got = reads(text, language);
        if got != want {
            wrong.push(format!("{text}\n  got  {got}\n  want {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_that_get_the_payload() {
    for (text, want) in [
        ("jq .k", true),
        ("x=$(jq .k )", true),
        ("if jq -e .k; then :; fi", true),
        ("cat | jq .k", true),
        ("cat file | jq .k", false),
        ("tee /tmp/log | jq .k", true),
        ("in=$(cat)\necho \"$in\" | jq .k", true),
        ("in=\"$(cat -)\"\nprintf '%s\\n' \"${in}\" | jq .k", true),
        ("in=$(</dev/stdin); jq .k <<< \"$in\"", true),
        ("in=${1:-$(cat)}\necho $in | jq .k", true),
        ("in=$(timeout 5 cat)\necho $in | jq .k", true),
        ("IFS= read -r -d '' in\necho \"$in\" | jq .k", true),
        ("in=$(cat); copy=$in; echo \"$copy\" | jq .k", true),
        ("in=$(cat)\ntool=$(echo \"$in\" | jq .tool_input)\necho \"$tool\" | jq .k", false),
        ("package=$(cat package.json)\njq .k <<<\"$package\"", false),
        ("echo \"$TOOL_INPUT\" | jq .k", false),
        ("echo '{}' | jq .k", false),
        ("gh pr view --json url | jq .k", false),
        ("curl -s https://x.example/$id |\n  jq .k", false),
        ("false || jq .k", true),
        ("jq .k < package.json", false),
        ("jq .k < /dev/stdin", true),
        ("git log | while read -r line; do echo \"$line\" | jq .k; done", false),
    ] {
        assert_eq!(reads(text, Grammar::Shell).split(' ').any(|path| path == "/k"), want, "{text}");
    }
}

#[test]
fn keys_that_an_event_always_has_or_never_has() {
    let keys = [("turn".to_owned(), true), ("round".to_owned(), false)];
    let given = Given { keys: &keys, ..Given::default() };
    for (text, language, want) in [
        ("e = json.load(sys.stdin)\nprint(1 if 'turn' in e else 2)", Grammar::Python, "0 1"),
        ("e = json.load(sys.stdin)\nif 'round' in e: print(1)\nelse: print(2)", Grammar::Python, "0 2"),
        ("e = json.load(sys.stdin)\nif e.get('round'): print(1)", Grammar::Python, "0"),
        (
            "const e = JSON.parse(fs.readFileSync(0, 'utf8'));\nif ('turn' in e) { console.log('1') } else { console.log('2') }",
            Grammar::JavaScript,
            "0 1",
        ),
    ] {
        assert_eq!(shown(text, language, &given), vec![want], "{text}");
    }
}

#[test]
fn texts_that_values_are_compared_with() {
    use Grammar::{JavaScript, Python, Shell};
    let python = "import json, re, sys\nd = json.load(sys.stdin)\ntool_name = d.get('tool_name', '')\n";
    let node = "const d = JSON.parse(readFileSync(0, 'utf8'));\n";
    let shell = "input=$(cat)\nT=$(jq -r '.tool_name // empty' <<<\"$input\")\n";
    let mut wrong = Vec::new();
    // `~` stands before a part of a value, `?` for a text that is not known, `/i` after a comparison that ignores case.
    for (language, head, body, want) in [
        (Python, python, "if d[\"tool_name\"] == \"Bash\" and \"rm -rf\" in c: deny()", "Bash"),
        (Python, python, "t = d.get(\"tool_name\", \"\")\nif t != 'Bash':\n    sys.exit(0)", "Bash"),
        (Python, python, "if tool_name in (\"Write\", \"Edit\"): pass", "Write Edit"),
        (Python, python, "W = {\"Write\", 'Edit'}\nif d['tool_name'] not in W: pass\n", "Write Edit"),
        (Python, python, "W = frozenset(['Write'])\ndef f(tool): return tool in W\nf(tool_name)", "Write"),
        (Python, python, "W = {'Write': 1}\nif tool_name in W: pass\n", "Write"),
        (Python, python, "if 'Bash' == d[\"tool_name\"]: pass", "Bash"),
        (
            Python,
            python,
            "match tool_name:\n  case \"Bash\" | \"Shell\":\n    x()\n  case \"Edit\":\n    y()",
            "Bash Shell Edit",
        ),
        (Python, python, "if re.match(r'^(Write|Edit)$', d['tool_name']): pass", "~Write ~Edit"),
        (Python, python, "P = re.compile(r'Write|Edit', re.I)\nif P.match(tool_name): pass", "~Write/i ~Edit/i"),
        (Python, python, "if tool_name.lower() == 'bash': pass", "bash/i"),
        (Python, python, "if tool_name.startswith(('Edit', 'mcp__')): pass", "~Edit ~mcp__"),
        (Python, python, "if '\"tool_name\": \"Bash\"' in sys.stdin.read(): pass", ""),
        (Python, "raw = sys.stdin.read()\n", "if '\"tool_name\": \"Bash\"' in raw: pass", "~Bash"),
        (Python, python, "# if tool_name == \"Bash\"\nlog(tool_name)", ""),
        (Python, python, "tool_name = \"Bash\"\nif tool_name == 'Edit': pass", ""),
        (Python, python, "f(tool_name=\"Bash\")", ""),
        (Python, python, "{\"tool_name\": \"Bash\"}", ""),
        (Python, python, "if tool_name == '' or tool_name is None: pass", ""),
        (Python, python, "if re.match(r'.*_file', d['tool_name']): pass", "?"),
        (Python, python, "if d['tool_name'] in TOOLS: pass\n", "?"),
        (Shell, shell, "if [ \"$T\" = \"Bash\" ]; then :; fi", "Bash"),
        (Shell, shell, "if test \"$T\" = Bash; then :; fi", "Bash"),
        (Shell, shell, "[[ $T == Bash ]] || exit 0", "Bash"),
        (Shell, shell, "[[ \"$T\" != \"Bash\" && \"$T\" != \"Task\" ]] && exit", "Bash Task"),
        (Shell, shell, "[[ $T =~ ^(Write|Edit)$ ]] || exit 0", "~Write ~Edit"),
        (
            Shell,
            shell,
            "case \"$T\" in\n  Bash) x ;;\n  Write|\"Edit\") y ;;\n  mcp__*) z ;;\n  *) exit 0 ;;\nesac",
            "Bash Write Edit ~mcp__",
        ),
        (Shell, "", "case \"$(jq -r .tool_name)\" in Bash|Edit) x;; esac", "Bash Edit"),
        (Shell, "", "jq -e 'select(.tool_name == \"Bash\")'", "Bash"),
        (Shell, "", "jq -r 'if (.tool_name // \"\") == \"Bash\" then 1 else 0 end'", "Bash"),
        (Shell, "", "jq -e '.tool_name | test(\"^(Bash|Edit)$\")'", "~Bash ~Edit"),
        (Shell, "", "jq -e '.tool_name | IN(\"Bash\", \"Edit\")'", "Bash Edit"),
        (Shell, "", "jq -e '.tool_name as $t | [\"Bash\", \"Edit\"] | any(. == $t)'", "Bash Edit"),
        (Shell, "", "jq -e '.tool_name | ascii_downcase == \"bash\"'", "bash/i"),
        (Shell, "", "cat | grep -q '\"tool_name\": *\"Bash\"' || exit 0", "~Bash"),
        (Shell, shell, "echo \"$T\" | grep -qiE '^(bash|edit)$' || exit 0", "~bash/i ~edit/i"),
        (Shell, shell, "grep -q Bash <<<\"$T\" || exit 0", "~Bash"),
        (Shell, shell, "t=$(echo \"$T\" | tr A-Z a-z)\n[ \"$t\" = bash ] || exit 0", "bash/i"),
        (Shell, shell, "[[ ${T,,} == bash ]] || exit 0", "bash/i"),
        (Shell, shell, "shopt -s nocasematch\n[[ $T == bash ]] || exit 0", "bash/i"),
        (
            Shell,
            "",
            "python3 -c 'import json,sys; d=json.load(sys.stdin); print(d[\"tool_name\"] == \"Bash\")'",
            "Bash",
        ),
        (
            Shell,
            "",
            "IN=$(cat) python3 - <<'E'\nd = json.loads(os.environ['IN'])\nif d['tool_name'] == 'Bash': pass\nE",
            "Bash",
        ),
        (Shell, "", "cat | node -e 'const d = JSON.parse(fs.readFileSync(0)); d.tool_name === \"Bash\"'", "Bash"),
        (Shell, shell, "bash -c '[ \"$0\" = Bash ]' \"$T\"", "Bash"),
        (Shell, shell, "C=$(jq -r .tool_input.command <<<\"$input\")\n[ \"$C\" = ls ]", ""),
        (JavaScript, node, "const { tool_name, tool_input } = d;\nif (tool_name === 'Bash') {}", "Bash"),
        (JavaScript, node, "const t = d.tool_name;\nif (['Edit', 'Write'].includes(t)) {}", "Edit Write"),
        (JavaScript, node, "const W = new Set(['Edit']);\nif (!W.has(d.tool_name)) {}", "Edit"),
        (JavaScript, node, "switch (d.tool_name) { case 'Bash': x(); break; case \"Edit\": y(); }", "Bash Edit"),
        (JavaScript, node, "if (/^(Edit|Write)$/.test(d.tool_name)) {}", "~Edit ~Write"),
        (JavaScript, node, "if (d.tool_name.match(/edit/i)) {}", "~edit/i"),
        (JavaScript, node, "const { tool_name: tool } = d;\nif (tool !== 'Bash') return;", "Bash"),
    ] {
        let text = format!("{head}{body}");
        let walked = ScriptModel::parse(&text, language).unwrap().walk(&Given::default());
        let texts = walked.compared.iter().filter(|one| one.path == ["tool_name"]).map(|one| {
            assert!(text.get(one.at.clone()).is_some_and(|place| !place.is_empty()), "{text}");
            let name = one.text.as_deref().unwrap_or("?");
            format!("{}{name}{}", if one.is_substring { "~" } else { "" }, if one.ignores_case { "/i" } else { "" })
        });
        let got = texts.collect::<Vec<_>>().join(" ");
        if got != want {
            wrong.push(format!("{text}\n  got  {got}\n  want {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_text_that_each_statement_doubles_is_not_known_in_the_end() {
    for (statement, language) in [
        ("A=$A$A$1\n", Grammar::Shell),
        ("A=$(echo $A $A $1)\n", Grammar::Shell),
        ("a = a + a\n", Grammar::Python),
        ("a = `${a}${a}`;\n", Grammar::JavaScript),
    ] {
        let text = format!(
            "{}{}",
            if language == Grammar::Shell { "A=12345678\n" } else { "a = '12345678'\n" },
            statement.repeat(64)
        );
        let script = ScriptModel::parse(&text, language).unwrap();
        assert!(script.walk(&Given::default()).complete, "{statement}");
    }
}

#[test]
fn no_nesting_is_too_deep() {
    for (open, close, language) in [
        ("$(", ")", Grammar::Shell),
        ("{ ", "; }", Grammar::Shell),
        ("(", ")", Grammar::Python),
        ("[", "]", Grammar::JavaScript),
        ("f(() => { ", " })", Grammar::JavaScript),
        ("x = 1 + ", "", Grammar::Python),
    ] {
        for count in [10, 400, 900, 2_500] {
            let text = format!("{}a{}", open.repeat(count), close.repeat(count));
            let script = ScriptModel::parse(&text, language);
            assert!(count > 10 || script.is_some(), "{open} {count}");
            if let Some(script) = script {
                script.walk(&Given::default());
            }
        }
    }
}

#[test]
fn a_script_that_starts_itself_ends() {
    let text = "x='bash -c \"$x\"'\nbash -c \"$x\"\necho end";
    assert_eq!(shown(text, Grammar::Shell, &Given::default()), ["0 <?>end"]);
}

#[test]
fn programs_and_files() {
    use Grammar::{JavaScript, Python, Shell};
    let mut wrong = Vec::new();
    for (language, text, started, searched, read) in [
        (Python, "subprocess.run([\"jq\", \".x\"], check=True)", "jq .x", "", ""),
        (
            Python,
            "subprocess.check_output(\n    ['git', 'diff'])\nos.system('npx prettier .')",
            "git diff, npx",
            "",
            "",
        ),
        (JavaScript, "execSync(`gh pr view`); spawnSync('node', ['x.js'])", "gh, node x.js", "", ""),
        (JavaScript, "/re/.exec('text'); run(['other']); // spawn('comment')", "", "", ""),
        (Python, "# subprocess.run(['comment'])\nsubprocess.run(command)", "", "", ""),
        (
            Python,
            "subprocess.run(['./x.sh'], cwd=root); subprocess.run(\"jq . x\", shell=True)",
            "./x.sh elsewhere, jq",
            "",
            "",
        ),
        (JavaScript, "spawn('./x.sh', [], { cwd: root })", "./x.sh elsewhere", "", ""),
        (Python, "class A:\n    def run(self, name):\n        subprocess.run([name])\nA().run('jq')", "jq", "", ""),
        (JavaScript, "class A { run(name) { spawn(name) } }\nnew A().run('jq')", "jq", "", ""),
        (Python, "if shutil.which(\"jq\") is None: sys.exit(0)\nwhichever('x')", "", "jq", ""),
        (JavaScript, "if (!which.sync('jq')) process.exit(0)", "", "jq", ""),
        (Shell, "command -v jq >/dev/null || exit 0\nwhich yq; hash gh", "", "jq yq gh", ""),
        (Python, "rules = open(\"rules.txt\").read()", "", "", "rules.txt"),
        (Python, "with open('a/b.json', encoding='utf-8') as f: pass", "", "", "a/b.json"),
        (Python, "NAME = 'c.txt'\njson.load(open(NAME, 'rb'))", "", "", "c.txt"),
        (Python, "open('log.txt', 'a'); open(name); open(f'{x}.txt'); Image.open('x.png')", "", "", ""),
        (
            JavaScript,
            "fs.readFileSync('./rules.json', 'utf8'); readFileSync(0); readFileSync(`${x}`)",
            "",
            "",
            "./rules.json",
        ),
    ] {
        let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
        let words = |one: &Started| {
            let arguments = one.arguments.iter().filter_map(Value::known_text);
            let moves = one.moves.then(|| "elsewhere".to_owned());
            std::iter::once(one.program.clone()).chain(arguments).chain(moves).collect::<Vec<_>>().join(" ")
        };
        let got = (
            walked.started.iter().map(words).collect::<Vec<_>>().join(", "),
            walked.searched.join(" "),
            walked.read_files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(" "),
        );
        if got != (started.to_owned(), searched.to_owned(), read.to_owned()) {
            wrong.push(format!("{text}\n  got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ways_to_refuse() {
    use Grammar::{JavaScript, Python, Shell};
    for (language, text, want) in [
        (Shell, "echo no >&2; exit 2", true),
        (Python, "sys.exit(2)", true),
        (Python, "raise SystemExit(2)", true),
        (Python, "def main():\n    return 2\nsys.exit(main())", true),
        (Python, "def main():\n    return 2\nmain()", false),
        (JavaScript, "process.exitCode = 2", true),
        (Shell, r#"echo "{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}""#, true),
        (Shell, "jq -n '{hookSpecificOutput: {permissionDecision: \"ask\"}}'", true),
        (JavaScript, "console.log(JSON.stringify({ decision: 'block', reason }))", true),
        (
            Python,
            "def decide(word, reason):\n    print(json.dumps({'decision': word}))\ndecide(\"deny\", reason)",
            true,
        ),
        (Python, "decide(\"deny\", reason)", false),
        (Shell, "exit 20", false),
        (Shell, "# exit 2", false),
        (Shell, "exit 0", false),
        (Shell, "grep -q deny log", false),
        (Python, "print(json.dumps({\"decision\": \"approve\"}))", false),
    ] {
        let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
        assert_eq!(walked.runs.iter().any(Run::objects), want, "{text}");
    }
}

/// Whether a script lacks an argument and whether it reads stdin, if it is started without arguments.
#[test]
fn arguments_and_stdin() {
    let name = [Value::text("hook")];
    for (text, language, lacks, reads) in [
        ("c=\"$1\"\necho \"$c\" | grep -q rm && exit 2", Grammar::Shell, true, false),
        ("c=$(jq -r .tool_input.command)\n[ \"$1\" = -v ] && echo \"$c\"", Grammar::Shell, true, true),
        ("m=\"${1:-guard}\"\necho \"$m\"", Grammar::Shell, false, false),
        ("f() { echo \"$1\"; }\nf a", Grammar::Shell, false, false),
        ("echo x | cat", Grammar::Shell, false, false),
        ("\"$DIR\"/next.sh", Grammar::Shell, false, true),
        ("import sys\nc = sys.argv[1]\nprint(c)", Grammar::Python, true, false),
        ("import json, sys\nd = json.load(sys.stdin)", Grammar::Python, false, true),
        ("const c = process.argv[2]\nconsole.log(c)", Grammar::JavaScript, true, false),
    ] {
        let script = ScriptModel::parse(text, language).unwrap();
        let walked = script.walk(&Given { arguments: &name, ..Given::default() });
        assert_eq!((walked.lacks_argument, walked.reads_stdin), (lacks, reads), "{text}");
    }
}

/// A line that a call starts is known on each of its calls, whatever name it has there.
#[test]
fn lines_that_calls_start() {
    let lines = |text: &str| -> Vec<Option<String>> {
        let walked = ScriptModel::parse(text, Grammar::JavaScript).unwrap().walk(&Given::default());
        walked.lines.iter().map(|line| line.line.known_text()).collect()
    };
    let start = "const sh = (c) => execSync(c)\nconst c = JSON.parse(readFileSync(0)).x\n";
    assert_eq!(lines(&format!("{start}sh('git diff')")), [Some("git diff".to_owned())]);
    assert_eq!(lines(&format!("{start}sh('a'); sh(c)")), [Some("a".to_owned()), None]);
    assert_eq!(lines("spawn(['git', 'diff'])"), []);
}

/// The words that have a kind, each as `kind:word`.
#[test]
fn kinds_of_words() {
    for (text, language, want) in [
        (
            "#!/bin/sh\n# guard\ncmd=$(jq -r '.x')\nif [ \"$cmd\" = \"a b $cmd\" ]; then exit 2; fi",
            Grammar::Shell,
            "Comment:#!/bin/sh Comment:# guard Variable:cmd Call:jq Text:'.x' Keyword:if Text:\" Variable:$cmd Text:\" \
             Text:\"a b  Variable:$cmd Text:\" Keyword:then Keyword:exit Keyword:fi",
        ),
        (
            "import sys\ndef f(x):\n    if x is None: sys.exit(2) # no\n    print(f\"a {x} b\")",
            Grammar::Python,
            "Keyword:import Keyword:def Call:f Keyword:if Keyword:is Keyword:None Call:exit Comment:# no Call:print \
             Text:f\"a  Text: b\"",
        ),
        (
            "// no\nconst t = `a ${b} c`; if (t) process.exit(2);",
            Grammar::JavaScript,
            "Comment:// no Keyword:const Text:`a  Text: c` Keyword:if Call:exit",
        ),
        ("if then (((", Grammar::Shell, "Keyword:if Call:then"),
    ] {
        let words = language.words(text);
        assert!(words.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start), "{words:?}");
        let shown = words.iter().map(|(range, kind)| format!("{kind:?}:{}", &text[range.clone()]));
        assert_eq!(shown.collect::<Vec<_>>().join(" "), want, "{text}");
    }
}

/// A branch tests the payload only if its condition can be made from it.
#[test]
fn programs_without_stdin_test_no_payload() {
    for (text, want) in [("case $(uname) in x) exit 3;; esac", false), ("case $(lookup) in x) exit 3;; esac", true)] {
        let walked = ScriptModel::parse(text, Grammar::Shell).unwrap().walk(&Given::default());
        let branches = walked.runs.iter().flat_map(|run| &run.branches);
        assert!(branches.clone().count() > 0 && branches.clone().all(|branch| branch.tests_payload == want), "{text}");
    }
}

/// What a program beside the answer prints is no part of it.
#[test]
fn answers_beside_programs() {
    for (text, want) in [
        ("source lib.sh\nnpx fmt .\necho '{\"decision\": \"block\"}'", true),
        ("echo \"$x\"\necho '{\"decision\": \"block\"}'", false),
        ("echo note\necho '{\"decision\": \"block\"}'", false),
    ] {
        let walked = ScriptModel::parse(text, Grammar::Shell).unwrap().walk(&Given::default());
        assert_eq!(walked.runs.iter().any(|run| run.answer("").is_some()), want, "{text}");
    }
}

/// A walk is shared by all facts that the script does not ask for, and by no others.
#[test]
fn walks_are_shared_where_nothing_else_is_asked() {
    let facts = |event: &str| vec![(vec!["hook_event_name".to_owned()], event.to_owned())];
    let (stop, start) = (facts("Stop"), facts("SessionStart"));
    let (one, other) = (vec![Value::text("a"), Value::text("1")], vec![Value::text("a"), Value::text("2")]);
    for (text, language, by_event, by_argument) in [
        ("jq -r .tool_input.command | grep rm && exit 2", Grammar::Shell, false, false),
        ("[ \"$(jq -r .hook_event_name)\" = Stop ] && exit 2", Grammar::Shell, true, false),
        ("[ \"$1\" = 1 ] && exit 2", Grammar::Shell, false, true),
        ("f() { [ \"$1\" = 1 ] && exit 2; }\nf x", Grammar::Shell, false, false),
        ("f() { [ \"$2\" = 1 ] && exit 2; }\nf x", Grammar::Shell, false, true),
        ("shift\nexit 0", Grammar::Shell, false, true),
        (
            "python3 -c 'import json, sys\nif json.load(sys.stdin)[\"hook_event_name\"] == \"Stop\": sys.exit(2)'",
            Grammar::Shell,
            true,
            false,
        ),
        ("import sys\nsys.exit(int(sys.argv[1]))", Grammar::Python, false, true),
    ] {
        let script = ScriptModel::parse(text, language).unwrap();
        let walk = |payload: &[_], arguments: &[_]| script.walk(&Given { arguments, payload, keys: &[], status: None });
        let first = walk(&stop, &one);
        assert_eq!(!Arc::ptr_eq(&first, &walk(&start, &one)), by_event, "{text}");
        assert_eq!(!Arc::ptr_eq(&first, &walk(&stop, &other)), by_argument, "{text}");
        assert!(Arc::ptr_eq(&first, &walk(&stop, &one)), "{text}");
    }
}

/// The effects of an included file have the place of the statement that includes it.
#[test]
fn included_files_are_followed() {
    let library = |include: &Include<'_>| {
        let text = match include.written {
            "\"$DIR/lib.sh\"" => {
                "refuse() { echo \"$1\" >&2; exit 2; }\nother() { jq -r .other_key; }\ncommand=$(jq -r .tool_input.command)\n[ -n \"$command\" ] || return 0\n. inner.sh"
            }
            "inner.sh" if include.from == Some("/p/\"$DIR/lib.sh\"") => "inner() { exit 3; }\n. inner.sh",
            "lib" => {
                "import json, sys\nREASON = 'no'\ndef read(): return json.load(sys.stdin)\ndef refuse(why):\n  print(why, file=sys.stderr)\n  sys.exit(2)\nprint('loaded')\n"
            }
            "./lib" => {
                "export function refuse(why) { console.error(why); process.exit(2); }\nconst status = 3;\nconsole.log('loaded');\nmodule.exports = { refuse };"
            }
            _ => return None,
        };
        Some(IncludedFile { path: format!("/p/{}", include.written), text: text.to_owned() })
    };
    let (shell, python, javascript) = (Grammar::Shell, Grammar::Python, Grammar::JavaScript);
    for (language, text, statuses, reads, stderr) in [
        (shell, ". \"$DIR/lib.sh\"\nrefuse \"no\"", vec![2], vec!["tool_input.command"], "no"),
        (shell, "source \"$DIR/lib.sh\" && inner", vec![3], vec!["tool_input.command"], ""),
        (shell, "refuse() { exit 4; }\n. \"$DIR/lib.sh\"\nrefuse no", vec![2], vec!["tool_input.command"], "no"),
        (python, "from lib import read, refuse as stop\nif read()['a']: stop('no')", vec![2, 0], vec!["a"], "no"),
        (python, "import lib as l\nl.refuse(REASON)", vec![2], vec![], "no"),
        (javascript, "import { refuse as stop } from './lib';\nstop('no');", vec![2], vec![], "no"),
        (javascript, "const { refuse, status } = require('./lib');\nprocess.exit(status);", vec![3], vec![], ""),
        (javascript, "const lib = require('./lib');\nlib.refuse('no');", vec![2], vec![], "no"),
    ] {
        let walked = ScriptModel::parse_with_files(text, language, &library).unwrap().walk(&Given::default());
        let mut ends: Vec<i32> = walked.runs.iter().filter_map(|run| run.status).collect();
        ends.dedup();
        let read: Vec<String> = walked.reads.iter().map(|path| path.join(".")).collect();
        let printed: Vec<&Printed> = walked.runs.iter().flat_map(|run| &run.printed).collect();
        let said: BTreeSet<String> = printed.iter().map(|one| one.known_text().trim().to_owned()).collect();
        let said: String = said.into_iter().collect();
        assert_eq!(
            (ends, read, said.trim()),
            (statuses, reads.iter().map(|path| (*path).to_owned()).collect(), stderr),
            "{text}"
        );
        assert!(printed.iter().all(|one| text.get(one.at.clone()).is_some_and(|at| at.contains("lib"))), "{text}");
    }
}

/// A script is parsed again when a file that it includes has changed.
#[test]
fn a_changed_included_file_is_read_again() {
    for status in ["2", "3"] {
        let library = |_: &Include<'_>| {
            Some(IncludedFile { path: "/p/changed.sh".to_owned(), text: format!("end() {{ exit {status}; }}") })
        };
        let model = ScriptModel::parse_with_files(". ./changed.sh\nend", Grammar::Shell, &library).unwrap();
        let ends: Vec<Option<i32>> = model.walk(&Given::default()).runs.iter().map(|run| run.status).collect();
        assert_eq!(ends, [status.parse().ok()]);
    }
}

/// After a loop that replaces a value by one of its keys, the value is not known.
#[test]
fn keys_of_a_value_that_a_loop_goes_into_are_not_known() {
    for (text, language) in [
        (
            "const data = JSON.parse(require('fs').readFileSync(0));\nfunction at(value, path) { for (const key of path.split('.')) { value = value[key]; } return value; }\nconst input = at(data, process.argv[2]);\nconsole.log(input.inner);",
            Grammar::JavaScript,
        ),
        (
            "import json, sys\ndata = json.load(sys.stdin)\nfor key in sys.argv[1].split('.'):\n  data = data[key]\nprint(data['inner'])",
            Grammar::Python,
        ),
    ] {
        let walked = ScriptModel::parse(text, language).unwrap().walk(&Given::default());
        let read: Vec<String> = walked.reads.iter().map(|path| path.join(".")).collect();
        assert_eq!(read, ["*"], "{text}");
    }
}

/// A redirection at the end of a list is that of its last command.
#[test]
fn the_last_command_of_a_list_has_its_own_redirection() {
    for (text, stdout, stderr) in [
        ("echo a 2>/dev/null || echo b >&2", "a", ""),
        ("echo a && echo b >&2", "a", "b"),
        ("{ echo a && echo b; } >&2", "", "a b"),
        ("if echo a && echo b >&2; then exit 0; fi", "a", "b"),
    ] {
        let walked = ScriptModel::parse(text, Grammar::Shell).unwrap().walk(&Given::default());
        let said = |stream| {
            let mut runs = walked.runs.iter().map(|run| text_on(run, stream, &|_| "<?>".to_owned()));
            runs.next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            (said(ScriptStream::Stdout).as_str(), said(ScriptStream::Stderr).as_str()),
            (stdout, stderr),
            "{text}"
        );
    }
}

/// After many steps, the walk skips included files and still reads the script to its end.
#[test]
fn a_long_included_file_leaves_steps_for_the_script() {
    let library = format!("def work():\n{}", "    if ready():\n        note()\n".repeat(400));
    let script = format!("from lib import work\n{}print('done')\n", "work()\n".repeat(40));
    let files = |include: &Include<'_>| {
        (include.written == "lib").then(|| IncludedFile { path: "/p/lib.py".to_owned(), text: library.clone() })
    };
    let walked = ScriptModel::parse_with_files(&script, Grammar::Python, &files).unwrap().walk(&Given::default());
    let texts: Vec<String> = walked.runs.iter().flat_map(|run| &run.printed).map(Printed::known_text).collect();
    assert_eq!((walked.complete, texts), (true, vec!["done\n".to_owned()]));
}
