//! The form of live answers for Codex (spec C.2). An unknown key makes the whole answer invalid.

use hookbench_base::dialects::live::{DecisionKind as D, HandoffAt, InputKeys, LiveForm, LiveRow, Shape};

const ROWS: &[LiveRow] = &[
    // A bare allow, an ask and `continue: false` are all invalid, so a halt becomes a deny.
    ("pre_tool_use", D::Deny, Shape::ReasonedPermission("deny")),
    ("pre_tool_use", D::Modify, Shape::WholeInput),
    ("pre_tool_use", D::Replace, Shape::Context),
    ("pre_tool_use", D::Halt, Shape::ReasonedPermission("deny")),
    // A changed input makes Codex fail closed.
    ("permission_request", D::Allow, Shape::Behaviour("allow")),
    ("permission_request", D::Deny, Shape::Behaviour("deny")),
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
];

pub static FORM: LiveForm = LiveForm {
    renames: &[],
    rows: ROWS,
    // The reason replaces the result, and the turn continues.
    falls_short: &[("post_tool_use", D::Halt)],
    never: &[],
    // Fired around every request to the model.
    frequent: &["PreModelRequest", "PostModelRequest"],
    handoff: HandoffAt::SessionStart,
    input: InputKeys {
        path: &["path"],
        command: &["command"],
        content: &[],
        old: &[],
        new: &[],
        patch: Some(("apply_patch", "command")),
    },
    // These tools ignore other keys; every other tool receives the whole object.
    needed_text: &[("Bash", "command"), ("apply_patch", "command")],
    project_variables: &[],
};
