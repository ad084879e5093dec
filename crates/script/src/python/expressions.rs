//! Expressions and formats of Python.

use tree_sitter::Node;

use super::PythonReader;
use crate::steps::{ComparisonKind, Expr, Step, Target};
use crate::tree::{children, deeper, fields, named, unescaped};

impl PythonReader<'_> {
    pub(super) fn expressions(&mut self, nodes: Vec<Node<'_>>) -> Vec<Expr> {
        nodes.into_iter().map(|node| self.expression(node)).collect()
    }

    pub(super) fn first(&mut self, nodes: Vec<Node<'_>>) -> Expr {
        self.expressions(nodes).into_iter().next().unwrap_or(Expr::Null)
    }

    pub(super) fn expression(&mut self, node: Node<'_>) -> Expr {
        deeper(|| self.expression_of(node))
    }

    pub(super) fn expression_of(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "identifier" => Expr::Variable(self.source.of(node).to_owned()),
            "string" => self.text(node),
            "concatenated_string" => Expr::Join(self.expressions(named(node))),
            "integer" | "float" => Expr::Number(self.source.of(node).to_owned()),
            "true" => Expr::Bool(true),
            "false" => Expr::Bool(false),
            "none" => Expr::Null,
            "dictionary" => {
                let entries = named(node).into_iter().filter_map(|entry| match entry.kind() {
                    "pair" => Some((self.field(entry, "key"), self.field(entry, "value"))),
                    "dictionary_splat" => {
                        let inner = named(entry).into_iter().next()?;
                        Some((Expr::Spread, self.expression(inner)))
                    }
                    _ => None,
                });
                Expr::Object(entries.collect())
            }
            "list" | "tuple" | "set" | "expression_list" => Expr::List(self.expressions(named(node))),
            "parenthesized_expression" | "await" => {
                named(node).into_iter().next().map_or(Expr::Null, |inner| self.expression(inner))
            }
            "named_expression" => {
                let (name, value) = (node.child_by_field_name("name"), self.field(node, "value"));
                let Some(name) = name.map(|name| self.source.of(name).to_owned()) else { return value };
                let set = Step::Set { target: Target::Variable(name.clone()), value };
                // The value of the steps is that of a status, so the variable follows.
                Expr::All(vec![Expr::Success(vec![set]), Expr::Variable(name)])
            }
            "boolean_operator" => {
                let (left, right) = (self.field(node, "left"), self.field(node, "right"));
                let any = node.child_by_field_name("operator").is_some_and(|one| one.kind() == "or");
                if any {
                    Expr::Else { first: Box::new(left), second: Box::new(right), only_missing: false }
                } else {
                    Expr::All(vec![left, right])
                }
            }
            "not_operator" => self.field(node, "argument").not(),
            "comparison_operator" => self.comparison(node),
            "conditional_expression" => match <[Expr; 3]>::try_from(self.expressions(named(node))) {
                Ok([value, condition, otherwise]) => Expr::Choose(Box::new([condition, value, otherwise])),
                Err(parts) => Expr::Unknown(parts),
            },
            "binary_operator" => self.operation(node),
            "attribute" => self.attribute(node),
            "subscript" => {
                let value = node.child_by_field_name("value");
                let key = fields(node, "subscript");
                match (value.map(|value| self.source.of(value)), key.as_slice()) {
                    (Some("os.environ" | "environ"), [key]) => self.environment(*key),
                    (Some("sys.argv" | "argv"), [key]) if key.kind() == "integer" => {
                        Expr::Argument(self.source.of(*key).parse().unwrap_or(0))
                    }
                    (_, [key]) if key.kind() != "slice" => {
                        Expr::Key(Box::new(self.field(node, "value")), Box::new(self.expression(*key)))
                    }
                    _ => Expr::Unknown(vec![self.field(node, "value")]),
                }
            }
            "list_splat" | "dictionary_splat" => {
                let inner = named(node).into_iter().next().map(|inner| self.expression(inner));
                Expr::Expand(Box::new(inner.unwrap_or(Expr::Null)))
            }
            "call" => self.call(node),
            "lambda" => Expr::Function(self.function(node)),
            _ => Expr::Unknown(self.expressions(named(node))),
        }
    }

    pub(super) fn environment(&mut self, key: Node<'_>) -> Expr {
        match self.expression(key) {
            Expr::Text(name) => Expr::Environment(name),
            other => Expr::Unknown(vec![other]),
        }
    }

    pub(super) fn attribute(&mut self, node: Node<'_>) -> Expr {
        match self.source.of(node) {
            "sys.stdin" | "sys.stdin.buffer" => Expr::Stdin,
            "sys.argv" => Expr::Arguments { programs: 0 },
            own if own.strip_prefix("self.").is_some_and(|rest| !rest.contains('.')) => Expr::Variable(own.to_owned()),
            _ => Expr::Unknown(vec![self.field(node, "object")]),
        }
    }

    pub(super) fn text(&mut self, node: Node<'_>) -> Expr {
        let mut parts = Vec::new();
        let mut raw = false;
        for child in named(node) {
            match child.kind() {
                "string_start" => raw = self.source.of(child).to_lowercase().contains('r'),
                "string_content" => parts.push(Expr::Text(self.content(child, raw))),
                "interpolation" => {
                    parts.push(self.field(child, "expression"));
                }
                _ => {}
            }
        }
        match parts.len() {
            0 => Expr::text(""),
            1 => parts.pop().unwrap_or(Expr::Null),
            _ => Expr::Join(parts),
        }
    }

    pub(super) fn content(&self, node: Node<'_>, raw: bool) -> String {
        let text = self.source.of(node);
        if raw { text.to_owned() } else { unescaped(text) }
    }

    pub(super) fn comparison(&mut self, node: Node<'_>) -> Expr {
        let operands = self.expressions(named(node));
        let operators: Vec<&str> =
            children(node).into_iter().filter(|child| !child.is_named()).map(|child| child.kind()).collect();
        let [left, right] = operands.as_slice() else { return Expr::Unknown(operands) };
        let compare = |kind| Expr::compare(kind, left.clone(), right.clone(), self.source.at(node));
        match operators.as_slice() {
            ["==" | "is"] => compare(ComparisonKind::Equal),
            ["!=" | "is not"] => compare(ComparisonKind::Equal).not(),
            ["in"] => compare(ComparisonKind::Within),
            ["not in"] => compare(ComparisonKind::Within).not(),
            _ => Expr::Unknown(operands),
        }
    }

    pub(super) fn operation(&mut self, node: Node<'_>) -> Expr {
        let (left, right) = (self.field(node, "left"), self.field(node, "right"));
        match (node.child_by_field_name("operator").map(|one| one.kind()), left) {
            (Some("+"), left) => Expr::Join(vec![left, right]),
            (Some("%"), Expr::Text(format)) => {
                let arguments = if let Expr::List(items) = right { items } else { vec![right] };
                filled(&format, "%", arguments)
            }
            (Some("|"), left @ Expr::Object(_)) => Expr::Object(vec![(Expr::Spread, left), (Expr::Spread, right)]),
            (_, left) => Expr::Unknown(vec![left, right]),
        }
    }
}

/// A text with arguments in place of `%s` or `{}`.
pub(super) fn filled(format: &str, mark: &str, arguments: Vec<Expr>) -> Expr {
    let mut parts = Vec::new();
    let mut rest = format;
    let mut arguments = arguments.into_iter();
    while let Some(at) = rest.find(mark) {
        let (before, after) = rest.split_at(at);
        let length = match mark {
            "{" if after.starts_with("{{") => {
                parts.push(Expr::text(&format!("{before}{{")));
                rest = after.get(2..).unwrap_or("");
                continue;
            }
            "{" => after.find('}').map_or(after.len(), |end| end + 1),
            _ => after
                .get(1..)
                .and_then(|rest| rest.find(|c: char| c.is_ascii_alphabetic() || c == '%'))
                .map_or(after.len(), |end| end + 2),
        };
        parts.push(Expr::text(before));
        parts.push(arguments.next().unwrap_or(Expr::Unknown(Vec::new())));
        rest = after.get(length..).unwrap_or("");
    }
    parts.push(Expr::text(&rest.replace("}}", "}")));
    Expr::Join(parts)
}
