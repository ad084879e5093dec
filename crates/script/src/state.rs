//! The state of one way through a script.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::steps::{ByteRange, ScriptStream};
use crate::value::{PathKey, Piece, Value};
use crate::{LostStatus, StatusPart};

/// The number of ways that are followed at the same time.
const MOST_WAYS: usize = 48;

/// A text that a script printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    pub stream: ScriptStream,
    pub text: Vec<Piece>,
    pub at: ByteRange,
}

impl Printed {
    /// Whether the script prints it itself, and not a program of which no more is known.
    pub fn is_of_script(&self) -> bool {
        self.text != [Piece::Of(Value::Unknown)]
    }
}

/// A condition that was met on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub at: ByteRange,
    pub holds: bool,
    /// Whether it depends on a value of the payload, and not only on whether that is there.
    pub tests_payload: bool,
    /// The number of texts that were printed before.
    pub printed: usize,
}

/// A text with which a script compares a value of the payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    pub path: Vec<PathKey>,
    /// `None` if it is not known, or if it is a pattern that is more than a list of names.
    pub text: Option<String>,
    /// Whether a value matches that only contains the text.
    pub is_substring: bool,
    pub ignores_case: bool,
    /// The comparison.
    pub at: ByteRange,
}

impl Compared {
    /// Whether a value may be the text, or contain it.
    pub fn matches(&self, value: &str) -> bool {
        let folded = |text: &str| if self.ignores_case { text.to_lowercase() } else { text.to_owned() };
        let (value, text) = (folded(value), self.text.as_deref().map(folded));
        text.is_none_or(|text| if self.is_substring { value.contains(&text) } else { value == text })
    }
}

/// The place that receives a printed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outlet {
    Stream(ScriptStream),
    Elsewhere,
    /// Into one of the texts that are collected.
    Collected(usize),
}

/// How a statement goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flow {
    Next,
    LeftLoop,
    Returned(Value),
    Raised,
    /// The status, if it is known.
    Exited(Option<i32>, ByteRange),
}

/// The values of variables. Most states have most of them in common.
pub(crate) type Variables = BTreeMap<Rc<str>, Rc<Value>>;

/// One way through the script, up to a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub variables: Rc<Variables>,
    pub printed: Rc<Vec<Printed>>,
    pub branches: Rc<Vec<Branch>>,
    /// Values of the payload that a branch depends on.
    pub learned: Rc<Vec<(Vec<PathKey>, Value)>>,
    pub collected: Vec<Vec<Piece>>,
    pub out: Outlet,
    pub err: Outlet,
    pub stdin: Value,
    /// The number of branches at the command that has read the stdin of the script to its end.
    pub drained: Option<usize>,
    /// The status of the last command of a shell, if it is known.
    pub status: Option<i32>,
    pub exits_on_error: bool,
    /// The variables whose values are made from the payload.
    pub derived: Rc<BTreeSet<String>>,
    /// Whether the script did more than print since the last branch.
    pub acted: bool,
    /// The last status 2 that nothing used.
    pub lost: Option<LostStatus>,
}

impl State {
    pub fn new(arguments: &[Value]) -> State {
        let variables =
            arguments.iter().enumerate().map(|(index, text)| (index.to_string().into(), Rc::new(text.clone())));
        State {
            variables: Rc::new(variables.collect()),
            printed: Rc::default(),
            branches: Rc::default(),
            learned: Rc::default(),
            collected: Vec::new(),
            out: Outlet::Stream(ScriptStream::Stdout),
            err: Outlet::Stream(ScriptStream::Stderr),
            stdin: Value::Stdin,
            drained: None,
            status: Some(0),
            exits_on_error: false,
            derived: Rc::default(),
            acted: false,
            lost: None,
        }
    }

    pub fn set(&mut self, name: &str, value: Value) {
        let value = Rc::new(value);
        let variables = Rc::make_mut(&mut self.variables);
        match variables.get_mut(name) {
            Some(known) => *known = value,
            None => drop(variables.insert(name.into(), value)),
        }
    }

    pub fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.get(name).map(|value| &**value)
    }

    pub fn print(&mut self, stream: ScriptStream, text: Vec<Piece>, at: &ByteRange) {
        let sink = if stream == ScriptStream::Stdout { self.out } else { self.err };
        match sink {
            Outlet::Stream(stream) => {
                Rc::make_mut(&mut self.printed).push(Printed { stream, text, at: at.clone() });
            }
            Outlet::Elsewhere => {}
            Outlet::Collected(index) => {
                if let Some(collected) = self.collected.get_mut(index) {
                    collected.extend(text);
                }
            }
        }
    }

    pub fn branch(&mut self, at: &ByteRange, holds: bool, tests_payload: bool) {
        let printed = self.printed.len();
        // The condition may ask for the output of a command instead of its status.
        self.lost.take_if(|lost| lost.part == StatusPart::Substitution);
        Rc::make_mut(&mut self.branches).push(Branch { at: at.clone(), holds, tests_payload, printed });
        self.acted = false;
    }

    /// Ends a part of the script. Its status does not end the script.
    pub fn end_part(&mut self, part: StatusPart, flow: Flow) {
        if let Flow::Exited(status, at) = flow {
            self.status = status;
            if status == Some(2) && !at.is_empty() && !self.exits_on_error {
                self.lost = Some(LostStatus { part, at });
            }
        }
    }

    /// Notes whether the value of a variable is made from the payload.
    pub fn derive(&mut self, name: &str, from_payload: bool) {
        if from_payload != self.derived.contains(name) {
            let derived = Rc::make_mut(&mut self.derived);
            if from_payload {
                derived.insert(name.to_owned())
            } else {
                derived.remove(name)
            };
        }
    }

    /// Whether the last command succeeded.
    pub fn success(&self) -> Value {
        self.status.map_or(Value::Unknown, |status| Value::Bool(status == 0))
    }

    /// Whether two ways differ only in how they came here.
    pub fn goes_on_like(&self, other: &State) -> bool {
        self.has_output_of(other) && self.has_variables_of(other) && self.learned == other.learned
    }

    /// Whether all variables are alike. Most names and values are shared, and then they need not be read.
    fn has_variables_of(&self, other: &State) -> bool {
        let (own, others) = (&self.variables, &other.variables);
        let mut pairs = own.iter().zip(others.iter());
        Rc::ptr_eq(own, others)
            || own.len() == others.len()
                && pairs.all(|((name, value), (other, other_value))| {
                    value == other_value && (Rc::ptr_eq(name, other) || name == other)
                })
    }

    pub fn has_output_of(&self, other: &State) -> bool {
        let own = (&self.printed, &self.collected, self.out, self.err, &self.stdin, self.status, self.exits_on_error);
        own == (
            &other.printed,
            &other.collected,
            other.out,
            other.err,
            &other.stdin,
            other.status,
            other.exits_on_error,
        )
    }

    /// Keeps what both ways have in common.
    pub fn join(&mut self, other: &State) {
        if !self.has_variables_of(other) {
            let unknown = Rc::new(Value::Unknown);
            let variables = Rc::make_mut(&mut self.variables);
            // Both maps are in order, so none of them is searched.
            let mut others = other.variables.iter().peekable();
            let mut missing = Vec::new();
            for (name, value) in variables.iter_mut() {
                let is_before = |(other, _): &(&Rc<str>, &Rc<Value>)| !Rc::ptr_eq(other, name) && *other < name;
                missing.extend(std::iter::from_fn(|| others.next_if(is_before)).map(|(other, _)| Rc::clone(other)));
                let same = others.next_if(|(other, _)| Rc::ptr_eq(other, name) || *other == name);
                if same.is_none_or(|(_, other)| other != value) {
                    *value = Rc::clone(&unknown);
                }
            }
            missing.extend(others.map(|(other, _)| Rc::clone(other)));
            variables.extend(missing.into_iter().map(|name| (name, Rc::clone(&unknown))));
        }
        let common = self.branches.iter().zip(other.branches.iter()).take_while(|(a, b)| a == b).count();
        Rc::make_mut(&mut self.branches).truncate(common);
        self.lost = self.lost.take().or_else(|| other.lost.clone());
        self.acted |= other.acted;
        self.drained = self.drained.filter(|_| self.drained == other.drained);
        if self.derived != other.derived {
            Rc::make_mut(&mut self.derived).extend(other.derived.iter().cloned());
        }
        Rc::make_mut(&mut self.learned).retain(|known| other.learned.contains(known));
    }
}

/// Removes ways that go on alike, and joins those with the same output if there are too many.
pub(crate) fn thinned(states: Vec<State>) -> Vec<State> {
    let mut kept: Vec<State> = Vec::new();
    for state in states {
        match kept.iter_mut().find(|known| known.goes_on_like(&state)) {
            Some(known) => known.join(&state),
            None => kept.push(state),
        }
    }
    if kept.len() <= MOST_WAYS {
        return kept;
    }
    let mut joined: Vec<State> = Vec::new();
    for state in kept {
        match joined.iter_mut().find(|known| known.has_output_of(&state)) {
            Some(known) => known.join(&state),
            None => joined.push(state),
        }
    }
    joined.truncate(MOST_WAYS);
    joined
}
