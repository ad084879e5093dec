//! Parsing of one breakpoint in the user's settings. A breakpoint with an error is ignored as a whole: without the
//! wrong part it could match more than intended.

use regex::Regex;
use toml_edit::{Document, Item, Table, TableLike};

use super::breakpoint::{Breakpoint, BreakpointAction, TimeoutAction, can_be_held};
use super::path_pattern::{PathPattern, check_tool, known_event};
use super::{EnabledHandlers, InterceptSettings};
use crate::live::{
    Decision, DecisionKind, RawJson, SettingsProblem, agents, expressible_decisions, is_blocking, live_form,
};
use crate::names::AgentId;

const KEYS: [&str; 16] = [
    "name",
    "enabled",
    "agent",
    "event",
    "tool",
    "path",
    "command",
    "session",
    "action",
    "on_timeout",
    "reason",
    "content",
    "input",
    "stdout",
    "stderr",
    "exit_code",
];
const ACTIONS: &str = "\"hold\", \"observe\", \"replace\", \"allow\", \"deny\", \"ask\", \"modify\", \"halt\", \"raw\"";

/// Parses a breakpoint.
pub(super) fn breakpoint(table: &dyn TableLike) -> Result<Breakpoint, Vec<SettingsProblem>> {
    let mut reading = BreakpointParser { table, wrong: Vec::new() };
    for (name, _, span) in keys_with_spans(table) {
        if !KEYS.contains(&name) {
            reading.wrong.push(unknown("breakpoint", name, span, &KEYS));
        }
    }
    let name = reading.text("name");
    if name.as_deref().is_none_or(|name| name.trim().is_empty()) && reading.wrong.is_empty() {
        reading.report(None, "a breakpoint needs a name: its answers are shown under this name".to_owned());
    }
    let agent = reading.agent();
    let event = reading.event(agent.as_deref());
    let point = Breakpoint {
        name: name.unwrap_or_default(),
        enabled: reading.take("enabled", "true or false", Item::as_bool).unwrap_or(true),
        event_name: reading.table.get("event").and_then(Item::as_str).map(str::to_owned),
        tool: reading.parsed("tool", |name| check_tool(name).map(|()| name.to_owned())),
        path: reading.parsed("path", |text| PathPattern::new(text).map_err(|why| why.to_string())),
        command: reading.parsed("command", |text| Regex::new(text).map_err(|_| NO_PATTERN.to_owned())),
        session: reading.text("session"),
        action: reading.action(),
        on_timeout: reading.parsed("on_timeout", on_timeout).unwrap_or_default(),
        agent,
        event,
    };
    reading.check_possible(&point);
    if reading.wrong.is_empty() { Ok(point) } else { Err(reading.wrong) }
}

const NO_PATTERN: &str =
    "this is not a valid pattern; write a regular expression without look-around and back references";

fn on_timeout(word: &str) -> Result<TimeoutAction, String> {
    TimeoutAction::from_word(word)
        .ok_or_else(|| "breakpoint.on_timeout must be \"pass\", \"deny\" or \"ask\"".to_owned())
}

struct BreakpointParser<'a> {
    table: &'a dyn TableLike,
    wrong: Vec<SettingsProblem>,
}

impl<'a> BreakpointParser<'a> {
    fn report(&mut self, item: Option<&Item>, says: String) {
        self.wrong.push(SettingsProblem { span: item.and_then(Item::span), message: says });
    }

    fn take<T>(&mut self, name: &str, what: &str, read: impl Fn(&'a Item) -> Option<T>) -> Option<T> {
        let item = self.table.get(name)?;
        let value = read(item);
        if value.is_none() {
            self.report(Some(item), format!("breakpoint.{name} must be {what}"));
        }
        value
    }

    fn text(&mut self, name: &str) -> Option<String> {
        self.take(name, "a string", Item::as_str).map(str::to_owned)
    }

    fn parsed<T>(&mut self, name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Option<T> {
        let text = self.text(name)?;
        match parse(&text) {
            Ok(value) => Some(value),
            Err(says) => {
                self.report(self.table.get(name), says);
                None
            }
        }
    }

    fn agent(&mut self) -> Option<String> {
        self.parsed("agent", |name| {
            let known: Vec<&str> = agents().map(AgentId::as_str).collect();
            if known.contains(&name) {
                return Ok(name.to_owned());
            }
            Err(format!("unknown agent {name}; known are {}", known.join(", ")))
        })
    }

    fn event(&mut self, agent: Option<&str>) -> Option<String> {
        self.parsed("event", |spelled| known_event(agent, spelled))
    }

    fn action(&mut self) -> BreakpointAction {
        let word = self.text("action").unwrap_or_else(|| "hold".to_owned());
        if word == "hold" {
            return BreakpointAction::Hold;
        }
        let decision = DecisionKind::from_word(&word).and_then(|kind| self.decision(kind));
        if decision.is_none() && self.wrong.is_empty() {
            self.report(self.table.get("action"), format!("breakpoint.action must be one of {ACTIONS}"));
        }
        BreakpointAction::Fixed(decision.unwrap_or(Decision::Observe))
    }

    fn decision(&mut self, kind: DecisionKind) -> Option<Decision> {
        let reason = self.text("reason");
        Some(match kind {
            DecisionKind::Observe => Decision::Observe,
            DecisionKind::Allow => Decision::Allow { reason },
            DecisionKind::Deny => Decision::Deny { reason },
            DecisionKind::Ask => Decision::Ask { reason },
            DecisionKind::Halt => Decision::Halt { reason },
            DecisionKind::Replace => {
                let content = self.text("content");
                if content.is_none() {
                    self.report(None, "action = \"replace\" needs content: the text for the model".to_owned());
                }
                Decision::Replace { content: content? }
            }
            DecisionKind::Modify => {
                let input = self.text("input").and_then(|text| RawJson::parse(text.trim()));
                let input = input.filter(RawJson::is_object);
                if input.is_none() {
                    let says =
                        "action = \"modify\" needs input: a string with the new input as a JSON object".to_owned();
                    self.report(self.table.get("input"), says);
                }
                Decision::Modify { updated_input: input?, reason }
            }
            DecisionKind::Raw => Decision::Raw {
                stdout: self.text("stdout").unwrap_or_default(),
                stderr: self.text("stderr").unwrap_or_default(),
                exit_code: self
                    .take("exit_code", "0 … 255", |item| u8::try_from(item.as_integer()?).ok())
                    .unwrap_or_default(),
            },
        })
    }

    /// Checks that the action is possible on the breakpoint's event.
    fn check_possible(&mut self, point: &Breakpoint) {
        let Some(event) = point.event.as_deref().filter(|_| self.wrong.is_empty()) else { return };
        let wanted = match (&point.action, point.on_timeout) {
            (BreakpointAction::Hold, _) if !can_be_held(event) => {
                let says = format!("{event} cannot be held: the agent waits there only for handlers, or not at all");
                return self.report(self.table.get("event"), says);
            }
            (BreakpointAction::Fixed(decision), _) if *decision != Decision::Observe && !is_blocking(event) => {
                let says = format!("{event} gets an empty answer at once; a breakpoint cannot decide it");
                return self.report(self.table.get("event"), says);
            }
            (BreakpointAction::Hold, TimeoutAction::Pass) => return,
            (BreakpointAction::Hold, TimeoutAction::Deny) => DecisionKind::Deny,
            (BreakpointAction::Hold, TimeoutAction::Ask) => DecisionKind::Ask,
            (BreakpointAction::Fixed(decision), _) => decision.kind(),
        };
        let Some(form) = point.agent.as_deref().and_then(live_form) else { return };
        let possible = expressible_decisions(form, event);
        if !matches!(wanted, DecisionKind::Observe | DecisionKind::Raw) && !possible.contains(&wanted) {
            let words: Vec<&str> = possible.into_iter().map(DecisionKind::word).collect();
            let agent = point.agent.as_deref().unwrap_or_default();
            let says = format!(
                "{agent} does not support {} on {event}; it supports: {}",
                wanted.word(),
                if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
            );
            self.report(self.table.get("action").or_else(|| self.table.get("on_timeout")), says);
        }
    }
}

/// The tables that belong to the interceptor.
pub const INTERCEPT_TABLES: [&str; 4] = [LIVE, STORE, BREAKPOINT, HANDLERS];
const LIVE: &str = "live";
const STORE: &str = "store";
const BREAKPOINT: &str = "breakpoint";
const HANDLERS: &str = "handlers";

/// Parses a settings file. Invalid settings are reported and ignored.
pub fn read_intercept_settings(text: &str) -> (InterceptSettings, Vec<SettingsProblem>) {
    match Document::parse(text) {
        Ok(document) => read_intercept_tables(document.as_table()),
        Err(why) => {
            let says = format!("this is not valid TOML, so the whole file is ignored: {}", why.message());
            (InterceptSettings::default(), vec![SettingsProblem { span: why.span(), message: says }])
        }
    }
}

/// Reads the settings from a parsed file.
pub fn read_intercept_tables(root: &Table) -> (InterceptSettings, Vec<SettingsProblem>) {
    let mut settings = InterceptSettings::default();
    let mut wrong = Vec::new();
    if let Some(item) = root.get(LIVE) {
        live(item, &mut settings, &mut wrong);
    }
    if let Some(item) = root.get(STORE) {
        switches(STORE, item, &mut [("redact", &mut settings.redact)], &mut wrong);
    }
    if let Some(item) = root.get(HANDLERS) {
        let EnabledHandlers { overview, handoff, stop_failure } = &mut settings.handlers;
        let mut known = [("overview", overview), ("handoff", handoff), ("stop_failure", stop_failure)];
        switches(HANDLERS, item, &mut known, &mut wrong);
    }
    for (span, table) in root.get(BREAKPOINT).map(|item| list(item, &mut wrong)).unwrap_or_default() {
        match breakpoint(table) {
            Ok(point) => settings.breakpoints.push(point),
            Err(problems) => {
                wrong.extend(problems.into_iter().map(|w| SettingsProblem { span: w.span.or(span.clone()), ..w }));
            }
        }
    }
    (settings, wrong)
}

fn live(item: &Item, settings: &mut InterceptSettings, wrong: &mut Vec<SettingsProblem>) {
    for (name, item, span) in entries(LIVE, item, wrong) {
        if name != "cooldown_stop_ms" {
            wrong.push(unknown(LIVE, name, span, &["cooldown_stop_ms"]));
        } else if let Some(ms) = item.as_integer().filter(|ms| *ms >= 0) {
            settings.cooldown_stop_ms = ms;
        } else {
            let says = "live.cooldown_stop_ms must be a whole number of milliseconds, 0 or more".to_owned();
            wrong.push(SettingsProblem { span: item.span(), message: says });
        }
    }
}

/// Reads a table of switches.
fn switches(table: &str, item: &Item, known: &mut [(&str, &mut bool)], wrong: &mut Vec<SettingsProblem>) {
    for (name, item, span) in entries(table, item, wrong) {
        let Some((_, switch)) = known.iter_mut().find(|(other, _)| *other == name) else {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            wrong.push(unknown(table, name, span, &names));
            continue;
        };
        match item.as_bool() {
            Some(value) => **switch = value,
            None => wrong
                .push(SettingsProblem { span: item.span(), message: format!("{table}.{name} must be true or false") }),
        }
    }
}

type TomlSpan = Option<std::ops::Range<usize>>;

fn entries<'a>(name: &str, item: &'a Item, wrong: &mut Vec<SettingsProblem>) -> Vec<(&'a str, &'a Item, TomlSpan)> {
    let Some(table) = item.as_table_like() else {
        wrong.push(SettingsProblem { span: item.span(), message: format!("{name} must be a table of settings") });
        return Vec::new();
    };
    keys_with_spans(table)
}

/// Returns the keys of a table with their spans.
pub(super) fn keys_with_spans(table: &dyn TableLike) -> Vec<(&str, &Item, TomlSpan)> {
    let place = |name| table.get_key_value(name).and_then(|(key, _)| key.span());
    table.iter().map(|(name, item)| (name, item, place(name))).collect()
}

pub(super) fn unknown(table: &str, name: &str, span: TomlSpan, known: &[&str]) -> SettingsProblem {
    SettingsProblem { span, message: format!("unknown setting {table}.{name}; known are {}", known.join(", ")) }
}

/// Returns the tables of the list, in either TOML notation.
fn list<'a>(item: &'a Item, wrong: &mut Vec<SettingsProblem>) -> Vec<(TomlSpan, &'a dyn TableLike)> {
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|table| (table.span(), table as &dyn TableLike)).collect();
    }
    let inline = item.as_array().map(|array| {
        array.iter().map(|v| v.as_inline_table().map(|t| (v.span(), t as &dyn TableLike))).collect::<Option<Vec<_>>>()
    });
    inline.flatten().unwrap_or_else(|| {
        let says = "breakpoint must be a list of tables: each starts with [[breakpoint]]".to_owned();
        wrong.push(SettingsProblem { span: item.span(), message: says });
        Vec::new()
    })
}
