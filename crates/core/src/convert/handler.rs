//! Translation of the keys of a handler: keys that both agents know are copied, the others are rewritten or
//! reported.

use serde_json::{Map, Value};

use super::note::{ConversionNote, NoteCode};
use super::{ConversionPair, command};
use crate::dialects::settings_format::HandlerFormat;
use crate::text::{stringify, truthy};

/// Returns the handler for the other agent and notes about its keys. The handler is `None` if the other agent
/// cannot run it.
pub fn convert_handler(
    pair: &ConversionPair<'_>,
    raw: &Value,
    event: &str,
    there: &str,
) -> (Option<Map<String, Value>>, Vec<ConversionNote>) {
    let (from, to) = (pair.from.dialect, pair.to.dialect);
    let kind = raw.get("type").and_then(Value::as_str).unwrap_or_default();
    let none = |code: NoteCode, says: String| (None, vec![ConversionNote::dropped(code, says)]);
    let Some(own) = from.settings_format().handler(kind) else {
        return none(NoteCode::HandlerNever, format!("{} does not run {kind} handlers either", from.name()));
    };
    let Some(form) = to.settings_format().handler(kind) else {
        return none(NoteCode::HandlerKind, format!("{} has no {kind} handlers", to.name()));
    };
    if !(from.settings_format().runs_on)(kind, event) {
        return none(NoteCode::HandlerNever, format!("{} does not run {kind} handlers on {event} either", from.name()));
    }
    if !(to.settings_format().runs_on)(kind, there) {
        return none(NoteCode::HandlerEvent, format!("{} does not run {kind} handlers on {there}", to.name()));
    }
    if kind == "command" && raw.get("command").and_then(Value::as_str) == Some("") {
        return none(NoteCode::HandlerNever, "`command` is empty, so there is nothing to run".to_owned());
    }
    let mut port = HandlerConverter { pair, form, event, out: Map::new(), notes: Vec::new(), raw };
    port.out.insert("type".to_owned(), Value::from(kind));
    let nothing = Map::new();
    let given = raw.as_object().unwrap_or(&nothing);
    for (key, value) in given {
        let counts = own.required.contains(&key.as_str()) || own.optional.contains(&key.as_str());
        match key.as_str() {
            "type" | "timeout" => {}
            _ if !counts => port.note_unread_key(key, value),
            "command" => port.command(value),
            "if" if value.as_str() == Some("") => {}
            _ if form.required.contains(&key.as_str()) || form.optional.contains(&key.as_str()) => {
                port.out.insert(key.clone(), value.clone());
            }
            _ => {
                if !port.drop_key(key, value) {
                    return (None, port.notes);
                }
            }
        }
    }
    if let Some(why) = (to.settings_format().refusal_reason)(&port.out) {
        port.notes.push(ConversionNote::worse(
            NoteCode::HandlerRefused,
            format!("{} does not run it with the current settings: {why}", to.name()),
        ));
    }
    (Some(port.out), port.notes)
}

struct HandlerConverter<'a> {
    pair: &'a ConversionPair<'a>,
    form: &'static HandlerFormat,
    /// The event in the source agent.
    event: &'a str,
    out: Map<String, Value>,
    notes: Vec<ConversionNote>,
    raw: &'a Value,
}

impl HandlerConverter<'_> {
    /// Notes a key that the source agent does not read.
    fn note_unread_key(&mut self, key: &str, value: &Value) {
        let from = self.pair.from.dialect.name();
        let read = self.form.optional.contains(&key).then(|| format!(", but {} would", self.pair.to.dialect.name()));
        let says = format!("{from} ignores `{key}`{}: {} is omitted", read.unwrap_or_default(), short(value));
        self.notes.push(ConversionNote::changed(NoteCode::HandlerUnreadKey, says));
    }

    fn command(&mut self, value: &Value) {
        let Some(text) = value.as_str() else {
            self.out.insert("command".to_owned(), value.clone());
            return;
        };
        let source = self.pair.from.dialect.settings_format().handler("command");
        let reads = |key: &str| source.is_some_and(|own| own.optional.contains(&key));
        let args = self.raw.get("args").and_then(Value::as_array).filter(|_| reads("args"));
        let args = args.filter(|_| !self.form.optional.contains(&"args"));
        let mut line = match args {
            Some(args) => {
                let args: Vec<String> = args.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                let to = self.pair.to.dialect.name();
                let says = format!("{to} has no `args`: they are appended to the command line, which a shell parses");
                self.notes.push(ConversionNote::changed(NoteCode::HandlerArgs, says));
                command::command_line(text, &args)
            }
            None => text.to_owned(),
        };
        let original = line.clone();
        let (ported, notes) = command::convert_command(self.pair, &line);
        line = ported;
        let is_changed = !notes.is_empty();
        if !self.pair.adapts {
            self.notes.extend(notes);
        }
        let env = self.raw.get("env").and_then(Value::as_object).filter(|_| !self.form.optional.contains(&"env"));
        if let Some(env) = env.filter(|env| reads("env") && !env.is_empty()) {
            let says =
                format!("{} has no `env`: the command line sets the variables instead", self.pair.to.dialect.name());
            self.notes.push(ConversionNote::changed(NoteCode::HandlerEnv, says));
            let text = |value: &Value| value.as_str().map_or_else(|| stringify(value), str::to_owned);
            let set: Vec<(String, String)> = env.iter().map(|(name, value)| (name.clone(), text(value))).collect();
            let powershell = self.raw.get("shell").is_some_and(|shell| shell == "powershell");
            let with = if powershell { command::with_variables_in_powershell } else { command::with_variables };
            line = with(&line, &set);
        }
        if self.pair.adapts {
            // The adapter sets the variables of the script's agent.
            let inner = if is_changed { command::shell_line(&original) } else { command::words_or_shell_line(&line) };
            line = command::adapter_line(self.pair.from, self.other_spelling(), self.pair.to, &inner);
            self.notes.push(ConversionNote::changed(NoteCode::HandlerAdapted, command::ADAPTER_RUNS.to_owned()));
        }
        if !self.pair.adapts
            && let Some(event) = self.other_spelling()
        {
            let says = format!(
                "{} sends the payload of {event} with other keys than {}; --adapt translates it",
                self.pair.from.dialect.name(),
                self.pair.to.dialect.name()
            );
            self.notes.push(ConversionNote::worse(NoteCode::HandlerPayload, says));
        }
        let [has_shell, will_have] =
            [self.pair.from, self.pair.to].map(|side| !side.dialect.settings_format().has_no_shell);
        if has_shell && !will_have {
            line = command::direct_line(&line);
        }
        self.out.insert("command".to_owned(), Value::from(line));
    }

    /// The event, if its agent has another spelling that counts as the main one.
    fn other_spelling(&self) -> Option<&str> {
        Some(self.event).filter(|event| self.pair.from.dialect.main_spelling(event) != *event)
    }

    /// Handles a key that the other agent does not have. Returns `false` if the handler must not run without it.
    fn drop_key(&mut self, key: &str, value: &Value) -> bool {
        let to = self.pair.to.dialect.name();
        let is_default = !truthy(value) || (key == "onFailure" && value == "continue");
        let said = |effect: &str| format!("{to} has no `{key}` ({}): {effect}", short(value));
        match key {
            "args" | "env" => {}
            _ if is_default => {}
            "if" => {
                let says = said("without the condition, the hook would run for every call");
                self.notes.push(ConversionNote::dropped(NoteCode::HandlerCondition, says));
                return false;
            }
            "shell" if value == "powershell" => {
                self.notes.push(ConversionNote::dropped(
                    NoteCode::HandlerShell,
                    said("the command works in this shell only"),
                ));
                return false;
            }
            "shell" => {
                self.notes
                    .push(ConversionNote::warned(NoteCode::HandlerShell, said("its default shell runs the command")));
            }
            "async" | "asyncRewake" => {
                self.notes.push(ConversionNote::worse(NoteCode::HandlerAsync, said("the agent waits for the hook")));
            }
            "onFailure" => {
                self.notes
                    .push(ConversionNote::worse(NoteCode::HandlerOnFailure, said("a hook that fails does not block")));
            }
            "cwd" => {
                let effect = "the hook runs in the directory of the session";
                self.notes.push(ConversionNote::worse(NoteCode::HandlerKey, said(effect)));
            }
            "once" => self.notes.push(ConversionNote::worse(NoteCode::HandlerOnce, said("the hook runs every time"))),
            "headers" | "allowedEnvVars" => {
                self.notes.push(ConversionNote::worse(NoteCode::HandlerKey, said("the request is sent without it")));
            }
            "priority" if *value == 0 => {}
            "priority" => {
                let in_order = self.pair.to.dialect.settings_format().runs_in_order;
                let effect = if in_order {
                    "the hooks run in the order of the file"
                } else {
                    "only the order in the file is kept, and hooks run in parallel"
                };
                self.notes.push(ConversionNote::worse(NoteCode::HandlerKey, said(effect)));
            }
            "critical" => {
                self.notes
                    .push(ConversionNote::worse(NoteCode::HandlerOnFailure, said("a hook that fails does not block")));
            }
            "name" | "description" | "statusMessage" => {
                self.notes.push(ConversionNote::dropped(NoteCode::HandlerWords, said("it is not displayed there")));
            }
            _ => self.notes.push(ConversionNote::dropped(NoteCode::HandlerKey, said("it has no effect there"))),
        }
        true
    }
}

/// Formats a value, shortened to 40 characters.
fn short(value: &Value) -> String {
    const LONGEST: usize = 40;
    let text = stringify(value);
    if text.chars().count() <= LONGEST {
        return text;
    }
    format!("{}…", text.chars().take(LONGEST - 1).collect::<String>())
}
