//! A shell parser: splits a text into commands and words with their places, quoting, variables, substitutions and
//! pipes. Nothing is expanded or executed.

mod ask;
mod constructs;
mod expansion;
mod reader;
mod redirection;

use std::collections::BTreeSet;
use std::ops::Range;

/// A parsed shell text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shell {
    /// All simple commands. Nested ones (`$(…)`, `(…)`, `sh -c '…'`) come before the command that contains them.
    pub commands: Vec<Simple>,
    /// The first syntax error.
    pub trouble: Option<Trouble>,
    /// Syntax that not every shell supports.
    pub odd: Vec<Odd>,
    /// The functions that the text defines.
    pub functions: BTreeSet<String>,
}

/// A syntax error in a shell text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    pub at: Range<usize>,
    pub says: String,
}

/// One program, builtin or test with its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    pub at: Range<usize>,
    /// The name and the arguments.
    pub words: Vec<Word>,
    /// The assignments before the command (`A=b`), and those in the arguments of `export` and similar builtins.
    pub sets: Vec<Assignment>,
    pub redirections: Vec<Redirection>,
    /// The index of the command whose output it reads.
    pub reads: Option<usize>,
    /// The number of conditions, loops and functions around it.
    pub depth: usize,
    /// The operator that joins it to the previous command.
    pub joint: Joint,
    /// The reserved words and brackets before it, in text order.
    pub lead: Vec<Lead>,
    /// The shell to which the text is passed (`bash -c '…'`). `None` for the shell that reads the whole text.
    pub given_to: Option<String>,
}

/// A reserved word or a bracket of a compound command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    If,
    Then,
    Elif,
    Else,
    /// `while`, `until`, `for`, `select`.
    Loop,
    Do,
    Case,
    /// `{`.
    Brace,
    /// `(`.
    Subshell,
    /// `fi`, `done`, `esac`, `}`, `)`.
    Close,
    /// `!`.
    Not,
}

/// The operator between a command and the previous one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Joint {
    #[default]
    Next,
    And,
    Or,
}

/// `NAME=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    pub value: Word,
}

/// `> file`, `<<< text`, `<<END`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    pub operator: String,
    /// The number before the operator: `2>`.
    pub fd: Option<u32>,
    pub target: Word,
    /// The lines of a here-document.
    pub body: Option<Word>,
}

/// One word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    pub at: Range<usize>,
    pub parts: Vec<Part>,
}

/// A part of a word with uniform quoting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The place, without the quotes.
    pub at: Range<usize>,
    pub quote: Quote,
    pub piece: Piece,
}

/// The kind of quoting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Quote {
    #[default]
    None,
    Single,
    Double,
    /// Inside a here-document.
    Here,
}

/// The content of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Literal text, as the command receives it.
    Text(String),
    Variable(Variable),
    /// `$(…)` or `` `…` ``, as a range of commands.
    Substitution(Range<usize>),
    /// `<(…)`, as a range of commands.
    Process(Range<usize>),
    /// `$((…))`.
    Arithmetic,
}

/// `$NAME` or `${NAME…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub braced: bool,
    /// The text after the name in the braces: `:-x`.
    pub rest: String,
    /// `${#NAME}`: the length of the value.
    pub length: bool,
}

/// Syntax that not every shell supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odd {
    pub kind: OddKind,
    pub at: Range<usize>,
    /// See [`Simple::given_to`].
    pub given_to: Option<String>,
}

/// The kind of non-portable syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OddKind {
    /// `<<<`.
    HereString,
    /// `<(…)`.
    Process,
    /// `a=(…)`, `${a[0]}`.
    Array,
    /// `function f`.
    Function,
    /// `${a,,}`, `${a/x/y}`, `${a:0:1}`, `${!a}`.
    Expansion,
    /// `for ((…))`.
    ArithmeticFor,
    /// `|&`.
    PipeBoth,
    /// `&>`.
    RedirectBoth,
    /// `[[ … ]]`.
    Test,
}

impl Shell {
    /// Parses a text.
    pub fn parse(text: &str) -> Shell {
        reader::read(text)
    }
}

#[cfg(test)]
mod tests;
