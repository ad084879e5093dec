//! Turns the syntax tree of a Python script into steps.

mod calls;
mod expressions;
mod modules;

use tree_sitter::Node;

use crate::Grammar;
use crate::steps::{ComparisonKind, Expr, Function, Program, Step, Target, name_constructor};
use crate::tree::{Source, chain, deeper, fields, named, parse};

/// Parses a Python script.
pub(crate) fn program(source: Source<'_>) -> Option<Program> {
    let tree = parse(source.text, &Grammar::Python.language())?;
    let mut front = PythonReader { source, functions: Vec::new(), is_in_class: false, modules: Vec::new() };
    let body = front.statements(named(tree.root_node()));
    Some(Program { body, functions: front.functions })
}

struct PythonReader<'a> {
    source: Source<'a>,
    functions: Vec<Function>,
    /// Whether the statements are those of a class.
    is_in_class: bool,
    /// The names of the modules whose files are known.
    modules: Vec<String>,
}

impl PythonReader<'_> {
    fn statements(&mut self, nodes: Vec<Node<'_>>) -> Vec<Step> {
        nodes.into_iter().flat_map(|node| self.statement(node)).collect()
    }

    fn block(&mut self, node: Option<Node<'_>>) -> Vec<Step> {
        node.map(|node| self.statements(named(node))).unwrap_or_default()
    }

    fn field(&mut self, node: Node<'_>, name: &str) -> Expr {
        node.child_by_field_name(name).map_or(Expr::Null, |child| self.expression(child))
    }

    fn statement(&mut self, node: Node<'_>) -> Vec<Step> {
        deeper(|| self.statement_of(node))
    }

    fn statement_of(&mut self, node: Node<'_>) -> Vec<Step> {
        match node.kind() {
            "expression_statement" => named(node).into_iter().flat_map(|inner| self.simple(inner)).collect(),
            "if_statement" => {
                let clauses = fields(node, "alternative");
                self.conditional(node, &clauses)
            }
            "for_statement" => {
                let (left, items) = (node.child_by_field_name("left"), self.field(node, "right"));
                let variable = left.map(|left| self.target(left));
                let body = self.block(node.child_by_field_name("body"));
                let variable = Some(variable.unwrap_or(Target::Unknown));
                vec![Step::Loop { variable, items, body, at: self.source.at(node) }]
            }
            "while_statement" => {
                let items = self.field(node, "condition");
                let body = self.block(node.child_by_field_name("body"));
                vec![Step::Loop { variable: None, items, body, at: self.source.at(node) }]
            }
            "try_statement" => {
                let body = self.block(node.child_by_field_name("body"));
                let (mut rescue, mut last) = (Vec::new(), Vec::new());
                for clause in named(node) {
                    let block = named(clause).into_iter().rfind(|child| child.kind() == "block");
                    match clause.kind() {
                        // Only the first clause is followed.
                        "except_clause" | "except_group_clause" if rescue.is_empty() => rescue = self.block(block),
                        "finally_clause" => last = self.block(block),
                        _ => {}
                    }
                }
                vec![Step::Try { body, rescue, last }]
            }
            "with_statement" => {
                let mut steps = Vec::new();
                for item in named(node).into_iter().filter(|child| child.kind() == "with_clause").flat_map(named) {
                    let value = item.child_by_field_name("value").unwrap_or(item);
                    match (value.kind(), named(value).as_slice()) {
                        ("as_pattern", [inner, alias]) => {
                            let target =
                                named(*alias).into_iter().next().map_or(Target::Unknown, |name| self.target(name));
                            steps.push(Step::Set { target, value: self.expression(*inner) });
                        }
                        _ => steps.push(Step::Evaluate(self.expression(value))),
                    }
                }
                steps.extend(self.block(node.child_by_field_name("body")));
                steps
            }
            "match_statement" => {
                let (first, subject) = self.field(node, "subject").made_once(node.start_byte());
                let cases = node.child_by_field_name("body").map(named).unwrap_or_default();
                let mut steps = Vec::new();
                for case in cases.into_iter().filter(|case| case.kind() == "case_clause").rev() {
                    let patterns: Vec<Node<'_>> =
                        named(case).into_iter().filter(|one| one.kind() == "case_pattern").collect();
                    let pattern = patterns.first().and_then(|pattern| named(*pattern).into_iter().next());
                    let literals = pattern.map_or_else(Vec::new, |one| match one.kind() {
                        "union_pattern" => named(one),
                        _ => vec![one],
                    });
                    let are_texts = !literals.is_empty() && literals.iter().all(|one| one.kind() == "string");
                    let then = self.block(case.child_by_field_name("consequence"));
                    let condition = match are_texts.then(|| self.expressions(literals)) {
                        Some(texts) => {
                            let at = self.source.span_until(case, pattern);
                            Expr::compare(ComparisonKind::Within, subject.clone(), Expr::List(texts), at)
                        }
                        None if patterns.iter().any(|one| self.source.of(*one) == "_") => Expr::Bool(true),
                        None => Expr::Unknown(Vec::new()),
                    };
                    steps = vec![Step::If { condition, then, otherwise: steps, at: self.source.at(case) }];
                }
                first.into_iter().chain(steps).collect()
            }
            "function_definition" => {
                self.function(node);
                Vec::new()
            }
            "decorated_definition" => {
                node.child_by_field_name("definition").map(|inner| self.statement(inner)).unwrap_or_default()
            }
            "class_definition" => {
                let outer = std::mem::replace(&mut self.is_in_class, true);
                let first = self.functions.len();
                let steps = self.block(node.child_by_field_name("body"));
                self.is_in_class = outer;
                let name = node.child_by_field_name("name").map_or("", |name| self.source.of(name));
                name_constructor(&mut self.functions, first, "__init__", name);
                steps
            }
            "return_statement" => {
                let value = named(node).into_iter().next().map_or(Expr::Null, |value| self.expression(value));
                vec![Step::Return(value)]
            }
            "raise_statement" => {
                let raised = named(node).into_iter().next();
                match raised.filter(|one| one.kind() == "call" && self.source.of(*one).starts_with("SystemExit")) {
                    Some(call) => self.exit(call),
                    None if raised.is_some_and(|one| self.source.of(one) == "SystemExit") => {
                        vec![Step::Exit { status: Expr::Number("0".to_owned()), at: self.source.at(node) }]
                    }
                    None => vec![Step::Raise],
                }
            }
            "break_statement" | "continue_statement" => vec![Step::LeaveLoop],
            "import_statement" | "import_from_statement" => self.import(node),
            "block" | "ERROR" => self.statements(named(node)),
            "assert_statement" | "delete_statement" => {
                named(node).into_iter().map(|inner| Step::Evaluate(self.expression(inner))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn conditional(&mut self, node: Node<'_>, clauses: &[Node<'_>]) -> Vec<Step> {
        let condition = match node.child_by_field_name("condition") {
            // A script is started as the main program.
            Some(condition) if self.source.of(condition).contains("__name__") => Expr::Bool(true),
            Some(condition) => self.expression(condition),
            None => Expr::Bool(true),
        };
        let at = self.source.span_until(node, node.child_by_field_name("condition"));
        let then = self.block(node.child_by_field_name("consequence"));
        let otherwise = match clauses.split_first() {
            None => Vec::new(),
            Some((clause, _)) if clause.kind() == "else_clause" => self.block(clause.child_by_field_name("body")),
            Some((clause, rest)) => self.conditional(*clause, rest),
        };
        vec![Step::If { condition, then, otherwise, at }]
    }

    fn simple(&mut self, node: Node<'_>) -> Vec<Step> {
        match node.kind() {
            "assignment" => {
                let Some(right) = node.child_by_field_name("right") else { return Vec::new() };
                let mut value = self.expression(right);
                // `a = b = value`
                let mut steps = Vec::new();
                if right.kind() == "assignment" {
                    steps = self.simple(right);
                    value = right.child_by_field_name("left").map_or(Expr::Null, |left| self.expression(left));
                }
                let target = node.child_by_field_name("left").map_or(Target::Unknown, |left| self.target(left));
                steps.push(Step::Set { target, value });
                steps
            }
            "augmented_assignment" => {
                let left = node.child_by_field_name("left");
                let before = left.map_or(Expr::Null, |left| self.expression(left));
                let value = Expr::Join(vec![before, self.field(node, "right")]);
                let adds = node.child_by_field_name("operator").is_some_and(|one| one.kind() == "+=");
                let value = if adds { value } else { Expr::Unknown(vec![value]) };
                vec![Step::Set { target: left.map_or(Target::Unknown, |left| self.target(left)), value }]
            }
            _ => vec![Step::Evaluate(self.expression(node))],
        }
    }

    fn function(&mut self, node: Node<'_>) -> usize {
        let name = node.child_by_field_name("name").map(|name| self.source.of(name).to_owned()).unwrap_or_default();
        let is_method = std::mem::take(&mut self.is_in_class);
        let (mut parameters, mut body) = (Vec::new(), Vec::new());
        for parameter in node.child_by_field_name("parameters").map(named).unwrap_or_default() {
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                "typed_parameter" => named(parameter).into_iter().next(),
                _ => parameter.child_by_field_name("name"),
            };
            let Some(name) = name.map(|name| self.source.of(name).to_owned()) else { continue };
            if parameter.child_by_field_name("value").is_some() {
                let second = Box::new(self.field(parameter, "value"));
                let value = Expr::Else { first: Box::new(Expr::Variable(name.clone())), second, only_missing: true };
                body.push(Step::Set { target: Target::Variable(name.clone()), value });
            }
            parameters.push(name);
        }
        let block = node.child_by_field_name("body");
        let (mut locals, mut outer) = (Vec::new(), Vec::new());
        if let Some(block) = block {
            self.assigned(block, &mut locals, &mut outer);
        }
        locals.retain(|name| !outer.contains(name));
        match block.filter(|block| block.kind() == "block") {
            Some(block) => body.extend(self.statements(named(block))),
            // The body of a lambda.
            None => body.extend(block.map(|inner| Step::Return(self.expression(inner)))),
        }
        self.is_in_class = is_method;
        let is_included = self.source.is_included();
        self.functions.push(Function { name, is_method, is_included, parameters, locals, body });
        self.functions.len() - 1
    }

    /// The names that a function assigns, and those that it declares to be outer ones.
    fn assigned(&self, node: Node<'_>, locals: &mut Vec<String>, outer: &mut Vec<String>) {
        for child in named(node) {
            match child.kind() {
                "function_definition" | "lambda" => continue,
                "global_statement" | "nonlocal_statement" => {
                    outer.extend(named(child).into_iter().map(|name| self.source.of(name).to_owned()));
                }
                "assignment" | "augmented_assignment" | "for_statement" => {
                    let left = child.child_by_field_name("left").filter(|left| left.kind() == "identifier");
                    locals.extend(left.map(|left| self.source.of(left).to_owned()));
                }
                _ => {}
            }
            self.assigned(child, locals, outer);
        }
    }

    fn target(&mut self, node: Node<'_>) -> Target {
        match node.kind() {
            "identifier" => Target::Variable(self.source.of(node).to_owned()),
            "attribute" if node.child_by_field_name("object").is_some_and(|one| self.source.of(one) == "self") => {
                Target::Variable(self.source.of(node).to_owned())
            }
            "subscript" => chain(self.source, node, |node| {
                let is_key = node.kind() == "subscript";
                is_key.then(|| (node.child_by_field_name("value"), self.field(node, "subscript")))
            }),
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                let parts = named(node).into_iter().enumerate();
                Target::Parts(parts.map(|(index, part)| (self.target(part), Expr::Number(index.to_string()))).collect())
            }
            _ => Target::Unknown,
        }
    }
}
