//! The values of expressions, on each way.

use std::sync::Arc;

use crate::commands;
use crate::state::{Flow, State};
use crate::steps::{Expr, ProgramStart, ShellCommand};
use crate::tree::deeper;
use crate::value::{Object, Piece, Value, joined, payload_path, text_of};
use crate::walk::{Ends, Results, Walk};
use crate::{StartedLine, StatusPart};

/// The nesting of expressions that is followed.
const DEEPEST: usize = 192;

/// Functions and methods in Python and JavaScript that change files.
const FILE_CHANGES: [&str; 20] = [
    "write",
    "writelines",
    "write_text",
    "write_bytes",
    "touch",
    "mkdir",
    "makedirs",
    "rename",
    "unlink",
    "writeFile",
    "writeFileSync",
    "appendFile",
    "appendFileSync",
    "createWriteStream",
    "mkdirSync",
    "mkdtempSync",
    "renameSync",
    "unlinkSync",
    "rmSync",
    "copyFileSync",
];

fn one(state: State, value: Value) -> Results {
    vec![(state, Ok(value))]
}

impl<'a> Walk<'a> {
    /// The values of several expressions, evaluated in order.
    pub fn values(
        &mut self,
        exprs: impl IntoIterator<Item = &'a Expr>,
        state: State,
    ) -> Vec<(State, Result<Vec<Value>, Flow>)> {
        let mut open = vec![(state, Ok(Vec::new()))];
        for expr in exprs {
            let mut next = Vec::new();
            for (state, values) in open {
                let Ok(values) = values else {
                    next.push((state, values));
                    continue;
                };
                let results = self.value(expr, state);
                let (last, mut values) = (results.len().saturating_sub(1), values);
                for (index, (state, value)) in results.into_iter().enumerate() {
                    let with = |value| {
                        let mut all = if index == last { std::mem::take(&mut values) } else { values.clone() };
                        all.push(value);
                        all
                    };
                    next.push((state, value.map(with)));
                }
            }
            open = next;
        }
        open
    }

    /// A value that is made from those of several expressions.
    fn combine(
        &mut self,
        exprs: impl IntoIterator<Item = &'a Expr>,
        state: State,
        make: impl Fn(&mut Self, &State, Vec<Value>) -> Value,
    ) -> Results {
        let combined = self.values(exprs, state).into_iter();
        let mut results = Results::new();
        for (state, values) in combined {
            let value = values.map(|values| make(self, &state, values));
            results.push((state, value));
        }
        results
    }

    /// A value that is made from one other.
    fn with_one(&mut self, expr: &'a Expr, state: State, make: impl Fn(&mut Self, Value) -> Value) -> Results {
        let results = self.value(expr, state).into_iter();
        results.map(|(state, value)| (state, value.map(|value| make(self, value)))).collect()
    }

    /// The value of an expression on each way.
    pub fn value(&mut self, expr: &'a Expr, state: State) -> Results {
        self.deep += 1;
        let results = if self.deep > DEEPEST {
            self.found.complete = false;
            one(state, Value::Unknown)
        } else {
            deeper(|| self.value_of(expr, state))
        };
        self.deep -= 1;
        results
    }

    fn value_of(&mut self, expr: &'a Expr, mut state: State) -> Results {
        match expr {
            Expr::Text(text) => one(state, Value::text(text)),
            Expr::Number(number) => one(state, Value::Number(number.clone())),
            Expr::Bool(value) => one(state, Value::Bool(*value)),
            Expr::Null | Expr::Spread => one(state, Value::Null),
            Expr::Function(index) => one(state, Value::Function(*index)),
            Expr::Stdin => {
                self.stdin_reads += 1;
                let stdin = self.take_stdin(&mut state);
                self.found.reads_stdin |= stdin == Value::Stdin;
                one(state, stdin)
            }
            Expr::AllOfStdin(at) => {
                let stdin = self.drain_stdin(&mut state, at);
                self.found.reads_stdin |= stdin == Value::Stdin;
                one(state, stdin)
            }
            Expr::Status => {
                let status = state.status.map_or(Value::Unknown, |status| Value::Number(status.to_string()));
                one(state, status)
            }
            Expr::Variable(name) => {
                self.touch(name, &state);
                let value = state.variable(name).cloned().or_else(|| self.function(name));
                one(state, value.unwrap_or(Value::Unknown))
            }
            Expr::Environment(name) => {
                self.touch(name, &state);
                let value = state.variable(name).cloned().unwrap_or_else(|| Value::Environment(name.clone()));
                one(state, value)
            }
            Expr::Argument(index) => {
                self.touch(&index.to_string(), &state);
                let value = state.variable(&index.to_string()).cloned();
                // In a function that got one, it is that.
                if self.calls.is_empty() || value.is_none() || value.as_ref() == self.given.arguments.get(*index) {
                    self.told.get_mut().tell_arguments(self.given);
                }
                let missing = if self.given.arguments.is_empty() { Value::Unknown } else { Value::Null };
                // In a function, the number means an argument of the function.
                self.found.lacks_argument |= value.is_none() && missing == Value::Null && self.calls.is_empty();
                one(state, value.unwrap_or(missing))
            }
            Expr::Arguments { programs } => {
                self.told.get_mut().tell_arguments(self.given);
                let value = match self.given.arguments {
                    [] => Value::Unknown,
                    known => {
                        let names = std::iter::repeat_n(Value::Unknown, *programs);
                        Value::List(names.chain(known.iter().cloned()).collect())
                    }
                };
                one(state, value)
            }
            Expr::Object(entries) => {
                let parts: Vec<&Expr> = entries.iter().flat_map(|(key, value)| [key, value]).collect();
                self.combine(parts, state, |_, _, values| object(entries, &values))
            }
            Expr::List(items) => self.combine(items, state, |_, _, values| list(items, values)),
            Expr::Tail(list, from) => self.with_one(list, state, |_, list| match list {
                Value::List(items) => Value::List(items.into_iter().skip(*from).collect()),
                _ => Value::Unknown,
            }),
            Expr::Kind(value) => self.with_one(value, state, |walk, value| {
                if let Some(path) = payload_path(&value) {
                    walk.ask_for(&path);
                }
                Value::Unknown
            }),
            Expr::Join(parts) => self.combine(parts, state, |_, _, values| {
                let pieces = values.into_iter().flat_map(Value::into_pieces);
                joined(pieces.filter(|piece| !matches!(piece, Piece::Is(text) if text.is_empty())).collect())
            }),
            Expr::Parse(text) => self.with_one(text, state, |_, text| text.parsed()),
            Expr::Expand(value) => self.value(value, state),
            Expr::Format(value) => self.with_one(value, state, |_, value| Value::Text(vec![Piece::Json(value)])),
            Expr::Changed(value) => self.with_one(value, state, |_, value| changed(value)),
            Expr::Folded(value) => self.with_one(value, state, |walk, value| {
                walk.fold(&value);
                changed(value)
            }),
            Expr::Key(value, key) | Expr::Member(value, key) => {
                let results = self.combine([&**value, &**key], state, |walk, state, values| {
                    let [value, key] = values.as_slice() else { return Value::Unknown };
                    if let Some(functions) = functions_of(value, key) {
                        return functions;
                    }
                    if *value == Value::Unknown {
                        walk.read_elsewhere(expr.written_keys().unwrap_or_default());
                    }
                    let inner = value.at(&walk.resolved(state, key.clone())).unwrap_or(Value::Null);
                    if let Value::Payload(path) = &inner {
                        walk.read(path);
                        if walk.has_key(path) == Some(false) {
                            return Value::Null;
                        }
                    }
                    inner
                });
                results.into_iter().flat_map(one_function_each).collect()
            }
            Expr::Else { first, second, only_missing } => self.first_or_second(first, second, *only_missing, state),
            Expr::Compare { kind, sides, at } => {
                self.combine(sides, state, |walk, state, values| walk.compare(*kind, &values, at, state))
            }
            Expr::Not(value) => {
                let not = |holds: Option<bool>| holds.map_or(Value::Unknown, |holds| Value::Bool(!holds));
                let results = self.conditions(value, state).into_iter();
                results.map(|(state, holds)| (state, holds.map(not))).collect()
            }
            Expr::All(parts) => self.conjunction(parts, state),
            Expr::Any(parts) => self.junction(parts, state, true),
            Expr::Choose(parts) => {
                let [condition, first, second] = parts.as_ref();
                let mut results = Results::new();
                for (state, holds) in self.conditions(condition, state) {
                    match holds {
                        Err(flow) => results.push((state, Err(flow))),
                        Ok(Some(holds)) => results.extend(self.value(if holds { first } else { second }, state)),
                        Ok(None) => {
                            results.extend(self.value(first, state.clone()));
                            results.extend(self.value(second, state));
                        }
                    }
                }
                results
            }
            Expr::Call(callee, arguments) => self.call_value(callee, arguments, state),
            Expr::Output(steps) => self.collect(steps, StatusPart::Substitution, state),
            Expr::Success(steps) => succeeded(self.block(steps, state)),
            Expr::Pipe(parts) => self.pipe(parts, state),
            Expr::Command(command) => self.command(command, state),
            Expr::Quoted(text) => {
                let before = self.touched;
                let results = self.with_one(text, state, |_, _| Value::Unknown);
                self.touched = before;
                results
            }
            Expr::Start(start) => self.program_start(start, state),
            Expr::ReadFile { name, at } => self.with_one(name, state, |walk, name| {
                walk.note_file(&name, at);
                Value::Unknown
            }),
            Expr::Method(name) => {
                let method = self.method(name);
                one(state, method.unwrap_or(Value::Unknown))
            }
            Expr::Unknown(parts) => self.combine(parts, state, |_, _, _| Value::Unknown),
        }
    }

    fn first_or_second(&mut self, first: &'a Expr, second: &'a Expr, only_missing: bool, state: State) -> Results {
        let mut results = Results::new();
        let lacked = self.found.lacks_argument;
        let firsts = self.value(first, state);
        // An argument with a default may be missing.
        self.found.lacks_argument = lacked;
        for (state, value) in firsts {
            let there = match &value {
                Err(_) => Some(true),
                Ok(Value::Null) => Some(false),
                Ok(Value::Payload(_) | Value::Environment(_) | Value::Unknown) => None,
                Ok(_) if only_missing => Some(true),
                Ok(value) => value.is_true(),
            };
            match there {
                Some(true) => results.push((state, value)),
                Some(false) => results.extend(self.value(second, state)),
                // The first value is taken for both: the second is usually empty, unless only that is the payload.
                None => {
                    let others = self.value(second, state.clone());
                    if let Ok(Value::Payload(path)) = &value {
                        let seconds = others.iter().filter_map(|(_, other)| match other {
                            Ok(Value::Payload(path)) => Some(path),
                            _ => None,
                        });
                        self.note_alternatives(path, seconds);
                    }
                    let is_payload = |value: &Result<Value, Flow>| value.as_ref().is_ok_and(Value::is_of_payload);
                    if !is_payload(&value) && others.iter().any(|(_, other)| is_payload(other)) {
                        results.extend(others);
                    } else {
                        results.push((state, value));
                    }
                }
            }
        }
        results
    }

    fn program_start(&mut self, start: &'a ProgramStart, state: State) -> Results {
        let before = std::mem::take(&mut self.touched);
        let results = self.combine(&start.arguments, state, |walk, _, values| {
            let ProgramStart { by_shell, moves, is_limited, ref at, .. } = *start;
            if let Some(line) = values.first().filter(|line| !matches!(line, Value::List(_))) {
                let has_payload = has_unquoted_payload(line, walk.touched);
                let line = StartedLine { line: line.clone(), by_shell, has_payload, at: at.clone() };
                if !walk.found.lines.contains(&line) {
                    walk.found.lines.push(line);
                }
            }
            let words = values.into_iter().flat_map(|value| match value {
                Value::List(items) => items,
                other => vec![other],
            });
            walk.limits += usize::from(is_limited);
            walk.start(&words.collect::<Vec<_>>(), moves, at);
            walk.limits -= usize::from(is_limited);
            Value::Unknown
        });
        self.touched |= before;
        results
    }

    fn call_value(&mut self, callee: &'a Expr, arguments: &'a [Expr], state: State) -> Results {
        if let Expr::Method(name) | Expr::Variable(name) = callee {
            self.found.writes_files |= FILE_CHANGES.contains(&name.as_str());
        }
        let mut results = Results::new();
        for (state, callee) in self.value(callee, state) {
            let callee = match callee {
                Ok(callee) => callee,
                Err(flow) => {
                    results.push((state, Err(flow)));
                    continue;
                }
            };
            for (state, values) in self.values(arguments, state) {
                match values {
                    Ok(values) => results.extend(self.call(&callee, expanded(arguments, values), state)),
                    Err(flow) => results.push((state, Err(flow))),
                }
            }
        }
        results
    }

    fn command(&mut self, command: &'a ShellCommand, state: State) -> Results {
        let mut results = Results::new();
        for (state, words) in self.values(&command.words, state) {
            let ends = match words {
                Ok(words) => commands::run(self, &words, &command.at, state),
                Err(flow) => vec![(state, flow)],
            };
            results.extend(succeeded(ends));
        }
        results
    }
}

/// Whether a command line contains unquoted text of the payload. `touched` tells whether its unknown parts may come from the
/// payload. A JSON text has quotes.
fn has_unquoted_payload(line: &Value, touched: bool) -> bool {
    let is_plain = |value: &Value| value.is_of_payload() || *value == Value::Unknown && touched;
    match line {
        Value::Text(pieces) => {
            let is_json = |piece: &Piece| matches!(piece, Piece::Json(_));
            !pieces.iter().any(is_json)
                && pieces.iter().any(|piece| matches!(piece, Piece::Of(value) if is_plain(value)))
        }
        other => is_plain(other),
    }
}

/// The functions among which a key that is not known chooses.
fn functions_of(value: &Value, key: &Value) -> Option<Value> {
    let Value::Object(object) = value else { return None };
    let functions: Vec<Value> = object.entries.iter().map(|(_, value)| value.clone()).collect();
    let are_all = !functions.is_empty() && functions.iter().all(|one| matches!(one, Value::Function(_)));
    (are_all && key.known_text().is_none()).then_some(Value::List(functions))
}

/// A way for each function, if a key chose among several.
fn one_function_each((state, value): (State, Result<Value, Flow>)) -> Results {
    match value {
        Ok(Value::List(items)) if items.first().is_some_and(|item| matches!(item, Value::Function(_))) => {
            items.into_iter().map(|item| (state.clone(), Ok(item))).collect()
        }
        other => vec![(state, other)],
    }
}

/// Whether the last command succeeds, on each way that goes on.
fn succeeded(ends: Ends) -> Results {
    let of = |(state, flow): (State, Flow)| {
        let value = if flow == Flow::Next { Ok(state.success()) } else { Err(flow) };
        (state, value)
    };
    ends.into_iter().map(of).collect()
}

/// The arguments of a call. After a list that is not known, all arguments are unknown.
fn expanded(arguments: &[Expr], values: Vec<Value>) -> Vec<Value> {
    const MOST_PARAMETERS: usize = 16;
    let mut all = Vec::new();
    for (argument, value) in arguments.iter().zip(values) {
        match (argument, value) {
            (Expr::Expand(_), Value::List(items)) => all.extend(items),
            (Expr::Expand(_), _) => {
                all.resize(MOST_PARAMETERS, Value::Unknown);
                break;
            }
            (_, value) => all.push(value),
        }
    }
    all
}

/// A list with the items of other lists. One that is not known is one item.
fn list(exprs: &[Expr], values: Vec<Value>) -> Value {
    let items = exprs.iter().zip(values).flat_map(|(expr, value)| match (expr, value) {
        (Expr::Expand(_), Value::List(items)) => items,
        (_, value) => vec![value],
    });
    Value::List(items.collect())
}

fn object(entries: &[(Expr, Expr)], values: &[Value]) -> Value {
    let mut object = Object::default();
    for ((key, _), pair) in entries.iter().zip(values.chunks(2)) {
        let [name, value] = pair else { continue };
        match (key, name.known_text(), value) {
            (Expr::Spread, _, Value::Object(other)) => {
                object.entries.extend(other.entries.iter().cloned());
                object.is_open |= other.is_open;
            }
            (Expr::Spread, _, Value::Null) => {}
            (Expr::Spread, ..) | (_, None, _) => object.is_open = true,
            (_, Some(name), value) => object.entries.push((name, value.clone())),
        }
    }
    Value::Object(Arc::new(object))
}

/// A text in another form, which is still made from the same source.
fn changed(value: Value) -> Value {
    match value {
        Value::Stdin | Value::Payload(_) => value,
        // Parts of a text: one of them, or more than is followed.
        Value::List(mut items) => match items.pop() {
            Some(only @ (Value::Stdin | Value::Payload(_) | Value::Text(_))) if items.is_empty() => only,
            _ => Value::Text(vec![Piece::Of(Value::Unknown)]),
        },
        Value::Text(pieces) if matches!(pieces.as_slice(), [Piece::Of(Value::Stdin | Value::Payload(_))]) => {
            text_of(pieces)
        }
        other => other.known_text().map_or(Value::Unknown, |text| Value::text(text.trim())),
    }
}
