//! HW204: an event that does not fire where the agent is used.

use crate::core::config::Place;
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;
use crate::core::dialects::form::{Sign, Surface};

/// What the agent's form says of surfaces, and what in the environment or in the project speaks for one.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    let event = at.event.name;
    let silent = |surface: &&Surface| surface.silent.contains(&event);
    let (surface, sign) = at.whole.dialect.form().surfaces.iter().filter(silent).find_map(|surface| {
        let sign = surface.signs.iter().find(|sign| shows(at, at.whole.place, sign))?;
        Some((surface, sign))
    })?;
    let says = format!("{event} does not fire in {}", surface.name);
    let help = "test in the terminal whether it fires, or hook another event";
    let found = match sign {
        Sign::Variable(name, value) => {
            Diagnostic::warning("HW204", format!("{says}, where {name}={value} says you are"))
        }
        Sign::File(file, _) => Diagnostic::info("HW204", format!("{says}, which {file} names")),
    };
    Some(found.at(at.handler()).help(help))
}

fn shows(at: &Looked<'_>, place: &Place, sign: &Sign) -> bool {
    match sign {
        Sign::Variable(name, value) => place.var(name) == Some(value),
        Sign::File(file, word) => {
            let read = at.whole.files.read(&format!("{}/{file}", place.project));
            read.is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(word))
        }
    }
}
