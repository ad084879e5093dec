//! Expressions of JavaScript.

use tree_sitter::Node;

use super::JavaScriptReader;
use crate::comparisons::ANY_CASE;
use crate::steps::{ComparisonKind, Expr, Step, Target};
use crate::tree::{deeper, named, unescaped};

impl JavaScriptReader<'_> {
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
            "string" => Expr::Text(unescaped(
                self.source.of(node).get(1..).and_then(|text| text.get(..text.len().saturating_sub(1))).unwrap_or(""),
            )),
            "template_string" => self.template(node),
            "regex" => {
                let part = |name| node.child_by_field_name(name).map_or("", |part| self.source.of(part));
                let any_case = if part("flags").contains('i') { ANY_CASE } else { "" };
                Expr::Text(format!("{any_case}{}", part("pattern")))
            }
            "number" => Expr::Number(self.source.of(node).to_owned()),
            "true" => Expr::Bool(true),
            "false" => Expr::Bool(false),
            "null" | "undefined" => Expr::Null,
            "object" => Expr::Object(named(node).into_iter().filter_map(|entry| self.entry(entry)).collect()),
            "array" => Expr::List(self.expressions(named(node))),
            "parenthesized_expression"
            | "await_expression"
            | "as_expression"
            | "non_null_expression"
            | "satisfies_expression" => {
                named(node).into_iter().next().map_or(Expr::Null, |inner| self.expression(inner))
            }
            "arrow_function" | "function_expression" => Expr::Function(self.function(node)),
            "assignment_expression" | "augmented_assignment_expression" => {
                let left = node.child_by_field_name("left");
                let mut value = self.field(node, "right");
                if node.kind() == "augmented_assignment_expression" {
                    let before = left.map_or(Expr::Null, |left| self.expression(left));
                    value = Expr::Join(vec![before, value]);
                }
                let target = left.map_or(Target::Unknown, |left| self.target(left));
                Expr::Success(vec![Step::Set { target, value }])
            }
            "unary_expression" => {
                let inner = self.field(node, "argument");
                match node.child_by_field_name("operator").map(|one| one.kind()) {
                    Some("!") => inner.not(),
                    Some("void") => inner,
                    Some("typeof") => Expr::Kind(Box::new(inner)),
                    _ => Expr::Unknown(vec![inner]),
                }
            }
            "binary_expression" => self.operation(node),
            "ternary_expression" => {
                let parts = ["condition", "consequence", "alternative"].map(|name| self.field(node, name));
                Expr::Choose(Box::new(parts))
            }
            "member_expression" => self.member(node),
            "subscript_expression" => {
                let object = node.child_by_field_name("object").map_or("", |one| self.source.of(one));
                let index = self.field(node, "index");
                match (object, &index) {
                    ("process.env", Expr::Text(name)) => Expr::Environment(name.clone()),
                    // The first two are node and the script.
                    ("process.argv", Expr::Number(index)) => {
                        Expr::Argument(index.parse::<usize>().unwrap_or(0).saturating_sub(1))
                    }
                    _ => Expr::Key(Box::new(self.field(node, "object")), Box::new(index)),
                }
            }
            "spread_element" => {
                let inner = named(node).into_iter().next().map(|inner| self.expression(inner));
                Expr::Expand(Box::new(inner.unwrap_or(Expr::Null)))
            }
            "call_expression" => self.call(node),
            "new_expression" => {
                let arguments = node.child_by_field_name("arguments").map(named).unwrap_or_default();
                let of = node.child_by_field_name("constructor").map_or("", |one| self.source.of(one));
                match (of, arguments.as_slice()) {
                    ("Set" | "RegExp", [only]) => self.expression(*only),
                    (class, _) => Expr::Call(Box::new(Expr::Variable(class.to_owned())), self.expressions(arguments)),
                }
            }
            "sequence_expression" => Expr::All(self.expressions(named(node))),
            _ => Expr::Unknown(self.expressions(named(node))),
        }
    }

    pub(super) fn entry(&mut self, node: Node<'_>) -> Option<(Expr, Expr)> {
        match node.kind() {
            "pair" => {
                let key = node.child_by_field_name("key")?;
                let name = match key.kind() {
                    "computed_property_name" => named(key).into_iter().next().map(|inner| self.expression(inner))?,
                    _ => Expr::text(self.source.of(key).trim_matches(['"', '\''])),
                };
                Some((name, self.field(node, "value")))
            }
            "shorthand_property_identifier" => {
                let name = self.source.of(node);
                Some((Expr::text(name), Expr::Variable(name.to_owned())))
            }
            "spread_element" => {
                let inner = named(node).into_iter().next()?;
                Some((Expr::Spread, self.expression(inner)))
            }
            _ => None,
        }
    }

    pub(super) fn template(&mut self, node: Node<'_>) -> Expr {
        let mut parts = Vec::new();
        for child in named(node) {
            match child.kind() {
                "string_fragment" | "escape_sequence" => parts.push(Expr::Text(unescaped(self.source.of(child)))),
                _ => parts.extend(named(child).into_iter().next().map(|inner| self.expression(inner))),
            }
        }
        Expr::Join(parts)
    }

    pub(super) fn operation(&mut self, node: Node<'_>) -> Expr {
        let (left, right) = (self.field(node, "left"), self.field(node, "right"));
        let operator = node.child_by_field_name("operator").map_or("", |one| one.kind());
        let compare = |kind, left, right| Expr::compare(kind, left, right, self.source.at(node));
        match operator {
            "+" => Expr::Join(vec![left, right]),
            "&&" => Expr::All(vec![left, right]),
            "||" | "??" => {
                Expr::Else { first: Box::new(left), second: Box::new(right), only_missing: operator == "??" }
            }
            "===" | "==" => compare(ComparisonKind::Equal, left, right),
            "!==" | "!=" => compare(ComparisonKind::Equal, left, right).not(),
            "in" => compare(ComparisonKind::Within, left, right),
            _ => Expr::Unknown(vec![left, right]),
        }
    }

    pub(super) fn member(&mut self, node: Node<'_>) -> Expr {
        let property = node.child_by_field_name("property").map_or("", |one| self.source.of(one));
        let object = node.child_by_field_name("object").map_or("", |one| self.source.of(one));
        match (object, property) {
            ("process.env", name) => Expr::Environment(name.to_owned()),
            ("process", "stdin") => Expr::Stdin,
            ("process.stdin", _) => Expr::Unknown(Vec::new()),
            ("process", "argv") => Expr::Arguments { programs: 1 },
            ("process" | "Math" | "path" | "fs" | "os" | "console" | "JSON" | "Object" | "Array", _) => {
                Expr::Unknown(Vec::new())
            }
            // The length of a text or a list is not a key of the payload.
            (_, "length") => Expr::Unknown(vec![self.field(node, "object")]),
            ("this", name) => Expr::Variable(format!("this.{name}")),
            _ => Expr::Member(Box::new(self.field(node, "object")), Box::new(Expr::text(property))),
        }
    }
}
