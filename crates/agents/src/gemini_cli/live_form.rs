//! The form of live answers for the agent (spec C.2).

use hookbench_base::dialects::live::{
    AnswerShape, DecisionKind as D, HandoffPoint, InputKeys, LiveFormat, SupportedAnswer,
};

const ROWS: &[SupportedAnswer] = &[
    ("pre_tool_use", D::Allow, AnswerShape::BareWord("allow")),
    ("pre_tool_use", D::Deny, AnswerShape::Word("deny")),
    ("pre_tool_use", D::Ask, AnswerShape::BareWord("ask")),
    ("pre_tool_use", D::Modify, AnswerShape::MergedInput),
    ("pre_tool_use", D::Halt, AnswerShape::Halt),
    ("post_tool_use", D::Deny, AnswerShape::Word("deny")),
    ("post_tool_use", D::Replace, AnswerShape::Context),
    ("post_tool_use", D::Halt, AnswerShape::Halt),
    ("user_prompt_submit", D::Deny, AnswerShape::Word("deny")),
    ("user_prompt_submit", D::Replace, AnswerShape::Context),
    ("session_start", D::Replace, AnswerShape::Context),
    ("stop", D::Deny, AnswerShape::Word("deny")),
    ("stop", D::Halt, AnswerShape::Halt),
];

pub static FORM: LiveFormat = LiveFormat {
    renames: &[
        ("pre_tool_use", "BeforeTool"),
        ("post_tool_use", "AfterTool"),
        ("user_prompt_submit", "BeforeAgent"),
        ("stop", "AfterAgent"),
        ("pre_compact", "PreCompress"),
    ],
    answers: ROWS,
    // The agent's own rules still decide whether to ask the user.
    partially_supported: &[("pre_tool_use", D::Allow)],
    unsafe_events: &[],
    frequent: &["BeforeModel", "AfterModel", "BeforeToolSelection"],
    handoff: HandoffPoint::Prompt,
    input: InputKeys {
        path: &["file_path", "dir_path", "path"],
        command: &["command"],
        content: &["content"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    required_text: &[],
    project_variables: &["GEMINI_PROJECT_DIR"],
};
