//! The format of a suite. The JSON schema for editors is generated from these types.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// Events, and the expected reactions of a project's hooks.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", schemars(title = "hookbench suite"))]
pub struct SuiteShape {
    /// The agents to test; each case runs once for each. Events are written in the format of the first agent.
    pub agent: Option<NameList>,
    /// The agent version to model.
    pub agent_version: Option<String>,
    /// The project whose hooks are tested, relative to this file. Default: the project for which hookbench was
    /// started.
    pub project: Option<String>,
    /// `scratch` (an empty one for each case, the default), `real`, or a directory, relative to this file, that is
    /// copied for each case.
    pub home: Option<String>,
    /// Whether a copied home directory trusts the project and has reviewed its hooks, as an empty one always does. The
    /// files in which the agent keeps this are replaced in the copy. With `home: real`, the agent decides as if it did.
    pub trusted: Option<bool>,
    pub isolate: Option<Isolate>,
    /// Behave like the agent without a user to ask.
    pub headless: Option<bool>,
    /// Hooks that do not run in any case, by name, with their results.
    #[serde(default)]
    pub stubs: IndexMap<String, StubShape>,
    pub cases: Vec<CaseShape>,
}

/// One event, with the expected result.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CaseShape {
    pub name: String,
    /// The reason why the case is skipped.
    pub skip: Option<String>,
    pub agent: Option<NameList>,
    /// The event's name; optional if the payload has it.
    pub event: Option<String>,
    pub tool: Option<String>,
    /// The tool's input.
    pub input: Option<Value>,
    /// The whole payload. Missing fields are filled in as the agent would send them.
    pub payload: Option<Value>,
    /// A file of payloads or recorded events, relative to this one; each becomes a case.
    pub from: Option<String>,
    /// Single fields to set, by path (`tool_input.command`).
    #[serde(default)]
    pub set: IndexMap<String, Value>,
    pub isolate: Option<Isolate>,
    pub headless: Option<bool>,
    /// Hooks that do not run in this case, by name, with their results.
    #[serde(default)]
    pub stubs: IndexMap<String, StubShape>,
    /// Without any expectation, a case passes if the verdict is known and does not result from a failed hook.
    pub expect: Option<ExpectShape>,
}

/// The expected result. Fields that are not set are not checked.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ExpectShape {
    /// `deny`, `ask`, `allow`, `no_objection`, `not_run`, `failed_open`, `failed_closed` or `unknown`.
    pub verdict: Option<String>,
    /// Whether the announced action is blocked.
    pub blocked: Option<bool>,
    /// All hooks that decide. If several hooks give the deciding answer, the name of any of them is enough: which of
    /// them the agent reports first differs from run to run.
    pub decided_by: Option<NameList>,
    /// Hooks that run; others may run, too.
    pub fires: Option<NameList>,
    /// Hooks that do not run; a text must be part of the reason.
    pub not_fires: Option<NotFires>,
    /// The exit status of the deciding hook, or of the only one that runs.
    pub exit: Option<i32>,
    pub stdout: Option<TextMatch>,
    pub stderr: Option<TextMatch>,
    /// Expectations for single hooks, by name, if several run.
    #[serde(default)]
    pub hooks: IndexMap<String, HookExpectShape>,
    /// The reason that the agent uses.
    pub reason: Option<TextMatch>,
    /// The text that is added to the model's context.
    pub context: Option<TextMatch>,
    pub system_message: Option<TextMatch>,
    /// The complete tool input after all rewrites by hooks; null if it is not rewritten.
    #[serde(default, deserialize_with = "given")]
    pub updated_input: Option<Value>,
    /// Codes of findings that must be present.
    pub diagnostics: Option<NameList>,
    /// The maximum duration of all hooks: `500ms`, `2s`.
    pub duration: Option<String>,
}

/// The expected result of one hook.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct HookExpectShape {
    pub exit: Option<i32>,
    pub stdout: Option<TextMatch>,
    pub stderr: Option<TextMatch>,
    /// The maximum duration: `500ms`, `2s`.
    pub duration: Option<String>,
}

/// The result of a hook that is not run.
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
pub enum NameList {
    One(String),
    Several(Vec<String>),
}

impl NameList {
    /// The names as a slice.
    pub fn as_slice(&self) -> &[String] {
        match self {
            NameList::One(name) => std::slice::from_ref(name),
            NameList::Several(names) => names,
        }
    }
}

/// Hooks that do not run, with or without the reason.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a hook, a list of hooks, or hooks with their reasons")]
pub enum NotFires {
    Names(NameList),
    Why(IndexMap<String, String>),
}

/// A substring, or another condition for a text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a text, or one of contains, equals, matches, lacks")]
pub enum TextMatch {
    /// The text contains this.
    Contains(String),
    Exact(TextMatchShape),
}

/// Conditions for a text; all that are set must be true.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TextMatchShape {
    pub contains: Option<String>,
    /// The whole text, without trailing line breaks.
    pub equals: Option<String>,
    /// A regular expression that matches anywhere in the text.
    pub matches: Option<String>,
    /// A text that is not contained.
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
    /// Hooks run in a temporary copy of the project.
    Copy,
}

/// Distinguishes `null` from a missing field.
fn given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}
