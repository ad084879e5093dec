//! The form of live answers for Codex (spec C.2). An unknown key makes the whole answer invalid.

use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};

const ROWS: &[SupportedAnswer] = &[
    // A bare allow, an ask and `continue: false` are all invalid, so a halt becomes a deny.
    ("pre_tool_use", D::Deny, AnswerShape::ReasonedPermission("deny")),
    ("pre_tool_use", D::Modify, AnswerShape::WholeInput),
    ("pre_tool_use", D::Replace, AnswerShape::Context),
    ("pre_tool_use", D::Halt, AnswerShape::ReasonedPermission("deny")),
    // A changed input makes Codex fail closed.
    ("permission_request", D::Allow, AnswerShape::Behaviour("allow")),
    ("permission_request", D::Deny, AnswerShape::Behaviour("deny")),
    ("post_tool_use", D::Deny, AnswerShape::Word("block")),
    ("post_tool_use", D::Replace, AnswerShape::Context),
    ("post_tool_use", D::Halt, AnswerShape::Halt),
    ("user_prompt_submit", D::Deny, AnswerShape::Word("block")),
    ("user_prompt_submit", D::Replace, AnswerShape::Context),
    ("session_start", D::Replace, AnswerShape::Context),
    ("subagent_start", D::Replace, AnswerShape::Context),
    ("stop", D::Deny, AnswerShape::Word("block")),
    ("stop", D::Halt, AnswerShape::Halt),
    ("subagent_stop", D::Deny, AnswerShape::Word("block")),
    ("subagent_stop", D::Halt, AnswerShape::Halt),
];

pub static FORM: LiveFormat = LiveFormat {
    renames: &[],
    answers: ROWS,
    // The reason replaces the result, and the turn continues.
    partially_supported: &[("post_tool_use", D::Halt)],
    unsafe_events: &[],
    // Fired around every request to the model.
    frequent: &["PreModelRequest", "PostModelRequest"],
    handoff: HandoffPoint::SessionStart,
    input: InputKeys {
        path: &["path"],
        command: &["command"],
        content: &[],
        old: &[],
        new: &[],
        patch: Some(("apply_patch", "command")),
    },
    // These tools ignore other keys; every other tool receives the whole object.
    required_text: &[("Bash", "command"), ("apply_patch", "command")],
    project_variables: &[],
};
