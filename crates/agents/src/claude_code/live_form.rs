//! The form in which intercepted decisions are returned to Claude Code (spec C.2).

use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};

const ROWS: &[SupportedAnswer] = &[
    ("pre_tool_use", D::Allow, AnswerShape::Permission("allow")),
    ("pre_tool_use", D::Deny, AnswerShape::ReasonedPermission("deny")),
    ("pre_tool_use", D::Ask, AnswerShape::Permission("ask")),
    ("pre_tool_use", D::Modify, AnswerShape::WholeInput),
    ("pre_tool_use", D::Replace, AnswerShape::Context),
    ("pre_tool_use", D::Halt, AnswerShape::Halt),
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
    ("stop", D::Replace, AnswerShape::Context),
    ("stop", D::Halt, AnswerShape::Halt),
    ("subagent_stop", D::Deny, AnswerShape::Word("block")),
    ("subagent_stop", D::Replace, AnswerShape::Context),
    ("subagent_stop", D::Halt, AnswerShape::Halt),
    ("pre_compact", D::Deny, AnswerShape::Word("block")),
    ("post_tool_batch", D::Deny, AnswerShape::Word("block")),
    ("post_tool_batch", D::Replace, AnswerShape::Context),
    ("user_prompt_expansion", D::Deny, AnswerShape::Word("block")),
    ("user_prompt_expansion", D::Replace, AnswerShape::Context),
];

pub static FORM: LiveFormat = LiveFormat {
    renames: &[],
    answers: ROWS,
    partially_supported: &[],
    // The agent takes the stdout of this event as the path of the new worktree, so `{}` would create one.
    unsafe_events: &["WorktreeCreate"],
    frequent: &["MessageDisplay", "FileChanged"],
    handoff: HandoffPoint::SessionStart,
    input: InputKeys {
        path: &["file_path", "notebook_path", "path"],
        command: &["command"],
        content: &["content", "new_source"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    required_text: &[],
    project_variables: &["CLAUDE_PROJECT_DIR"],
};
