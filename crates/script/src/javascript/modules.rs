//! Modules beside the script: their functions and their constants.

use tree_sitter::Node;

use super::JavaScriptReader;
use crate::Grammar;
use crate::steps::{Expr, Step, Target};
use crate::tree::{named, parse};

impl JavaScriptReader<'_> {
    /// `import { a, b as c } from './lib'`, `import lib from './lib'` and `import * as lib from './lib'`.
    pub(super) fn import(&mut self, node: Node<'_>) -> Vec<Step> {
        let Some(path) = node.child_by_field_name("source") else { return Vec::new() };
        let Some(mut steps) = self.module(node, path) else { return Vec::new() };
        let clause = named(node).into_iter().filter(|one| one.kind() == "import_clause").flat_map(named);
        for names in clause {
            match names.kind() {
                "named_imports" => {
                    for name in named(names) {
                        let (own, alias) = (name.child_by_field_name("name"), name.child_by_field_name("alias"));
                        steps.extend(own.zip(alias).map(|(own, alias)| Step::Set {
                            target: Target::Variable(self.source.of(alias).to_owned()),
                            value: Expr::Variable(self.source.of(own).to_owned()),
                        }));
                    }
                }
                "namespace_import" => {
                    let name = named(names).into_iter().next().map(|name| self.source.of(name).to_owned());
                    self.modules.extend(name);
                }
                _ => self.modules.push(self.source.of(names).to_owned()),
            }
        }
        steps
    }

    /// `const { a, b: c } = require('./lib')` and `const lib = require('./lib')`. `None` for another declaration, and for a
    /// module whose file is not known.
    pub(super) fn required(&mut self, declarator: Node<'_>) -> Option<Vec<Step>> {
        let call = declarator.child_by_field_name("value").filter(|value| value.kind() == "call_expression")?;
        call.child_by_field_name("function").filter(|function| self.source.of(*function) == "require")?;
        let path = call.child_by_field_name("arguments").and_then(|all| named(all).into_iter().next())?;
        let mut steps = self.module(call, path)?;
        match self.target(declarator.child_by_field_name("name")?) {
            Target::Variable(name) => self.modules.push(name),
            Target::Parts(parts) => {
                for (target, key) in parts {
                    let Expr::Text(key) = key else { continue };
                    if target != Target::Variable(key.clone()) {
                        steps.push(Step::Set { target, value: Expr::Variable(key) });
                    }
                }
            }
            Target::Key(..) | Target::Unknown => {}
        }
        Some(steps)
    }

    /// Reads the definitions of a module. What else it does when it is loaded is not followed.
    fn module(&mut self, node: Node<'_>, path: Node<'_>) -> Option<Vec<Step>> {
        let written = self.source.of(path).trim_matches(['"', '\'', '`']);
        let file = self.source.included_file(node, written).filter(|_| written.starts_with('.'))?;
        let tree = parse(&file.text, &Grammar::JavaScript.language())?;
        let (functions, modules) = (std::mem::take(&mut self.functions), std::mem::take(&mut self.modules));
        let source = self.source.inside(node, &file);
        let mut inner = JavaScriptReader { source, functions, declared: Vec::new(), modules };
        let is_definition = |statement: &Node<'_>| {
            statement.kind().ends_with("_declaration")
                || matches!(statement.kind(), "import_statement" | "export_statement")
        };
        let definitions = named(tree.root_node()).into_iter().filter(is_definition).collect();
        let steps = inner.statements(definitions);
        (self.functions, self.modules) = (inner.functions, inner.modules);
        Some(steps)
    }
}
