//! Scripts inside a shell script: `python3 -c …`, `node -e …`, `bash -c …`, `python3 - <<EOF`.

use std::rc::Rc;

use crate::state::{Flow, State};
use crate::steps::ByteRange;
use crate::value::Value;
use crate::walk::{Ends, Walk};
use crate::{Given, Grammar, LostStatus, ScriptSource, bare_name};

/// Runs an interpreter with a script that is written in the command. `None` for any other command.
pub(super) fn run(walk: &mut Walk<'_>, words: &[Value], at: &ByteRange, state: &State) -> Option<Ends> {
    let language = Grammar::of(bare_name(&words.first()?.known_text()?))?;
    let mut state = state.clone();
    let (text, arguments) = match ScriptSource::of(words) {
        ScriptSource::Text(place) => (words.get(place)?.source_text()?, words.get(place + 1..)?),
        ScriptSource::Stdin(place) => (walk.take_stdin(&mut state).source_text()?, words.get(place..)?),
        _ => return None,
    };
    let program = walk.inner_program(&text, language)?;
    let outer = Rc::clone(&state.variables);
    for (index, value) in arguments.iter().enumerate() {
        state.set(&(index + usize::from(language != Grammar::Shell)).to_string(), value.clone());
    }
    let (printed, branches, exits_on_error) = (state.printed.len(), state.branches.len(), state.exits_on_error);
    state.exits_on_error = false;
    let lost = state.lost.take();
    let given = Given { arguments: &[], ..*walk.given };
    let mut inner = walk.inner(&program, &given);
    let ends = inner.ends(state);
    walk.take_in(inner, at);
    let restored = ends.into_iter().map(|(mut state, flow)| {
        state.status = match flow {
            Flow::Exited(status, _) => status,
            Flow::Raised => Some(1),
            _ if language == Grammar::Shell => state.status,
            _ => Some(0),
        };
        // The places inside the text are those of the command.
        Rc::make_mut(&mut state.printed).iter_mut().skip(printed).for_each(|one| one.at = at.clone());
        Rc::make_mut(&mut state.branches).iter_mut().skip(branches).for_each(|one| one.at = at.clone());
        state.lost = state.lost.map(|inner| LostStatus { at: at.clone(), ..inner }).or_else(|| lost.clone());
        (state.variables, state.exits_on_error) = (Rc::clone(&outer), exits_on_error);
        (state, Flow::Next)
    });
    Some(restored.collect())
}
