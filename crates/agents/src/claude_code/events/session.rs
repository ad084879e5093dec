//! Events of a session: its start and end, its settings and its directories.

use super::answer_fields::{CONTEXT, SYSTEM_MESSAGE};
use crate::shared::event_fields::{always, one_of, optional, optional_one_of};
use hookbench_base::hook::EventSpec;

const START_SOURCES: &[&str] = &["startup", "resume", "clear", "compact", "fork"];
const END_REASONS: &[&str] = &["clear", "resume", "logout", "prompt_input_exit", "other"];
const SETUP_TRIGGERS: &[&str] = &["init", "maintenance"];
const LOAD_REASONS: &[&str] = &["session_start", "nested_traversal", "path_glob_match", "include", "compact"];
const CONFIG_SOURCES: &[&str] = &["user_settings", "project_settings", "local_settings", "policy_settings", "skills"];
const DIRECTORY_SOURCES: &[&str] = &["slash_command", "register_repo_root"];
const NOTIFICATION_TYPES: &[&str] = &[
    "permission_prompt",
    "idle_prompt",
    "auth_success",
    "elicitation_dialog",
    "elicitation_url_dialog",
    "elicitation_complete",
    "elicitation_response",
    "agent_needs_input",
    "agent_completed",
];
const NOTHING: &str = "Nothing is blocked; the user sees stderr.";

macro_rules! session_start {
    ($sources:expr) => {
        &EventSpec {
            name: "SessionStart",
            about: "When a session starts, resumes, or is cleared, compacted or forked.",
            subject: Some("source"),
            subjects: $sources,
            fields: &[
                one_of("source", $sources),
                optional("model", "string"),
                optional("agent_type", "string"),
                optional("session_title", "string"),
                optional("seconds_since_last_response", "number"),
                optional("context_tokens", "number"),
                optional("prompt_cache_likely_expired", "boolean"),
                optional("estimated_cache_write_usd", "number"),
            ],
            honoured_output: &[
                SYSTEM_MESSAGE,
                CONTEXT,
                "/hookSpecificOutput/initialUserMessage",
                "/hookSpecificOutput/sessionTitle",
                "/hookSpecificOutput/watchPaths",
                "/hookSpecificOutput/reloadSkills",
            ],
            blockable_action: None,
            exit_2: "The session continues; text on stdout is discarded, context in a JSON answer is kept.",
            exit_2_delivers: false,
        }
    };
}

/// The SessionStart event of versions without forks.
pub(super) const SESSION_START_WITHOUT_FORK: &EventSpec = session_start!(&["startup", "resume", "clear", "compact"]);

pub(super) const EVENTS: &[&EventSpec] = &[
    session_start!(START_SOURCES),
    &EventSpec {
        name: "Setup",
        about: "With --init, --init-only or --maintenance.",
        subject: Some("trigger"),
        subjects: SETUP_TRIGGERS,
        fields: &[one_of("trigger", SETUP_TRIGGERS)],
        honoured_output: &[SYSTEM_MESSAGE],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "InstructionsLoaded",
        about: "When a CLAUDE.md or a rules file was loaded.",
        subject: Some("load_reason"),
        subjects: LOAD_REASONS,
        fields: &[
            always("file_path", "string"),
            one_of("memory_type", &["User", "Project", "Local", "Managed"]),
            one_of("load_reason", LOAD_REASONS),
            optional("globs", "list"),
            optional("trigger_file_path", "string"),
            optional("parent_file_path", "string"),
        ],
        honoured_output: &[],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "Notification",
        about: "When the agent notifies the user.",
        subject: Some("notification_type"),
        subjects: NOTIFICATION_TYPES,
        fields: &[
            always("message", "string"),
            optional("title", "string"),
            one_of("notification_type", NOTIFICATION_TYPES),
        ],
        honoured_output: &[SYSTEM_MESSAGE],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "ConfigChange",
        about: "When a settings file or a skill has changed during the session.",
        subject: Some("source"),
        subjects: CONFIG_SOURCES,
        fields: &[one_of("source", CONFIG_SOURCES), optional("file_path", "string")],
        honoured_output: &[SYSTEM_MESSAGE, "/decision", "/reason"],
        blockable_action: Some("the change is not applied"),
        exit_2: "The change is not applied; the text is not shown. Policy settings are still applied.",
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "CwdChanged",
        about: "When a command has changed the current directory.",
        subject: None,
        subjects: &[],
        fields: &[always("old_cwd", "string"), always("new_cwd", "string")],
        honoured_output: &[SYSTEM_MESSAGE, "/hookSpecificOutput/watchPaths"],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "DirectoryAdded",
        about: "When a directory was added to the workspace.",
        subject: Some("source"),
        subjects: DIRECTORY_SOURCES,
        fields: &[always("directory", "string"), one_of("source", DIRECTORY_SOURCES)],
        honoured_output: &[SYSTEM_MESSAGE],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "FileChanged",
        about: "When a watched file has changed. Matchers see its name without the directory.",
        subject: Some("file_path"),
        subjects: &[],
        fields: &[always("file_path", "string"), one_of("event", &["change", "add", "unlink"])],
        honoured_output: &[SYSTEM_MESSAGE, "/hookSpecificOutput/watchPaths"],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "PreModelSwitch",
        about: "Before the model is switched. Matchers see the new model.",
        subject: Some("to_model"),
        subjects: &[],
        fields: MODEL_FIELDS,
        honoured_output: &[
            SYSTEM_MESSAGE,
            "/decision",
            "/reason",
            "/hookSpecificOutput/permissionDecision",
            "/hookSpecificOutput/permissionDecisionReason",
        ],
        blockable_action: Some("the model is not switched"),
        exit_2: "The model is not switched.",
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "PostModelSwitch",
        about: "After the model was switched. Matchers see the new model.",
        subject: Some("to_model"),
        subjects: &[],
        fields: MODEL_FIELDS,
        honoured_output: &[SYSTEM_MESSAGE, CONTEXT],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    },
    &EventSpec {
        name: "SessionEnd",
        about: "When the session ends. All its hooks share a budget of 1.5 seconds, or of the largest timeout in settings.",
        subject: Some("reason"),
        subjects: END_REASONS,
        fields: &[one_of("reason", END_REASONS)],
        honoured_output: &[],
        blockable_action: None,
        exit_2: NOTHING,
        exit_2_delivers: false,
    },
];

const MODEL_FIELDS: &[hookbench_base::hook::PayloadField] = &[
    always("from_model", "string"),
    always("to_model", "string"),
    always("requested_model", "any"),
    one_of("source", &["command", "picker", "sdk", "auto", "resume"]),
    always("context_tokens", "number"),
    always("prompt_cache_warm", "boolean"),
    optional_one_of("cache_ttl", &["5m", "1h"]),
    optional("estimated_cache_write_usd", "number"),
    optional("pricing", "string"),
];
