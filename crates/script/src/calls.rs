//! Calls of functions, commands joined by pipes, and assignments.

use std::rc::Rc;

use crate::jq::{self, Filtered};
use crate::state::{Flow, Outlet, State, thinned};
use crate::steps::{ByteRange, Function, Step, Target};
use crate::value::{PathKey, Value, text_of};
use crate::walk::{Results, Walk};
use crate::{Started, StatusPart};

/// The nesting of calls that is followed.
const DEEPEST: usize = 24;

impl<'a> Walk<'a> {
    fn unknown_arguments(&self, function: &Value) -> Vec<Value> {
        let Value::Function(index) = function else { return Vec::new() };
        self.program.functions.get(*index).map(|known| vec![Value::Unknown; known.parameters.len()]).unwrap_or_default()
    }

    /// Calls a function of the script, or an unknown one. Functions among the arguments are called, too.
    pub fn call(&mut self, callee: &Value, arguments: Vec<Value>, state: State) -> Results {
        let Value::Function(index) = callee else {
            let functions = arguments.iter().filter(|one| matches!(one, Value::Function(_))).cloned();
            let mut open = vec![state];
            let mut out = Vec::new();
            for function in functions.collect::<Vec<_>>() {
                let mut next = Vec::new();
                for state in open {
                    next.push(state.clone());
                    let arguments = self.unknown_arguments(&function);
                    for (state, value) in self.call(&function, arguments, state) {
                        if let Err(flow) = value { out.push((state, Err(flow))) } else { next.push(state) }
                    }
                }
                open = thinned(next);
            }
            out.extend(open.into_iter().map(|state| (state, Ok(Value::Unknown))));
            return out;
        };
        let program = self.program;
        let Some(function) = program.functions.get(*index) else { return vec![(state, Ok(Value::Unknown))] };
        if self.calls.contains(index) || self.calls.len() >= DEEPEST {
            return vec![(state, Ok(Value::Unknown))];
        }
        self.called.insert(*index);
        self.calls.push(*index);
        let results = self.call_function(function, arguments, state);
        self.calls.pop();
        results
    }

    fn call_function(&mut self, function: &'a Function, arguments: Vec<Value>, mut state: State) -> Results {
        let outer = Rc::clone(&state.variables);
        let mut values = arguments.into_iter();
        for name in &function.parameters {
            // The first steps of the function set the default of a missing one.
            state.derive(name, self.touched);
            state.set(name, values.next().unwrap_or(Value::Null));
        }
        let ends = self.block(&function.body, state);
        let mut out: Results = Vec::new();
        for (mut state, flow) in ends {
            for name in function.parameters.iter().chain(&function.locals).map(String::as_str) {
                if state.variables.get(name) == outer.get(name) {
                    continue;
                }
                let inner = Rc::make_mut(&mut state.variables);
                match outer.get_key_value(name) {
                    Some((name, value)) => inner.insert(Rc::clone(name), Rc::clone(value)),
                    None => inner.remove(name),
                };
            }
            let value = match flow {
                Flow::Returned(value) => Ok(value),
                Flow::Next | Flow::LeftLoop => Ok(Value::Null),
                flow => Err(flow),
            };
            if !out.iter().any(|(known, other)| *other == value && known.goes_on_like(&state)) {
                out.push((state, value));
            }
        }
        out
    }

    /// The output of steps on stdout.
    pub fn collect(&mut self, steps: &'a [Step], part: StatusPart, mut state: State) -> Results {
        let (out, variables, errors) = (state.out, Rc::clone(&state.variables), state.exits_on_error);
        state.collected.push(Vec::new());
        state.out = Outlet::Collected(state.collected.len() - 1);
        let ends = self.block(steps, state);
        ends.into_iter()
            .map(|(mut state, flow)| {
                let pieces = state.collected.pop().unwrap_or_default();
                (state.out, state.variables, state.exits_on_error) = (out, Rc::clone(&variables), errors);
                state.end_part(part, flow);
                (state, Ok(text_of(pieces)))
            })
            .collect()
    }

    pub fn pipe(&mut self, parts: &'a [Vec<Step>], state: State) -> Results {
        let Some((last, before)) = parts.split_last() else { return vec![(state, Ok(Value::Unknown))] };
        let (mut stdin, mut drained, variables) = (state.stdin.clone(), state.drained, Rc::clone(&state.variables));
        let mut open = vec![state];
        let started = self.found.started.len();
        for (index, part) in before.iter().enumerate() {
            let mut next = Vec::new();
            for state in open {
                for (mut state, value) in self.collect(part, StatusPart::Pipe, state) {
                    if index == 0 && state.drained.is_some() {
                        (stdin, drained) = (state.stdin, state.drained);
                    }
                    (state.stdin, state.drained) = (value.unwrap_or(Value::Unknown), None);
                    next.push(state);
                }
            }
            open = thinned(next);
        }
        let before_last = self.found.started.len();
        let mut out = Vec::new();
        for state in open {
            for (mut state, flow) in self.block(last, state) {
                state.end_part(StatusPart::Pipe, flow);
                state.stdin =
                    if stdin == Value::Stdin && state.stdin == Value::Stdin { Value::Stdin } else { stdin.clone() };
                (state.drained, state.variables) = (drained, Rc::clone(&variables));
                let value = state.success();
                out.push((state, Ok(value)));
            }
        }
        let (producers, last) = self.found.started.split_at_mut(before_last);
        if last.first().is_some_and(ends_early) {
            producers.iter_mut().skip(started).for_each(|one| one.is_limited = true);
        }
        out
    }

    pub fn assign(&mut self, target: &'a Target, value: Value, state: &mut State) {
        match target {
            Target::Variable(name) => state.set(name, value),
            Target::Key(name, keys) => {
                let Some((mut after, Ok(keys))) = self.values(keys, state.clone()).into_iter().next() else { return };
                let known = after.variable(name).cloned().unwrap_or(Value::Unknown);
                after.set(name, known.with(&keys, value));
                *state = after;
            }
            Target::Parts(parts) => {
                for (target, key) in parts {
                    let Some((_, Ok(key))) = self.value(key, state.clone()).into_iter().next() else { continue };
                    let inner = value.at(&key);
                    if let Some(Value::Payload(path)) = &inner {
                        self.read(path);
                    }
                    self.assign(target, inner.unwrap_or(Value::Null), state);
                }
            }
            Target::Unknown => {}
        }
    }

    pub fn read(&mut self, path: &[PathKey]) {
        if !path.is_empty() && !self.found.reads.iter().any(|known| known == path) {
            self.found.reads.push(path.to_vec());
        }
    }

    /// Notes the paths of which one replaces the other if that has no value.
    pub fn note_alternatives<'b>(&mut self, first: &'b [PathKey], seconds: impl Iterator<Item = &'b Vec<PathKey>>) {
        let seconds: Vec<Vec<PathKey>> = seconds.cloned().collect();
        if !seconds.is_empty() {
            self.found.alternatives.extend(seconds);
            self.found.alternatives.push(first.to_vec());
        }
    }

    /// Notes keys of a value that is not known.
    pub fn read_elsewhere(&mut self, path: Vec<PathKey>) {
        if !path.is_empty() && !self.found.other_reads.contains(&path) {
            self.found.other_reads.push(path);
        }
    }

    /// Notes that the script asks whether the payload has a key.
    pub fn ask_for(&mut self, path: &[PathKey]) {
        let key = if let [key] = path { Some(key.clone()) } else { None };
        self.found.asks_for.extend(key.filter(|key| !self.found.asks_for.contains(key)));
    }

    /// Notes that a variable is used.
    pub fn touch(&mut self, name: &str, state: &State) {
        self.touched |= state.derived.contains(name) || state.variable(name).is_some_and(Value::is_of_payload);
    }

    /// Takes what is left of stdin.
    pub fn take_stdin(&mut self, state: &mut State) -> Value {
        let stdin = std::mem::replace(&mut state.stdin, Value::text(""));
        self.touched |= stdin.is_of_payload();
        stdin
    }

    /// Takes what is left of stdin, to its end.
    pub fn drain_stdin(&mut self, state: &mut State, at: &ByteRange) -> Value {
        // After a branch, the script may know that it has read its input.
        let is_drained = state.drained == Some(state.branches.len()) && state.stdin == Value::text("");
        if is_drained && !self.found.reads_nothing.contains(at) {
            self.found.reads_nothing.push(at.clone());
        }
        if state.stdin == Value::Stdin {
            state.drained = Some(state.branches.len());
        }
        self.stdin_reads += 1;
        self.take_stdin(state)
    }

    /// Notes a program that is started.
    pub fn start(&mut self, words: &[Value], moves: bool, at: &ByteRange) {
        let Some(program) = words.first().and_then(Value::path_end) else { return };
        let program = program.split_whitespace().next().unwrap_or_default().to_owned();
        if !program.is_empty() && !self.found.started.iter().any(|known| known.program == program && known.at == *at) {
            let arguments = words.get(1..).unwrap_or_default().to_vec();
            let is_limited = self.limits > 0;
            self.found.started.push(Started { program, arguments, moves, is_limited, at: at.clone() });
        }
    }

    /// The status that is given for a program.
    pub fn given_status(&self, words: &[Value]) -> Option<i32> {
        let (name, status) = self.given.status?;
        let is_named = |word: &Value| word.path_end().is_some_and(|path| path.rsplit('/').next() == Some(name));
        words.iter().any(is_named).then_some(status)
    }

    /// Notes a file that is read.
    pub fn note_file(&mut self, name: &Value, at: &ByteRange) {
        let name = name.known_text().filter(|name| !name.is_empty());
        self.found.read_files.extend(name.map(|name| (name, at.clone())));
        self.found.read_files.dedup();
    }

    /// Notes programs that are looked for.
    pub fn search(&mut self, words: &[Value]) {
        self.found.searched.extend(words.iter().filter_map(Value::known_text).filter(|word| !word.starts_with('-')));
    }

    /// Applies a jq filter to a value.
    pub fn filter(
        &mut self,
        filter: &str,
        variables: &[(String, Value)],
        input: &Value,
        at: &ByteRange,
    ) -> Option<Filtered> {
        let result = jq::apply(filter, variables, input)?;
        result.reads.iter().for_each(|path| self.read(path));
        result.asked.iter().for_each(|path| self.ask_for(path));
        self.found.alternatives.extend(result.alternatives.iter().cloned());
        result.folded.iter().for_each(|value| self.fold(value));
        result.compared.iter().for_each(|(kind, values)| self.note_comparison(*kind, values, at));
        Some(result)
    }
}

/// Whether a program may end before its stdin does, and so ends what writes to it.
fn ends_early(started: &Started) -> bool {
    let words: Vec<String> = started.arguments.iter().filter_map(Value::known_text).collect();
    let option = |letters: [char; 2]| words.iter().any(|word| word.starts_with('-') && word.contains(letters));
    match started.program.as_str() {
        "head" => true,
        "grep" => option(['q', 'm']),
        "sed" => words.iter().any(|word| word.ends_with('q')),
        _ => false,
    }
}
