//! Turns the syntax tree of a shell script into steps.

mod redirections;
mod words;

use tree_sitter::Node;

use crate::Grammar;
use crate::include::no_files;
use crate::steps::{ByteRange, ComparisonKind, Expr, Function, Program, ShellCommand, Step, StreamChange, Target};
use crate::tree::{Source, children, deeper, fields, named, parse};

/// Parses a shell script.
pub(crate) fn program(source: Source<'_>) -> Option<Program> {
    let tree = parse(source.text, &Grammar::Shell.language())?;
    let mut front = ShellReader { source, functions: Vec::new() };
    let body = front.statements(named(tree.root_node()));
    Some(Program { body, functions: front.functions })
}

struct ShellReader<'a> {
    source: Source<'a>,
    functions: Vec<Function>,
}

impl ShellReader<'_> {
    fn statements(&mut self, nodes: Vec<Node<'_>>) -> Vec<Step> {
        nodes.into_iter().flat_map(|node| self.statement(node)).collect()
    }

    fn statement(&mut self, node: Node<'_>) -> Vec<Step> {
        let steps = deeper(|| self.statement_of(node));
        // The library finds a sibling by going through all of them, so only where the text has the sign.
        let rest = self.source.text.get(node.end_byte()..).unwrap_or_default();
        let has_sign = rest.trim_start_matches([' ', '\t', '\\', '\n']).starts_with('&');
        if has_sign && node.next_sibling().is_some_and(|next| next.kind() == "&") {
            vec![Step::Background(steps)]
        } else {
            steps
        }
    }

    fn statement_of(&mut self, node: Node<'_>) -> Vec<Step> {
        match node.kind() {
            "if_statement" => self.conditional(node),
            "case_statement" => self.case(node),
            "while_statement" | "until_statement" => {
                let body = fields(node, "body").into_iter().flat_map(|body| self.statements(named(body))).collect();
                let condition: Vec<Step> = fields(node, "condition")
                    .into_iter()
                    .filter(Node::is_named)
                    .flat_map(|one| self.statement(one))
                    .collect();
                let is_until = children(node).first().is_some_and(|word| word.kind() == "until");
                let holds = Expr::Success(condition);
                let items = if is_until { holds.not() } else { holds };
                vec![Step::Loop { variable: None, items, body, at: self.source.at(node) }]
            }
            "for_statement" => {
                let items = fields(node, "value").into_iter().map(|value| self.word(value)).collect();
                let body = fields(node, "body").into_iter().flat_map(|body| self.statements(named(body))).collect();
                let name = node.child_by_field_name("variable").map(|name| self.source.of(name).to_owned());
                let variable = Some(name.map_or(Target::Unknown, Target::Variable));
                vec![Step::Loop { variable, items: Expr::List(items), body, at: self.source.at(node) }]
            }
            "c_style_for_statement" => {
                let body = fields(node, "body").into_iter().flat_map(|body| self.statements(named(body))).collect();
                let is_endless = fields(node, "condition").is_empty();
                let items = if is_endless { Expr::Bool(true) } else { Expr::Unknown(Vec::new()) };
                vec![Step::Loop { variable: None, items, body, at: self.source.at(node) }]
            }
            "function_definition" => {
                let name = node.child_by_field_name("name").map(|name| self.source.of(name).to_owned());
                let body = node.child_by_field_name("body").map(|body| self.statement(body)).unwrap_or_default();
                let locals = (1..10).map(|index| index.to_string()).collect();
                let name = name.unwrap_or_default();
                let is_included = self.source.is_included();
                self.functions.push(Function {
                    name,
                    is_method: false,
                    is_included,
                    parameters: Vec::new(),
                    locals,
                    body,
                });
                Vec::new()
            }
            "compound_statement" if children(node).first().is_some_and(|first| first.kind() == "((") => {
                let is_set = |one: &Node<'_>| children(*one).iter().any(|child| is_assignment(child.kind()));
                let names = named(node).into_iter().filter(is_set).filter_map(|one| named(one).into_iter().next());
                let mut steps: Vec<Step> = names
                    .map(|name| {
                        let target = Target::Variable(self.source.of(name).to_owned());
                        Step::Set { target, value: Expr::Unknown(Vec::new()) }
                    })
                    .collect();
                steps.push(Self::unknown_status());
                vec![Step::Evaluate(Expr::Success(steps))]
            }
            "compound_statement" | "do_group" | "ERROR" => self.statements(named(node)),
            "subshell" => vec![Step::Apart(self.statements(named(node)))],
            "redirected_statement" => self.redirected(node),
            "variable_assignment" => self.assignment(node),
            "variable_assignments" | "declaration_command" => {
                let assignments = named(node).into_iter().filter(|one| one.kind() == "variable_assignment");
                assignments.flat_map(|one| self.assignment(one)).collect()
            }
            "list" => self.list_statement(node, Vec::new()),
            _ => vec![Step::Evaluate(self.condition(node))],
        }
    }

    /// A step after which the status is not known.
    fn unknown_status() -> Step {
        Step::Evaluate(Expr::Command(Box::new(ShellCommand { words: vec![Expr::Unknown(Vec::new())], at: 0..0 })))
    }

    /// A command as a condition.
    fn condition(&mut self, node: Node<'_>) -> Expr {
        deeper(|| self.condition_of(node))
    }

    fn condition_of(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "command" => self.command(node),
            "list" => self.list(node),
            "pipeline" => {
                let parts: Vec<Vec<Step>> = named(node).into_iter().map(|part| self.statement(part)).collect();
                Expr::Pipe(parts)
            }
            "negated_command" => {
                let inner = named(node).into_iter().next().map(|inner| self.condition(inner));
                inner.unwrap_or(Expr::Unknown(Vec::new())).not()
            }
            "test_command" => {
                if children(node).first().is_some_and(|first| first.kind() == "((") {
                    let parts = named(node).into_iter().map(|part| self.word(part)).collect();
                    return Expr::Unknown(parts);
                }
                named(node).into_iter().next().map_or(Expr::Unknown(Vec::new()), |inner| self.test(inner))
            }
            "if_statement"
            | "case_statement"
            | "while_statement"
            | "until_statement"
            | "for_statement"
            | "c_style_for_statement"
            | "function_definition"
            | "compound_statement"
            | "do_group"
            | "subshell"
            | "redirected_statement"
            | "variable_assignment"
            | "variable_assignments"
            | "declaration_command"
            | "ERROR" => Expr::Success(self.statement(node)),
            _ => Expr::Unknown(named(node).into_iter().map(|part| self.word(part)).collect()),
        }
    }

    fn list(&mut self, node: Node<'_>) -> Expr {
        let parts: Vec<Expr> = named(node).into_iter().map(|part| self.condition(part)).collect();
        if children(node).iter().any(|child| child.kind() == "||") { Expr::Any(parts) } else { Expr::All(parts) }
    }

    /// `a && b` and `a || b` as a statement, with the redirections of the last command.
    fn list_statement(&mut self, node: Node<'_>, redirections: Vec<StreamChange>) -> Vec<Step> {
        let parts = named(node);
        let [first, second] = parts.as_slice() else { return vec![Step::Evaluate(self.list(node))] };
        let at = self.source.at(*first);
        let condition = self.condition(*first);
        let mut last = self.statement(*second);
        if !redirections.is_empty() {
            last = vec![Step::Redirected { body: last, redirections }];
        }
        let is_or = children(node).iter().any(|child| child.kind() == "||");
        let (then, otherwise) = if is_or { (Vec::new(), last) } else { (last, Vec::new()) };
        vec![Step::If { condition, then, otherwise, at }]
    }

    fn conditional(&mut self, node: Node<'_>) -> Vec<Step> {
        let at = self.source.span_until(node, fields(node, "condition").last().copied());
        let conditions: Vec<Node<'_>> = fields(node, "condition").into_iter().filter(Node::is_named).collect();
        let in_condition = |child: &Node<'_>| fields(node, "condition").contains(child);
        let inner: Vec<Node<'_>> = named(node).into_iter().filter(|child| !in_condition(child)).collect();
        self.branches(&conditions, &inner, at)
    }

    /// A condition, the commands after it, and the clauses after these.
    fn branches(&mut self, conditions: &[Node<'_>], inner: &[Node<'_>], at: ByteRange) -> Vec<Step> {
        let condition = match conditions {
            [one] => self.condition(*one),
            several => {
                let steps = several.iter().flat_map(|one| self.statement(*one)).collect();
                Expr::Success(steps)
            }
        };
        let is_clause = |child: &Node<'_>| matches!(child.kind(), "elif_clause" | "else_clause");
        let split = inner.iter().position(is_clause).unwrap_or(inner.len());
        let (then, clauses) = inner.split_at(split);
        let then = self.statements(then.to_vec());
        let otherwise = match clauses.split_first() {
            None => Vec::new(),
            Some((clause, _)) if clause.kind() == "else_clause" => self.statements(named(*clause)),
            Some((clause, rest)) => {
                let all = children(*clause);
                let split = all.iter().position(|child| child.kind() == "then").unwrap_or(0);
                let before = |child: &Node<'_>| all.iter().take(split).any(|one| one == child);
                let (conditions, mut inner): (Vec<Node<'_>>, Vec<Node<'_>>) =
                    named(*clause).into_iter().partition(|child| before(child));
                inner.extend(rest);
                let at = self.source.span_until(*clause, conditions.last().copied());
                self.branches(&conditions, &inner, at)
            }
        };
        vec![Step::If { condition, then, otherwise, at }]
    }

    fn case(&mut self, node: Node<'_>) -> Vec<Step> {
        let value = node.child_by_field_name("value").map_or(Expr::Unknown(Vec::new()), |value| self.word(value));
        let (first, value) = value.made_once(node.start_byte());
        let mut steps: Vec<Step> = Vec::new();
        for item in named(node).into_iter().filter(|child| child.kind() == "case_item").rev() {
            let values = fields(item, "value");
            let patterns = values.iter().map(|pattern| self.pattern(*pattern));
            let sides = std::iter::once(value.clone()).chain(patterns).collect();
            let body = named(item).into_iter().filter(|child| !values.contains(child)).collect();
            let then = self.statements(body);
            let at = self.source.span_until(item, values.last().copied());
            let condition = Expr::Compare { kind: ComparisonKind::Glob, sides, at: at.clone() };
            steps = vec![Step::If { condition, then, otherwise: steps, at }];
        }
        first.into_iter().chain(steps).collect()
    }

    fn redirected(&mut self, node: Node<'_>) -> Vec<Step> {
        let redirections = fields(node, "redirect").into_iter().flat_map(|one| self.redirection(one)).collect();
        // The grammar takes the redirections of the last command for those of the whole list.
        if let Some(list) = node.child_by_field_name("body").filter(|body| body.kind() == "list") {
            return self.list_statement(list, redirections);
        }
        let (mut steps, body) = match node.child_by_field_name("body") {
            // `exec 1>&2` changes the shell itself.
            Some(body) if self.source.of(body) == "exec" => (Vec::new(), Vec::new()),
            // The assignments before a command are made with the stdin of the script.
            Some(body) if body.kind() == "command" => {
                let (assignments, command) = self.command_parts(body);
                (assignments, vec![Step::Evaluate(command.unwrap_or(Expr::Null))])
            }
            Some(body) => (Vec::new(), self.statement(body)),
            None => (Vec::new(), vec![Step::Evaluate(Expr::Null)]),
        };
        steps.push(Step::Redirected { body, redirections });
        steps
    }

    fn assignment(&mut self, node: Node<'_>) -> Vec<Step> {
        let name = node.child_by_field_name("name").map(|name| self.source.of(name).to_owned()).unwrap_or_default();
        let value = node.child_by_field_name("value").map_or(Expr::text(""), |value| self.word(value));
        let adds = children(node).iter().any(|child| child.kind() == "+=");
        let value = if adds { Expr::Join(vec![Expr::Variable(name.clone()), value]) } else { value };
        let target = if name.contains('[') { Target::Unknown } else { Target::Variable(name) };
        vec![Step::Set { target, value }]
    }

    fn command(&mut self, node: Node<'_>) -> Expr {
        let (mut steps, command) = self.command_parts(node);
        match command {
            Some(command) if steps.is_empty() => command,
            command => {
                steps.extend(command.map(Step::Evaluate));
                Expr::Success(steps)
            }
        }
    }

    /// The assignments before a command, and the command with its redirections.
    fn command_parts(&mut self, node: Node<'_>) -> (Vec<Step>, Option<Expr>) {
        let mut words = Vec::new();
        let mut assignments = Vec::new();
        let mut redirections = Vec::new();
        for child in named(node) {
            match child.kind() {
                "variable_assignment" => assignments.extend(self.assignment(child)),
                "command_name" => words.extend(named(child).into_iter().next().map(|name| self.word(name))),
                "herestring_redirect" | "file_redirect" | "heredoc_redirect" => {
                    redirections.extend(self.redirection(child));
                }
                _ => words.push(self.word(child)),
            }
        }
        if let (Some(Expr::Text(name)), Some(Expr::Text(steps)), Some(Expr::Text(signal))) =
            (words.first(), words.get(1), words.get(2))
            && name == "trap"
            && matches!(signal.as_str(), "EXIT" | "0")
            && let Some(program) = program(Source::new(steps, &no_files))
        {
            return (assignments, Some(Expr::Success(vec![Step::AtEnd(program.body)])));
        }
        if words.is_empty() {
            return (assignments, None);
        }
        if let Some(included) = self.included(node, &words) {
            words = vec![included];
        }
        let command = Expr::Command(Box::new(ShellCommand { words, at: self.source.at(node) }));
        if redirections.is_empty() {
            return (assignments, Some(command));
        }
        let body = vec![Step::Evaluate(command)];
        (assignments, Some(Expr::Success(vec![Step::Redirected { body, redirections }])))
    }

    /// The name of the function that does what the file of `source FILE` does. `None` for another command, and for a file that
    /// is not known.
    fn included(&mut self, node: Node<'_>, words: &[Expr]) -> Option<Expr> {
        let is_source = matches!(words.first(), Some(Expr::Text(name)) if matches!(name.as_str(), "source" | "."));
        let written =
            named(node).into_iter().find(|child| !matches!(child.kind(), "command_name" | "variable_assignment"));
        let written = written.filter(|_| is_source)?;
        let file = self.source.included_file(node, self.source.of(written))?;
        let name = format!("source {}", file.path);
        if !self.functions.iter().any(|known| known.name == name) {
            let tree = parse(&file.text, &Grammar::Shell.language())?;
            let (is_method, is_included) = (false, true);
            let (parameters, locals, body) = (Vec::new(), Vec::new(), Vec::new());
            // A file that includes itself finds its function.
            let index = self.functions.len();
            self.functions.push(Function { name: name.clone(), is_method, is_included, parameters, locals, body });
            let functions = std::mem::take(&mut self.functions);
            let mut inner = ShellReader { source: self.source.inside(node, &file), functions };
            let body = inner.statements(named(tree.root_node()));
            self.functions = inner.functions;
            if let Some(function) = self.functions.get_mut(index) {
                function.body = body;
            }
        }
        Some(Expr::Text(name))
    }
}

/// Whether an operator of arithmetic changes its variable.
fn is_assignment(operator: &str) -> bool {
    matches!(operator, "++" | "--") || operator.ends_with('=') && !matches!(operator, "==" | "!=" | "<=" | ">=")
}
