//! The form of live answers for the agent (spec C.2).

use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};

const ROWS: &[SupportedAnswer] = &[
    ("pre_tool_use", D::Allow, AnswerShape::ReasonedPermission("allow")),
    ("pre_tool_use", D::Deny, AnswerShape::ReasonedPermission("deny")),
    // Without a user to ask, an ask becomes a denial.
    ("pre_tool_use", D::Ask, AnswerShape::ReasonedPermission("ask")),
    ("pre_tool_use", D::Modify, AnswerShape::WholeInput),
    ("pre_tool_use", D::Replace, AnswerShape::Context),
    ("pre_tool_use", D::Halt, AnswerShape::HaltAndDeny),
    ("permission_request", D::Allow, AnswerShape::Behaviour("allow")),
    ("permission_request", D::Deny, AnswerShape::Behaviour("deny")),
    ("permission_request", D::Modify, AnswerShape::Behaviour("allow")),
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
    ("pre_compact", D::Replace, AnswerShape::Context),
    ("todo_created", D::Deny, AnswerShape::Word("block")),
    ("todo_completed", D::Deny, AnswerShape::Word("block")),
    ("post_tool_batch", D::Deny, AnswerShape::Word("block")),
    ("post_tool_batch", D::Replace, AnswerShape::Context),
    ("user_prompt_expansion", D::Deny, AnswerShape::Word("block")),
    ("user_prompt_expansion", D::Replace, AnswerShape::Context),
];

pub static FORM: LiveFormat = LiveFormat {
    renames: &[],
    answers: ROWS,
    // On PreToolUse only deny and ask have an effect: permission is already granted, and a changed input or
    // context is dropped. On PostToolUse `decision` is ignored.
    partially_supported: &[
        ("pre_tool_use", D::Allow),
        ("pre_tool_use", D::Modify),
        ("pre_tool_use", D::Replace),
        ("post_tool_use", D::Deny),
    ],
    unsafe_events: &[],
    frequent: &["MessageDisplay"],
    handoff: HandoffPoint::Compaction,
    input: InputKeys {
        path: &["file_path", "notebook_path", "path"],
        command: &["command"],
        content: &["content", "new_source"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    required_text: &[],
    project_variables: &["QWEN_PROJECT_DIR"],
};
