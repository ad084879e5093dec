//! Calls in Python: what they print, read and start, and how they end the script.

use tree_sitter::Node;

use super::PythonReader;
use super::expressions::filled;
use crate::comparisons::ANY_CASE;
use crate::steps::{ComparisonKind, Expr, ProgramStart, ScriptStream, ShellCommand, Step, Target};
use crate::tree::named;

impl PythonReader<'_> {
    pub(super) fn call(&mut self, node: Node<'_>) -> Expr {
        let callee = node.child_by_field_name("function");
        let arguments = node.child_by_field_name("arguments").map(named).unwrap_or_default();
        let (named_arguments, plain): (Vec<Node<'_>>, Vec<Node<'_>>) =
            arguments.into_iter().partition(|one| one.kind() == "keyword_argument");
        let name = callee.map_or("", |callee| self.source.of(callee));
        let at = self.source.at(node);
        let arguments_text = node.child_by_field_name("arguments").map_or("", |all| self.source.of(all));
        let stream = |name: &str| match name {
            _ if name.contains("stderr") => Some(ScriptStream::Stderr),
            _ => name.contains("stdout").then_some(ScriptStream::Stdout),
        };
        match name {
            "print" => {
                let file = named_arguments
                    .iter()
                    .find(|one| self.source.of(**one).starts_with("file"))
                    .map(|one| self.source.of(*one));
                let target = file.map_or(Some(ScriptStream::Stdout), stream);
                let end = named_arguments
                    .iter()
                    .find(|one| self.source.of(**one).starts_with("end"))
                    .and_then(|one| one.child_by_field_name("value"));
                let end = end.map_or(Expr::text("\n"), |end| self.expression(end));
                let text = Expr::line(self.expressions(plain), end);
                match target {
                    Some(stream) => Expr::Success(vec![Step::Print { stream, text, at }]),
                    None => Expr::Unknown(vec![text]),
                }
            }
            "sys.stdout.write" | "sys.stderr.write" | "sys.stdout.buffer.write" | "sys.stderr.buffer.write" => {
                let text = self.first(plain);
                let stream = stream(name).unwrap_or(ScriptStream::Stdout);
                Expr::Success(vec![Step::Print { stream, text, at }])
            }
            "sys.exit" | "exit" | "quit" | "os._exit" | "SystemExit" => Expr::Success(self.exit(node)),
            "json.load" => match plain.first().map(|one| self.source.of(*one)) {
                Some("sys.stdin" | "sys.stdin.buffer" | "stdin") => Expr::Parse(Box::new(Expr::AllOfStdin(at))),
                _ => Expr::Unknown(self.expressions(plain)),
            },
            "json.loads" | "orjson.loads" | "loads" => Expr::Parse(Box::new(self.first(plain))),
            "isinstance" => Expr::Kind(Box::new(self.first(plain))),
            "json.dumps" | "orjson.dumps" | "dumps" => Expr::Format(Box::new(self.first(plain))),
            "json.dump" => {
                let target = plain.get(1).and_then(|one| stream(self.source.of(*one)));
                let value = self.first(plain);
                match target {
                    Some(stream) => {
                        Expr::Success(vec![Step::Print { stream, text: Expr::Format(Box::new(value)), at }])
                    }
                    None => Expr::Call(Box::new(Expr::Method("write".to_owned())), vec![value]),
                }
            }
            "input" | "sys.stdin.readline" => Expr::Stdin,
            "sys.stdin.read" | "sys.stdin.buffer.read" => Expr::AllOfStdin(at),
            // Only looks at the stream.
            "sys.stdin.isatty" | "sys.stdin.fileno" | "sys.stdin.reconfigure" => Expr::Unknown(Vec::new()),
            "os.environ.get" | "os.getenv" | "environ.get" | "getenv" => match plain.split_first() {
                Some((key, rest)) => {
                    let first = self.environment(*key);
                    let second = self.first(rest.to_vec());
                    Expr::Else { first: Box::new(first), second: Box::new(second), only_missing: true }
                }
                None => Expr::Unknown(Vec::new()),
            },
            "str" | "bytes" | "repr" | "dict" if plain.len() == 1 => Expr::Changed(Box::new(self.first(plain))),
            "dict" => {
                let entries = named_arguments.into_iter().map(|one| {
                    let name = one.child_by_field_name("name").map_or("", |name| self.source.of(name));
                    (Expr::text(name), self.field(one, "value"))
                });
                Expr::Object(entries.collect())
            }
            "shlex.quote" | "pipes.quote" | "quote" => Expr::Quoted(Box::new(self.first(plain))),
            "shutil.which" | "which" => {
                let words = std::iter::once(Expr::text("which")).chain(self.expressions(plain)).collect();
                Expr::Output(vec![Step::Evaluate(Expr::Command(Box::new(ShellCommand { words, at })))])
            }
            "subprocess.run"
            | "subprocess.call"
            | "subprocess.check_call"
            | "subprocess.check_output"
            | "subprocess.Popen"
            | "subprocess.getoutput"
            | "os.system"
            | "os.popen"
            | "os.execvp"
            | "os.execv" => {
                let arguments = self.expressions(plain.into_iter().take(1).collect());
                let has = |option: &str| named_arguments.iter().any(|one| self.source.of(*one).starts_with(option));
                let (moves, is_limited) = (has("cwd"), has("timeout") || name == "subprocess.Popen");
                let by_shell = matches!(name, "subprocess.getoutput" | "os.system" | "os.popen")
                    || named_arguments.iter().any(|one| self.source.of(*one).replace(' ', "") == "shell=True");
                let others = named_arguments.into_iter().map(|one| self.field(one, "value")).collect();
                let start = ProgramStart { arguments, by_shell, moves, is_limited, at };
                Expr::All(vec![Expr::Unknown(others), Expr::Start(Box::new(start))])
            }
            "open" => {
                let named_mode = named_arguments.iter().find(|one| self.source.of(**one).starts_with("mode"));
                let mode = plain.get(1).copied().or(named_mode.and_then(|one| one.child_by_field_name("value")));
                let mode = mode.map_or("", |mode| self.source.of(mode)).trim_matches(['"', '\'']);
                let name = self.first(plain);
                if mode.is_empty() || mode.starts_with('r') {
                    Expr::ReadFile { name: Box::new(name), at }
                } else {
                    Expr::Call(Box::new(Expr::Method("write".to_owned())), vec![name])
                }
            }
            "re.match" | "re.search" | "re.fullmatch" if plain.len() > 1 => {
                let flags = arguments_text.contains("re.I");
                let mut values = self.expressions(plain).into_iter();
                let pattern = flagged(values.next().unwrap_or(Expr::Null), flags);
                let text = values.next().unwrap_or(Expr::Null);
                Expr::Unknown(
                    std::iter::once(Expr::compare(ComparisonKind::Pattern, text, pattern, at)).chain(values).collect(),
                )
            }
            "re.compile" => flagged(self.first(plain), arguments_text.contains("re.I")),
            "set" | "frozenset" | "tuple" | "list" if plain.len() == 1 => self.first(plain),
            _ => self.other_call(node, callee, plain, &named_arguments),
        }
    }

    pub(super) fn other_call(
        &mut self,
        node: Node<'_>,
        callee: Option<Node<'_>>,
        plain: Vec<Node<'_>>,
        named_arguments: &[Node<'_>],
    ) -> Expr {
        let method = callee.filter(|callee| callee.kind() == "attribute");
        let name =
            method.and_then(|method| method.child_by_field_name("attribute")).map_or("", |name| self.source.of(name));
        let keywords: Vec<Expr> = named_arguments.iter().map(|one| self.field(*one, "value")).collect();
        let mut arguments = self.expressions(plain);
        let at = self.source.at(node);
        let Some(method) = method else {
            let callee = callee.map_or(Expr::Null, |callee| self.expression(callee));
            arguments.extend(keywords);
            return Expr::Call(Box::new(callee), arguments);
        };
        let object_text = method.child_by_field_name("object").map_or("", |object| self.source.of(object));
        if self.modules.iter().any(|module| module == object_text) {
            arguments.extend(keywords);
            return Expr::Call(Box::new(Expr::Variable(name.to_owned())), arguments);
        }
        let object = self.field(method, "object");
        match (name, arguments.as_slice()) {
            ("get", [key]) => Expr::Key(Box::new(object), Box::new(key.clone())),
            ("get" | "pop" | "setdefault", [key, default]) => Expr::Else {
                first: Box::new(Expr::Key(Box::new(object), Box::new(key.clone()))),
                second: Box::new(default.clone()),
                only_missing: true,
            },
            ("strip" | "rstrip" | "lstrip" | "decode" | "encode" | "copy", _) => Expr::Changed(Box::new(object)),
            ("lower" | "upper" | "casefold", _) => Expr::Folded(Box::new(object)),
            ("startswith" | "endswith", [text]) => {
                Expr::Unknown(vec![Expr::compare(ComparisonKind::Within, text.clone(), object, at)])
            }
            // The method of a compiled pattern.
            ("match" | "search" | "fullmatch", [text]) => {
                Expr::compare(ComparisonKind::Pattern, text.clone(), object, at)
            }
            ("read", []) if matches!(object, Expr::Stdin) => Expr::AllOfStdin(at),
            ("format", _) if matches!(object, Expr::Text(_)) => match object {
                Expr::Text(format) => filled(&format, "{", arguments.into_iter().chain(keywords).collect()),
                other => other,
            },
            ("update", [other]) => {
                let target = method.child_by_field_name("object").map_or(Target::Unknown, |node| self.target(node));
                let value = Expr::Object(vec![(Expr::Spread, object), (Expr::Spread, other.clone())]);
                Expr::Success(vec![Step::Set { target, value }])
            }
            _ => {
                arguments.insert(0, object);
                arguments.extend(keywords);
                Expr::Call(Box::new(Expr::Method(name.to_owned())), arguments)
            }
        }
    }

    /// `sys.exit(status)`. A text as the status goes to stderr.
    pub(super) fn exit(&mut self, call: Node<'_>) -> Vec<Step> {
        let argument = call.child_by_field_name("arguments").map(named).unwrap_or_default().into_iter().next();
        let at = self.source.at(call);
        let number = |number: &str| Expr::Number(number.to_owned());
        match argument {
            None => vec![Step::Exit { status: number("0"), at }],
            Some(text) if text.kind() == "string" => vec![
                Step::Print { stream: ScriptStream::Stderr, text: self.expression(text), at: self.source.at(text) },
                Step::Exit { status: number("1"), at },
            ],
            Some(status) => vec![Step::Exit { status: self.expression(status), at }],
        }
    }
}

/// A pattern, with the flag that makes it ignore case.
fn flagged(pattern: Expr, any_case: bool) -> Expr {
    if any_case { Expr::Join(vec![Expr::text(ANY_CASE), pattern]) } else { pattern }
}
