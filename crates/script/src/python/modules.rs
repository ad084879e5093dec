//! Modules of the script's own directory: their functions and their constants.

use tree_sitter::Node;

use super::PythonReader;
use crate::Grammar;
use crate::steps::{Expr, Step, Target};
use crate::tree::{fields, named, parse};

impl PythonReader<'_> {
    /// `import a, b as c` and `from a import b as c`: the constants of the modules whose files are known, and the new names.
    pub(super) fn import(&mut self, node: Node<'_>) -> Vec<Step> {
        let names = fields(node, "name").into_iter().map(|name| match name.kind() {
            "aliased_import" => (name.child_by_field_name("name").unwrap_or(name), name.child_by_field_name("alias")),
            _ => (name, None),
        });
        let Some(module) = node.child_by_field_name("module_name") else {
            let mut steps = Vec::new();
            for (name, alias) in names {
                if let Some(constants) = self.module(node, name) {
                    self.modules.push(self.source.of(alias.unwrap_or(name)).to_owned());
                    steps.extend(constants);
                }
            }
            return steps;
        };
        let Some(mut steps) = self.module(node, module) else { return Vec::new() };
        steps.extend(names.filter_map(|(name, alias)| {
            let value = Expr::Variable(self.source.of(name).to_owned());
            Some(Step::Set { target: Target::Variable(self.source.of(alias?).to_owned()), value })
        }));
        steps
    }

    /// Reads the definitions of a module. What else it does when it is imported is not followed.
    fn module(&mut self, node: Node<'_>, name: Node<'_>) -> Option<Vec<Step>> {
        let file = self.source.included_file(node, self.source.of(name))?;
        let tree = parse(&file.text, &Grammar::Python.language())?;
        let (functions, modules) = (std::mem::take(&mut self.functions), std::mem::take(&mut self.modules));
        let source = self.source.inside(node, &file);
        let mut inner = PythonReader { source, functions, is_in_class: false, modules };
        let is_definition = |statement: &Node<'_>| match statement.kind() {
            "expression_statement" => named(*statement).iter().all(|one| one.kind() == "assignment"),
            kind => kind.ends_with("_definition") || kind.starts_with("import_"),
        };
        let definitions = named(tree.root_node()).into_iter().filter(is_definition).collect();
        let steps = inner.statements(definitions);
        (self.functions, self.modules) = (inner.functions, inner.modules);
        Some(steps)
    }
}
