//! The form of live answers for the agent (spec C.2).

use hookbench_base::dialects::live::{DecisionKind as D, HandoffAt, InputKeys, LiveForm, LiveRow, Shape};

const ROWS: &[LiveRow] = &[
    ("pre_tool_use", D::Allow, Shape::BareWord("allow")),
    ("pre_tool_use", D::Deny, Shape::Word("deny")),
    ("pre_tool_use", D::Ask, Shape::BareWord("ask")),
    ("pre_tool_use", D::Modify, Shape::MergedInput),
    ("pre_tool_use", D::Halt, Shape::Halt),
    ("post_tool_use", D::Deny, Shape::Word("deny")),
    ("post_tool_use", D::Replace, Shape::Context),
    ("post_tool_use", D::Halt, Shape::Halt),
    ("user_prompt_submit", D::Deny, Shape::Word("deny")),
    ("user_prompt_submit", D::Replace, Shape::Context),
    ("session_start", D::Replace, Shape::Context),
    ("stop", D::Deny, Shape::Word("deny")),
    ("stop", D::Halt, Shape::Halt),
];

pub static FORM: LiveForm = LiveForm {
    renames: &[
        ("pre_tool_use", "BeforeTool"),
        ("post_tool_use", "AfterTool"),
        ("user_prompt_submit", "BeforeAgent"),
        ("stop", "AfterAgent"),
        ("pre_compact", "PreCompress"),
    ],
    rows: ROWS,
    // The agent's own rules still decide whether to ask the user.
    falls_short: &[("pre_tool_use", D::Allow)],
    never: &[],
    frequent: &["BeforeModel", "AfterModel", "BeforeToolSelection"],
    handoff: HandoffAt::Prompt,
    input: InputKeys {
        path: &["file_path", "dir_path", "path"],
        command: &["command"],
        content: &["content"],
        old: &["old_string"],
        new: &["new_string"],
        patch: None,
    },
    needed_text: &[],
    project_variables: &["GEMINI_PROJECT_DIR"],
};
