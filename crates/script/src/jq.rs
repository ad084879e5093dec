//! Applies jq filters to values that are known in part. jaq's parser reads the filters.

use std::sync::Arc;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::ops::{Cmp, Math};
use jaq_core::path::Part;

use crate::comparisons::ANY_CASE;
use crate::steps::ComparisonKind;
use crate::value::{Object, PathKey, Piece, Value};

/// The number of outputs of a filter that are followed.
const MOST_OUTPUTS: usize = 8;

/// The result of a filter.
pub(crate) struct Filtered {
    /// The first output.
    pub value: Value,
    /// Whether the filter has no output.
    pub is_empty: bool,
    /// The paths of the payload that the filter reads.
    pub reads: Vec<Vec<PathKey>>,
    /// The paths for which it asks.
    pub asked: Vec<Vec<PathKey>>,
    /// The paths of which one replaces the other if that has no value.
    pub alternatives: Vec<Vec<PathKey>>,
    /// The comparisons, each with its values.
    pub compared: Vec<(ComparisonKind, Vec<Value>)>,
    /// The values whose letters are changed.
    pub folded: Vec<Value>,
}

/// Applies a filter. `None` if its syntax is not jq's.
pub(crate) fn apply(filter: &str, variables: &[(String, Value)], input: &Value) -> Option<Filtered> {
    let term = jaq_core::load::parse(filter, |parser| parser.term())?;
    let mut jq = Jq { variables: variables.to_vec(), ..Jq::default() };
    let outputs = jq.outputs(&term, input);
    let is_empty = outputs.is_empty();
    let mut outputs = outputs.into_iter();
    let value = outputs.next().unwrap_or_else(|| Value::text(""));
    // Several outputs are several lines.
    let value = if outputs.next().is_some() { Value::Unknown } else { value };
    let Jq { reads, asked, alternatives, compared, folded, .. } = jq;
    Some(Filtered { value, is_empty, reads, asked, alternatives, compared, folded })
}

#[derive(Default)]
struct Jq {
    variables: Vec<(String, Value)>,
    reads: Vec<Vec<PathKey>>,
    asked: Vec<Vec<PathKey>>,
    alternatives: Vec<Vec<PathKey>>,
    compared: Vec<(ComparisonKind, Vec<Value>)>,
    folded: Vec<Value>,
}

impl Jq {
    fn first(&mut self, term: &Term<&str>, input: &Value) -> Value {
        self.outputs(term, input).into_iter().next().unwrap_or(Value::Null)
    }

    /// The outputs of a filter.
    fn outputs(&mut self, term: &Term<&str>, input: &Value) -> Vec<Value> {
        match term {
            Term::Id => vec![input.clone()],
            Term::Recurse | Term::Break(_) => vec![Value::Unknown],
            Term::Num(number) => vec![Value::Number((*number).to_owned())],
            Term::Str(format, parts) => vec![self.string(format.is_some(), parts, input)],
            Term::Arr(items) => {
                vec![Value::List(items.as_ref().map(|items| self.outputs(items, input)).unwrap_or_default())]
            }
            Term::Obj(entries) => vec![self.object(entries, input)],
            Term::Neg(inner) => {
                self.first(inner, input);
                vec![Value::Unknown]
            }
            Term::BinOp(left, operator, right) => self.operation(left, operator, right, input),
            Term::Label(_, inner) => self.outputs(inner, input),
            Term::Fold(_, items, pattern, parts) => {
                for item in self.outputs(items, input) {
                    let known = self.variables.len();
                    self.bind(pattern, &item);
                    for part in parts {
                        self.outputs(part, &Value::Unknown);
                    }
                    self.variables.truncate(known);
                }
                vec![Value::Unknown]
            }
            Term::TryCatch(inner, _) => self.outputs(inner, input),
            Term::IfThenElse(branches, otherwise) => {
                let mut outputs = Vec::new();
                for (condition, then) in branches {
                    let holds = holds(&self.first(condition, input));
                    if holds != Some(false) {
                        let own = self.outputs(then, input);
                        if holds == Some(true) && outputs.is_empty() {
                            return own;
                        }
                        outputs.push(own);
                    }
                }
                outputs.push(match otherwise {
                    Some(otherwise) => self.outputs(otherwise, input),
                    None => vec![input.clone()],
                });
                let same = outputs.windows(2).all(|pair| pair.first() == pair.last());
                if same { outputs.pop().unwrap_or_default() } else { vec![Value::Unknown] }
            }
            Term::Def(_, inner) => self.outputs(inner, input),
            Term::Call(name, arguments) => self.call(name, arguments, input),
            Term::Var(name) => {
                let name = name.trim_start_matches('$');
                let known = self.variables.iter().rev().find(|(known, _)| known == name);
                vec![known.map_or(Value::Unknown, |(_, value)| value.clone())]
            }
            Term::Path(inner, path) => {
                let mut values = self.outputs(inner, input);
                for (part, _) in &path.0 {
                    let mut next = Vec::new();
                    for value in values {
                        let inner = match part {
                            Part::Index(key) => {
                                let key = self.first(key, input);
                                value.at(&key).unwrap_or(Value::Null)
                            }
                            Part::Range(None, None) => match &value {
                                Value::List(items) => {
                                    next.extend(items.iter().take(MOST_OUTPUTS).cloned());
                                    continue;
                                }
                                other => other.at(&Value::Unknown).unwrap_or(Value::Unknown),
                            },
                            Part::Range(from, to) => {
                                for bound in [from, to].into_iter().flatten() {
                                    self.first(bound, input);
                                }
                                if matches!(value, Value::Payload(_)) { value.clone() } else { Value::Unknown }
                            }
                        };
                        if let Value::Payload(path) = &inner {
                            self.reads.push(path.clone());
                        }
                        next.push(inner);
                    }
                    values = next;
                }
                values
            }
        }
    }

    fn string(&mut self, formatted: bool, parts: &[StrPart<&str, Term<&str>>], input: &Value) -> Value {
        let mut pieces = Vec::new();
        for part in parts {
            match part {
                StrPart::Str(text) => pieces.push(Piece::Is((*text).to_owned())),
                StrPart::Char(c) => pieces.push(Piece::Is(c.to_string())),
                StrPart::Term(term) => {
                    let value = self.first(term, input);
                    pieces.extend(if formatted { vec![Piece::Of(Value::Unknown)] } else { value.into_pieces() });
                }
            }
        }
        Value::Text(pieces)
    }

    fn object(&mut self, entries: &[(Term<&str>, Option<Term<&str>>)], input: &Value) -> Value {
        let mut object = Object::default();
        for (key, value) in entries {
            let (name, value) = match (key, value) {
                (Term::Var(name), None) => (Some(name.trim_start_matches('$').to_owned()), self.first(key, input)),
                (key, Some(value)) => (self.first(key, input).known_text(), self.first(value, input)),
                (key, None) => {
                    let name = self.first(key, input);
                    let value = input.at(&name).unwrap_or(Value::Null);
                    if let Value::Payload(path) = &value {
                        self.reads.push(path.clone());
                    }
                    (name.known_text(), value)
                }
            };
            match name {
                Some(name) => object.entries.push((name, value)),
                None => object.is_open = true,
            }
        }
        Value::Object(Arc::new(object))
    }

    fn operation(
        &mut self,
        left: &Term<&str>,
        operator: &BinaryOp<&str>,
        right: &Term<&str>,
        input: &Value,
    ) -> Vec<Value> {
        match operator {
            BinaryOp::Pipe(pattern) => {
                let mut outputs = Vec::new();
                for value in self.outputs(left, input).into_iter().take(MOST_OUTPUTS) {
                    let known = self.variables.len();
                    let input = match pattern {
                        Some(pattern) => {
                            self.bind(pattern, &value);
                            input
                        }
                        None => &value,
                    };
                    outputs.extend(self.outputs(right, input));
                    self.variables.truncate(known);
                }
                outputs
            }
            BinaryOp::Comma => {
                let mut outputs = self.outputs(left, input);
                outputs.extend(self.outputs(right, input));
                outputs
            }
            BinaryOp::Alt => {
                let first = self.outputs(left, input);
                let second = self.outputs(right, input);
                let paths = |values: &[Value]| -> Vec<Vec<PathKey>> {
                    let path = |value: &Value| if let Value::Payload(path) = value { Some(path.clone()) } else { None };
                    values.iter().filter_map(path).collect()
                };
                let (firsts, seconds) = (paths(&first), paths(&second));
                if !firsts.is_empty() && !seconds.is_empty() {
                    self.alternatives.extend([firsts, seconds].concat());
                }
                let missing = |value: &Value| matches!(value, Value::Null | Value::Bool(false));
                if first.iter().all(missing) { second } else { first }
            }
            BinaryOp::Math(Math::Add) => {
                let (left, right) = (self.first(left, input), self.first(right, input));
                vec![match (left, right) {
                    (Value::Object(left), Value::Object(right)) => {
                        let mut sum = Object::clone(&left);
                        sum.entries.retain(|(name, _)| !right.entries.iter().any(|(other, _)| other == name));
                        sum.entries.extend(right.entries.iter().cloned());
                        sum.is_open |= right.is_open;
                        Value::Object(Arc::new(sum))
                    }
                    (Value::Object(known), Value::Unknown | Value::Payload(_))
                    | (Value::Unknown | Value::Payload(_), Value::Object(known)) => {
                        Value::Object(Arc::new(Object { entries: known.entries.clone(), is_open: true }))
                    }
                    (left @ Value::Text(_), right) | (left, right @ Value::Text(_)) => {
                        Value::Text([left, right].into_iter().flat_map(Value::into_pieces).collect())
                    }
                    _ => Value::Unknown,
                }]
            }
            BinaryOp::Cmp(kind) => {
                let (left, right) = (self.first(left, input), self.first(right, input));
                if matches!(kind, Cmp::Eq | Cmp::Ne) {
                    self.compared.push((ComparisonKind::Equal, vec![left.clone(), right.clone()]));
                }
                let same = left.known_text().zip(right.known_text()).map(|(left, right)| left == right);
                vec![match (kind, same) {
                    (Cmp::Eq, Some(same)) => Value::Bool(same),
                    (Cmp::Ne, Some(same)) => Value::Bool(!same),
                    _ => Value::Unknown,
                }]
            }
            BinaryOp::Assign => {
                let value = self.first(right, input);
                let keys = literal_keys(left);
                vec![keys.map_or(Value::Unknown, |keys| input.with(&keys, value))]
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Math(_) => {
                self.first(left, input);
                self.first(right, input);
                vec![Value::Unknown]
            }
            BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => {
                let value = self.first(left, input);
                self.first(right, &value);
                vec![Value::Unknown]
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Term<&str>], input: &Value) -> Vec<Value> {
        match (name, arguments) {
            ("empty" | "halt" | "error", _) => Vec::new(),
            ("null", []) => vec![Value::Null],
            ("true", []) => vec![Value::Bool(true)],
            ("false", []) => vec![Value::Bool(false)],
            ("select", [condition]) => match holds(&self.first(condition, input)) {
                Some(false) => Vec::new(),
                _ => vec![input.clone()],
            },
            ("has", [key]) => {
                let key = self.first(key, input);
                if let Some(Value::Payload(path)) = input.at(&key) {
                    self.asked.push(path);
                }
                vec![Value::Unknown]
            }
            ("map" | "any" | "all", [inner]) => {
                let items = match input {
                    Value::List(items) => items.clone(),
                    other => vec![other.at(&Value::Unknown).unwrap_or(Value::Unknown)],
                };
                for item in &items {
                    self.outputs(inner, item);
                }
                vec![Value::Unknown]
            }
            ("test" | "match", [pattern, flags @ ..]) => {
                let pattern = self.first(pattern, input);
                let flags = flags.first().and_then(|flags| self.first(flags, input).known_text()).unwrap_or_default();
                let pattern = match pattern.known_text() {
                    Some(text) if flags.contains('i') => Value::text(format!("{ANY_CASE}{text}")),
                    _ => pattern,
                };
                self.compared.push((ComparisonKind::Pattern, vec![input.clone(), pattern]));
                vec![Value::Unknown]
            }
            ("IN", [items]) => {
                let items = self.outputs(items, input);
                self.compared.push((ComparisonKind::Within, vec![input.clone(), Value::List(items)]));
                vec![Value::Unknown]
            }
            ("index" | "rindex" | "inside" | "contains" | "startswith" | "endswith", [other]) => {
                let other = self.first(other, input);
                let mut sides = vec![other, input.clone()];
                if name == "inside" {
                    sides.reverse();
                }
                self.compared.push((ComparisonKind::Within, sides));
                vec![Value::Unknown]
            }
            ("tojson", []) => vec![Value::Text(vec![Piece::Json(input.clone())])],
            ("ascii_downcase" | "ascii_upcase", []) if matches!(input, Value::Payload(_)) => {
                self.folded.push(input.clone());
                vec![input.clone()]
            }
            ("tostring" | "trim", []) if matches!(input, Value::Payload(_)) => {
                vec![input.clone()]
            }
            ("tostring", []) => vec![input.clone()],
            ("first", [inner]) => self.outputs(inner, input).into_iter().take(1).collect(),
            (_, arguments) => {
                for argument in arguments {
                    self.outputs(argument, input);
                }
                vec![Value::Unknown]
            }
        }
    }

    fn bind(&mut self, pattern: &Pattern<&str>, value: &Value) {
        match pattern {
            Pattern::Var(name) => self.variables.push((name.trim_start_matches('$').to_owned(), value.clone())),
            Pattern::Arr(items) => {
                for (index, item) in items.iter().enumerate() {
                    let inner = value.at(&Value::Number(index.to_string())).unwrap_or(Value::Null);
                    self.bind(item, &inner);
                }
            }
            Pattern::Obj(entries) => {
                for (key, inner) in entries {
                    let key = self.first(key, value);
                    let found = value.at(&key).unwrap_or(Value::Null);
                    if let Value::Payload(path) = &found {
                        self.reads.push(path.clone());
                    }
                    self.bind(inner, &found);
                }
            }
        }
    }
}

/// Whether a condition of jq holds: all but null and false do.
fn holds(value: &Value) -> Option<bool> {
    match value {
        Value::Null => Some(false),
        Value::Bool(value) => Some(*value),
        Value::Text(_) | Value::Number(_) | Value::Object(_) | Value::List(_) => Some(true),
        _ => None,
    }
}

/// The keys of a path such as `.a.b`.
fn literal_keys(term: &Term<&str>) -> Option<Vec<Value>> {
    let Term::Path(inner, path) = term else { return None };
    let key = |part: &(Part<Term<&str>>, _)| match &part.0 {
        Part::Index(Term::Str(None, parts)) => match parts.as_slice() {
            [StrPart::Str(text)] => Some(Value::text(*text)),
            _ => None,
        },
        _ => None,
    };
    matches!(**inner, Term::Id).then(|| path.0.iter().map(key).collect()).flatten()
}
