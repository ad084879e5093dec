//! The form in which intercepted decisions are returned to Claude Code (spec C.2).

use hookbench_base::dialects::live::{DecisionKind as D, HandoffAt, InputKeys, LiveForm, LiveRow, Shape};

const ROWS: &[LiveRow] = &[
    ("pre_tool_use", D::Allow, Shape::Permission("allow")),
    ("pre_tool_use", D::Deny, Shape::ReasonedPermission("deny")),
    ("pre_tool_use", D::Ask, Shape::Permission("ask")),
    ("pre_tool_use", D::Modify, Shape::WholeInput),
    ("pre_tool_use", D::Replace, Shape::Context),
    ("pre_tool_use", D::Halt, Shape::Halt),
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
    ("stop", D::Replace, Shape::Context),
    ("stop", D::Halt, Shape::Halt),
    ("subagent_stop", D::Deny, Shape::Word("block")),
    ("subagent_stop", D::Replace, Shape::Context),
    ("subagent_stop", D::Halt, Shape::Halt),
    ("pre_compact", D::Deny, Shape::Word("block")),
    ("post_tool_batch", D::Deny, Shape::Word("block")),
    ("post_tool_batch", D::Replace, Shape::Context),
    ("user_prompt_expansion", D::Deny, Shape::Word("block")),
    ("user_prompt_expansion", D::Replace, Shape::Context),
];

pub static FORM: LiveForm = LiveForm {
    renames: &[],
    rows: ROWS,
    falls_short: &[],
    // The agent takes the stdout of this event as the path of the new worktree, so `{}` would create one.
    never: &["WorktreeCreate"],
    frequent: &["MessageDisplay", "FileChanged"],
    handoff: HandoffAt::SessionStart,
    input: InputKeys {
        path: &["file_path", "notebook_path", "path"],
        command: &["command"],
        content: &["content", "new_source"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    needed_text: &[],
    project_variables: &["CLAUDE_PROJECT_DIR"],
};
