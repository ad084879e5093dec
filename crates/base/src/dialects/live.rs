//! How an agent receives a decision that a client made: the wire names of its events, and the output that expresses
//! each decision. Data of each agent; the module `live` of the core reads it.

use serde::Serialize;

crate::words! {
    /// A decision about an event, named as on the wire.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum DecisionKind {
        /// No decision: the agent continues as if there were no hooks.
        Observe = "observe",
        /// The model receives a text.
        Replace = "replace",
        Allow = "allow",
        Deny = "deny",
        /// The agent asks the user.
        Ask = "ask",
        /// The tool receives another input.
        Modify = "modify",
        /// The agent stops working.
        Halt = "halt",
        /// Bytes and an exit status, passed through unchanged.
        Raw = "raw",
    }
    /// The word on the wire.
    fn word; const ALL; fn from_word;
}

/// The output that expresses a decision to the agent. "Own" refers to `hookSpecificOutput`, which always names the
/// event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerShape {
    /// Own `permissionDecision` with this word, and the reason if there is one.
    Permission(&'static str),
    /// Own `permissionDecision` with this word; the reason is always written.
    ReasonedPermission(&'static str),
    /// Own `permissionDecision` allow with `updatedInput`, which replaces the whole input.
    WholeInput,
    /// Own `tool_input`, which is merged into the input.
    MergedInput,
    /// `tool_input` below `hook_specific_output`, which names no event. It replaces the whole input.
    SnakeInput,
    /// Own `additionalContext`.
    Context,
    /// `additional_context` below `hook_specific_output`, which names no event.
    SnakeContext,
    /// `decision` with this word, and a reason, which is always written.
    Word(&'static str),
    /// `decision` with this word, and the reason if there is one.
    BareWord(&'static str),
    /// `additionalContext` beside the other keys.
    TopContext,
    /// `context` beside the other keys.
    BareContext,
    /// `message` beside the other keys.
    TopMessage,
    /// `behavior` with this word beside the other keys, and a message if it denies.
    TopBehaviour(&'static str),
    /// `continue` false with `stopReason`.
    Halt,
    /// `continue` false with `stopReason`, and own `permissionDecision` deny.
    HaltAndDeny,
    /// `cancel` true, with the reason as `errorMessage`.
    Cancel,
    /// `contextModification` beside the other keys.
    ContextModification,
    /// `overrideInput` beside the other keys, which replaces the whole input.
    OverrideInput,
    /// Own `decision` with this behaviour: with a message if it denies, with the input if it changes.
    Behaviour(&'static str),
}

/// One possible answer: the event (by its name on the wire), the decision, and the output that expresses it.
pub type SupportedAnswer = (&'static str, DecisionKind, AnswerShape);

/// The point at which an agent can receive the summary of a session that was compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandoffPoint {
    /// Before the compaction itself.
    Compaction,
    /// When the session continues after it.
    SessionStart,
    /// With the next prompt.
    Prompt,
}

/// The keys of a tool's input with the same meaning in most tools. The first key that is present is used.
#[derive(Debug, PartialEq, Eq)]
pub struct InputKeys {
    pub path: &'static [&'static str],
    pub command: &'static [&'static str],
    pub content: &'static [&'static str],
    pub old: &'static [&'static str],
    pub new: &'static [&'static str],
    /// A tool whose input is a patch, and the key of the patch.
    pub patch: Option<(&'static str, &'static str)>,
}

/// How one agent receives decisions.
#[derive(Debug, PartialEq, Eq)]
pub struct LiveFormat {
    /// Events whose wire name is not their own name in snake case, as pairs (wire name, agent's name).
    pub renames: &'static [(&'static str, &'static str)],
    /// The supported answers. Any other combination is unsupported.
    pub answers: &'static [SupportedAnswer],
    /// Answers that the agent documents but does not fully carry out.
    pub partially_supported: &'static [(&'static str, DecisionKind)],
    /// Events, by the agent's name, on which any output does harm. A hook for them prints nothing and fails.
    pub unsafe_events: &'static [&'static str],
    /// Events that fire so often that they are captured only on request.
    pub frequent: &'static [&'static str],
    /// The point at which the agent accepts a summary of a session that was compacted.
    pub handoff: HandoffPoint,
    /// The input keys of the agent's tools.
    pub input: InputKeys,
    /// Tools whose replaced input must have a text under this key; without it the call fails.
    pub required_text: &'static [(&'static str, &'static str)],
    /// Environment variables that hold the project directory in hooks.
    pub project_variables: &'static [&'static str],
}
