//! Words of a shell, and the conditions inside `[ … ]`.

use tree_sitter::Node;

use super::ShellReader;
use crate::steps::{ComparisonKind, Expr};
use crate::tree::{children, deeper, fields, named};

impl ShellReader<'_> {
    /// A condition inside `[ … ]` or `[[ … ]]`.
    pub(super) fn test(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "binary_expression" => {
                let operator = node.child_by_field_name("operator").map_or("", |one| self.source.of(one));
                let left = node.child_by_field_name("left");
                let rights = fields(node, "right");
                let side = |front: &mut Self, node: Option<Node<'_>>| {
                    node.map_or(Expr::Unknown(Vec::new()), |node| front.test(node))
                };
                match operator {
                    "&&" | "-a" => Expr::All(vec![side(self, left), side(self, rights.first().copied())]),
                    "||" | "-o" => Expr::Any(vec![side(self, left), side(self, rights.first().copied())]),
                    "=" | "==" | "!=" | "-eq" | "-ne" => {
                        let first = left.map_or(Expr::Unknown(Vec::new()), |left| self.word(left));
                        let glob = rights.iter().any(|right| right.kind() == "extglob_pattern");
                        let second: Vec<Expr> = rights.iter().map(|right| self.pattern(*right)).collect();
                        let second = match second.len() {
                            1 => second.into_iter().next().unwrap_or(Expr::Null),
                            _ => Expr::Join(second),
                        };
                        let kind = if glob { ComparisonKind::Glob } else { ComparisonKind::Equal };
                        let same = Expr::compare(kind, first, second, self.source.at(node));
                        if matches!(operator, "!=" | "-ne") { same.not() } else { same }
                    }
                    "=~" => {
                        let first = left.map_or(Expr::Unknown(Vec::new()), |left| self.word(left));
                        let second = rights.first().map_or(Expr::Null, |right| match right.kind() {
                            "regex" => Expr::text(self.source.of(*right)),
                            _ => self.word(*right),
                        });
                        Expr::compare(ComparisonKind::Pattern, first, second, self.source.at(node))
                    }
                    _ => {
                        let parts = left.into_iter().chain(rights).map(|part| self.word(part)).collect();
                        Expr::Unknown(parts)
                    }
                }
            }
            "unary_expression" => {
                let operator = children(node).into_iter().next().map_or("", |one| self.source.of(one));
                let Some(inner) = named(node).into_iter().rfind(|child| child.kind() != "test_operator") else {
                    return Expr::Unknown(Vec::new());
                };
                match operator {
                    "!" => self.test(inner).not(),
                    "-n" => self.word(inner),
                    "-z" => self.word(inner).not(),
                    _ => Expr::Unknown(vec![self.word(inner)]),
                }
            }
            "parenthesized_expression" => {
                named(node).into_iter().next().map_or(Expr::Unknown(Vec::new()), |inner| self.test(inner))
            }
            _ => self.word(node),
        }
    }

    pub(super) fn pattern(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "extglob_pattern" | "word" => Expr::text(self.source.of(node)),
            _ => self.word(node),
        }
    }

    pub(super) fn word(&mut self, node: Node<'_>) -> Expr {
        deeper(|| self.word_of(node))
    }

    pub(super) fn word_of(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "word" | "number" | "extglob_pattern" | "test_operator" | "regex" | "variable_name" => {
                Expr::Text(unescaped(self.source.of(node), None))
            }
            "raw_string" => {
                let text = self.source.of(node);
                Expr::text(text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(text))
            }
            "ansi_c_string" => {
                let text = self.source.of(node);
                let inner = text.strip_prefix("$'").and_then(|text| text.strip_suffix('\'')).unwrap_or(text);
                Expr::Text(inner.replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'"))
            }
            "string" | "translated_string" => self.interpolated(node),
            "concatenation" => {
                let parts = named(node).into_iter().map(|part| self.word(part)).collect();
                Expr::Join(parts)
            }
            "simple_expansion" => {
                let name = self.source.of(node).trim_start_matches('$');
                variable(name)
            }
            "expansion" => self.expansion(node),
            "command_substitution" => {
                let inner = named(node);
                // `$(< file)` is the text of the file.
                match inner.as_slice() {
                    [file] if file.kind() == "file_redirect" => {
                        let name = file.child_by_field_name("destination").map_or("", |one| self.source.of(one));
                        if name == "/dev/stdin" {
                            Expr::AllOfStdin(self.source.at(node))
                        } else {
                            Expr::Unknown(Vec::new())
                        }
                    }
                    _ => Expr::Output(self.statements(inner)),
                }
            }
            "array" => Expr::List(named(node).into_iter().map(|item| self.word(item)).collect()),
            _ => Expr::Unknown(named(node).into_iter().map(|part| self.word(part)).collect()),
        }
    }

    /// A text with expansions inside. The grammar has no node for some of the text between them.
    pub(super) fn interpolated(&mut self, node: Node<'_>) -> Expr {
        let quote = if node.kind() == "heredoc_body" { None } else { Some('"') };
        let (mut at, end) = match quote {
            Some(_) => (node.start_byte() + self.source.of(node).find('"').map_or(0, |at| at + 1), node.end_byte() - 1),
            None => (node.start_byte(), node.end_byte()),
        };
        let mut parts = Vec::new();
        let plain = |from: usize, to: usize, parts: &mut Vec<Expr>| {
            let text = self.source.text.get(from..to).unwrap_or_default();
            if !text.is_empty() {
                parts.push(Expr::Text(unescaped(text, Some(quote.is_some()))));
            }
        };
        let mut inner = Vec::new();
        for child in named(node) {
            if matches!(child.kind(), "string_content" | "heredoc_content") {
                continue;
            }
            plain(at, child.start_byte(), &mut parts);
            inner.push((parts.len(), child));
            parts.push(Expr::Null);
            at = child.end_byte();
        }
        plain(at, end, &mut parts);
        for (index, child) in inner {
            let word = self.word(child);
            if let Some(part) = parts.get_mut(index) {
                *part = word;
            }
        }
        if parts.len() == 1 { parts.pop().unwrap_or(Expr::Null) } else { Expr::Join(parts) }
    }

    /// `${name…}`.
    pub(super) fn expansion(&mut self, node: Node<'_>) -> Expr {
        let inner = named(node);
        let name = inner.iter().find(|child| matches!(child.kind(), "variable_name" | "special_variable_name"));
        let Some(name) = name.map(|name| self.source.of(*name)) else { return Expr::Unknown(Vec::new()) };
        let operator = node.child_by_field_name("operator").map_or("", |one| one.kind());
        let rest: Vec<Expr> = inner.iter().skip(1).map(|part| self.word(*part)).collect();
        match operator {
            "" if rest.is_empty() => variable(name),
            ":-" | "-" => {
                let second = rest.into_iter().next().unwrap_or(Expr::text(""));
                Expr::Else { first: Box::new(variable(name)), second: Box::new(second), only_missing: operator == "-" }
            }
            ":=" | "=" | ":?" | "?" => variable(name),
            ",," | "^^" if rest.is_empty() => Expr::Folded(Box::new(variable(name))),
            _ => Expr::Unknown(std::iter::once(variable(name)).chain(rest).collect()),
        }
    }
}

/// The variable of this name. A name that the script does not set is one of the environment.
pub(super) fn variable(name: &str) -> Expr {
    match name.parse::<usize>() {
        Ok(index) => Expr::Argument(index),
        Err(_) if name == "?" => Expr::Status,
        Err(_) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => Expr::Environment(name.to_owned()),
        Err(_) => Expr::Unknown(Vec::new()),
    }
}

/// Removes the backslashes that a shell removes: all outside of quotes, few in double quotes and here-documents.
pub(super) fn unescaped(text: &str, quoted: Option<bool>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        match (c, next, quoted) {
            ('\\', Some('\n'), _) => drop(chars.next()),
            ('\\', Some(next), None) => {
                out.push(next);
                chars.next();
            }
            ('\\', Some(next @ ('\\' | '$' | '`')), Some(_)) | ('\\', Some(next @ '"'), Some(true)) => {
                out.push(next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out
}
