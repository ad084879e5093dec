//! How an event is brought about in a session of the installed agent. Data of each agent; the module `verification` of
//! the core reads it.

/// The way to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventTrigger {
    /// The model calls the tool of the payload.
    ToolCall,
    /// The model calls the tool of the payload in a session in which the agent asks for permission.
    PermissionPrompt,
    /// The prompt of the payload is sent.
    Prompt,
    /// The model answers with a sentence.
    TurnEnd,
    /// Every session starts and ends. The payload must have this value under this key.
    Session { key: &'static str, value: &'static str },
    /// The model makes these turns, as a JSON list. Its first call starts a subagent.
    Subagent { turns: &'static str },
    /// No session without a terminal fires it, for this reason.
    Unreachable(&'static str),
}

/// A tool that the agent offers to its model under another name than hooks see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelTool {
    /// The name that hooks see.
    pub tool: &'static str,
    /// The name that the model calls.
    pub model_name: &'static str,
    /// The key that hooks see. Empty if the model's input has the same keys.
    pub key: &'static str,
    /// The name of that key in the model's input. `None` if the input is the text itself.
    pub model_key: Option<&'static str>,
    /// The other keys of the model's input, which have the names that hooks see.
    pub keeps: &'static [&'static str],
}

/// A tool that only works on a file that the model has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadBefore {
    pub tool: &'static str,
    pub read_tool: &'static str,
    /// The key of both inputs that names the file.
    pub path_key: &'static str,
}

/// Whether and how events are brought about.
#[derive(Debug, PartialEq, Eq)]
pub struct VerificationFormat {
    /// Every event of the agent.
    pub triggers: &'static [(&'static str, EventTrigger)],
    /// Arguments of a session that keep the agent from asking for permission.
    pub unattended_arguments: &'static [&'static str],
    /// More arguments of a session in which the agent asks for permission.
    pub permission_arguments: &'static [&'static str],
    /// More keys of a call for which the agent asks for permission. The value `{key}` is replaced by that key of the
    /// payload's input. The call does not get a key whose value the payload lacks.
    pub permission_keys: &'static [(&'static str, &'static str)],
    /// More keys of settings files that a session needs, like the files of the headless format.
    pub settings: &'static [(&'static str, &'static str)],
    /// Events on which hooks get only these keys of the input of a tool.
    pub partial_input: &'static [(&'static str, &'static [&'static str])],
    pub model_tools: &'static [ModelTool],
    pub read_before: &'static [ReadBefore],
    /// Tools that change nothing.
    pub harmless_tools: &'static [&'static str],
    /// Beginnings of the names of variables that choose another service or another account.
    pub service_variables: &'static [&'static str],
    /// Payload keys whose values belong to the session and not to the event.
    pub session_keys: &'static [&'static str],
    /// The user's settings file, below the home directory, and the events after a tool. hookbench adds a hook
    /// to them, which shows whether the tool ran, and with which input.
    pub observer: (&'static str, &'static [&'static str]),
    /// Values in the payload of these events, by their pointers, that mean that the tool did not run.
    pub not_run: &'static [(&'static str, &'static str)],
    /// Whether these events follow every tool that has started, also one that failed.
    pub observes_failures: bool,
    /// Parts of the texts by which the agent tells its model that a hook has blocked the tool. A part with `{reason}`
    /// is a whole text, with a text of a hook at that place.
    pub refusals: &'static [&'static str],
}

impl VerificationFormat {
    /// The way to an event. `None` if the agent has no such event.
    pub fn trigger(&self, event: &str) -> Option<EventTrigger> {
        self.triggers.iter().find(|(name, _)| *name == event).map(|(_, trigger)| *trigger)
    }

    /// Whether a tool can do harm.
    pub fn can_do_harm(&self, tool: &str) -> bool {
        !self.harmless_tools.contains(&tool)
    }

    /// Whether hooks on this event do not get the key that a JSON pointer into their payload names.
    pub fn omits(&self, event: &str, pointer: &str) -> bool {
        let Some(inner) = pointer.strip_prefix("/tool_input/") else { return false };
        let key = inner.split('/').next().unwrap_or_default();
        self.partial_input.iter().any(|(name, keys)| *name == event && !keys.contains(&key))
    }
}

/// The interface through which an agent asks its model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelInterface {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Chat Completions.
    ChatCompletions,
    /// OpenAI's Responses.
    Responses,
    /// Google's `generateContent`.
    GenerateContent,
}

/// The action in a session that depends on an event's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ObservableAction {
    /// The tool ran, and with which input.
    ToolRuns,
    /// The tool ran because a hook allowed it. Without an answer, a session without a terminal refuses it.
    ToolRunsIfAllowed,
    /// The prompt was sent to the model.
    PromptIsSent,
    /// The model was not asked to continue.
    TurnEnds,
}

/// How a session without a terminal is started. In texts, `{url}` is the address of the stand-in, `{home}` the
/// home directory, and `{prompt}` the user's prompt. The argument `{resume}` is replaced by those that continue a session.
#[derive(Debug, PartialEq, Eq)]
pub struct HeadlessFormat {
    pub interface: ModelInterface,
    pub arguments: &'static [&'static str],
    /// The arguments that continue the last session.
    pub resume: &'static [&'static str],
    pub environment: &'static [(&'static str, &'static str)],
    /// Files that every session needs, with paths as in probes. A probe that writes the same JSON file adds its keys.
    pub files: &'static [(&'static str, &'static str)],
    /// The settings file of a probe that does not name one, as a placeholder path: `{{project}}/.agent/settings.json`.
    pub settings: &'static str,
    /// A call of the shell that writes `real` to `out.txt`, as JSON.
    pub shell_call: &'static str,
    /// The tools of the main conversation. A request that offers none of them is a side question, such as one for a title.
    pub main_tools: &'static [&'static str],
    /// The probes of a calibration, as JSON.
    pub probes: &'static str,
    /// The tables of the program that was asked last, as JSON: its events, tools, payload keys, variables and limits.
    pub tables: &'static str,
    /// The variable with the directory into which the program unpacks itself at its first start, if it does.
    pub cache_variable: Option<&'static str>,
    /// The events whose decision a session shows.
    pub observable: &'static [(&'static str, ObservableAction)],
}

impl HeadlessFormat {
    /// The action that depends on an event's decision. `None` if a session shows only the hooks that ran.
    pub fn observable_action(&self, event: &str) -> Option<ObservableAction> {
        self.observable.iter().find(|(name, _)| *name == event).map(|(_, action)| *action)
    }
}
