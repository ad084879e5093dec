//! The rules of Claude Code.

use hookbench_base::hook::FILE_SKIPPED;
use hookbench_base::names::RuleId;
use hookbench_base::rules;

pub use crate::shared::rules::*;

rules! {
    /// The rules that only this agent has.
    OWN:
    /// The sub-agent of the hook is not running.
    AGENT_NOT_RUNNING = "agent.not-running";
    /// The sub-agent of the hook belongs to an untrusted project.
    AGENT_UNTRUSTED = "agent.untrusted";
    /// The JSON answer of the run blocks.
    ANSWER_BLOCKS = "answer.blocks";
    /// The run gave no usable answer.
    ANSWER_FAILED = "answer.failed";
    /// The agent uses fields of the JSON answer.
    ANSWER_FIELDS = "answer.fields";
    /// The answer has no effect on the outcome.
    ANSWER_IRRELEVANT = "answer.irrelevant";
    /// The agent uses the plain text of the run.
    ANSWER_TEXT = "answer.text";
    /// Only the agent itself could answer this run.
    ANSWER_UNANSWERED = "answer.unanswered";
    /// The `if` is compared with the shell command.
    CONDITION_COMMAND = "condition.command";
    /// The `if` is empty, so it matches everything.
    CONDITION_EMPTY = "condition.empty";
    /// The `if` is compared with the path of the file.
    CONDITION_FILE = "condition.file";
    /// The agent cannot analyse the command and compares program names only.
    CONDITION_NAMES_ONLY = "condition.names-only";
    /// The tool has nothing that the brackets of an `if` could match.
    CONDITION_NO_CONTENT = "condition.no-content";
    /// The event has no tool, so an `if` never matches.
    CONDITION_NO_TOOL_EVENT = "condition.no-tool-event";
    /// The `if` is not a permission rule, so it matches nothing.
    CONDITION_NOT_A_RULE = "condition.not-a-rule";
    /// The `if` contains several rules; only one is allowed.
    CONDITION_ONE_RULE = "condition.one-rule";
    /// The agent cannot analyse the command, so every `if` about it matches.
    CONDITION_OPAQUE = "condition.opaque";
    /// The `if` names another tool.
    CONDITION_OTHER_TOOL = "condition.other-tool";
    /// The `if` names the tool and nothing else.
    CONDITION_TOOL = "condition.tool";
    /// The behaviour of the `if` for this tool is not measured.
    CONDITION_UNMEASURED = "condition.unmeasured";
    /// The matcher group is invalid.
    CONFIG_BAD_GROUP = "config.bad-group";
    /// The handler is invalid.
    CONFIG_BAD_HANDLER = "config.bad-handler";
    /// The agent skips all hooks of the plugin because of an invalid file.
    CONFIG_PLUGIN_DROPPED = "config.plugin-dropped";
    /// The settings keep the agent from starting.
    CONFIG_REFUSED = "config.refused";
    /// The settings name an unknown event.
    CONFIG_UNKNOWN_EVENT = "config.unknown-event";
    /// The firing was aborted.
    DECIDE_ABORTED = "decide.aborted";
    /// A hook allows the action.
    DECIDE_ALLOW = "decide.allow";
    /// A hook makes the agent ask the user.
    DECIDE_ASK = "decide.ask";
    /// A hook blocks the action.
    DECIDE_BLOCKED = "decide.blocked";
    /// A failure blocks the action.
    DECIDE_FAILED_CLOSED = "decide.failed-closed";
    /// A hook failed, and the action happens as if there were no hook.
    DECIDE_FAILED_OPEN = "decide.failed-open";
    /// No hook objects.
    DECIDE_NO_OBJECTION = "decide.no-objection";
    /// It is unknown whether this hook runs.
    DECIDE_NOT_KNOWN = "decide.not-known";
    /// The outcome is unknown.
    DECIDE_UNKNOWN = "decide.unknown";
    /// The event does not support handlers of this type.
    EVENT_HANDLER_TYPE = "event.handler-type";
    /// The event does not exist in this version.
    EVENT_UNKNOWN = "event.unknown";
    /// Exit status 2.
    EXIT_2 = "exit.2";
    /// The run failed, and its `onFailure` blocks.
    FAILURE_BLOCKS = "failure.blocks";
    /// The matcher names another name of the tool.
    MATCHER_ALIAS = "matcher.alias";
    /// The matcher separates names with a space.
    MATCHER_BLANK = "matcher.blank";
    /// The matcher differs from the subject in case only.
    MATCHER_CASE = "matcher.case";
    /// The list of names is empty, so it matches nothing.
    MATCHER_EMPTY_LIST = "matcher.empty-list";
    /// The matcher names the subject.
    MATCHER_EXACT = "matcher.exact";
    /// The matcher is a file name, but it is compared with the name of the tool.
    MATCHER_FILE_NAME = "matcher.file-name";
    /// The event has no subject, so its matchers are ignored.
    MATCHER_IGNORED = "matcher.ignored";
    /// The matcher is a part of the name of an MCP tool.
    MATCHER_MCP_PREFIX = "matcher.mcp-prefix";
    /// There is no matcher, so every event matches.
    MATCHER_NONE = "matcher.none";
    /// The matcher is not a string.
    MATCHER_NOT_A_STRING = "matcher.not-a-string";
    /// The matcher names other values.
    MATCHER_OTHER = "matcher.other";
    /// The matcher uses another agent's name of the tool.
    MATCHER_OTHER_AGENT = "matcher.other-agent";
    /// The matcher is a part of the subject, but names are compared as a whole.
    MATCHER_PART = "matcher.part";
    /// The matcher is a permission rule.
    MATCHER_PERMISSION_RULE = "matcher.permission-rule";
    /// The matcher contains the slashes of a JavaScript pattern.
    MATCHER_SLASHES = "matcher.slashes";
    /// The matcher resembles the subject.
    MATCHER_SPELLING = "matcher.spelling";
    /// The pattern could run too long, so it is not evaluated.
    MATCHER_TOO_EXPENSIVE = "matcher.too-expensive";
    /// An equal hook runs instead; of equal hooks only the last one runs.
    PLAN_COPY = "plan.copy";
    /// The plugin of the hook is disabled.
    PLUGIN_DISABLED = "plugin.disabled";
    /// The agent does not wait for the run.
    RUN_DETACHED = "run.detached";
    /// The skill of the hook is not invoked in this session.
    SKILL_NOT_INVOKED = "skill.not-invoked";
    /// An argument of the agent leaves the file out.
    SWITCH_ARGUMENT = "switch.argument";
    /// `disableAllHooks` is set.
    SWITCH_DISABLE_ALL = "switch.disable-all";
    /// Only managed hooks are allowed.
    SWITCH_MANAGED_ONLY = "switch.managed-only";
    /// Only hooks of plugins are allowed.
    SWITCH_PLUGINS_ONLY = "switch.plugins-only";
    /// An environment variable turns hooks off.
    SWITCH_SAFE_MODE = "switch.safe-mode";
}

/// All rules of the agent.
pub fn all() -> Vec<RuleId> {
    [COMMON, &[FILE_SKIPPED], OWN].concat()
}
