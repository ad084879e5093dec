//! The text of a shell, cut into commands and words with their places: what is quoted, which variables and substitutions
//! stand where, which commands read from which. Nothing is expanded and nothing runs.

mod ask;
mod constructs;
mod expansion;
mod reader;
mod redirection;

use std::collections::BTreeSet;
use std::ops::Range;

/// A text of a shell, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shell {
    /// Every simple command: those inside of others (`$(…)`, `(…)`, `sh -c '…'`) stand before the one around them.
    pub commands: Vec<Simple>,
    /// The first place at which a shell would give up.
    pub trouble: Option<Trouble>,
    /// What not every shell knows.
    pub odd: Vec<Odd>,
    /// Functions that it defines.
    pub functions: BTreeSet<String>,
}

/// A shell would not take the text.
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
    /// `A=b` in front, and those that are arguments of `export` and its like.
    pub sets: Vec<Assignment>,
    pub redirections: Vec<Redirection>,
    /// The command whose output it reads.
    pub reads: Option<usize>,
    /// Conditions, loops and functions around it.
    pub depth: usize,
    /// What stands between it and the one before.
    pub joint: Joint,
    /// Words and brackets in front of it that begin or end something larger, in the order of the text.
    pub lead: Vec<Lead>,
    /// The shell whose argument it is part of (`bash -c '…'`); none: the one that reads the whole text.
    pub given_to: Option<String>,
}

/// A word or a bracket that begins or ends something larger than a command.
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

/// What stands before a command.
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
    /// The number in front of it: `2>`.
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

/// A piece of a word that is quoted in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Without the quotes.
    pub at: Range<usize>,
    pub quote: Quote,
    pub piece: Piece,
}

/// How something is quoted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Quote {
    #[default]
    None,
    Single,
    Double,
    /// In the lines of a here-document.
    Here,
}

/// What a part is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// As the command gets it.
    Text(String),
    Variable(Variable),
    /// `$(…)` or `` `…` ``: these commands.
    Substitution(Range<usize>),
    /// `<(…)`: these commands.
    Process(Range<usize>),
    /// `$((…))`.
    Arithmetic,
}

/// `$NAME` or `${NAME…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub braced: bool,
    /// What stands behind the name in the braces: `:-x`.
    pub rest: String,
    /// `${#NAME}`: how long it is.
    pub length: bool,
}

/// Something that not every shell knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Odd {
    pub kind: OddKind,
    pub at: Range<usize>,
    /// See [`Simple::given_to`].
    pub given_to: Option<String>,
}

/// What it is.
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
    /// Takes a text apart.
    pub fn parse(text: &str) -> Shell {
        reader::read(text)
    }
}

#[cfg(test)]
mod tests;
