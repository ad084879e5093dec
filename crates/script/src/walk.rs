//! Follows a script on all its ways and collects its payload keys, output and programs.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::state::{Flow, Outlet, State, thinned};
use crate::steps::{ByteRange, EXIT_CODE, Expr, Program, ScriptStream, Step, StreamChange, StreamTarget, Target};
use crate::tree::deeper;
use crate::value::{PathKey, Value};
use crate::{Given, Grammar, LostStatus, Run, Started, StartedLine, StatusPart, ToldFacts, Walked, no_files};

/// The number of steps that are followed in all.
const MOST_STEPS: usize = 8_000;
/// After this number, included files are not followed: what they do is not known, and the script itself is read to its end.
const MOST_INCLUDED_STEPS: usize = 4_000;

/// The number of scripts that may be inside one another.
const MOST_NESTED: usize = 3;

/// The results of an expression on each way: a value, or how the statement ends.
pub(crate) type Results = Vec<(State, Result<Value, Flow>)>;
/// How a statement ends on each way.
pub(crate) type Ends = Vec<(State, Flow)>;

/// A walk through a script.
pub(crate) struct Walk<'a> {
    pub program: &'a Program,
    pub given: &'a Given<'a>,
    /// The facts of `given` that the walk asked for.
    pub told: RefCell<ToldFacts>,
    names: HashMap<&'a str, usize>,
    /// The findings so far, without the ways through the script.
    pub found: Walked,
    /// The paths whose letters are changed, and whether a setting makes all comparisons ignore case.
    pub folded: Vec<Vec<PathKey>>,
    pub any_case: bool,
    /// The number of times that a part of stdin was read.
    pub stdin_reads: usize,
    /// The number of commands around this one for whose end the script does not wait, or not without a limit.
    pub limits: usize,
    at_end: Vec<&'a [Step]>,
    inner_programs: HashMap<(Grammar, String), Option<Rc<Program>>>,
    /// The number of scripts around this one.
    nesting: usize,
    /// The functions that were called.
    pub called: BTreeSet<usize>,
    /// The functions that are being called.
    pub calls: Vec<usize>,
    pub deep: usize,
    steps: usize,
    /// Whether the step that is being followed used a value of the payload.
    pub touched: bool,
}

impl<'a> Walk<'a> {
    pub fn new(program: &'a Program, given: &'a Given<'a>) -> Walk<'a> {
        let functions = program.functions.iter().enumerate().filter(|(_, function)| !function.is_method);
        let names = functions.map(|(index, function)| (function.name.as_str(), index));
        Walk {
            program,
            given,
            told: RefCell::default(),
            names: names.filter(|(name, _)| !name.is_empty()).collect(),
            found: Walked { complete: true, ..Walked::default() },
            folded: Vec::new(),
            any_case: false,
            stdin_reads: 0,
            limits: 0,
            at_end: Vec::new(),
            inner_programs: HashMap::new(),
            nesting: 0,
            called: BTreeSet::new(),
            calls: Vec::new(),
            deep: 0,
            steps: 0,
            touched: false,
        }
    }

    /// The function of this name.
    pub fn function(&self, name: &str) -> Option<Value> {
        self.names.get(name).map(|index| Value::Function(*index))
    }

    /// A script inside this one. It is parsed once. `None` if it is nested too deeply.
    pub fn inner_program(&mut self, text: &str, language: Grammar) -> Option<Rc<Program>> {
        if self.nesting >= MOST_NESTED {
            return None;
        }
        let key = (language, text.to_owned());
        let known = self.inner_programs.entry(key);
        known.or_insert_with(|| language.program(text, &no_files).map(Rc::new)).clone()
    }

    /// A walk through a script inside this one.
    pub fn inner<'b>(&self, program: &'b Program, given: &'b Given<'b>) -> Walk<'b> {
        Walk { nesting: self.nesting + 1, steps: self.steps, limits: self.limits, ..Walk::new(program, given) }
    }

    /// Adds what a walk through a script inside this one found, with the place of the command that starts it.
    pub fn take_in(&mut self, mut inner: Walk<'_>, at: &ByteRange) {
        self.told.get_mut().extend(inner.told.take());
        inner.found.reads.iter().for_each(|path| self.read(path));
        for mut one in inner.comparisons() {
            one.at = at.clone();
            self.found.compared.push(one);
        }
        for started in inner.found.started {
            self.found.started.push(Started { at: at.clone(), ..started });
        }
        inner.found.asks_for.into_iter().for_each(|key| self.ask_for(&[key]));
        self.found.alternatives.extend(inner.found.alternatives);
        inner.found.other_reads.into_iter().for_each(|path| self.read_elsewhere(path));
        self.found.searched.extend(inner.found.searched);
        self.found.lines.extend(inner.found.lines.into_iter().map(|line| StartedLine { at: at.clone(), ..line }));
        self.found.writes_files |= inner.found.writes_files;
        self.found.reads_stdin |= inner.found.reads_stdin;
        self.stdin_reads += inner.stdin_reads;
        self.found.reads_nothing.extend(inner.found.reads_nothing.first().map(|_| at.clone()));
        self.found.endless.extend(inner.found.endless.first().map(|_| at.clone()));
        self.found.complete &= inner.found.complete;
        self.touched |= inner.touched;
        self.steps = inner.steps;
    }

    /// Follows the functions that nothing calls, as far as they read and start something: another file may call them.
    pub fn follow_the_rest(&mut self) {
        let program = self.program;
        for (index, function) in program.functions.iter().enumerate() {
            // A function of an included file may be for other scripts.
            if !function.is_included && !self.called.contains(&index) {
                let arguments = vec![Value::Unknown; function.parameters.len()];
                self.call(&Value::Function(index), arguments, State::new(self.given.arguments));
            }
        }
    }

    /// How the script ends on each way.
    pub fn ends(&mut self, state: State) -> Ends {
        let program = self.program;
        let mut ends = self.block(&program.body, state);
        for steps in std::mem::take(&mut self.at_end) {
            let mut next = Ends::new();
            for (state, flow) in ends {
                next.extend(self.block(steps, state).into_iter().map(|(state, end)| {
                    let end = if matches!(end, Flow::Exited(..)) { end } else { flow.clone() };
                    (state, end)
                }));
            }
            ends = next;
        }
        ends
    }

    /// The method of this name.
    pub fn method(&self, name: &str) -> Option<Value> {
        let mut methods = self.program.functions.iter().enumerate();
        let found = methods.rfind(|(_, function)| function.is_method && function.name == name);
        found.map(|(index, _)| Value::Function(index))
    }

    /// The ways through the script. A script that raises ends with status 1.
    pub fn runs(&mut self) -> Vec<Run> {
        let ends = self.ends(State::new(self.given.arguments));
        let mut runs: Vec<Run> = Vec::new();
        for (state, flow) in ends {
            self.found.reads_stdin |= state.stdin != Value::Stdin;
            let (status, end) = match flow {
                Flow::Exited(status, at) => (status, Some(at)),
                Flow::Raised => (Some(1), None),
                Flow::Next | Flow::LeftLoop | Flow::Returned(_) => {
                    let set = state.variable(EXIT_CODE).map(Value::exit_status);
                    (set.unwrap_or(state.status), None)
                }
            };
            let run = Run {
                printed: state.printed.to_vec(),
                status,
                end,
                branches: state.branches.to_vec(),
                only_prints: !state.acted,
                lost: state.lost.filter(|_| status != Some(2)),
            };
            match runs.iter_mut().find(|known| known.is_like(&run)) {
                Some(known) => known.lost = known.lost.take().or(run.lost),
                None => runs.push(run),
            }
        }
        runs
    }

    /// Follows steps one after the other.
    pub fn block(&mut self, steps: &'a [Step], state: State) -> Ends {
        let is_included =
            self.calls.iter().any(|index| self.program.functions.get(*index).is_some_and(|one| one.is_included));
        let mut open = vec![state];
        let mut ended = Ends::new();
        for step in steps {
            let mut next = Vec::new();
            for state in open {
                if self.steps >= if is_included { MOST_INCLUDED_STEPS } else { MOST_STEPS } {
                    self.found.complete &= is_included;
                    next.push(state);
                    continue;
                }
                self.steps += 1;
                for (state, flow) in deeper(|| self.step(step, state)) {
                    if flow == Flow::Next { next.push(state) } else { ended.push((state, flow)) }
                }
            }
            open = thinned(next);
            if open.is_empty() {
                break;
            }
        }
        ended.extend(open.into_iter().map(|state| (state, Flow::Next)));
        ended
    }

    fn step(&mut self, step: &'a Step, state: State) -> Ends {
        let before = std::mem::take(&mut self.touched);
        let ends = self.step_of(step, state);
        self.touched |= before;
        ends
    }

    fn step_of(&mut self, step: &'a Step, state: State) -> Ends {
        match step {
            Step::Set { target, value } => self.then(value, state, |walk, mut state, value| {
                target.each_name(&mut |name| state.derive(name, walk.touched));
                walk.assign(target, value, &mut state);
                vec![(state, Flow::Next)]
            }),
            Step::Evaluate(expr) => self.then(expr, state, |walk, mut state, value| {
                walk.note_unused(expr, &value, &mut state);
                state.acted |= match expr {
                    Expr::Call(callee, _) => {
                        !matches!(&**callee, Expr::Variable(name) if walk.names.contains_key(name.as_str()))
                    }
                    Expr::Start(_) => true,
                    _ => false,
                };
                let fails = state.exits_on_error && state.status.is_some_and(|status| status != 0);
                let flow = if fails { Flow::Exited(state.status, 0..0) } else { Flow::Next };
                vec![(state, flow)]
            }),
            Step::Print { stream, text, at } => self.then(text, state, |_, mut state, value| {
                state.print(*stream, value.into_pieces(), at);
                state.status = Some(0);
                vec![(state, Flow::Next)]
            }),
            Step::If { condition, then, otherwise, at } => {
                let mut ends = Ends::new();
                let lost = state.lost.clone();
                let results = self.conditions(condition, state);
                let touched = self.touched;
                // What follows `x=$(program) ||` may tell only that the program failed.
                let is_set = |steps: &[Step]| matches!(steps.last(), Some(Step::Set { .. }));
                let runs_program = matches!(condition, Expr::Success(steps) if is_set(steps));
                for (mut state, holds) in results {
                    // The status of a function is used, so it is not that of the script.
                    state.acted |= matches!(condition, Expr::Command(_));
                    state.lost.clone_from(&lost);
                    match holds {
                        Err(flow) => ends.push((state, flow)),
                        Ok(Some(holds)) => ends.extend(self.block(if holds { then } else { otherwise }, state)),
                        Ok(None) => {
                            let mut met = self.assuming(condition, true, state.clone());
                            met.branch(at, true, touched && !condition.tests_presence(true));
                            met.acted = runs_program;
                            ends.extend(self.block(then, met));
                            let mut unmet = self.assuming(condition, false, state);
                            unmet.branch(at, false, touched && !condition.tests_presence(false));
                            unmet.acted = runs_program;
                            ends.extend(self.block(otherwise, unmet));
                        }
                    }
                }
                ends
            }
            Step::Loop { variable, items, body, at } => {
                let reads = self.stdin_reads;
                self.then(items, state, |walk, state, value| {
                    let started = walk.found.started.len();
                    let ends = walk.repeat(variable.as_ref(), &value, body, state);
                    let is_left = ends.iter().any(|(_, flow)| *flow != Flow::Next) || walk.stdin_reads > reads;
                    if variable.is_none() && !is_left && walk.waits(items, body, started) {
                        walk.found.endless.push(at.clone());
                    }
                    // After the loop, the script goes on.
                    let left = |flow| if flow == Flow::LeftLoop { Flow::Next } else { flow };
                    ends.into_iter().map(|(state, flow)| (state, left(flow))).collect()
                })
            }
            Step::Try { body, rescue, last } => self.attempt(body, rescue, last, state),
            Step::Exit { status, at } => self.then(status, state, |_, state, value| {
                let status = if value == Value::Null { state.status } else { value.exit_status() };
                vec![(state, Flow::Exited(status, at.clone()))]
            }),
            Step::Return(value) => self.then(value, state, |_, state, value| vec![(state, Flow::Returned(value))]),
            Step::Raise => vec![(state, Flow::Raised)],
            Step::LeaveLoop => vec![(state, Flow::LeftLoop)],
            Step::Redirected { body, redirections } => self.redirected(body, redirections, state),
            Step::Apart(body) => self.apart(body, state),
            Step::Background(body) => {
                self.limits += 1;
                let ends = self.apart(body, state);
                self.limits -= 1;
                let started = |(state, flow)| (State { status: Some(0), lost: None, ..state }, flow);
                ends.into_iter().map(started).collect()
            }
            Step::AtEnd(steps) => {
                if !self.at_end.iter().any(|known| std::ptr::eq(*known, steps.as_slice())) {
                    self.at_end.push(steps);
                }
                vec![(state, Flow::Next)]
            }
        }
    }

    /// Follows steps in another process.
    fn apart(&mut self, body: &'a [Step], state: State) -> Ends {
        let (variables, exits_on_error) = (Rc::clone(&state.variables), state.exits_on_error);
        let ends = self.block(body, state).into_iter();
        ends.map(|(mut end, flow)| {
            end.variables = Rc::clone(&variables);
            end.exits_on_error = exits_on_error;
            end.end_part(StatusPart::Subshell, flow);
            (end, Flow::Next)
        })
        .collect()
    }

    /// Notes that the script calls a function that returns 2, and does not use this value.
    fn note_unused(&self, call: &Expr, value: &Value, state: &mut State) {
        if let Expr::Call(callee, _) = call
            && self.calls.is_empty()
            && matches!(&**callee, Expr::Variable(name) if name == "main")
            && value.known_text().as_deref() == Some("2")
        {
            state.lost = Some(LostStatus { part: StatusPart::Function, at: 0..0 });
        }
    }

    /// Whether a loop that nothing leaves goes on forever, or until something else happens that may never happen.
    fn waits(&self, condition: &Expr, body: &[Step], started: usize) -> bool {
        let starts = |name: &str| self.found.started.iter().skip(started).any(|one| one.program == name);
        let is_counted = || body.iter().any(Step::changes_variables);
        let always = condition.always_holds();
        self.limits == 0 && !starts("kill") && (always || condition.is_negated() && starts("sleep") && !is_counted())
    }

    /// The body of a loop once, or never.
    fn repeat(&mut self, variable: Option<&'a Target>, items: &Value, body: &'a [Step], mut state: State) -> Ends {
        let is_never_empty = matches!(items, Value::Stdin) || matches!(items, Value::List(items) if !items.is_empty());
        let before = Rc::clone(&state.variables);
        let mut ends = if is_never_empty { Ends::new() } else { vec![(state.clone(), Flow::Next)] };
        if let Some(target) = variable {
            let item = match items {
                Value::List(items) if items.len() == 1 => items.first().cloned(),
                Value::Payload(_) => items.at(&Value::Unknown),
                Value::Stdin => Some(Value::Stdin),
                _ => None,
            };
            target.each_name(&mut |name| state.derive(name, self.touched));
            self.assign(target, item.unwrap_or(Value::Unknown), &mut state);
        }
        ends.extend(self.block(body, state));
        // A value that goes deeper into the payload with each round (`value = value[key]`) can be anything in it.
        let goes_on = |name: &str, value: &Value| {
            matches!(value, Value::Payload(_)) && ends.iter().any(|(state, _)| state.variable(name) != Some(value))
        };
        let deeper: Vec<_> = before.iter().filter(|(name, value)| goes_on(name, value)).map(|(name, _)| name).collect();
        for (state, _) in &mut ends {
            for name in &deeper {
                state.derive(name, true);
                state.set(name, Value::Unknown);
            }
        }
        ends
    }

    fn attempt(&mut self, body: &'a [Step], rescue: &'a [Step], last: &'a [Step], state: State) -> Ends {
        let mut flows = self.block(body, state.clone());
        if !flows.iter().any(|(_, flow)| *flow == Flow::Raised) {
            // Any call may raise.
            flows.push((state, Flow::Raised));
        }
        let mut ends = Ends::new();
        for (state, flow) in flows {
            let rescued = if flow == Flow::Raised { self.block(rescue, state) } else { vec![(state, flow)] };
            for (state, flow) in rescued {
                for (state, end) in self.block(last, state) {
                    ends.push((state, if end == Flow::Next { flow.clone() } else { end }));
                }
            }
        }
        ends
    }

    fn redirected(&mut self, body: &'a [Step], redirections: &'a [StreamChange], state: State) -> Ends {
        let (out, err, stdin) = (state.out, state.err, state.stdin.clone());
        let drained = state.drained;
        let has_input = redirections.iter().any(|one| matches!(one, StreamChange::Stdin(_)));
        let mut open = vec![state];
        for redirection in redirections {
            let mut next = Vec::new();
            for mut state in open {
                match redirection {
                    StreamChange::Stdin(text) => {
                        for (mut state, value) in self.value(text, state) {
                            (state.stdin, state.drained) = (value.unwrap_or(Value::Unknown), None);
                            next.push(state);
                        }
                    }
                    StreamChange::To { from, to } => {
                        let sink = match to {
                            StreamTarget::Nowhere => Outlet::Elsewhere,
                            StreamTarget::File => {
                                self.found.writes_files = true;
                                state.acted |= body.is_empty();
                                Outlet::Elsewhere
                            }
                            StreamTarget::Stream(ScriptStream::Stdout) => state.out,
                            StreamTarget::Stream(ScriptStream::Stderr) => state.err,
                        };
                        let changed = if *from == ScriptStream::Stdout { &mut state.out } else { &mut state.err };
                        *changed = sink;
                        next.push(state);
                    }
                }
            }
            open = next;
        }
        let mut ends = Ends::new();
        for state in open {
            for (mut state, flow) in self.block(body, state) {
                // `exec` with redirections and without a command changes the shell itself.
                if !body.is_empty() {
                    (state.out, state.err) = (out, err);
                    if has_input || state.drained.is_none() {
                        (state.stdin, state.drained) = (stdin.clone(), drained);
                    }
                }
                ends.push((state, flow));
            }
        }
        ends
    }

    /// Evaluates an expression and goes on with its value.
    fn then(&mut self, expr: &'a Expr, state: State, mut next: impl FnMut(&mut Self, State, Value) -> Ends) -> Ends {
        let mut ends = Ends::new();
        for (state, value) in self.value(expr, state) {
            match value {
                Ok(value) => ends.extend(next(self, state, value)),
                Err(flow) => ends.push((state, flow)),
            }
        }
        ends
    }
}
