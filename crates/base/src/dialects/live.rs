//! How an agent takes an answer that was made elsewhere: the names of its events on the wire, and what it has to be told
//! for a decision. Data of each agent; [`crate::live`] reads it.

use serde::Serialize;

/// What may be decided about an event, as the wire calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// Nothing: the agent goes on as without hooks.
    Observe,
    /// A text is handed to the model.
    Replace,
    Allow,
    Deny,
    /// The user is asked by the agent.
    Ask,
    /// The tool is given another input.
    Modify,
    /// The agent stops working.
    Halt,
    /// Bytes and an exit status, as they are.
    Raw,
}

impl DecisionKind {
    /// All of them, in the order in which a client names them.
    pub const ALL: [DecisionKind; 8] = [
        DecisionKind::Observe,
        DecisionKind::Replace,
        DecisionKind::Allow,
        DecisionKind::Deny,
        DecisionKind::Ask,
        DecisionKind::Modify,
        DecisionKind::Halt,
        DecisionKind::Raw,
    ];

    /// The word of the wire.
    pub fn word(self) -> &'static str {
        match self {
            DecisionKind::Observe => "observe",
            DecisionKind::Replace => "replace",
            DecisionKind::Allow => "allow",
            DecisionKind::Deny => "deny",
            DecisionKind::Ask => "ask",
            DecisionKind::Modify => "modify",
            DecisionKind::Halt => "halt",
            DecisionKind::Raw => "raw",
        }
    }

    /// The decision of that word.
    pub fn from_word(word: &str) -> Option<DecisionKind> {
        DecisionKind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// What is written to the agent for a decision. "Own" is `hookSpecificOutput`, which always names the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Own `permissionDecision` with this word, and the reason where there is one.
    Permission(&'static str),
    /// The same, never without a reason.
    ReasonedPermission(&'static str),
    /// Own `permissionDecision` allow with `updatedInput`, which is the whole input.
    WholeInput,
    /// Own `tool_input`, which is merged into the input.
    MergedInput,
    /// Own `additionalContext`.
    Context,
    /// `decision` with this word, and a reason.
    Word(&'static str),
    /// The same, with a reason where there is one.
    BareWord(&'static str),
    /// `continue` false with `stopReason`.
    Halt,
    /// The same, and own `permissionDecision` deny beside it.
    HaltAndDeny,
    /// Own `decision` with this behaviour; a message when it denies, the input when there is another one.
    Behaviour(&'static str),
}

/// One thing that can be answered: on this event (its name on the wire), this decision is written so.
pub type LiveRow = (&'static str, DecisionKind, Shape);

/// When an agent can be told what a session had come to before it was compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandoffAt {
    /// Before the compaction itself.
    Compaction,
    /// When the session goes on after it.
    SessionStart,
    /// With the next prompt.
    Prompt,
}

/// The keys of a tool's input that say the same in most tools; the first that is there counts.
#[derive(Debug, PartialEq, Eq)]
pub struct InputKeys {
    pub path: &'static [&'static str],
    pub command: &'static [&'static str],
    pub content: &'static [&'static str],
    pub old: &'static [&'static str],
    pub new: &'static [&'static str],
    /// A tool that is given a patch instead, and under which key.
    pub patch: Option<(&'static str, &'static str)>,
}

/// How an agent is answered.
#[derive(Debug, PartialEq, Eq)]
pub struct LiveForm {
    /// Events whose name on the wire is not their own in snake case: the wire's, the agent's.
    pub renames: &'static [(&'static str, &'static str)],
    /// What can be answered; everything that is not here cannot.
    pub rows: &'static [LiveRow],
    /// Of these, what comes to less than it says: it is written as documented, and known not to be done.
    pub falls_short: &'static [(&'static str, DecisionKind)],
    /// Events, as the agent calls them, on which any output does harm: a hook there prints nothing and fails.
    pub never: &'static [&'static str],
    /// Events that fire too often to be captured unless somebody asks for them.
    pub frequent: &'static [&'static str],
    /// When it takes a text about the session that is compacted.
    pub handoff: HandoffAt,
    /// Where its tools are told what to do.
    pub input: InputKeys,
    /// Tools, as the agent calls them, whose new input has to have a text under this key; without it the call fails.
    pub needed_text: &'static [(&'static str, &'static str)],
    /// Variables in which the agent tells hooks the project folder.
    pub project_variables: &'static [&'static str],
}
