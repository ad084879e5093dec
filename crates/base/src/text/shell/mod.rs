//! A shell parser: splits a text into commands and words with their places, quoting, variables, substitutions and
//! pipes. Nothing is expanded or executed.
//!
//! The grammar of `hookbench_script` cannot replace this parser. It does not name the mistakes in a text, it rejects valid lines
//! (`2>&1 <<< x`, `[ a b ]`, `echo ==`), and it accepts wrong ones (`ls;; pwd`, `fi`). Rules report the mistakes and rewrite
//! the words of a command. The model of `hookbench_script` says what a script does, and does not keep the quotes.

mod compound;
mod expansion;
mod parser;
mod queries;

use std::collections::BTreeSet;
use std::ops::Range;

/// A parsed shell text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shell {
    /// All simple commands. Nested ones (`$(…)`, `(…)`, `sh -c '…'`) come before the command that contains them.
    pub commands: Vec<SimpleCommand>,
    /// The first syntax error.
    pub syntax_error: Option<ShellSyntaxError>,
    /// Syntax that not every shell supports.
    pub bashisms: Vec<Bashism>,
    /// The functions that the text defines.
    pub functions: BTreeSet<String>,
}

/// A syntax error in a shell text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellSyntaxError {
    pub at: Range<usize>,
    pub message: String,
}

/// One program, builtin or test with its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    pub at: Range<usize>,
    /// The name and the arguments.
    pub words: Vec<Word>,
    /// The assignments before the command (`A=b`), and those in the arguments of `export` and similar builtins.
    pub assignments: Vec<Assignment>,
    pub redirections: Vec<Redirection>,
    /// The index of the command whose output it reads.
    pub piped_from: Option<usize>,
    /// The number of conditions, loops and functions around it.
    pub depth: usize,
    /// The operator that joins it to the previous command.
    pub join: CommandJoin,
    /// The reserved words and brackets before it, in text order.
    pub reserved_words: Vec<ReservedWord>,
    /// The shell to which the text is passed (`bash -c '…'`). `None` for the shell that reads the whole text.
    pub inner_shell: Option<String>,
}

/// A reserved word or a bracket of a compound command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservedWord {
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
pub enum CommandJoin {
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
    pub parts: Vec<WordPart>,
}

/// A part of a word with uniform quoting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPart {
    /// The place, without the quotes.
    pub at: Range<usize>,
    pub quote: Quote,
    pub piece: PartContent,
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
pub enum PartContent {
    /// Literal text, as the command receives it.
    Text(String),
    Variable(VariableExpansion),
    /// `$(…)` or `` `…` ``, as a range of commands.
    Substitution(Range<usize>),
    /// `<(…)`, as a range of commands.
    Process(Range<usize>),
    /// `$((…))`.
    Arithmetic,
}

/// `$NAME` or `${NAME…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableExpansion {
    pub name: String,
    pub braced: bool,
    /// The text after the name in the braces: `:-x`.
    pub rest: String,
    /// `${#NAME}`: the length of the value.
    pub length: bool,
}

/// Syntax that not every shell supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bashism {
    pub kind: BashismKind,
    pub at: Range<usize>,
    /// See [`SimpleCommand::inner_shell`].
    pub inner_shell: Option<String>,
}

/// The kind of non-portable syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BashismKind {
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
        parser::read(text)
    }
}

#[cfg(test)]
mod tests;
