//! Redirections and here-documents.

use tree_sitter::Node;

use super::ShellReader;
use crate::steps::{Expr, ScriptStream, StreamChange, StreamTarget};
use crate::tree::{children, named};

impl ShellReader<'_> {
    pub(super) fn redirection(&mut self, node: Node<'_>) -> Vec<StreamChange> {
        match node.kind() {
            "heredoc_redirect" => {
                let quoted = named(node)
                    .iter()
                    .find(|child| child.kind() == "heredoc_start")
                    .is_some_and(|start| self.source.of(*start).starts_with(['\'', '"', '\\']));
                let mut out = Vec::new();
                for child in named(node) {
                    match child.kind() {
                        "heredoc_body" if quoted => {
                            out.push(StreamChange::Stdin(Expr::text(self.source.of(child))));
                        }
                        "heredoc_body" => out.push(StreamChange::Stdin(self.interpolated(child))),
                        "file_redirect" => out.extend(self.redirection(child)),
                        _ => {}
                    }
                }
                if out.is_empty() {
                    out.push(StreamChange::Stdin(Expr::text("")));
                }
                out
            }
            "herestring_redirect" => {
                let text = named(node).into_iter().next().map(|text| self.word(text));
                text.map(StreamChange::Stdin).into_iter().collect()
            }
            _ => {
                let all = children(node);
                let operator = all.iter().find(|child| !child.is_named()).map_or("", |child| child.kind());
                let descriptor = node.child_by_field_name("descriptor").map_or("", |one| self.source.of(one));
                let destination = node.child_by_field_name("destination");
                let name = destination.map_or("", |one| self.source.of(one)).trim_matches(['"', '\'']);
                if operator.starts_with('<') {
                    return match name {
                        "/dev/stdin" => Vec::new(),
                        "/dev/null" => vec![StreamChange::Stdin(Expr::text(""))],
                        _ => vec![StreamChange::Stdin(Expr::Unknown(Vec::new()))],
                    };
                }
                let to = match name {
                    "1" | "/dev/stdout" if operator.ends_with('&') || name.len() > 1 => {
                        StreamTarget::Stream(ScriptStream::Stdout)
                    }
                    "2" | "/dev/stderr" if operator.ends_with('&') || name.len() > 1 => {
                        StreamTarget::Stream(ScriptStream::Stderr)
                    }
                    "/dev/null" => StreamTarget::Nowhere,
                    _ => StreamTarget::File,
                };
                let both = operator.starts_with("&>") || (operator == ">&" && !matches!(to, StreamTarget::Stream(_)));
                match descriptor {
                    "2" => vec![StreamChange::To { from: ScriptStream::Stderr, to }],
                    "" | "1" if both => {
                        vec![
                            StreamChange::To { from: ScriptStream::Stdout, to },
                            StreamChange::To { from: ScriptStream::Stderr, to },
                        ]
                    }
                    "" | "1" => vec![StreamChange::To { from: ScriptStream::Stdout, to }],
                    _ => Vec::new(),
                }
            }
        }
    }
}
