//! A suite as it is written: the types are the schema that editors check it by.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// Events, and what the hooks of a project are expected to do with them.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(title = "hookbench suite"))]
pub struct SuiteShape {
    /// For which agents; each case runs once for each. The event of a case is the first one's.
    pub agent: Option<Names>,
    /// Behave as this version of the agent.
    pub agent_version: Option<String>,
    /// The project whose hooks are meant, relative to this file. Default: the project that hookbench was started for.
    pub project: Option<String>,
    /// `scratch` (an empty one for each case, the default), `real`, or a directory, relative to this file, that is copied for each case.
    pub home: Option<String>,
    pub isolate: Option<Isolate>,
    /// Answer as the agent does when nobody can be asked.
    pub headless: Option<bool>,
    /// Hooks that do not run in any case, by name, with what they answer instead.
    #[serde(default)]
    pub stubs: IndexMap<String, StubShape>,
    pub cases: Vec<CaseShape>,
}

/// One event, and what is expected of it.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaseShape {
    pub name: String,
    /// Why it does not run for now.
    pub skip: Option<String>,
    pub agent: Option<Names>,
    /// The event's name; not needed when the payload says it.
    pub event: Option<String>,
    pub tool: Option<String>,
    /// The tool's input.
    pub input: Option<Value>,
    /// The whole payload. What it lacks is filled as the agent would send it.
    pub payload: Option<Value>,
    /// Payloads or recorded events in a file, relative to this one; each is a case.
    pub from: Option<String>,
    /// Single fields to set, by path (`tool_input.command`).
    #[serde(default)]
    pub set: IndexMap<String, Value>,
    pub isolate: Option<Isolate>,
    pub headless: Option<bool>,
    /// Hooks that do not run in this case, by name, with what they answer instead.
    #[serde(default)]
    pub stubs: IndexMap<String, StubShape>,
    /// Without any expectation a case holds when the verdict is neither unknown nor the work of a hook that failed.
    pub expect: Option<ExpectShape>,
}

/// What is expected. Only what is written is looked at.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExpectShape {
    /// `deny`, `ask`, `allow`, `no_objection`, `not_run`, `failed_open`, `failed_closed` or `unknown`.
    pub verdict: Option<String>,
    /// Whether what the event announces does not happen.
    pub blocked: Option<bool>,
    /// The hooks that decide, all of them.
    pub decided_by: Option<Names>,
    /// Hooks that run; others may run too.
    pub fires: Option<Names>,
    /// Hooks that do not run; with a text, the reason must contain it.
    pub not_fires: Option<NotFires>,
    /// The exit status of the hook that decides, or of the only one that runs.
    pub exit: Option<i32>,
    pub stdout: Option<TextMatch>,
    pub stderr: Option<TextMatch>,
    /// Of hooks by name, where several run.
    #[serde(default)]
    pub hooks: IndexMap<String, HookExpectShape>,
    /// The text that the agent uses.
    pub reason: Option<TextMatch>,
    /// What is added to the model's context.
    pub context: Option<TextMatch>,
    pub system_message: Option<TextMatch>,
    /// The tool's input as hooks have rewritten it, the whole of it; null: not rewritten.
    #[serde(default, deserialize_with = "given")]
    pub updated_input: Option<Value>,
    /// Codes of findings that are there.
    pub diagnostics: Option<Names>,
    /// The longest that all may take: `500ms`, `2s`.
    pub duration: Option<String>,
}

/// What is expected of one hook.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HookExpectShape {
    pub exit: Option<i32>,
    pub stdout: Option<TextMatch>,
    pub stderr: Option<TextMatch>,
    /// The longest that it may take: `500ms`, `2s`.
    pub duration: Option<String>,
}

/// What a hook answers instead of running.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StubShape {
    #[serde(default)]
    pub exit: i32,
    #[serde(default)]
    pub stdout: String,
    #[serde(default)]
    pub stderr: String,
}

/// One name or several.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a name or a list of names")]
pub enum Names {
    One(String),
    Several(Vec<String>),
}

impl Names {
    /// All of them.
    pub fn all(&self) -> &[String] {
        match self {
            Names::One(name) => std::slice::from_ref(name),
            Names::Several(names) => names,
        }
    }
}

/// Hooks that do not run, with or without the reason.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a hook, a list of hooks, or hooks with their reasons")]
pub enum NotFires {
    Names(Names),
    Why(IndexMap<String, String>),
}

/// A text that is contained, or something more exact.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a text, or one of contains, equals, matches, lacks")]
pub enum TextMatch {
    /// This text is contained.
    Contains(String),
    Exact(TextMatchShape),
}

/// More exact ways to look at a text; all that are written must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TextMatchShape {
    pub contains: Option<String>,
    /// The whole text, without the line breaks at its end.
    pub equals: Option<String>,
    /// A regular expression that matches somewhere.
    pub matches: Option<String>,
    /// This text is not contained.
    pub lacks: Option<String>,
}

/// Whether a case works on the project itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Isolate {
    /// Hooks run in the project.
    #[default]
    None,
    /// Hooks run in a copy of the project that is thrown away.
    Copy,
}

/// Tells `null` from not being there.
fn given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}
