//! The syntax tree of a command line.

/// An error: the line contains a construct that the agent does not analyse, or a syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpaqueConstruct;

/// A sequence of commands, each with the separator that follows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BashList(pub Vec<(BashNode, BashSeparator)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BashSeparator {
    /// The end of the line or of the list.
    Line,
    /// `;` or `;;`
    Semicolon,
    /// `&`
    Background,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BashOperator {
    And,
    Or,
    Pipe,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BashNode {
    Command(BashCommand),
    /// `a && b || c` and pipelines: the first command, then each further one with the operator before it.
    Chain(Box<BashNode>, Vec<(BashOperator, BashNode)>),
    Not(Option<Box<BashNode>>),
    Subshell(BashList),
    /// Conditions with their bodies, and the body of `else`.
    If(Vec<(BashList, BashList)>, BashList),
    /// `while` and `until`.
    Loop(BashList, BashList),
    For(String, Vec<BashWord>, BashList),
    /// `[ … ]` and `[[ … ]]`
    Test(Vec<BashWord>),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BashCommand {
    pub assignments: Vec<BashAssignment>,
    pub words: Vec<BashWord>,
    pub redirections: Vec<BashRedirection>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BashAssignment {
    pub name: String,
    /// `NAME+=value`
    pub appends: bool,
    pub value: BashWord,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BashRedirection {
    File(BashWord),
    /// `<<<`
    HereString(BashWord),
    /// `<<'E'`, with its body. `<<-'E'` strips tabs.
    HereDocument {
        body: String,
        strips: bool,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BashWord(pub Vec<BashPiece>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BashPiece {
    /// Text without quotes, and whether it contained a backslash.
    Bare { text: String, escaped: bool },
    /// `'…'`
    Single(String),
    /// `"…"`; its plain texts are [`BashPiece::Bare`].
    Double(Vec<BashPiece>),
    /// `$x`, `$1`, `$?`
    Variable(String),
    /// `$(…)` and backticks.
    Substitution(BashList),
    /// `$((1 + 2))`
    Number,
    /// Marks a word with `{a,b}` in it.
    Braces,
}

impl BashWord {
    /// Returns the text of a plain word.
    pub fn plain_text(&self) -> Option<&str> {
        match self.0.as_slice() {
            [BashPiece::Bare { text, escaped: false }] => Some(text),
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
pub fn starts_like_flag(text: &str) -> bool {
    let rest = text.strip_prefix('-').map(|rest| rest.strip_prefix('-').unwrap_or(rest));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}
