//! Calls in JavaScript: what they print, read and start, and how they end the script.

use tree_sitter::Node;

use super::JavaScriptReader;
use crate::steps::{
    ByteRange, ComparisonKind, EXIT_CODE, Expr, ProgramStart, ScriptStream, ShellCommand, Step, Target,
};
use crate::tree::named;

impl JavaScriptReader<'_> {
    pub(super) fn call(&mut self, node: Node<'_>) -> Expr {
        let callee = node.child_by_field_name("function");
        let arguments = node.child_by_field_name("arguments").map(named).unwrap_or_default();
        let name = callee.map_or("", |callee| self.source.of(callee));
        let at = self.source.at(node);
        let print = |stream, text| Expr::Success(vec![Step::Print { stream, text, at: at.clone() }]);
        match name {
            "console.log" | "console.info" | "console.debug" | "console.error" | "console.warn" => {
                let stream = if matches!(name, "console.error" | "console.warn") {
                    ScriptStream::Stderr
                } else {
                    ScriptStream::Stdout
                };
                print(stream, Expr::line(self.expressions(arguments), Expr::text("\n")))
            }
            "process.stdout.write" | "process.stderr.write" => {
                let stream = if name.contains("stderr") { ScriptStream::Stderr } else { ScriptStream::Stdout };
                let mut values = self.expressions(arguments).into_iter();
                let text = values.next().unwrap_or(Expr::Null);
                let mut parts = vec![print(stream, text)];
                // A function that runs after the write.
                parts.extend(values.map(|value| Expr::Call(Box::new(value), Vec::new())));
                Expr::Success(parts.into_iter().map(Step::Evaluate).collect())
            }
            "process.exit" | "exit" => {
                let status =
                    self.expressions(arguments).into_iter().next().unwrap_or(Expr::Variable(EXIT_CODE.to_owned()));
                Expr::Success(vec![Step::Exit { status, at }])
            }
            "JSON.parse" => Expr::Parse(Box::new(self.first(arguments))),
            "JSON.stringify" => Expr::Format(Box::new(self.first(arguments))),
            "String" | "Buffer.concat" | "Buffer.from" | "Promise.resolve" => {
                Expr::Changed(Box::new(self.first(arguments)))
            }
            "Bun.stdin.text" | "Bun.stdin.json" => {
                if name.ends_with("json") {
                    Expr::Parse(Box::new(Expr::AllOfStdin(at)))
                } else {
                    Expr::AllOfStdin(at)
                }
            }
            _ if name.ends_with("readFileSync") || name.ends_with("readFile") || name == "text" => {
                let file = arguments.first().map_or("", |one| self.source.of(*one)).trim_matches(['"', '\'', '`']);
                match file {
                    "0" | "/dev/stdin" | "process.stdin.fd" | "process.stdin" => Expr::AllOfStdin(at),
                    _ => Expr::ReadFile { name: Box::new(self.first(arguments)), at },
                }
            }
            "Array.isArray" => Expr::Kind(Box::new(self.first(arguments))),
            "Object.hasOwn" | "Reflect.has" if arguments.len() == 2 => {
                let mut sides = self.expressions(arguments);
                sides.reverse();
                Expr::Compare { kind: ComparisonKind::Within, sides, at }
            }
            "exec" | "cp.exec" | "child_process.exec" => self.start(arguments, true, at),
            "which" | "whichSync" | "which.sync" | "Bun.which" => {
                let words = std::iter::once(Expr::text("which")).chain(self.expressions(arguments)).collect();
                Expr::Output(vec![Step::Evaluate(Expr::Command(Box::new(ShellCommand { words, at })))])
            }
            _ if ["execSync", "spawnSync", "spawn", "execFileSync", "execFile"]
                .iter()
                .any(|run| name.rsplit('.').next() == Some(run)) =>
            {
                let by_shell = name.ends_with("execSync");
                self.start(arguments, by_shell, at)
            }
            _ => self.method(node, callee, arguments),
        }
    }

    /// Starts a program: its name or command line, its arguments, and options.
    fn start(&mut self, arguments: Vec<Node<'_>>, by_shell: bool, at: ByteRange) -> Expr {
        let options = arguments.iter().find(|one| one.kind() == "object").map_or("", |one| self.source.of(*one));
        let moves = options.contains("cwd");
        let is_limited = options.contains("timeout") || options.contains("detached");
        let by_shell = by_shell || options.contains("shell: true");
        let mut arguments = self.expressions(arguments);
        arguments.truncate(2);
        Expr::Start(Box::new(ProgramStart { arguments, by_shell, moves, is_limited, at }))
    }

    pub(super) fn method(&mut self, node: Node<'_>, callee: Option<Node<'_>>, arguments: Vec<Node<'_>>) -> Expr {
        let Some(member) = callee.filter(|callee| callee.kind() == "member_expression") else {
            let callee = callee.map_or(Expr::Null, |callee| self.expression(callee));
            return Expr::Call(Box::new(callee), self.expressions(arguments));
        };
        let property = member.child_by_field_name("property").map_or("", |one| self.source.of(one));
        let object_text = member.child_by_field_name("object").map_or("", |one| self.source.of(one));
        let mut values = self.expressions(arguments);
        if object_text == "process.stdin" {
            return match (property, values.as_slice()) {
                ("on" | "once" | "addListener", [Expr::Text(event), function]) => {
                    let arguments = if event == "data" { vec![Expr::Stdin] } else { Vec::new() };
                    Expr::Call(Box::new(function.clone()), arguments)
                }
                ("read", _) => Expr::Stdin,
                _ => Expr::Unknown(Vec::new()),
            };
        }
        if self.modules.iter().any(|module| module == object_text) {
            return Expr::Call(Box::new(Expr::Variable(property.to_owned())), values);
        }
        let object = self.field(member, "object");
        match property {
            "trim" | "toString" | "trimEnd" | "trimStart" => Expr::Changed(Box::new(object)),
            "toLowerCase" | "toUpperCase" => Expr::Folded(Box::new(object)),
            "join" if !matches!(object_text, "path") => Expr::Changed(Box::new(object)),
            "push" => {
                let target = member.child_by_field_name("object").map_or(Target::Unknown, |node| self.target(node));
                values.insert(0, Expr::Expand(Box::new(object)));
                Expr::Success(vec![Step::Set { target, value: Expr::List(values) }])
            }
            "includes" | "has" | "hasOwnProperty" | "indexOf" | "startsWith" | "endsWith" | "match" | "search"
            | "test" | "exec" => {
                let Some(item) = values.pop() else { return Expr::Unknown(vec![object]) };
                let at = self.source.at(node);
                match property {
                    "includes" | "has" | "hasOwnProperty" => Expr::compare(ComparisonKind::Within, item, object, at),
                    "test" | "exec" => Expr::compare(ComparisonKind::Pattern, item, object, at),
                    "match" | "search" => Expr::compare(ComparisonKind::Pattern, object, item, at),
                    // The place or the end of a text inside another one: the result is not known.
                    _ => Expr::Unknown(vec![Expr::compare(ComparisonKind::Within, item, object, at)]),
                }
            }
            "slice" if matches!(values.as_slice(), [Expr::Number(_)]) => match values.pop() {
                Some(Expr::Number(from)) => Expr::Tail(Box::new(object), from.parse().unwrap_or(0)),
                _ => Expr::Unknown(vec![object]),
            },
            "then" => {
                let function = values.into_iter().next().unwrap_or(Expr::Null);
                Expr::Call(Box::new(function), vec![object])
            }
            // What runs after a failure only.
            "catch" | "finally" => object,
            _ => {
                values.insert(0, object);
                Expr::Call(Box::new(Expr::Method(property.to_owned())), values)
            }
        }
    }
}
