//! The syntax tree of a command line.

/// An error: the line contains a construct that the agent does not analyse, or a syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opaque;

/// A sequence of commands, each with the separator that follows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List(pub Vec<(Node, Separator)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// The end of the line or of the list.
    Line,
    /// `;` or `;;`
    Semicolon,
    /// `&`
    Background,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    And,
    Or,
    Pipe,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Command(Command),
    /// `a && b || c` and pipelines: the first command, then each further one with the operator before it.
    Chain(Box<Node>, Vec<(Operator, Node)>),
    Not(Option<Box<Node>>),
    Subshell(List),
    /// Conditions with their bodies, and the body of `else`.
    If(Vec<(List, List)>, List),
    /// `while` and `until`.
    Loop(List, List),
    For(String, Vec<Word>, List),
    /// `[ … ]` and `[[ … ]]`
    Test(Vec<Word>),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    pub redirections: Vec<Redirection>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub name: String,
    /// `NAME+=value`
    pub appends: bool,
    pub value: Word,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redirection {
    File(Word),
    /// `<<<`
    HereString(Word),
    /// `<<'E'`, with its body. `<<-'E'` strips tabs.
    HereDocument {
        body: String,
        strips: bool,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word(pub Vec<Piece>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text without quotes, and whether it contained a backslash.
    Bare { text: String, escaped: bool },
    /// `'…'`
    Single(String),
    /// `"…"`; its plain texts are [`Piece::Bare`].
    Double(Vec<Piece>),
    /// `$x`, `$1`, `$?`
    Variable(String),
    /// `$(…)` and backticks.
    Substitution(List),
    /// `$((1 + 2))`
    Number,
    /// Marks a word with `{a,b}` in it.
    Braces,
}

impl Word {
    /// Returns the text of a plain word.
    pub fn plain(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Bare { text, escaped: false }] => Some(text),
            _ => None,
        }
    }
}

/// Whether a text is a valid variable name.
pub fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a word starts like a flag. With a value that is filled in later, such as `-n$(…)`, the agent does not
/// analyse it.
pub fn is_flag(text: &str) -> bool {
    let rest = text.strip_prefix('-').map(|rest| rest.strip_prefix('-').unwrap_or(rest));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}
