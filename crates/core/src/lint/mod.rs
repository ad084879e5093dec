//! Findings about hooks that are loaded without complaint and still do not do what their author means. What an agent's
//! reader finds is in [`Loaded::notes`], what only one agent does wrong in [`Dialect::remarks`]; here are the rules that
//! hold for every agent. One rule is one file, in the folder of its family; its documentation is a page under `assets/docs`.

pub mod after;
mod answers;
mod commands;
mod context;
mod events;
mod files;
mod layers;
mod matchers;
mod meet;
mod pages;
mod places;
mod safety;
mod time;

use std::collections::HashSet;
use std::time::Duration;

use crate::config::{Files, Loaded, Place};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialects::{Around, Dialect, Looked, Script, Start, Version, Whole};
use crate::hook::{DefinitionId, HookDefinition};
use crate::text::SourceMap;

pub use events::{Seen, often};
pub use pages::{Page, SECTIONS, page, pages};

/// What is known of a command from outside of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outside {
    pub script: Option<OutsideScript>,
    pub start: Option<Start>,
    /// How long recorded runs of it took.
    pub times: Vec<Duration>,
}

/// The script that a command comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutsideScript {
    /// As opened.
    pub path: String,
    pub text: String,
    /// See [`Script::interpreted`].
    pub interpreted: bool,
}

/// A rule of the catalogue: finds something in one definition, or in all that an agent has loaded.
enum Rule {
    /// At most one thing in a definition.
    One(fn(&Looked<'_>) -> Option<Diagnostic>),
    /// Several in a definition.
    Many(fn(&Looked<'_>) -> Vec<Diagnostic>),
    /// Once for an agent.
    Whole(fn(&Whole<'_>) -> Vec<Diagnostic>),
}

const FAMILIES: [&[Rule]; 8] = [
    files::RULES,
    events::RULES,
    matchers::RULES,
    commands::RULES,
    time::RULES,
    answers::RULES,
    layers::RULES,
    safety::RULES,
];

/// Notes that are errors to an author: on the screen of one event they are remarks, since the event may be another's.
const ERRORS: [&str; 4] = ["HW301", "HW302", "HW305", "HW315"];

/// What was found, with the texts in which the places lie.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lint {
    /// In the order of files and places; each place once for each code.
    pub found: Vec<Diagnostic>,
    /// What the agent has read, and the scripts of its commands.
    pub sources: SourceMap,
    /// The scripts, each once for each program that reads it.
    pub scripts: Vec<Script>,
}

impl Lint {
    /// More that was found, by other means.
    pub fn add(&mut self, more: Vec<Diagnostic>) {
        self.found.extend(more);
        once_in_order(&mut self.found, &self.sources);
    }
}

/// Where and for whom to look.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub dialect: &'a dyn Dialect,
    pub version: &'a Version,
    pub place: &'a Place,
    pub files: &'a dyn Files,
    pub loaded: &'a Loaded,
    pub around: &'a Around,
}

/// Everything that is found about what an agent has loaded. `outside` tells of a definition what is known beside the
/// settings.
pub fn lint(scope: Scope<'_>, outside: &dyn Fn(&HookDefinition) -> Outside) -> Lint {
    let Scope { dialect, version, place, files, loaded, around } = scope;
    let mut found: Vec<Diagnostic> = loaded.notes.clone();
    for note in found.iter_mut().filter(|note| ERRORS.contains(&note.code)) {
        note.severity = Severity::Error;
    }
    if let Some(refusal) = &loaded.refused {
        let known = found.iter().any(|d| d.span.is_some() && d.span == refusal.span);
        if !known {
            let mut why = Diagnostic::error("agent/refuses", refusal.says.clone());
            why.span = refusal.span;
            found.push(why);
        }
    }
    let mut sources = loaded.sources.clone();
    let events = dialect.events(version);
    let mut known = Vec::new();
    let mut scripts = context::Scripts::default();
    for definition in loaded.definitions.iter().filter(|d| d.sound()) {
        let Some(event) = events.iter().find(|e| e.name == definition.event) else { continue };
        let Outside { script, start, times } = outside(definition);
        let script = script.map(|script| scripts.script(script, start.as_ref(), place, &mut sources));
        let written = context::written(definition, start.as_ref(), dialect, &loaded.sources);
        known.push((definition, *event, script, start, written, times));
    }
    let whole = Whole { dialect, version, place, files, loaded, sources: &sources, around };
    for (definition, event, script, start, written, times) in &known {
        let (script, start, written) = (script.as_deref(), start.as_ref(), written.as_ref());
        let looked = Looked { whole, definition, event, script, start, written, times };
        for rule in FAMILIES.iter().copied().flatten() {
            match rule {
                Rule::One(look) => found.extend(look(&looked)),
                Rule::Many(look) => found.extend(look(&looked)),
                Rule::Whole(_) => {}
            }
        }
        found.extend(dialect.remarks(&looked));
    }
    for rule in FAMILIES.iter().copied().flatten() {
        if let Rule::Whole(look) = rule {
            found.extend(look(&whole));
        }
    }
    found.extend(dialect.remarks_on_all(&whole));
    matchers::settle(&mut found);
    commands::settle(&mut found);
    layers::settle(&whole, &mut found);
    for note in &mut found {
        events::mend(&whole, note);
    }
    events::one_block(&whole, &mut found);
    files::mend(&whole, &mut found);
    once_in_order(&mut found, &sources);
    Lint { found, sources, scripts: scripts.all() }
}

/// What a hook's script expects of its input and its agent never sends: names and keys of other agents. Each with the
/// hook that it is about, and with its place in the sources that are handed back.
pub fn misread(
    scope: Scope<'_>,
    definitions: &[&HookDefinition],
    outside: &dyn Fn(&HookDefinition) -> Outside,
) -> (Vec<(DefinitionId, Diagnostic)>, SourceMap) {
    let Scope { dialect, version, place, files, loaded, around } = scope;
    let mut sources = loaded.sources.clone();
    let events = dialect.events(version);
    let mut scripts = context::Scripts::default();
    let mut known = Vec::new();
    for definition in definitions.iter().copied().filter(|d| d.sound()) {
        let Some(event) = events.iter().find(|e| e.name == definition.event) else { continue };
        let Outside { script, start, times } = outside(definition);
        let script = script.map(|script| scripts.script(script, start.as_ref(), place, &mut sources));
        let written = context::written(definition, start.as_ref(), dialect, &loaded.sources);
        known.push((definition, *event, script, start, written, times));
    }
    let whole = Whole { dialect, version, place, files, loaded, sources: &sources, around };
    let mut found = Vec::new();
    for (definition, event, script, start, written, times) in &known {
        let (script, start, written) = (script.as_deref(), start.as_ref(), written.as_ref());
        let looked = Looked { whole, definition, event, script, start, written, times };
        found.extend(answers::misread(&looked).into_iter().map(|one| (definition.id.clone(), one)));
    }
    (found, sources)
}

/// Whether a file is TOML, by its name.
fn is_toml(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "toml")
}

/// Whether a file is JSON, by its name.
fn is_json(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, ending)| ending == "json")
}

fn once_in_order(found: &mut Vec<Diagnostic>, sources: &SourceMap) {
    let mut seen = HashSet::new();
    found.retain(|d| seen.insert((d.code, d.span, d.file.clone(), d.span.is_none().then(|| d.message.clone()))));
    found.sort_by_cached_key(|d| {
        let place = d.place(sources);
        let at = place.as_ref().and_then(|(_, at)| *at).unwrap_or_default();
        (place.map(|(file, _)| file), at)
    });
}
