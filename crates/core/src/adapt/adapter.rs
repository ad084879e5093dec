//! The two agents of an adapted script, and what passes between them.

use std::cell::RefCell;
use std::sync::Arc;

use serde_json::Value;

use super::lone_hook::LoneHook;
use crate::config::Place;
use crate::decide::{Outcome, Verdict};
use crate::hook::HookInput;
use crate::port::{AgentVersion, TranslationNote};
use crate::run::Exit;

/// An adapter between the agent that runs a hook and the agent that its script was written for.
#[derive(Clone)]
pub struct HookAdapter {
    /// The agent that the script was written for.
    pub script: AgentVersion,
    /// The agent that runs the hook.
    pub caller: AgentVersion,
    /// The event as the script expects it, where its agent has several spellings. `None` for the main one.
    pub spelling: Option<String>,
    pub place: Place,
    /// The hooks that were read so far.
    known_hooks: RefCell<Vec<Arc<LoneHook>>>,
}

impl HookAdapter {
    /// An adapter in a place. `spelling` is the event as the script expects it, or `None` for the main one.
    pub fn new(script: AgentVersion, caller: AgentVersion, spelling: Option<String>, place: Place) -> HookAdapter {
        HookAdapter { script, caller, spelling, place, known_hooks: RefCell::default() }
    }

    /// The only hook of an agent on an event. Its settings are read once, because an agent waits.
    pub(super) fn lone_hook(&self, side: &AgentVersion, event: &str) -> Option<Arc<LoneHook>> {
        let known = self.known_hooks.borrow().iter().find(|hook| hook.is_on(side, event)).cloned();
        known.or_else(|| {
            let hook = Arc::new(LoneHook::on(side, event, &self.place)?);
            self.known_hooks.borrow_mut().push(Arc::clone(&hook));
            Some(hook)
        })
    }
}

/// An event as the script expects it.
#[derive(Debug, Clone, PartialEq)]
pub struct AdaptedEvent {
    pub input: HookInput,
    pub notes: Vec<TranslationNote>,
}

/// One run of the script.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptRun {
    pub event: AdaptedEvent,
    pub exit: Exit,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl ScriptRun {
    /// A run that succeeds and prints nothing.
    pub fn silent(event: AdaptedEvent) -> ScriptRun {
        ScriptRun { event, exit: Exit::Code(0), stdout: Vec::new(), stderr: Vec::new() }
    }

    /// Whether the script succeeded and printed nothing.
    pub fn is_silent(&self) -> bool {
        self.exit == Exit::Code(0) && self.stdout.is_empty() && self.stderr.is_empty()
    }
}

/// The answer for the caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AdaptedAnswer {
    pub exit: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// What the caller does not do as the script's agent would have done it, in sentences.
    pub losses: Vec<String>,
}

/// What the script's agent does with all runs of the script, in terms of the caller.
pub(super) struct IntendedEffect {
    pub outcome: Outcome,
    /// Output keys, as JSON pointers with their values, that have no counterpart in an outcome.
    pub other_keys: Vec<(String, Value)>,
    /// The reason why the changed input cannot be translated.
    pub untranslated_input: Option<String>,
    /// The reason why the script's agent cannot use its output.
    pub failure: Option<String>,
}

/// How much an outcome restricts the agent: allowing without a question least, refusing most.
pub(super) fn strictness(outcome: &Outcome) -> u8 {
    match outcome.verdict {
        _ if outcome.blocked || !outcome.continues => 3,
        Verdict::Deny | Verdict::FailedClosed => 3,
        Verdict::Ask => 2,
        Verdict::Allow => 0,
        Verdict::NotRun | Verdict::Unknown | Verdict::FailedOpen | Verdict::NoObjection => 1,
    }
}
