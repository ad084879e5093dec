//! Settings in which every command hook is started by a recorder, which notes the run and passes everything through.
//!
//! The command of a hook becomes the argument of the recorder, so agents that remove duplicates compare the same texts.
//! Matchers, names, timeouts and all other keys do not change.

use std::collections::BTreeMap;

use crate::lint::written_command;
use hookbench_base::config::LoadedConfig;
use hookbench_base::dialects::Agent;
use hookbench_base::hook::{CommandHandler, Handler};
use hookbench_base::recorded::digest;
use hookbench_base::text::edit::{EditSet, FileFormat, TextEdit, quote_like};
use hookbench_base::text::quote_literal;

/// The name under which hookbench's own hook is recorded.
pub const OBSERVER: &str = "observer";
/// The length of a hook's name in the notes.
const NAME_LENGTH: usize = 16;

/// The recorder, with paths as the agent sees them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorder {
    /// The program.
    pub program: String,
    /// The directory of the notes.
    pub directory: String,
}

/// Settings with recorded hooks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordedSettings {
    /// The changed texts, by path.
    pub files: BTreeMap<String, String>,
    /// Every recorded command, and the command that was written.
    pub commands: Vec<(String, String)>,
    /// The hooks that are not recorded, with reasons.
    pub unrecorded: Vec<String>,
}

impl RecordedSettings {
    /// Puts the commands that were written in place of the recorded ones in a text of the agent.
    pub fn written_text(&self, text: &str) -> String {
        self.commands.iter().fold(text.to_owned(), |text, (recorded, written)| text.replace(recorded, written))
    }
}

/// The name of a hook in the notes: the same for the same command.
pub fn hook_name(handler: &CommandHandler) -> String {
    let mut text = handler.command.clone();
    for arg in handler.args.iter().flatten() {
        text.push('\0');
        text.push_str(arg);
    }
    digest(text.as_bytes()).chars().take(NAME_LENGTH).collect()
}

impl Recorder {
    /// The command line that records a hook. The hook runs in the shell that the agent has chosen.
    pub fn shell_line(&self, hook: &str, command: &str) -> String {
        let program = quote(&self.program);
        format!("exec {program} record {} {hook} -- \"$0\" -c {}", quote(&self.directory), quote(command))
    }

    /// The command line that records a program with its arguments, for agents with a shell or without one.
    fn direct_line<'w>(&self, hook: &str, words: impl Iterator<Item = &'w str>) -> String {
        let own = [quote(&self.program), "record".to_owned(), quote(&self.directory), hook.to_owned(), "--".to_owned()];
        own.into_iter().chain(words.map(quote)).collect::<Vec<_>>().join(" ")
    }

    /// The command line of hookbench's own hook. `has_shell`: the agent reads it with a shell.
    pub fn observer_line(&self) -> String {
        self.direct_line(OBSERVER, std::iter::once("true"))
    }

    /// A script that starts the recorder, and the hook itself beside it, under a name that is no event's.
    fn recorded_script(&self, handler: &CommandHandler, path: &str, text: &str) -> Vec<(String, String)> {
        let Some((folder, name)) = path.rsplit_once('/') else { return Vec::new() };
        let moved = format!("{folder}/hookbench-{name}");
        let words = std::iter::once(&handler.command).chain(handler.args.iter().flatten());
        let words: Vec<String> = words.map(|word| quote(if word == path { &moved } else { word })).collect();
        let (program, notes) = (quote(&self.program), quote(&self.directory));
        let script =
            format!("#!/bin/sh\nexec {program} record {notes} {} -- {}\n", hook_name(handler), words.join(" "));
        vec![(path.to_owned(), script), (moved, text.to_owned())]
    }

    /// The settings with every command hook recorded.
    pub fn record(&self, loaded: &LoadedConfig, dialect: &Agent) -> RecordedSettings {
        let mut edits: BTreeMap<&str, (&str, Vec<TextEdit>)> = BTreeMap::new();
        let mut recorded = RecordedSettings::default();
        for definition in &loaded.definitions {
            let Handler::Command(handler) = &definition.handler else { continue };
            let source = definition.provenance.span.source;
            let path = loaded.sources.path(source);
            let name = || definition.label();
            if handler.shell.as_deref().is_some_and(|shell| shell.contains("powershell") || shell.contains("pwsh")) {
                recorded.unrecorded.push(format!("{}: it runs in PowerShell", name()));
                continue;
            }
            if dialect.settings_format().script.is_some() {
                recorded.files.extend(self.recorded_script(handler, path, loaded.sources.text(source)));
                continue;
            }
            let Some(written) = written_command(definition, None, dialect, &loaded.sources) else {
                recorded.unrecorded.push(format!("{}: its command is not found in {path}", name()));
                continue;
            };
            let text = loaded.sources.text(source);
            let hook = hook_name(handler);
            let (_, edits) = edits.entry(path).or_insert((text, Vec::new()));
            let form = FileFormat::from_path(path);
            let place = written.command.span;
            let before = text.get(place.start..place.end).unwrap_or_default();
            let mut replace = |command: &str| {
                edits.push(TextEdit::replace(place.start, place.end, quote_like(command, before, form)));
            };
            if let (Some(args), None) = (&handler.args, &written.args) {
                let words = std::iter::once(&handler.command).chain(args).map(String::as_str);
                let line = self.direct_line(&hook, words);
                replace(&line);
                recorded.commands.push((line, written.command.text.clone()));
            } else if let Some(args) = &handler.args {
                let Some(open) = list_start(text, place.end, written.args.as_deref().unwrap_or_default()) else {
                    recorded.unrecorded.push(format!("{}: its arguments are not found in {path}", name()));
                    continue;
                };
                replace(&self.program);
                let first = ["record", &self.directory, &hook, "--", &written.command.text].map(quote_literal);
                let comma = if args.is_empty() { "" } else { ", " };
                edits.push(TextEdit::insert(open, format!("{}{comma}", first.join(", "))));
            } else {
                let line = self.shell_line(&hook, &written.command.text);
                replace(&line);
                recorded.commands.push((line, written.command.text.clone()));
            }
        }
        for (path, (text, edits)) in edits {
            // Two definitions can come from one handler.
            let mut distinct: Vec<TextEdit> = Vec::new();
            for edit in edits {
                if !distinct.contains(&edit) {
                    distinct.push(edit);
                }
            }
            match distinct.into_iter().collect::<EditSet>().apply(text) {
                Ok(text) => drop(recorded.files.insert(path.to_owned(), text)),
                Err(why) => recorded.unrecorded.push(format!("the hooks of {path}: {why}")),
            }
        }
        // A long command may contain a short one.
        recorded.commands.sort_by_key(|(line, _)| std::cmp::Reverse(line.len()));
        recorded.commands.dedup();
        recorded
    }
}

/// The place after the bracket that opens the list of arguments: before the first one, or after the command.
fn list_start(text: &str, after: usize, args: &[hookbench_base::text::Literal]) -> Option<usize> {
    if let Some(first) = args.first() {
        return Some(first.span.start);
    }
    let open = text.get(after..)?.find('[')?;
    Some(after + open + 1)
}

/// Quotes a text for a POSIX shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
