//! Translation of command lines: variables that the other agent names differently, and `args` and `env` where it
//! has no such keys.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::name_map::matches_name;
use super::note::{ConversionNote, NoteCode};
use super::{ConversionPair, ConvertedDefinition, SharedHook, WrittenDefinition};
use crate::catalogue::catalogue;
use crate::config::LoadedConfig;
use crate::dialects::find_event;
use crate::dialects::settings_format::PROJECT;
use crate::hook::HookDefinition;
use crate::names::RungName;
use crate::port::AgentVersion;
use crate::text::shell::{Shell, Word};

/// A variable reference in a command line.
struct VariableReference<'a> {
    start: usize,
    end: usize,
    name: &'a str,
    braced: bool,
    /// Braced, with more than the name inside the braces: `${NAME:-x}`.
    open: bool,
    /// Inside double quotes.
    quoted: bool,
    /// Inside single quotes or after a backslash, so that no shell expands it.
    literal: bool,
}

/// Finds every `$NAME` and `${NAME}`.
fn variables(command: &str) -> Vec<VariableReference<'_>> {
    let mut out = Vec::new();
    let mut quoted = false;
    let mut single = false;
    let mut escaped = None;
    let mut skip = 0;
    for (start, c) in command.char_indices() {
        if start < skip {
            continue;
        }
        match c {
            '\\' if !single && escaped != Some(start) => escaped = Some(start + 1),
            '"' | '\'' if escaped == Some(start) => {}
            '"' if !single => quoted = !quoted,
            '\'' if !quoted => single = !single,
            '$' => {
                let rest = command.get(start + 1..).unwrap_or("");
                let braced = rest.starts_with('{');
                let body = rest.strip_prefix('{').unwrap_or(rest);
                let length = body.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(body.len());
                let name = body.get(..length).unwrap_or("");
                let open = braced && !body.get(length..).is_some_and(|after| after.starts_with('}'));
                if !name.is_empty() {
                    let end = start + 1 + length + usize::from(braced) + usize::from(braced && !open);
                    let literal = single || escaped == Some(start);
                    out.push(VariableReference { start, end, name, braced, open, quoted, literal });
                    skip = end;
                }
            }
            _ => {}
        }
    }
    out
}

/// Returns a command line with the other agent's variables, and notes about the changes.
pub fn convert_command(pair: &ConversionPair<'_>, command: &str) -> (String, Vec<ConversionNote>) {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    let mut notes: Vec<ConversionNote> = Vec::new();
    let mut note = |note: ConversionNote| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    let mut out = String::new();
    let mut at = 0;
    for found in variables(command) {
        out.push_str(command.get(at..found.start).unwrap_or(""));
        at = found.end;
        let written = command.get(found.start..found.end).unwrap_or("");
        if found.literal {
            note_literal(pair, found.name, &mut note);
            out.push_str(written);
            continue;
        }
        // Where no variable names the project, commands name the directory in which they run.
        let has_variable = from.settings_format().variable_for(PROJECT).is_some();
        let directory = (!has_variable && found.name == "PWD").then_some(PROJECT);
        let Some(means) = from.settings_format().meaning(found.name).or(directory) else {
            out.push_str(written);
            continue;
        };
        let there = to.settings_format().variable_for(means);
        let is_expression = means == PROJECT && pair.project_directory.starts_with("$(");
        if is_expression && !found.open {
            let (to, name) = (to.name(), found.name);
            let says = match there {
                Some(there) => {
                    format!("{to} sets ${there} to the session's directory: git names {means} in place of ${name}")
                }
                None => format!(
                    "{to} has no variable for {means}: git names it in place of ${name}; a script that reads {name} finds it empty"
                ),
            };
            note(ConversionNote::changed(NoteCode::CommandFolder, says));
            out.push_str(&pair.project_directory);
            continue;
        }
        let Some(name) = there else {
            let says = format!("{} does not set {}, which is {means} in {}", to.name(), found.name, from.name());
            note(ConversionNote::worse(NoteCode::CommandVariable, says));
            out.push_str(written);
            continue;
        };
        // Agents that replace variables as text would quote a path with spaces a second time if it is already in
        // quotes; braces prevent that.
        let braced = found.braced || (to.settings_format().replaces_text && found.quoted);
        out.push_str(&match (braced, found.open) {
            (_, true) => format!("${{{name}"),
            (true, false) => format!("${{{name}}}"),
            (false, false) => format!("${name}"),
        });
    }
    out.push_str(command.get(at..).unwrap_or(""));
    (out, notes)
}

/// Notes a quoted variable that a shell leaves alone but that one of the agents expands before the shell sees it.
fn note_literal(pair: &ConversionPair<'_>, name: &str, note: &mut impl FnMut(ConversionNote)) {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    // Names such as `$1` belong to the shell and not to an agent.
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if named && from.settings_format().expands_on_load != to.settings_format().expands_on_load {
        let (does, not) = if to.settings_format().expands_on_load { (to, from) } else { (from, to) };
        let says = format!(
            "{} replaces ${name} when it reads its settings, even inside quotes; {} does not",
            does.name(),
            not.name()
        );
        note(ConversionNote::worse(NoteCode::CommandExpanded, says));
    }
}

/// Quotes one word of a command line. Variable references in braces still expand.
pub fn quote_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if variables(text).iter().any(|found| found.braced) && !text.contains(['"', '\\', '`']) {
        return format!("\"{text}\"");
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Returns a program with its arguments as a command line.
pub fn command_line(program: &str, args: &[String]) -> String {
    std::iter::once(program).chain(args.iter().map(String::as_str)).map(quote_word).collect::<Vec<_>>().join(" ")
}

/// Words that only a shell understands.
const SHELL_WORDS: [&str; 15] = [
    "exit", "cd", "exec", ".", "source", "export", "read", "eval", "set", "trap", "type", "command", ":", "[[", "unset",
];

/// A command line as words that follow another command: itself if it is one program with its arguments, otherwise a
/// shell that reads it.
pub fn words_or_shell_line(command: &str) -> String {
    let parsed = Shell::parse(command);
    let is_program = match parsed.commands.as_slice() {
        [one] => {
            let first = one.words.first().and_then(Word::constant);
            parsed.syntax_error.is_none()
                && parsed.functions.is_empty()
                && one.assignments.is_empty()
                && one.redirections.is_empty()
                && one.reserved_words.is_empty()
                && one.inner_shell.is_none()
                && !command.trim_end().ends_with(['&', ';'])
                && first.is_none_or(|first| !SHELL_WORDS.contains(&first.as_str()))
        }
        _ => false,
    };
    if is_program { command.trim().to_owned() } else { shell_line(command) }
}

/// A command line for an agent that starts programs without a shell: a shell that reads it, unless it means the same without one.
pub fn direct_line(command: &str) -> String {
    if command.contains(['$', '`', '*', '?', '~', '[']) { shell_line(command) } else { words_or_shell_line(command) }
}

/// A shell that reads the command line.
pub fn shell_line(command: &str) -> String {
    format!("sh -c '{}'", command.replace('\'', "'\\''"))
}

/// A note on command lines with the adapter.
pub const ADAPTER_RUNS: &str = "hookbench adapt runs it, so hookbench has to be on PATH";

/// The command line that runs `words`, a command for `from`, in the agent `to`. `spelling` is the event as the command expects
/// it, where its agent has several spellings.
pub fn adapter_line(from: &AgentVersion, spelling: Option<&str>, to: &AgentVersion, words: &str) -> String {
    let spelling = spelling.map(|event| format!(" --event {event}")).unwrap_or_default();
    format!("hookbench adapt --from {}{spelling} --agent {} -- {words}", from.dialect.id(), to.dialect.id())
}

/// Prefixes a command line with the variables that it needs.
pub fn with_variables(command: &str, env: &[(String, String)]) -> String {
    let set: Vec<String> = env.iter().map(|(name, value)| format!("{name}={}", quote_word(value))).collect();
    if set.is_empty() { command.to_owned() } else { format!("export {}; {command}", set.join(" ")) }
}

/// Prefixes a PowerShell command with the variables that it needs. In single quotes, PowerShell doubles only the
/// quote.
pub fn with_variables_in_powershell(command: &str, env: &[(String, String)]) -> String {
    let set = env.iter().map(|(name, value)| format!("${{env:{name}}} = '{}'; ", value.replace('\'', "''")));
    set.chain([command.to_owned()]).collect()
}

/// Leaves out the conversion of a definition that the other agent runs already. `there` holds its settings.
pub fn leave_out_shared_hook(pair: &ConversionPair<'_>, there: &LoadedConfig, item: &mut ConvertedDefinition) {
    // A missing approval is missing for a converted copy too.
    let runs = |d: &&HookDefinition| d.rejection.as_ref().is_none_or(|refused| refused.rung == RungName::Trusted);
    let at = |d: &&HookDefinition| {
        let place = &d.provenance;
        (&place.file, place.line, place.column) == (&item.file, item.line, item.column)
    };
    let Some(own) = there.definitions.iter().filter(at).find(runs) else { return };
    let own_matcher = own.matcher.is_some().then(|| own.matcher_text());
    let meets = |event: &str, matcher: Option<&str>| {
        own.event == event && matchers_meet(pair.to, event, [own_matcher.as_deref(), matcher])
    };
    // A matcher that this agent reads differently needs its conversion.
    if !item.written.is_empty() && !item.written.iter().any(|w| meets(&w.event, w.matcher.as_deref())) {
        return;
    }
    item.shared = Some(SharedHook { event: own.event.clone(), is_command: own.handler.kind() == "command" });
    item.written.clear();
    item.limit = None;
    // The agent does not have these keys in any file.
    item.notes.retain(|note| note.loss && note.code.is_about_handler());
    item.notes.push(shared_note(pair, item));
}

fn shared_note(pair: &ConversionPair<'_>, item: &ConvertedDefinition) -> ConversionNote {
    let (to, file, hook) = (pair.to.dialect, &item.file, &item.label);
    let reads = format!("{} reads {file} itself", to.name());
    if pair.adapts {
        let says = format!(
            "{reads} and runs {hook} unadapted, whatever is converted; to adapt it, first move it to a file that {} does not read",
            to.name()
        );
        return ConversionNote::worse(NoteCode::FileShared, says);
    }
    let says = if to.settings_format().runs_duplicates {
        format!("{reads}, so {hook} would run twice; it is not converted")
    } else {
        format!("{reads}, so {hook} needs no conversion")
    };
    ConversionNote::warned(NoteCode::FileShared, says)
}

/// Returns the parts of a handler that determine what it runs, without its other keys.
pub fn executed_parts(handler: &Map<String, Value>) -> Value {
    let keys = ["type", "command", "url", "prompt", "server", "tool"];
    Value::from_iter(keys.map(|key| handler.get(key).cloned().unwrap_or_default()))
}

/// Adds a note to each definition that repeats an earlier one, if the agents treat repeats differently.
pub fn note_repeats(pair: &ConversionPair<'_>, items: &mut [ConvertedDefinition]) {
    let written: Vec<Vec<WrittenDefinition>> = items.iter().map(|item| item.written.clone()).collect();
    let lines: Vec<u32> = items.iter().map(|item| item.line).collect();
    for (index, item) in items.iter_mut().enumerate() {
        let before = written.iter().zip(&lines).take(index);
        let twin = before.flat_map(|(all, line)| all.iter().map(move |one| (one, *line))).find_map(|(one, line)| {
            let same = |own: &&WrittenDefinition| {
                one.event == own.event && executed_parts(&one.handler) == executed_parts(&own.handler)
            };
            let own = item.written.iter().filter(same).find(|own| {
                !own.exists && matchers_meet(pair.to, &one.event, [one.matcher.as_deref(), own.matcher.as_deref()])
            })?;
            Some((one.handler == own.handler, line))
        });
        item.notes.extend(twin.and_then(|(equal, line)| repeat_note(pair, equal, line)));
    }
}

fn repeat_note(pair: &ConversionPair<'_>, equal: bool, line: u32) -> Option<ConversionNote> {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    let says = match (from.settings_format().runs_duplicates, to.settings_format().runs_duplicates) {
        (false, true) => {
            format!("the hook on line {line} is the same: {} runs one of the two, {} runs both", from.name(), to.name())
        }
        (true, false) => {
            format!("the hook on line {line} is the same: {} runs both, {} runs one of the two", from.name(), to.name())
        }
        (true, true) => return None,
        (false, false) if equal => return None,
        (false, false) => format!(
            "the hook on line {line} runs the same command with other keys: {} keeps one of the two, and {} may keep the other",
            from.name(),
            to.name()
        ),
    };
    Some(ConversionNote::worse(NoteCode::HandlerRepeated, says))
}

/// Whether both matchers match at least one known name on an event of this agent.
pub fn matchers_meet(side: &AgentVersion, event: &str, matchers: [Option<&str>; 2]) -> bool {
    let Some(event) = find_event(side.dialect, &side.version, event) else { return false };
    let Some(key) = event.subject else { return true };
    let mut names: BTreeSet<&str> = event.subjects.iter().copied().collect();
    if let Some(agent) = catalogue().agent(side.dialect.id().as_str()).filter(|_| key == "tool_name") {
        names.extend(agent.tools.iter().map(|tool| tool.id));
    }
    names.extend(matchers.iter().flatten());
    names.iter().any(|name| matchers.iter().all(|matcher| matches_name(side, event, *matcher, name) == Some(true)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found() {
        let found = |text: &'static str| -> Vec<(&str, bool, bool)> {
            variables(text).iter().filter(|f| !f.literal).map(|f| (f.name, f.braced, f.quoted)).collect()
        };
        for (text, want) in [
            ("sh \"$DIR\"/x $A_1", vec![("DIR", false, true), ("A_1", false, false)]),
            ("${DIR}/x ${D:-y} $1x \\$NO $$", vec![("DIR", true, false), ("D", true, false), ("1x", false, false)]),
            ("\\\\$A '$NO' \"\\\"$B\"", vec![("A", false, false), ("B", false, true)]),
            ("'it\"s' $D", vec![("D", false, false)]),
            ("$", vec![]),
        ] {
            assert_eq!(found(text), want, "{text}");
        }
    }

    #[test]
    fn words_stay_words() {
        for (text, want) in [
            ("guard.py", "guard.py"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            ("${DIR}/a b", "\"${DIR}/a b\""),
            ("$HOME", "'$HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quote_word(text), want);
        }
        for (line, want) in [
            ("./guard.py --x", "./guard.py --x"),
            ("\"$DIR\"/x.py", "\"$DIR\"/x.py"),
            ("exit 2", "sh -c 'exit 2'"),
            ("A=b ./x", "sh -c 'A=b ./x'"),
            ("./x | tee 'a b'", "sh -c './x | tee '\\''a b'\\'''"),
            ("./x && ./y", "sh -c './x && ./y'"),
            ("./x &", "sh -c './x &'"),
        ] {
            assert_eq!(words_or_shell_line(line), want);
        }
        assert_eq!(command_line("python3", &["a b".to_owned(), "-u".to_owned()]), "python3 'a b' -u");
    }
}
