//! Turns one source of hooks into definitions, with their numbers, their trust and their mistakes (spec §2, §2.2).

use crate::codex::rules;
use crate::kernel::settings::{DefinitionOrigin, SchemaError, bare_definition, unknown_event};
use hookbench_base::names::RuleId;
use std::time::Duration;

use regex::Regex;
use serde_json::Value;

use super::config_node::{ConfigNode, ConfigValue};
use super::hook_state::{HookStates, ReviewStatus, key};
use super::layers::LayerReader;
use super::schema::{self, EventGroups, HandlerKind, MatcherGroup, ParsedHandler};
use super::{events, matcher, trust_hash};
use hookbench_base::config::{Os, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::hook::{
    AgentHandler, CommandHandler, EventSpec, Handler as Runs, HookDefinition, Layer, McpToolHandler, PromptHandler,
    Rejection,
};
use hookbench_base::plan::RungName;
use hookbench_base::text::Span;

/// The default timeout in seconds, and the shorter default of `SessionEnd` and `Interrupt`.
const DEFAULT_TIMEOUT: u64 = 600;
const SHORT_DEFAULT_TIMEOUT: u64 = 1;
pub const SHORT_MAX_TIMEOUT: u64 = 3;

/// The facts that all definitions of one source share.
pub struct HookSource {
    pub layer: Layer,
    /// The prefix of trust keys: the path of the file, or the key of a plugin.
    pub key: String,
    /// The file that Codex names as the source.
    pub file: String,
    pub managed: bool,
    pub bundle: Option<String>,
    pub env: Vec<(String, String)>,
    /// Set if Codex reads none of these hooks.
    pub refused: Option<(RungName, RuleId, String)>,
}

/// Collects definitions.
pub struct Discovery<'a> {
    place: &'a Place,
    states: HookStates,
    managed_only: bool,
    /// `--dangerously-bypass-hook-trust`: hooks need no review.
    pub bypasses_review: bool,
    /// Counts the hooks that Codex accepts, over all sources.
    next_number: u64,
    /// For each definition, its number (if Codex accepts it) and its file.
    pub places: Vec<(Option<u64>, String)>,
    /// For each definition, why it is trusted, or `None` if it is not.
    pub trusts: Vec<Option<String>>,
    /// The key and the hash of each hook that the user must review, as Codex stores them.
    pub reviews: Vec<(String, String)>,
}

/// A matcher that is not a valid pattern.
struct InvalidMatcher {
    message: String,
    span: Span,
}

impl<'a> Discovery<'a> {
    /// Starts with no definitions.
    pub fn new(place: &'a Place, states: HookStates, managed_only: bool) -> Discovery<'a> {
        Discovery {
            place,
            states,
            managed_only,
            bypasses_review: false,
            next_number: 0,
            places: Vec::new(),
            trusts: Vec::new(),
            reviews: Vec::new(),
        }
    }

    /// Adds all hooks of a source. Adds nothing if Codex rejects the source as a whole.
    pub fn add_source(
        &mut self,
        reading: &mut LayerReader<'_>,
        hooks: &ConfigNode,
        source: &HookSource,
    ) -> Result<(), SchemaError> {
        let found = schema::events(hooks)?;
        for event in &found {
            self.add_event(reading, event, source);
        }
        self.add_unknown_events(reading, hooks, source);
        Ok(())
    }

    fn add_event(&mut self, reading: &mut LayerReader<'_>, event: &EventGroups<'_>, source: &HookSource) {
        for (index, group) in event.groups.iter().enumerate() {
            check_flat_handler(reading, group);
            let matcher = group.matcher.filter(|_| event.event.subject.is_some());
            let bad = matcher.and_then(|(text, span)| {
                let says = matcher::compiled(text).map(Regex::new)?.err()?.to_string();
                Some(InvalidMatcher { message: one_line(&says), span })
            });
            if let Some(bad) = &bad {
                reading.note(bad.note(matcher.map_or("", |(text, _)| text)));
            }
            for (position, handler) in group.handlers.iter().enumerate() {
                self.add_handler(reading, event, group, handler, (index, position), bad.as_ref(), source);
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a hook is what it is, where it stands and whose it is")]
    fn add_handler(
        &mut self,
        reading: &mut LayerReader<'_>,
        event: &EventGroups<'_>,
        group: &MatcherGroup<'_>,
        handler: &ParsedHandler<'_>,
        (index, position): (usize, usize),
        bad: Option<&InvalidMatcher>,
        source: &HookSource,
    ) {
        let name = event.event.name;
        let command = self.command(&handler.kind);
        let seconds = effective_timeout(name, handler.timeout);
        let mut why = source.refused.as_ref().map(|(rung, rule, says)| Rejection::new(*rung, *rule, says.clone()));
        why = why.or_else(|| {
            let says = "the administrator allows only managed hooks";
            (self.managed_only && !source.managed)
                .then(|| Rejection::new(RungName::LayerActive, rules::POLICY_MANAGED_ONLY, says))
        });
        why = why.or_else(|| {
            let says =
                |bad: &InvalidMatcher| format!("Codex does not accept its matcher ({}), so it is ignored", bad.message);
            bad.map(|bad| Rejection::new(RungName::Matcher, rules::MATCHER_INVALID, says(bad)))
        });
        why = why.or_else(|| skip_reason(&handler.kind, command.as_deref()));
        if let Some(skipped) = skip_reason(&handler.kind, command.as_deref()) {
            let (code, help) = match handler.kind {
                HandlerKind::Command { .. } => (Code::HW105, "add a `command`, or delete it"),
                _ => (Code::HW106, "use a command hook"),
            };
            let note = Diagnostic::lowered(code, Severity::Warning, format!("{}, so it is skipped", skipped.message));
            reading.note(note.at(handler.tree.span).with_help(help));
        }
        let matcher = group.matcher.map(|(text, _)| text);
        let mut trust = None;
        let mut order = None;
        if why.is_none() {
            order = Some(self.next_number);
            self.next_number += 1;
            if let Some(says) = toml_overflow(event.event, &handler.kind, seconds)
                && reading.loaded.hooks_off.is_none()
            {
                reading.report_crash(handler.tree.span, &says, "write a smaller number");
            }
            let line = command.clone().unwrap_or_default();
            let hash = trust_hash::hash(event.event, matcher, &handler.kind, &line, seconds);
            let key = key(&source.key, name, index, position);
            let standing = if source.managed { ReviewStatus::Managed } else { self.states.review_status(&key, &hash) };
            if !source.managed {
                self.reviews.push((key, hash.clone()));
            }
            match self.check_trust(standing, &hash) {
                Ok(says) => trust = Some(says),
                Err(refused) => {
                    if refused.rung == RungName::Trusted {
                        let help = "review it in Codex with /hooks; until then `codex exec` skips it without a message";
                        // A new hook waits for its review; a changed one has run before.
                        let note = match standing {
                            ReviewStatus::New => {
                                Diagnostic::lowered(Code::HW704, Severity::Warning, refused.message.clone())
                            }
                            _ => Diagnostic::new(Code::HW704, refused.message.clone()),
                        };
                        reading.note(note.at(handler.tree.span).with_help(help).with_cause("review"));
                    }
                    why = Some(refused);
                }
            }
        }
        check_timeout(reading, name, handler);
        let env = source.env.iter().cloned().collect();
        let handled = to_handler(&handler.kind, command, env);
        Self::push(reading, event.event.name, group, handler.tree, handled, source, why);
        if let Some(definition) = reading.loaded.definitions.last_mut() {
            definition.timeout = Some(Duration::from_secs(seconds));
            definition.detached = matches!(handler.kind, HandlerKind::Command { detached: true, .. });
        }
        self.places.push((order, source.file.clone()));
        self.trusts.push(trust);
    }

    /// Returns the command line for this platform.
    fn command(&self, kind: &HandlerKind) -> Option<String> {
        let HandlerKind::Command { command, windows, .. } = kind else { return None };
        let other = windows.as_ref().filter(|_| self.place.os == Os::Windows);
        Some(other.unwrap_or(command).clone())
    }

    /// Returns why a hook is trusted, or an error with the reason that it does not run.
    fn check_trust(&self, standing: ReviewStatus, hash: &str) -> Result<String, Rejection> {
        let user = self.place.display_path(&format!("{}/config.toml", super::layers::user_dir(self.place)));
        match standing {
            ReviewStatus::Changed | ReviewStatus::New if self.place.assumes_trust => {
                Ok(Place::TRUST_ASSUMED.to_owned())
            }
            ReviewStatus::Changed | ReviewStatus::New if self.bypasses_review => {
                Ok("the agent is started with --dangerously-bypass-hook-trust".to_owned())
            }
            ReviewStatus::Managed => Ok("hooks of the administrator need no review".to_owned()),
            ReviewStatus::Trusted => Ok(format!("{user} contains its hash: {}", short_hash(hash))),
            ReviewStatus::Disabled => Err(Rejection::new(
                RungName::LayerActive,
                rules::STATE_DISABLED,
                format!("{user} sets enabled = false for it"),
            )),
            ReviewStatus::Changed => Err(Rejection::new(
                RungName::Trusted,
                rules::TRUST_CHANGED,
                format!("it has changed since its review in Codex (now {}), so it will not run", short_hash(hash)),
            )),
            ReviewStatus::New => Err(Rejection::new(
                RungName::Trusted,
                rules::TRUST_NEW,
                "it was not reviewed in Codex, so it will not run",
            )),
        }
    }

    /// Reports keys that are not events. Codex ignores them; their hooks are kept so that the plan can explain why
    /// they never run.
    fn add_unknown_events(&mut self, reading: &mut LayerReader<'_>, hooks: &ConfigNode, source: &HookSource) {
        for entry in hooks.entries().unwrap_or(&[]) {
            let known = events::EVENTS.by_name(&entry.key).is_some();
            if known || matches!(entry.key.as_str(), "state" | "managed_dir" | "windows_managed_dir") {
                continue;
            }
            let (says, help) = unknown_event("Codex", &entry.key, events::EVENTS.suggest(&entry.key));
            let note = Diagnostic::new(Code::HW201, format!("{says} Codex skips it without a message."));
            reading.note(note.at(entry.key_span).with_help(help));
            let Ok(groups) = schema::groups(&entry.value, &entry.key) else { continue };
            for group in &groups {
                for handler in &group.handlers {
                    let handled = to_handler(&handler.kind, self.command(&handler.kind), indexmap::IndexMap::new());
                    let why = Rejection::new(RungName::EventKnown, rules::CONFIG_UNKNOWN_EVENT, says.clone());
                    Self::push(reading, &entry.key, group, handler.tree, handled, source, Some(why));
                    self.places.push((None, source.file.clone()));
                    self.trusts.push(None);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "a definition is all of this")]
    fn push(
        reading: &mut LayerReader<'_>,
        event: &str,
        group: &MatcherGroup<'_>,
        tree: &ConfigNode,
        handler: Runs,
        source: &HookSource,
        refused: Option<Rejection>,
    ) {
        let origin =
            DefinitionOrigin { bundle: source.bundle.clone(), ..DefinitionOrigin::of_file(source.layer, None) };
        let definition = bare_definition(reading.loaded, event, tree.to_value(), tree.span, handler, &origin);
        reading.loaded.definitions.push(HookDefinition {
            matcher: group.matcher.map(|(text, _)| Value::from(text)),
            matcher_span: group.matcher.map(|(_, span)| span),
            group: without_hooks(group.tree),
            rejection: refused,
            ..definition
        });
    }
}

impl InvalidMatcher {
    fn note(&self, text: &str) -> Diagnostic {
        let around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|part| text.contains(part));
        let note = if around || self.message.contains("backreference") {
            Diagnostic::new(
                Code::HW309,
                format!("Codex does not accept the pattern \"{text}\", so its hooks are ignored ({})", self.message),
            )
            .with_help(
                "Codex uses Rust's patterns, which have no look-around and no back references; write it without them",
            )
        } else {
            Diagnostic::new(
                Code::HW308,
                format!("\"{text}\" is not a valid pattern, so its hooks are ignored ({})", self.message),
            )
            .with_help("close the open bracket, or escape a literal character with a backslash")
        };
        note.at(self.span)
    }
}

/// Returns the essential line of a parser's message.
fn one_line(says: &str) -> String {
    let last = says.lines().rev().find_map(|line| line.trim().strip_prefix("error: "));
    last.unwrap_or_else(|| says.lines().next().unwrap_or(says)).to_owned()
}

/// Returns why Codex never runs a handler that it has read.
fn skip_reason(kind: &HandlerKind, command: Option<&str>) -> Option<Rejection> {
    let says = match kind {
        HandlerKind::Prompt => "Codex does not run prompt hooks",
        HandlerKind::Agent => "Codex does not run agent hooks",
        HandlerKind::Command { .. } if command.is_some_and(|c| c.trim().is_empty()) => "the command is blank",
        _ => return None,
    };
    Some(Rejection::new(RungName::Command, rules::CONFIG_SKIPPED, says))
}

/// Returns a message if a number does not fit into TOML. Codex writes every hook as TOML for its trust check.
fn toml_overflow(event: &EventSpec, kind: &HandlerKind, seconds: u64) -> Option<String> {
    let limit = match kind {
        HandlerKind::Command { limit, .. } => limit.filter(|_| event.honoured_output.contains(&events::CONTEXT)),
        _ => None,
    };
    [("timeout", Some(seconds)), ("additionalContextLimit", limit)].into_iter().find_map(|(name, number)| {
        let number = number.filter(|number| i64::try_from(*number).is_err())?;
        Some(format!("`{name}` is {number}, but may be {} at most", i64::MAX))
    })
}

/// Returns the effective timeout in seconds.
pub fn effective_timeout(event: &str, written: Option<u64>) -> u64 {
    let short = events::is_short(event);
    let seconds = written.unwrap_or(if short { SHORT_DEFAULT_TIMEOUT } else { DEFAULT_TIMEOUT }).max(1);
    if short { seconds.min(SHORT_MAX_TIMEOUT) } else { seconds }
}

fn check_timeout(reading: &mut LayerReader<'_>, event: &str, handler: &ParsedHandler<'_>) {
    let Some(written) = handler.timeout else { return };
    let span = handler.tree.get("timeout").map_or(handler.tree.span, |t| t.span);
    if written == 0 {
        let note = Diagnostic::new(Code::HW502, "a timeout of 0 means one second, not \"no limit\"");
        reading.note(note.at(span).with_help("delete it, or write more seconds"));
    } else if effective_timeout(event, Some(written)) < written {
        let says =
            format!("{event} gives its hooks at most {SHORT_MAX_TIMEOUT} seconds, even if a longer timeout is set");
        reading.note(Diagnostic::new(Code::HW506, says).at(span).with_help("write 3 or less"));
    }
}

/// Reports a handler in the place of a group: Codex reads it as a group without hooks.
fn check_flat_handler(reading: &mut LayerReader<'_>, group: &MatcherGroup<'_>) {
    if group.handlers.is_empty() && group.tree.get("hooks").is_none() && group.tree.get("command").is_some() {
        let says = "the handler is beside its matcher instead of in a `hooks` list, so Codex ignores it";
        reading.note(
            Diagnostic::new(Code::HW103, says).at(group.tree.span).with_help("wrap it: { \"hooks\": [ { … } ] }"),
        );
    }
}

fn to_handler(kind: &HandlerKind, command: Option<String>, env: indexmap::IndexMap<String, String>) -> Runs {
    match kind {
        HandlerKind::Command { .. } => {
            // A plugin's variables are inserted into its commands as text.
            let text = env
                .iter()
                .fold(command.unwrap_or_default(), |text, (name, value)| text.replace(&format!("${{{name}}}"), value));
            Runs::Command(CommandHandler { command: text, args: None, shell: None, env })
        }
        HandlerKind::McpTool { server, tool, input } => {
            Runs::McpTool(McpToolHandler { server: server.clone(), tool: tool.clone(), input: input.clone() })
        }
        HandlerKind::Prompt => Runs::Prompt(PromptHandler::default()),
        HandlerKind::Agent => Runs::Agent(AgentHandler::default()),
    }
}

/// Returns the keys of a group without its hooks.
fn without_hooks(tree: &ConfigNode) -> Value {
    let ConfigValue::Table(entries) = &tree.value else { return Value::Null };
    Value::Object(entries.iter().filter(|e| e.key != "hooks").map(|e| (e.key.clone(), e.value.to_value())).collect())
}

/// Returns the first 15 characters of a hash, enough to compare by eye.
fn short_hash(hash: &str) -> &str {
    hash.get(..15).unwrap_or(hash)
}
