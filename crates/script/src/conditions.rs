//! Conditions: whether they hold, and the values that follow from them.

use std::rc::Rc;

use crate::state::{Flow, State};
use crate::steps::{ComparisonKind, Expr};
use crate::value::{PathKey, Value, payload_path};
use crate::walk::{Results, Walk};

/// A condition on each way: whether it holds, if that is known.
pub(crate) type Conditions = Vec<(State, Result<Option<bool>, Flow>)>;

impl<'a> Walk<'a> {
    /// The condition on each way: whether it holds, if that is known.
    pub fn conditions(&mut self, condition: &'a Expr, state: State) -> Conditions {
        let results = self.value(condition, state).into_iter();
        results
            .map(|(state, value)| {
                let holds = value.map(|value| self.resolved(&state, value).is_true());
                (state, holds)
            })
            .collect()
    }

    /// `and`: the value of the last part if the others hold, and otherwise one that is not true.
    pub fn conjunction(&mut self, parts: &'a [Expr], state: State) -> Results {
        let Some((last, guards)) = parts.split_last() else { return vec![(state, Ok(Value::Bool(true)))] };
        let mut results = Results::new();
        for (state, guarded) in self.junction(guards, state, false) {
            match guarded {
                Ok(Value::Bool(true)) => results.extend(self.value(last, state)),
                Ok(Value::Unknown) => {
                    let before = state.clone();
                    let values = self.value(last, state);
                    let pure = values.iter().all(|(state, value)| value.is_ok() && state.goes_on_like(&before));
                    if !pure {
                        results.push((before, Ok(Value::Bool(false))));
                    }
                    let may_fail =
                        |value: Value| if pure && value.is_true() == Some(true) { Value::Unknown } else { value };
                    results.extend(values.into_iter().map(|(state, value)| (state, value.map(may_fail))));
                }
                decided => results.push((state, decided)),
            }
        }
        results
    }

    /// `or` (`any`) and `and`: the later parts are evaluated only if the earlier ones do not decide.
    pub fn junction(&mut self, parts: &'a [Expr], state: State, any: bool) -> Results {
        let mut open = vec![(state, Ok(Some(!any)))];
        for part in parts {
            let mut next = Vec::new();
            for (state, known) in open {
                match known {
                    Ok(Some(holds)) if holds != any => next.extend(self.conditions(part, state)),
                    Ok(None) => {
                        let before = state.clone();
                        let results = self.conditions(part, state);
                        // A part that changes nothing needs no separate way.
                        let pure = results.iter().all(|(state, holds)| holds.is_ok() && state.goes_on_like(&before));
                        if pure {
                            let decides = results.iter().all(|(_, holds)| *holds == Ok(Some(any)));
                            next.push((before, Ok(decides.then_some(any))));
                        } else {
                            next.push((before, Ok(Some(any))));
                            next.extend(results);
                        }
                    }
                    decided => next.push((state, decided)),
                }
            }
            open = next;
        }
        open.into_iter()
            .map(|(state, holds)| (state, holds.map(|holds| holds.map_or(Value::Unknown, Value::Bool))))
            .collect()
    }

    /// The state in which a condition holds or not: what it compares with a text is known then.
    pub fn assuming(&mut self, condition: &'a Expr, holds: bool, mut state: State) -> State {
        match condition {
            Expr::Not(inner) => self.assuming(inner, !holds, state),
            Expr::All(parts) if holds => parts.iter().fold(state, |state, part| self.assuming(part, true, state)),
            Expr::Any(parts) if !holds => parts.iter().fold(state, |state, part| self.assuming(part, false, state)),
            Expr::Compare { kind: ComparisonKind::Equal, sides, .. } if holds => {
                let [left, right] = sides.as_slice() else { return state };
                let sides = (self.simple_value(left, &state), self.simple_value(right, &state));
                let (Some(left), Some(right)) = sides else { return state };
                let found = match (payload_path(&left), payload_path(&right)) {
                    (Some(path), None) => Some((path, right)),
                    (None, Some(path)) => Some((path, left)),
                    _ => None,
                };
                if let Some((path, value)) = found.filter(|(_, value)| value.known_text().is_some()) {
                    Rc::make_mut(&mut state.learned).push((path, value));
                }
                state
            }
            Expr::Compare { kind: ComparisonKind::Glob, sides, .. } if holds => {
                let [value, Expr::Text(pattern)] = sides.as_slice() else { return state };
                let literal = (!pattern.contains(['*', '?', '['])).then_some(pattern);
                if let Some(text) = literal
                    && let Some(value) = self.simple_value(value, &state)
                    && let Some(path) = payload_path(&value)
                {
                    Rc::make_mut(&mut state.learned).push((path, Value::text(text)));
                }
                state
            }
            _ => state,
        }
    }

    /// The value of an expression that starts nothing and reads no stream, so that it can be evaluated again.
    fn simple_value(&mut self, expr: &'a Expr, state: &State) -> Option<Value> {
        let is_simple = match expr {
            Expr::Environment(_) | Expr::Variable(_) | Expr::Text(_) | Expr::Key(..) | Expr::Else { .. } => true,
            Expr::Join(parts) => !parts.iter().any(|part| matches!(part, Expr::Output(_))),
            _ => false,
        };
        if !is_simple {
            return None;
        }
        let (_, value) = self.value(expr, state.clone()).into_iter().next()?;
        value.ok()
    }

    /// Whether the payload has a key, if that is known before.
    pub fn has_key(&self, path: &[PathKey]) -> Option<bool> {
        let [key] = path else { return None };
        self.told.borrow_mut().tell_key(key, self.given)
    }

    /// A value of the payload that is given or learned on the way.
    pub fn known(&self, state: &State, path: &[PathKey]) -> Option<Value> {
        let given = self.told.borrow_mut().tell_text(path, self.given);
        given.or_else(|| state.learned.iter().find(|(known, _)| known == path).map(|(_, value)| value.clone()))
    }

    /// The value; for a part of the payload the text that is given or learned.
    pub fn resolved(&self, state: &State, value: Value) -> Value {
        payload_path(&value).and_then(|path| self.known(state, &path)).unwrap_or(value)
    }
}
