//! HW801, HW802 and HW803: an `if` that does not have its apparent effect (spec §4).

use super::super::events;
use super::super::version_behaviour::VersionBehaviour;
use hookbench_base::catalogue::catalogue;
use hookbench_base::diagnostic::{Code, Diagnostic, Fix};
use hookbench_base::dialects::{RuleContext, Version};
use hookbench_base::hook::{Handler, Subject};
use hookbench_base::text::{JsonSyntax, Literal, Node, Span, joined_with_and, parse_json, quote_literal};

/// Checks the `if` of a definition.
pub fn check(at: &RuleContext<'_>) -> Vec<Diagnostic> {
    let Some(rule) = at.definition.condition.as_deref().filter(|rule| !rule.is_empty()) else { return Vec::new() };
    let place = ConditionLocation::of(at);
    let found = |says: String| Diagnostic::new(Code::HW801, says).at(place.span);
    if *at.agent.version < Version::new(2, 1, 85) {
        let says = format!("`if` works since 2.1.85: in {} this hook runs for every call", at.agent.version);
        return vec![found(says).with_help("test the condition in the script")];
    }
    if !events::has_tool_subject(at.event.name) {
        let says = format!("`if` applies only to events of one tool call: on {} this hook never runs", at.event.name);
        return vec![found(says).with_help("delete `if`, and test the condition in the script")];
    }
    if let Some(one) = check_syntax(rule, &found) {
        return vec![one];
    }
    if let Some(one) = check_matcher(at, rule, &found) {
        return vec![one];
    }
    let mut all = Vec::new();
    all.extend(check_bypass(at, rule, &place));
    all.extend(check_other_tool(at, rule, &place));
    all.extend(check_directory(at, rule, &place));
    all
}

/// The position of the rule in its file.
struct ConditionLocation {
    span: Span,
    literal: Option<Literal>,
}

impl ConditionLocation {
    fn of(at: &RuleContext<'_>) -> ConditionLocation {
        let handler = at.handler_span();
        let whole = at.agent.sources.text(handler.source);
        let inside = at.agent.sources.slice(handler);
        let lenient = JsonSyntax { comments: true, trailing_commas: true, bom: true };
        let node = parse_json(handler.source, inside, lenient).ok();
        let start = node.as_ref().and_then(|node| node.get("if")).map(|node: &Node| handler.start + node.span.start);
        let literal = start.and_then(|start| Literal::parse(handler.source, whole, start));
        ConditionLocation { span: literal.as_ref().map_or(handler, |literal| literal.span), literal }
    }
}

/// Reports a text that is not a rule, or that is several rules. Such an `if` never matches.
fn check_syntax(rule: &str, found: &dyn Fn(String) -> Diagnostic) -> Option<Diagnostic> {
    let several = ["||", "&&", ")|", ") |", "), ", "),"]
        .iter()
        .any(|with| rule.contains(with) && occurs_outside_brackets(rule, with));
    if several {
        let says = format!("`if` accepts one rule, but `{rule}` contains several: this hook never runs");
        return Some(found(says).with_help("write one hook for each rule"));
    }
    let (name, content) = match rule.split_once('(') {
        None => (rule, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(content) => (name, Some(content)),
            None => {
                let says =
                    format!("`{rule}` is not a permission rule (its bracket is not closed): this hook never runs");
                return Some(found(says).with_help("write Tool(pattern)"));
            }
        },
    };
    let tools = || catalogue().agent("claude").into_iter().flat_map(|agent| agent.tools).flat_map(|tool| tool.names());
    let known = |name: &str| tools().any(|tool| tool == name);
    if known(name) || name.starts_with("mcp__") && !name.contains('*') || name == "Task" {
        return None;
    }
    if let Some(near) = tools().find(|tool| tool.eq_ignore_ascii_case(name.trim())) {
        let says = format!("`{name}` is not {near}: in an `if` the name must be exact, so this hook never runs");
        let content = content.map_or(String::new(), |content| format!("({content})"));
        return Some(found(says).with_help(format!("write {near}{content}")));
    }
    if name.contains(['*', '|', ' ', '.']) {
        let says = format!("`{rule}` does not name a tool: in an `if` the name must be exact, so this hook never runs");
        return Some(found(says).with_help("name one tool, and write a separate hook for each other tool"));
    }
    None
}

/// Whether a text occurs outside brackets, where it would separate rules.
fn occurs_outside_brackets(rule: &str, with: &str) -> bool {
    rule.match_indices(with).any(|(at, _)| {
        let before = rule.get(..at + usize::from(with.starts_with(')'))).unwrap_or("");
        before.matches('(').count() == before.matches(')').count()
    })
}

/// Reports a rule about a tool that the matcher excludes.
fn check_matcher(at: &RuleContext<'_>, rule: &str, found: &dyn Fn(String) -> Diagnostic) -> Option<Diagnostic> {
    let tool = rule.split('(').next()?;
    let matcher = at.definition.matcher.as_ref()?.as_str().filter(|text| !text.is_empty())?;
    (tool != "Task" && matcher_accepts(at, tool) == Some(false)).then(|| {
        let says =
            format!("the matcher \"{matcher}\" excludes {tool}, but `{rule}` covers only {tool}: this hook never runs");
        found(says).with_help(format!("add {tool} to the matcher, or use a tool of the matcher in the rule"))
    })
}

/// Whether the matcher matches a tool.
fn matcher_accepts(at: &RuleContext<'_>, tool: &str) -> Option<bool> {
    let subject = Subject { value: Some(tool.to_owned()), aliases: Vec::new() };
    at.agent.dialect.matches(at.event, at.definition.matcher.as_ref(), &subject, at.agent.version)
}

/// Whether the hook is meant to block calls, judging by its text. Prompt, agent and MCP tool hooks count as
/// blocking.
fn is_blocking_hook(at: &RuleContext<'_>) -> bool {
    if !matches!(at.event.name, "PreToolUse" | "PermissionRequest") {
        return false;
    }
    match &at.definition.handler {
        Handler::Command(_) => at.may_object(),
        Handler::Http(_) => false,
        _ => true,
    }
}

/// Reports a blocking hook that some spellings of the command bypass.
fn check_bypass(at: &RuleContext<'_>, rule: &str, place: &ConditionLocation) -> Option<Diagnostic> {
    let pattern = rule.strip_prefix("Bash(")?.strip_suffix(')').filter(|pattern| !matches!(*pattern, "" | "*"))?;
    let is_command = matches!(at.definition.handler, Handler::Command(_));
    let comes_before = matches!(at.event.name, "PreToolUse" | "PermissionRequest");
    let answers_later = is_command && !comes_before && at.may_object();
    if !is_blocking_hook(at) && !answers_later {
        return None;
    }
    let words = pattern.trim_end_matches([':', '*', ' ']).trim_start_matches("* ");
    let mut others = vec![format!("`sudo {words}`"), format!("`env {words}`"), format!("`bash -c '{words}'`")];
    if let Some(rest) = words.strip_prefix("git ") {
        others.splice(..1, [format!("`git -C DIR {rest}`"), format!("`git -c KEY=VALUE {rest}`")]);
    }
    let what = if answers_later { "does not cover every such command" } else { "is not a reliable guard" };
    let says = format!("`{rule}` {what}: {} do not start this hook", joined_with_and(&others));
    let help = if answers_later {
        "delete `if` if the hook must see them all, and test the command in the script"
    } else {
        "delete `if` if the hook must block, and test the command in the script"
    };
    Some(Diagnostic::new(Code::HW802, says).at(place.span).with_help(help))
}

/// Reports a blocking hook whose rule covers one tool that changes files, while its matcher also names another
/// one.
fn check_other_tool(at: &RuleContext<'_>, rule: &str, place: &ConditionLocation) -> Option<Diagnostic> {
    const WRITERS: [&str; 3] = ["Edit", "Write", "NotebookEdit"];
    let (tool, content) = rule.split_once('(')?;
    let named = at.definition.matcher.as_ref()?.as_str()?;
    if !WRITERS.contains(&tool) || !is_blocking_hook(at) {
        return None;
    }
    let other = WRITERS
        .iter()
        .find(|other| **other != tool && named.contains(**other) && matcher_accepts(at, other) == Some(true));
    let other = other?;
    // The same hook with a rule for the other tool closes the gap.
    let closes = |rule: &str| rule.split('(').next() == Some(*other);
    let same = at.agent.handlers.hooks_of(&at.definition.handler).iter().any(|definition| {
        definition.event == at.event.name
            && definition.condition.as_deref().is_none_or(|rule| rule.is_empty() || closes(rule))
    });
    if same {
        return None;
    }
    let says = format!(
        "`{rule}` is not a reliable guard: it covers only {tool}, and a {other} of the same file does not start this hook"
    );
    let help = format!("add the hook with `{other}({content}` too, or delete `if` and test the path in the script");
    Some(Diagnostic::new(Code::HW802, says).at(place.span).with_help(help))
}

/// The maximum number of directories that are searched.
const MAX_DIRECTORIES: usize = 400;

/// Whether the project contains such a directory at a deeper level: among the files that git tracks, or else on disk.
fn exists_below(at: &RuleContext<'_>, directory: &str) -> bool {
    let project = &at.agent.place.project;
    if let Some(tracked) = at.agent.machine.tracked.as_ref() {
        let part = format!("/{directory}/");
        return tracked.iter().any(|path| path.strip_prefix(project.as_str()).is_some_and(|rest| rest.contains(&part)));
    }
    let mut open = vec![project.clone()];
    let mut looked = 0;
    while let Some(above) = open.pop().filter(|_| looked < MAX_DIRECTORIES) {
        looked += 1;
        for name in at.agent.files.list(&above) {
            let path = format!("{above}/{name}");
            if name.starts_with('.') || name == "node_modules" || at.agent.files.executable(&path).is_some() {
                continue;
            }
            if at.agent.files.exists(&format!("{path}/{directory}")) {
                return true;
            }
            open.push(path);
        }
    }
    false
}

/// Reports a rule that matches a directory only directly below the current directory.
fn check_directory(at: &RuleContext<'_>, rule: &str, place: &ConditionLocation) -> Option<Diagnostic> {
    let (tool, rest) = rule.split_once('(')?;
    let pattern = rest.strip_suffix(')')?;
    if !matches!(tool, "Edit" | "Write" | "Read" | "NotebookEdit")
        || !VersionBehaviour::for_version(at.agent.version).has_forks
    {
        return None;
    }
    // `./dir/**` is explicit. A name without a slash matches at any depth.
    let (directory, rest) = pattern.split_once('/')?;
    if directory.is_empty()
        || rest.is_empty()
        || matches!(directory, "." | ".." | "~")
        || directory.contains(['*', '?', '['])
    {
        return None;
    }
    let directory = match pattern.rsplit_once('/')?.0 {
        whole if whole.contains(['*', '?', '[']) => directory,
        whole => whole,
    };
    // If the directory exists at the top of the project, the rule works as intended.
    let (files, project) = (at.agent.files, &at.agent.place.project);
    if files.exists(&format!("{project}/{directory}")) || !exists_below(at, directory) {
        return None;
    }
    let says =
        format!("since 2.1.214, `{rule}` means the directory {directory} in the current directory, not at any depth");
    let anywhere = format!("{tool}(**/{pattern})");
    let found = Diagnostic::new(Code::HW803, says).at(place.span).with_help(format!("write {anywhere} for any depth"));
    Some(match &place.literal {
        Some(literal) => found.with_fix(Fix::proposal(literal.span, quote_literal(&anywhere))),
        None => found,
    })
}
