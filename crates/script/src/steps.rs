//! The steps of a script, the same for all languages. A front end turns a syntax tree into them; `walk` follows them.

use std::ops::Range;

use crate::value::PathKey;

/// A place in the script, in bytes.
pub type ByteRange = Range<usize>;

/// The variable that holds the status for the end of a script in JavaScript.
pub(crate) const EXIT_CODE: &str = "process.exitCode";

/// A script as steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Program {
    pub body: Vec<Step>,
    /// Functions; of two with the same name the later one counts. An expression names one by its index.
    pub functions: Vec<Function>,
}

/// A function of the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    /// Empty if it has no name.
    pub name: String,
    pub is_method: bool,
    /// Whether it is in a file that the script includes.
    pub is_included: bool,
    pub parameters: Vec<String>,
    /// Variables that exist only inside.
    pub locals: Vec<String>,
    pub body: Vec<Step>,
}

/// Makes the constructor of a class a function with the name of the class. The functions of the class begin at `first`.
pub(crate) fn name_constructor(functions: &mut [Function], first: usize, constructor: &str, class: &str) {
    let own = functions.iter_mut().skip(first);
    for function in own.filter(|function| function.is_method && function.name == constructor) {
        // It is called without the object.
        let parameters = function.parameters.split_off(1.min(function.parameters.len()));
        (function.name, function.is_method, function.parameters) = (class.to_owned(), false, parameters);
    }
}

/// An output stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptStream {
    Stdout,
    Stderr,
}

/// One statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Set {
        target: Target,
        value: Expr,
    },
    Evaluate(Expr),
    Print {
        stream: ScriptStream,
        text: Expr,
        at: ByteRange,
    },
    If {
        condition: Expr,
        then: Vec<Step>,
        otherwise: Vec<Step>,
        at: ByteRange,
    },
    /// The body runs once, or not at all. The variable takes values that are not known. Without one, `items` is the
    /// condition.
    Loop {
        variable: Option<Target>,
        items: Expr,
        body: Vec<Step>,
        at: ByteRange,
    },
    /// The rescue runs after a failure anywhere in the body; `last` runs in each case.
    Try {
        body: Vec<Step>,
        rescue: Vec<Step>,
        last: Vec<Step>,
    },
    Exit {
        status: Expr,
        at: ByteRange,
    },
    Return(Expr),
    Raise,
    LeaveLoop,
    /// The body runs with other streams.
    Redirected {
        body: Vec<Step>,
        redirections: Vec<StreamChange>,
    },
    /// The body runs in another process, so its variables and its end do not affect this one.
    Apart(Vec<Step>),
    /// The same, and the script does not wait for it.
    Background(Vec<Step>),
    /// A command that runs when the script ends.
    AtEnd(Vec<Step>),
}

/// A changed stream of a shell command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StreamChange {
    Stdin(Expr),
    To { from: ScriptStream, to: StreamTarget },
}

/// The target of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamTarget {
    Stream(ScriptStream),
    File,
    Nowhere,
}

/// The left side of an assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    Variable(String),
    /// A key in the value of a variable, with the keys on the way to it.
    Key(String, Vec<Expr>),
    /// Several variables, each with the key or the index that it takes.
    Parts(Vec<(Target, Expr)>),
    Unknown,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expr {
    Text(String),
    Number(String),
    Bool(bool),
    Null,
    Object(Vec<(Expr, Expr)>),
    List(Vec<Expr>),
    /// The entries of another object inside an object: the key of the pair is this.
    Spread,
    /// A text of several parts.
    Join(Vec<Expr>),
    Variable(String),
    Function(usize),
    /// The bytes of stdin.
    Stdin,
    /// The same, read to the end by a call at this place.
    AllOfStdin(ByteRange),
    /// The status of the last command.
    Status,
    /// The value of a JSON text.
    Parse(Box<Expr>),
    /// The JSON text of a value.
    Format(Box<Expr>),
    Key(Box<Expr>, Box<Expr>),
    /// A member of a value in JavaScript. Of an object that is not known, it may be anything.
    Member(Box<Expr>, Box<Expr>),
    /// The first value if it is there, else the second. `only_missing`: an empty text, 0 and false count as there.
    Else {
        first: Box<Expr>,
        second: Box<Expr>,
        only_missing: bool,
    },
    Environment(String),
    Argument(usize),
    /// The script and its arguments, after the names of programs before it.
    Arguments {
        programs: usize,
    },
    /// A comparison of the first value with the others.
    Compare {
        kind: ComparisonKind,
        sides: Vec<Expr>,
        at: ByteRange,
    },
    Not(Box<Expr>),
    All(Vec<Expr>),
    Any(Vec<Expr>),
    Choose(Box<[Expr; 3]>),
    /// The items of a list as several arguments of a call.
    Expand(Box<Expr>),
    /// A call of a function of the script by its name or value, or of an unknown one.
    Call(Box<Expr>, Vec<Expr>),
    /// A text without blanks at its ends, or the like: not the same text, but one of the same source.
    Changed(Box<Expr>),
    /// A text in upper or lower case.
    Folded(Box<Expr>),
    /// The output of steps on stdout.
    Output(Vec<Step>),
    /// A shell command; its value is whether it succeeds.
    Command(Box<ShellCommand>),
    /// Steps as an expression; its value is whether the last command succeeds.
    Success(Vec<Step>),
    /// Commands joined by pipes.
    Pipe(Vec<Vec<Step>>),
    /// A text in quotes for a shell; its value is not known.
    Quoted(Box<Expr>),
    /// Starts a program; its value is not known.
    Start(Box<ProgramStart>),
    /// Reads a file; its value is not known.
    ReadFile {
        name: Box<Expr>,
        at: ByteRange,
    },
    /// The items of a list after the first ones.
    Tail(Box<Expr>, usize),
    /// The type of a value, for which a script asks before it uses the value.
    Kind(Box<Expr>),
    /// The method of a class of the script.
    Method(String),
    /// A value that is not known, from these.
    Unknown(Vec<Expr>),
}

impl Target {
    /// Calls `each` with the name of each variable.
    pub fn each_name(&self, each: &mut impl FnMut(&str)) {
        match self {
            Target::Variable(name) | Target::Key(name, _) => each(name),
            Target::Parts(parts) => parts.iter().for_each(|(target, _)| target.each_name(each)),
            Target::Unknown => {}
        }
    }
}

impl Step {
    /// Whether it changes a variable.
    pub fn changes_variables(&self) -> bool {
        let any = |steps: &[Step]| steps.iter().any(Step::changes_variables);
        match self {
            Step::Set { .. } => true,
            Step::Evaluate(expr) => match expr {
                Expr::Success(steps) => any(steps),
                Expr::Command(command) => matches!(command.words.first(), Some(Expr::Text(name)) if name == "let"),
                _ => false,
            },
            Step::If { condition, then, otherwise, .. } => {
                any(then) || any(otherwise) || matches!(condition, Expr::Success(steps) if any(steps))
            }
            Step::Loop { body, .. } | Step::Redirected { body, .. } => any(body),
            Step::Try { body, rescue, last } => any(body) || any(rescue) || any(last),
            _ => false,
        }
    }
}

impl Expr {
    /// Whether a condition is a constant that is true.
    pub fn always_holds(&self) -> bool {
        match self {
            Expr::Bool(value) => *value,
            Expr::Number(number) => number != "0",
            Expr::Text(text) => !text.is_empty(),
            Expr::Command(command) => {
                matches!(command.words.as_slice(), [Expr::Text(name)] if matches!(name.as_str(), "true" | ":"))
            }
            Expr::Success(steps) => matches!(steps.as_slice(), [Step::Evaluate(only)] if only.always_holds()),
            _ => false,
        }
    }

    /// Whether a condition is the opposite of another one.
    pub fn is_negated(&self) -> bool {
        match self {
            Expr::Not(_) => true,
            Expr::Success(steps) => matches!(steps.as_slice(), [Step::Evaluate(only)] if only.is_negated()),
            _ => false,
        }
    }

    /// Whether a condition that holds or not tells only that a value is missing, or of the wrong type.
    pub fn tests_presence(&self, holds: bool) -> bool {
        let of_last = |steps: &[Step]| match steps.last() {
            Some(Step::Evaluate(last)) => last.tests_presence(holds),
            Some(Step::Redirected { body, .. }) => {
                matches!(body.last(), Some(Step::Evaluate(last)) if last.tests_presence(holds))
            }
            _ => false,
        };
        match self {
            Expr::Not(inner) => inner.tests_presence(!holds),
            Expr::All(parts) | Expr::Any(parts) => parts.iter().all(|part| part.tests_presence(holds)),
            Expr::Compare { kind: ComparisonKind::Equal, sides, .. } => {
                let is_nothing = |side: &Expr| match side {
                    Expr::Null => holds,
                    Expr::Text(text) => holds && ["", "null", "undefined", "None"].contains(&text.as_str()),
                    // The length or the type of a value.
                    Expr::Unknown(_) | Expr::Kind(_) => true,
                    _ => false,
                };
                sides.iter().any(is_nothing)
            }
            Expr::Compare { .. } => false,
            Expr::Command(command) => match command.words.as_slice() {
                // `jq -e .` tests the form of the payload.
                [Expr::Text(jq), words @ ..] if jq == "jq" => {
                    words.iter().any(|word| matches!(word, Expr::Text(filter) if filter == "." || filter == "empty"))
                }
                _ => false,
            },
            Expr::Pipe(parts) => parts.last().is_some_and(|steps| of_last(steps)),
            Expr::Success(steps) => of_last(steps),
            _ => !holds,
        }
    }

    /// A value that several comparisons use: the step that makes it, and the value. `place` is that of the statement.
    pub fn made_once(self, place: usize) -> (Option<Step>, Expr) {
        if matches!(self, Expr::Variable(_) | Expr::Environment(_) | Expr::Argument(_) | Expr::Text(_)) {
            return (None, self);
        }
        // No variable of a script has such a name.
        let name = format!("value at {place}");
        (Some(Step::Set { target: Target::Variable(name.clone()), value: self }), Expr::Variable(name))
    }

    pub fn text(text: &str) -> Expr {
        Expr::Text(text.to_owned())
    }

    /// The values in one line, with a blank between them.
    pub fn line(values: Vec<Expr>, end: Expr) -> Expr {
        let parts = values.into_iter().flat_map(|value| [Expr::text(" "), value]);
        Expr::Join(parts.skip(1).chain([end]).collect())
    }

    /// The keys of `a["b"]["c"]`, if they are written out. `None` for those of a constant.
    pub fn written_keys(&self) -> Option<Vec<PathKey>> {
        match self {
            Expr::Key(holder, key) => match &**key {
                Expr::Text(key) => Some([holder.written_keys()?, vec![key.clone()]].concat()),
                _ => holder.written_keys(),
            },
            Expr::Else { first, .. } => first.written_keys(),
            Expr::Changed(inner) => inner.written_keys(),
            Expr::Variable(name) => name.chars().any(char::is_lowercase).then(Vec::new),
            _ => Some(Vec::new()),
        }
    }

    pub fn compare(kind: ComparisonKind, first: Expr, second: Expr, at: ByteRange) -> Expr {
        Expr::Compare { kind, sides: vec![first, second], at }
    }

    pub fn not(self) -> Expr {
        Expr::Not(Box::new(self))
    }
}

/// A kind of comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ComparisonKind {
    Equal,
    /// A text that matches one of the patterns of a shell (`*`, `?`; others are not known).
    Glob,
    /// A value that is one of a list, or that a text or an object holds.
    Within,
    /// A text that a regular expression finds. Whether it does is not known.
    Pattern,
}

/// The start of a program by a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramStart {
    /// The line or the words, then other arguments.
    pub arguments: Vec<Expr>,
    /// Whether a shell reads the first argument.
    pub by_shell: bool,
    /// Whether it starts in another directory.
    pub moves: bool,
    /// Whether the script does not wait for its end, or not without a limit.
    pub is_limited: bool,
    pub at: ByteRange,
}

/// A simple command of a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellCommand {
    pub words: Vec<Expr>,
    pub at: ByteRange,
}
