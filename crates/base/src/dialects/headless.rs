//! How an agent runs a session without a terminal, against a stand-in of its model. Data of each agent; the modules
//! `model_interface` and `calibration` of the core read it.

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
