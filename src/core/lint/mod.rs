//! Findings about hooks that are loaded without complaint and still do not do what their author means. What an agent's
//! reader finds is in [`Loaded::notes`]; here are the rules that hold for every agent. One rule is one file.

mod downloads;
mod exit_one;
mod ignored_matcher;
mod not_started;
mod permission_syntax;
mod seconds;

use crate::core::config::Loaded;
use crate::core::diagnostic::{Diagnostic, Severity};
use crate::core::dialects::{Dialect, Version};
use crate::core::hook::{EventSpec, Handler, HookDefinition};
use crate::core::text::Span;

/// What a rule looks at.
pub struct Looked<'a> {
    /// The agent's name, for sentences.
    pub agent: &'a str,
    pub loaded: &'a Loaded,
    pub definition: &'a HookDefinition,
    pub event: &'a EventSpec,
    /// The script that the command comes to.
    pub script: Option<&'a Script>,
    /// Whether it would start.
    pub start: Option<&'a Start>,
}

/// A script, as it lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// As shown.
    pub file: String,
    pub text: String,
}

/// What would become of starting a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// The exit status of a command that cannot work.
    pub status: Option<i32>,
    pub says: String,
    /// Its program is looked for on PATH.
    pub by_name: bool,
}

/// What is known of a command from outside of the settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outside {
    pub script: Option<Script>,
    pub start: Option<Start>,
}

impl Looked<'_> {
    /// The text that a shell or a program is given.
    fn command(&self) -> Option<String> {
        match &self.definition.handler {
            Handler::Command(command) => Some(match &command.args {
                Some(args) => std::iter::once(&command.command).chain(args).cloned().collect::<Vec<_>>().join(" "),
                None => command.command.clone(),
            }),
            _ => None,
        }
    }

    /// Where the handler is written.
    fn handler(&self) -> Span {
        self.definition.from.span
    }
}

type Rule = fn(&Looked<'_>) -> Option<Diagnostic>;

const RULES: [Rule; 6] =
    [ignored_matcher::look, permission_syntax::look, not_started::look, seconds::look, exit_one::look, downloads::look];

/// Notes that are errors to an author: on the screen of one event they are remarks, since the event may be another's.
const ERRORS: [&str; 4] = ["HW301", "HW302", "HW305", "HW315"];

/// Everything that is found about what an agent has loaded, in the order of files and places; each place once for each code.
/// `outside` tells of a definition what is known beside the settings.
pub fn lint(
    dialect: &dyn Dialect,
    version: &Version,
    loaded: &Loaded,
    outside: &dyn Fn(&HookDefinition) -> Outside,
) -> Vec<Diagnostic> {
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
    let events = dialect.events(version);
    for definition in loaded.definitions.iter().filter(|d| d.refused.is_none()) {
        let Some(event) = events.iter().find(|e| e.name == definition.event) else { continue };
        let outside = outside(definition);
        let (script, start) = (outside.script.as_ref(), outside.start.as_ref());
        let looked = Looked { agent: dialect.name(), loaded, definition, event, script, start };
        found.extend(RULES.iter().filter_map(|rule| rule(&looked)));
    }
    found.extend(loaded.not_loaded.iter().map(|file| {
        Diagnostic::warning("HW107", format!("{} does not read this file: {}", dialect.name(), file.says))
            .in_file(file.file.clone())
            .help("move the hooks into a file that it reads, or delete this one")
    }));
    let mut seen = Vec::new();
    found.retain(|d| {
        let key = (d.code, d.span, d.file.clone(), d.span.is_none().then(|| d.message.clone()));
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    found.sort_by_key(|d| {
        let place = d.place(&loaded.sources);
        let at = place.as_ref().and_then(|(_, at)| *at).unwrap_or_default();
        (place.map(|(file, _)| file), at)
    });
    found
}
