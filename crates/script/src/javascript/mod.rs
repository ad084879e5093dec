//! Turns the syntax tree of a script in JavaScript or TypeScript into steps. The grammar of TypeScript reads both.

mod calls;
mod expressions;
mod modules;

use tree_sitter::Node;

use crate::Grammar;
use crate::steps::{ComparisonKind, EXIT_CODE, Expr, Function, Program, Step, Target, name_constructor};
use crate::tree::{Source, chain, deeper, named, parse};

/// Parses a script in JavaScript or TypeScript.
pub(crate) fn program(source: Source<'_>) -> Option<Program> {
    let tree = parse(source.text, &Grammar::JavaScript.language())?;
    let mut front = JavaScriptReader { source, functions: Vec::new(), declared: Vec::new(), modules: Vec::new() };
    let body = front.statements(named(tree.root_node()));
    Some(Program { body, functions: front.functions })
}

struct JavaScriptReader<'a> {
    source: Source<'a>,
    functions: Vec<Function>,
    /// The names that the function being read declares.
    declared: Vec<String>,
    /// The names of the modules whose files are known.
    modules: Vec<String>,
}

impl JavaScriptReader<'_> {
    fn statements(&mut self, nodes: Vec<Node<'_>>) -> Vec<Step> {
        nodes.into_iter().flat_map(|node| self.statement(node)).collect()
    }

    fn field(&mut self, node: Node<'_>, name: &str) -> Expr {
        node.child_by_field_name(name).map_or(Expr::Null, |child| self.expression(child))
    }

    fn block(&mut self, node: Option<Node<'_>>) -> Vec<Step> {
        node.map(|node| self.statement(node)).unwrap_or_default()
    }

    fn statement(&mut self, node: Node<'_>) -> Vec<Step> {
        deeper(|| self.statement_of(node))
    }

    fn statement_of(&mut self, node: Node<'_>) -> Vec<Step> {
        match node.kind() {
            "expression_statement" => {
                named(node).into_iter().map(|inner| Step::Evaluate(self.expression(inner))).collect()
            }
            "lexical_declaration" | "variable_declaration" => {
                let declarators = named(node).into_iter().filter(|one| one.kind() == "variable_declarator");
                declarators.flat_map(|one| self.required(one).unwrap_or_else(|| vec![self.declaration(one)])).collect()
            }
            "import_statement" => self.import(node),
            "export_statement" => {
                self.block(node.child_by_field_name("declaration").or(node.child_by_field_name("value")))
            }
            "statement_block" | "else_clause" | "finally_clause" | "ERROR" => self.statements(named(node)),
            "if_statement" => {
                let condition = self.field(node, "condition");
                let at = self.source.span_until(node, node.child_by_field_name("condition"));
                let then = self.block(node.child_by_field_name("consequence"));
                let otherwise = self.block(node.child_by_field_name("alternative"));
                vec![Step::If { condition, then, otherwise, at }]
            }
            "switch_statement" => self.switch(node),
            "for_in_statement" => {
                let variable = node.child_by_field_name("left").map(|left| self.target(left));
                let items = self.field(node, "right");
                let body = self.block(node.child_by_field_name("body"));
                let variable = Some(variable.unwrap_or(Target::Unknown));
                vec![Step::Loop { variable, items, body, at: self.source.at(node) }]
            }
            "for_statement" | "while_statement" | "do_statement" => {
                let condition = node.child_by_field_name("condition").filter(|one| one.kind() != "empty_statement");
                let items = condition.map_or(Expr::Bool(true), |one| self.expression(one));
                let body = self.block(node.child_by_field_name("body"));
                vec![Step::Loop { variable: None, items, body, at: self.source.at(node) }]
            }
            "try_statement" => {
                let body = self.block(node.child_by_field_name("body"));
                let handler = node.child_by_field_name("handler").and_then(|clause| clause.child_by_field_name("body"));
                let finalizer =
                    node.child_by_field_name("finalizer").and_then(|clause| clause.child_by_field_name("body"));
                let (rescue, last) = (self.block(handler), self.block(finalizer));
                vec![Step::Try { body, rescue, last }]
            }
            "function_declaration" | "generator_function_declaration" => {
                self.function(node);
                Vec::new()
            }
            "class_declaration" | "class" => {
                let members = node.child_by_field_name("body").map(named).unwrap_or_default();
                let first = self.functions.len();
                for method in members.into_iter().filter(|one| one.kind() == "method_definition") {
                    self.function(method);
                }
                let name = node.child_by_field_name("name").map_or("", |name| self.source.of(name));
                name_constructor(&mut self.functions, first, "constructor", name);
                Vec::new()
            }
            "return_statement" => {
                let value = named(node).into_iter().next().map_or(Expr::Null, |value| self.expression(value));
                vec![Step::Return(value)]
            }
            "throw_statement" => vec![Step::Raise],
            "break_statement" | "continue_statement" => vec![Step::LeaveLoop],
            "labeled_statement" => self.block(node.child_by_field_name("body")),
            _ => Vec::new(),
        }
    }

    fn declaration(&mut self, node: Node<'_>) -> Step {
        let value = self.field(node, "value");
        let target = node.child_by_field_name("name").map_or(Target::Unknown, |name| self.target(name));
        self.declare(&target);
        Step::Set { target, value }
    }

    fn declare(&mut self, target: &Target) {
        match target {
            Target::Variable(name) => self.declared.push(name.clone()),
            Target::Parts(parts) => parts.iter().for_each(|(target, _)| self.declare(target)),
            Target::Key(..) | Target::Unknown => {}
        }
    }

    fn switch(&mut self, node: Node<'_>) -> Vec<Step> {
        let (first, subject) = self.field(node, "value").made_once(node.start_byte());
        let cases = node.child_by_field_name("body").map(named).unwrap_or_default();
        let mut steps: Vec<Step> = Vec::new();
        let mut following: Vec<Step> = Vec::new();
        let mut default: Vec<Step> = Vec::new();
        for case in cases.into_iter().rev() {
            let value = case.child_by_field_name("value");
            let body: Vec<Node<'_>> = named(case).into_iter().filter(|child| Some(*child) != value).collect();
            let ends = body.last().is_some_and(|last| {
                matches!(last.kind(), "break_statement" | "return_statement" | "throw_statement" | "statement_block")
            });
            let leaves: Vec<Node<'_>> = body.iter().copied().filter(|one| one.kind() != "break_statement").collect();
            let mut then = self.statements(leaves);
            then.retain(|step| !matches!(step, Step::LeaveLoop));
            // A case without an end goes on with the next one.
            if !ends {
                then.extend(following.iter().cloned());
            }
            following.clone_from(&then);
            match value {
                Some(value) => {
                    let at = self.source.span_until(case, Some(value));
                    let text = self.expression(value);
                    let condition = Expr::compare(ComparisonKind::Equal, subject.clone(), text, at.clone());
                    let otherwise = if steps.is_empty() { std::mem::take(&mut default) } else { steps };
                    steps = vec![Step::If { condition, then, otherwise, at }];
                }
                None => default = then,
            }
        }
        first.into_iter().chain(if steps.is_empty() { default } else { steps }).collect()
    }

    fn function(&mut self, node: Node<'_>) -> usize {
        let name = node.child_by_field_name("name").map(|name| self.source.of(name).to_owned()).unwrap_or_default();
        let outer = std::mem::take(&mut self.declared);
        let (mut parameters, mut body) = (Vec::new(), Vec::new());
        let list = match node.child_by_field_name("parameters") {
            Some(list) => named(list),
            None => node.child_by_field_name("parameter").into_iter().collect(),
        };
        for (index, parameter) in list.into_iter().enumerate() {
            let pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
            let name = match pattern.kind() {
                "identifier" => self.source.of(pattern).to_owned(),
                _ => format!("parameter {index}"),
            };
            if pattern.kind() != "identifier" {
                let target = self.target(pattern);
                self.declare(&target);
                body.push(Step::Set { target, value: Expr::Variable(name.clone()) });
            }
            if parameter.child_by_field_name("value").is_some() {
                let second = Box::new(self.field(parameter, "value"));
                let value = Expr::Else { first: Box::new(Expr::Variable(name.clone())), second, only_missing: true };
                body.push(Step::Set { target: Target::Variable(name.clone()), value });
            }
            parameters.push(name);
        }
        let block = node.child_by_field_name("body");
        match block.filter(|block| block.kind() == "statement_block") {
            Some(block) => body.extend(self.statements(named(block))),
            None => body.extend(block.map(|inner| Step::Return(self.expression(inner)))),
        }
        let locals = std::mem::replace(&mut self.declared, outer);
        let is_method = node.kind() == "method_definition";
        if is_method {
            parameters.insert(0, "this".to_owned());
        }
        let is_included = self.source.is_included();
        self.functions.push(Function { name, is_method, is_included, parameters, locals, body });
        self.functions.len() - 1
    }

    fn target(&mut self, node: Node<'_>) -> Target {
        match node.kind() {
            "identifier" | "shorthand_property_identifier_pattern" => Target::Variable(self.source.of(node).to_owned()),
            "member_expression" | "subscript_expression" if self.source.of(node) == EXIT_CODE => {
                Target::Variable(EXIT_CODE.to_owned())
            }
            "member_expression" if node.child_by_field_name("object").is_some_and(|one| one.kind() == "this") => {
                Target::Variable(self.source.of(node).to_owned())
            }
            "member_expression" | "subscript_expression" => chain(self.source, node, |node| {
                let name = match node.kind() {
                    "member_expression" | "subscript_expression" => node.child_by_field_name("property"),
                    _ => return None,
                };
                let key = name.map(|name| Expr::text(self.source.of(name)));
                Some((node.child_by_field_name("object"), key.unwrap_or_else(|| self.field(node, "index"))))
            }),
            "object_pattern" => Target::Parts(named(node).into_iter().map(|part| self.part(part)).collect()),
            "array_pattern" => {
                let parts = named(node).into_iter().enumerate();
                Target::Parts(parts.map(|(index, part)| (self.target(part), Expr::Number(index.to_string()))).collect())
            }
            "assignment_pattern" | "object_assignment_pattern" => {
                node.child_by_field_name("left").map_or(Target::Unknown, |left| self.target(left))
            }
            _ => Target::Unknown,
        }
    }

    /// One part of `{ a, b: c, d = 1 }`, with its key.
    fn part(&mut self, node: Node<'_>) -> (Target, Expr) {
        match node.kind() {
            "pair_pattern" => {
                let key =
                    node.child_by_field_name("key").map_or("", |key| self.source.of(key)).trim_matches(['"', '\'']);
                let target = node.child_by_field_name("value").map_or(Target::Unknown, |value| self.target(value));
                (target, Expr::text(key))
            }
            "object_assignment_pattern" => {
                let name = node.child_by_field_name("left").map_or("", |left| self.source.of(left));
                (Target::Variable(name.to_owned()), Expr::text(name))
            }
            "rest_pattern" => (Target::Unknown, Expr::text("")),
            _ => (self.target(node), Expr::text(self.source.of(node))),
        }
    }
}
