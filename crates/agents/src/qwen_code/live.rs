//! The form of live answers for the agent (spec C.2).

use hookbench_base::dialects::live::{DecisionKind as D, HandoffAt, InputKeys, LiveForm, LiveRow, Shape};

const ROWS: &[LiveRow] = &[
    ("pre_tool_use", D::Allow, Shape::ReasonedPermission("allow")),
    ("pre_tool_use", D::Deny, Shape::ReasonedPermission("deny")),
    // Without a user to ask, an ask becomes a denial.
    ("pre_tool_use", D::Ask, Shape::ReasonedPermission("ask")),
    ("pre_tool_use", D::Modify, Shape::WholeInput),
    ("pre_tool_use", D::Replace, Shape::Context),
    ("pre_tool_use", D::Halt, Shape::HaltAndDeny),
    ("permission_request", D::Allow, Shape::Behaviour("allow")),
    ("permission_request", D::Deny, Shape::Behaviour("deny")),
    ("permission_request", D::Modify, Shape::Behaviour("allow")),
    ("post_tool_use", D::Deny, Shape::Word("block")),
    ("post_tool_use", D::Replace, Shape::Context),
    ("post_tool_use", D::Halt, Shape::Halt),
    ("user_prompt_submit", D::Deny, Shape::Word("block")),
    ("user_prompt_submit", D::Replace, Shape::Context),
    ("session_start", D::Replace, Shape::Context),
    ("subagent_start", D::Replace, Shape::Context),
    ("stop", D::Deny, Shape::Word("block")),
    ("stop", D::Halt, Shape::Halt),
    ("subagent_stop", D::Deny, Shape::Word("block")),
    ("subagent_stop", D::Halt, Shape::Halt),
    ("pre_compact", D::Replace, Shape::Context),
    ("todo_created", D::Deny, Shape::Word("block")),
    ("todo_completed", D::Deny, Shape::Word("block")),
    ("post_tool_batch", D::Deny, Shape::Word("block")),
    ("post_tool_batch", D::Replace, Shape::Context),
    ("user_prompt_expansion", D::Deny, Shape::Word("block")),
    ("user_prompt_expansion", D::Replace, Shape::Context),
];

pub static FORM: LiveForm = LiveForm {
    renames: &[],
    rows: ROWS,
    // On PreToolUse only deny and ask have an effect: permission is already granted, and a changed input or
    // context is dropped. On PostToolUse `decision` is ignored.
    falls_short: &[
        ("pre_tool_use", D::Allow),
        ("pre_tool_use", D::Modify),
        ("pre_tool_use", D::Replace),
        ("post_tool_use", D::Deny),
    ],
    never: &[],
    frequent: &["MessageDisplay"],
    handoff: HandoffAt::Compaction,
    input: InputKeys {
        path: &["file_path", "notebook_path", "path"],
        command: &["command"],
        content: &["content", "new_source"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    needed_text: &[],
    project_variables: &["QWEN_PROJECT_DIR"],
};
