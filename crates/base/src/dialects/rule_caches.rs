//! Caches for the rules of lint: many hooks ask the same about events and runs.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

use crate::hook::{ExamplePayload, Layer, Subject};
use crate::names::{AgentId, RuleId};

/// The effects of runs that were simulated. Hooks that differ only in their command have the same ones, and a simulation costs
/// more than most rules.
pub type RunEffectCache = RefCell<HashMap<SimulatedRun, bool>>;

/// A hook without its command, and what its run does.
#[derive(PartialEq, Eq, Hash)]
pub struct SimulatedRun {
    pub(super) agent: AgentId,
    pub(super) event: &'static str,
    pub(super) layer: Layer,
    pub(super) is_detached: bool,
    pub(super) matcher: Option<Value>,
    pub(super) handler: Value,
    pub(super) group: Value,
    /// The rule by which the agent does not run the hook.
    pub(super) rejection: Option<RuleId>,
    /// The question about the run.
    pub(super) effect: &'static str,
    pub(super) status: i32,
}

/// The examples of the events that rules have asked for, their keys, and what matchers match. Many rules need them, and building
/// them costs more than most rules.
#[derive(Default)]
pub struct ExampleCache {
    pub(super) examples: RefCell<HashMap<(AgentId, &'static str), SharedExamples>>,
    pub(super) sent_keys: RefCell<HashMap<SentEvent, SentKeys>>,
    pub(super) sent_examples: RefCell<HashMap<SentEvent, SentExamples>>,
    /// For each matcher: whether it matches these values.
    pub(super) matches: RefCell<HashMap<(AgentId, &'static str), MatchedValues>>,
    pub(super) matched_examples: RefCell<HashMap<MatchedEvent, MatchedExamples>>,
}

pub type SharedExamples = Rc<[ExamplePayload]>;

pub type SentKeys = Rc<BTreeSet<String>>;

/// The subject of each example, and whether a matcher matches it. `None` if that is unknown.
pub type MatchedExamples = Rc<[(Subject, Option<bool>)]>;

pub type SentExamples = Rc<[Value]>;

/// An event under one of its names.
pub(super) type SentEvent = (AgentId, String);

/// An event with a matcher.
pub(super) type MatchedEvent = (AgentId, &'static str, Option<Value>);

pub(super) type MatchedValues = HashMap<String, HashMap<String, Option<bool>>>;
