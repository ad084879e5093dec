//! The kinds of the words of a script, from its syntax tree, for their colours.

use tree_sitter::Node;

use crate::Grammar;
use crate::steps::ByteRange;
use crate::tree::{children, deeper, parse};

/// The kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    Comment,
    Keyword,
    /// A text in quotes, without the values in it.
    Text,
    /// A command or a called function.
    Call,
    Variable,
}

type Words = Vec<(ByteRange, WordKind)>;

impl Grammar {
    /// The words of a script that have a kind, in order. Empty if the script is too long or nested too deeply.
    pub fn words(self, text: &str) -> Words {
        let mut words = Vec::new();
        if let Some(tree) = parse(text, &self.language()) {
            add_words(tree.root_node(), (None, None), text, &mut words);
        }
        words
    }
}

/// Adds the words of a node. A part without a kind has that of the node around it. `name` is the node that names a function.
fn add_words(node: Node<'_>, (around, name): (Option<WordKind>, Option<Node<'_>>), text: &str, words: &mut Words) {
    let kind = match node.kind() {
        // Code inside a text.
        "command_substitution" | "interpolation" | "template_substitution" | "process_substitution" => None,
        _ if name == Some(node) => Some(WordKind::Call),
        _ => own_kind(node, text).or(around),
    };
    let name = function_name(node).or(name);
    let inside = children(node);
    if inside.is_empty() || kind == Some(WordKind::Comment) {
        return add(words, node.byte_range(), kind);
    }
    // What is between the parts of a text belongs to it.
    let between = kind.filter(|kind| *kind == WordKind::Text);
    let mut end = node.start_byte();
    for child in inside {
        add(words, end..child.start_byte(), between);
        deeper(|| add_words(child, (kind, name), text, words));
        end = child.end_byte();
    }
    add(words, end..node.end_byte(), between);
}

fn add(words: &mut Words, range: ByteRange, kind: Option<WordKind>) {
    let Some(kind) = kind.filter(|_| !range.is_empty()) else { return };
    match words.last_mut() {
        Some((last, same)) if *same == kind && last.end == range.start => last.end = range.end,
        _ => words.push((range, kind)),
    }
}

/// The kind of a node itself.
fn own_kind(node: Node<'_>, text: &str) -> Option<WordKind> {
    Some(match node.kind() {
        "comment" | "hash_bang_line" => WordKind::Comment,
        "true" | "false" | "none" | "null" | "undefined" => WordKind::Keyword,
        word if !node.is_named() && word.bytes().all(|byte| byte.is_ascii_lowercase()) => WordKind::Keyword,
        "string" | "raw_string" | "ansi_c_string" | "heredoc_body" | "template_string" | "regex" => WordKind::Text,
        "simple_expansion" | "expansion" | "variable_name" => WordKind::Variable,
        "command_name" => match text.get(node.byte_range()) {
            Some("exit" | "return") => WordKind::Keyword,
            _ => WordKind::Call,
        },
        _ => return None,
    })
}

/// The node with the name of the function that a node calls or defines.
fn function_name(node: Node<'_>) -> Option<Node<'_>> {
    let (field, inner) = match node.kind() {
        "call" | "call_expression" => ("function", true),
        "function_definition" | "function_declaration" => ("name", false),
        _ => return None,
    };
    let named = node.child_by_field_name(field)?;
    let last = || named.child_by_field_name("attribute").or_else(|| named.child_by_field_name("property"));
    if inner { last().or_else(|| Some(named).filter(|named| named.kind() == "identifier")) } else { Some(named) }
}
