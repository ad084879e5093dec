//! Syntax trees as tree-sitter gives them.

use tree_sitter::{Node, Parser, Tree};

use crate::include::{FileLookup, Include, IncludedFile};
use crate::steps::{ByteRange, Expr, Target};

/// A text and its tree.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub text: &'a str,
    files: FileLookup<'a>,
    inclusion: Option<Inclusion<'a>>,
}

/// How a text became a part of the script.
#[derive(Clone, Copy)]
struct Inclusion<'a> {
    path: &'a str,
    /// The statement of the script that includes it: the place of everything inside.
    start: usize,
    end: usize,
    depth: usize,
}

/// How many files may include one another.
const MOST_INCLUSIONS: usize = 3;

impl<'a> Source<'a> {
    pub fn new(text: &'a str, files: FileLookup<'a>) -> Source<'a> {
        Source { text, files, inclusion: None }
    }

    /// The file that a statement includes.
    pub fn included_file(&self, statement: Node<'_>, written: &str) -> Option<IncludedFile> {
        let is_shallow = self.inclusion.is_none_or(|inclusion| inclusion.depth < MOST_INCLUSIONS);
        let from = self.inclusion.map(|inclusion| inclusion.path);
        let ByteRange { start, end } = self.at(statement);
        is_shallow.then(|| (self.files)(&Include { written, from, start, end }))?
    }

    /// A file that the statement at a node includes.
    pub fn inside<'b>(&self, node: Node<'_>, file: &'b IncludedFile) -> Source<'b>
    where
        'a: 'b,
    {
        let ByteRange { start, end } = self.at(node);
        let depth = self.inclusion.map_or(1, |inclusion| inclusion.depth + 1);
        let inclusion = Inclusion { path: &file.path, start, end, depth };
        Source { text: &file.text, files: self.files, inclusion: Some(inclusion) }
    }

    /// Whether the script includes the text.
    pub fn is_included(&self) -> bool {
        self.inclusion.is_some()
    }

    /// The place of a node in the script.
    pub fn at(&self, node: Node<'_>) -> ByteRange {
        self.span_until(node, None)
    }

    /// The place from the start of a node to the end of another one inside it.
    pub fn span_until(&self, node: Node<'_>, last: Option<Node<'_>>) -> ByteRange {
        match self.inclusion {
            Some(Inclusion { start, end, .. }) => start..end,
            None => node.start_byte()..last.unwrap_or(node).end_byte(),
        }
    }

    /// The text of a node.
    pub fn of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

/// The nesting of a script that is understood.
const DEEPEST: usize = 1000;

/// The bytes of a script that is understood. A longer one was written by a bundler.
const LONGEST: usize = 200 << 10;

/// Continues on a larger stack if this one is nearly used up: a script may be nested deeply.
pub(crate) fn deeper<T>(next: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(256 << 10, 4 << 20, next)
}

/// Whether the tree is nested too deeply to be followed.
fn is_too_deep(tree: &Tree) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > DEEPEST {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

/// Parses a text. `None` if the grammar does not fit the library, or if the text is too long or nested too deeply.
pub(crate) fn parse(text: &str, language: &tree_sitter::Language) -> Option<Tree> {
    if text.len() > LONGEST {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    parser.parse(text, None).filter(|tree| !is_too_deep(tree))
}

pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The named children, without comments.
pub(crate) fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

pub(crate) fn fields<'a>(node: Node<'a>, name: &str) -> Vec<Node<'a>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).collect()
}

/// The variable and the keys of a chain such as `a.b[c]`. `split` returns the node before the last key, and that key; `None`
/// for a node without a key.
pub(crate) fn chain<'t>(
    source: Source<'_>,
    mut node: Node<'t>,
    mut split: impl FnMut(Node<'t>) -> Option<(Option<Node<'t>>, Expr)>,
) -> Target {
    let mut keys = Vec::new();
    while let Some((holder, key)) = split(node) {
        keys.insert(0, key);
        let Some(holder) = holder else { return Target::Unknown };
        node = holder;
    }
    if node.kind() == "identifier" { Target::Key(source.of(node).to_owned(), keys) } else { Target::Unknown }
}

/// Replaces the character escapes of Python and JavaScript.
pub(crate) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('\n') => {}
            Some(other @ ('\\' | '"' | '\'' | '`' | '$' | '/')) => out.push(other),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
    }
    out
}
