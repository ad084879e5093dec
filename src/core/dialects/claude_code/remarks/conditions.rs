//! HW801, HW802, HW803: an `if` that does not do what it says (spec §4).

use std::sync::LazyLock;

use regex::Regex;

use super::super::events;
use super::super::rules::Rules;
use crate::core::catalogue::catalogue;
use crate::core::diagnostic::{Diagnostic, Fix};
use crate::core::dialects::{Looked, Version};
use crate::core::text::{Literal, Node, Span, Syntax, parse_json, quoted};

/// The `if` of a definition.
pub fn look(at: &Looked<'_>) -> Vec<Diagnostic> {
    let Some(rule) = at.definition.condition.as_deref().filter(|rule| !rule.is_empty()) else { return Vec::new() };
    let place = Place::of(at);
    let found = |says: String| Diagnostic::error("HW801", says).at(place.span);
    if *at.whole.version < Version::new(2, 1, 85) {
        let says = format!("`if` is known from 2.1.85 on: in {} this hook runs whatever the call is", at.whole.version);
        return vec![found(says).help("test for it in the script")];
    }
    if !events::about_a_tool(at.event.name) {
        let says = format!("`if` is for events of one tool call: on {} this hook never runs", at.event.name);
        return vec![found(says).help("leave `if` out, and test for it in the script")];
    }
    if let Some(one) = no_rule(rule, &found) {
        return vec![one];
    }
    let mut all = Vec::new();
    all.extend(bypassed(at, rule, &place));
    all.extend(anchored(at, rule, &place));
    all
}

/// Where the rule is written.
struct Place {
    span: Span,
    literal: Option<Literal>,
}

impl Place {
    fn of(at: &Looked<'_>) -> Place {
        let handler = at.handler();
        let whole = at.whole.sources.text(handler.source);
        let inside = at.whole.sources.slice(handler);
        let lenient = Syntax { comments: true, trailing_commas: true, bom: true };
        let node = parse_json(handler.source, inside, lenient).ok();
        let start = node.as_ref().and_then(|node| node.get("if")).map(|node: &Node| handler.start + node.span.start);
        let literal = start.and_then(|start| Literal::read(handler.source, whole, start));
        Place { span: literal.as_ref().map_or(handler, |literal| literal.span), literal }
    }
}

/// Texts that are no rule, or several: nothing ever matches them.
fn no_rule(rule: &str, found: &dyn Fn(String) -> Diagnostic) -> Option<Diagnostic> {
    let several = ["||", "&&", ")|", ") |", "), ", "),"].iter().any(|with| rule.contains(with) && outside(rule, with));
    if several {
        let says = format!("`if` takes one rule, and `{rule}` is several: this hook never runs");
        return Some(found(says).help("write one hook for each rule"));
    }
    let (name, content) = match rule.split_once('(') {
        None => (rule, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(content) => (name, Some(content)),
            None => {
                let says = format!("`{rule}` is no permission rule (its bracket is not closed): this hook never runs");
                return Some(found(says).help("write it as Tool(pattern)"));
            }
        },
    };
    let tools = || catalogue().agent("claude").into_iter().flat_map(|agent| &agent.tools).flat_map(|tool| tool.names());
    let known = |name: &str| tools().any(|tool| tool == name);
    if known(name) || name.starts_with("mcp__") && !name.contains('*') || name == "Task" {
        return None;
    }
    if let Some(near) = tools().find(|tool| tool.eq_ignore_ascii_case(name.trim())) {
        let says = format!("`{name}` is not {near}: in an `if` the name must be exact, so this hook never runs");
        let content = content.map_or(String::new(), |content| format!("({content})"));
        return Some(found(says).help(format!("write {near}{content}")));
    }
    if name.contains(['*', '|', ' ', '.']) {
        let says = format!("`{rule}` names no tool: in an `if` the name must be exact, so this hook never runs");
        return Some(found(says).help("name one tool, and the others in hooks of their own"));
    }
    None
}

/// Whether it stands outside of the brackets, where rules would be told apart.
fn outside(rule: &str, with: &str) -> bool {
    rule.match_indices(with).any(|(at, _)| {
        let before = rule.get(..at + usize::from(with.starts_with(')'))).unwrap_or("");
        before.matches('(').count() == before.matches(')').count()
    })
}

static BLOCKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\bexit\s+2\b|exit\(\s*2\s*\)|exitCode\s*=\s*2|["']?permissionDecision["']?\s*[:=]\s*["']?(?:deny|ask)|["']decision["']\s*[:=]\s*["']?block"#).ok()
});

/// A hook that refuses calls, and that some spellings of the command do not start.
fn bypassed(at: &Looked<'_>, rule: &str, place: &Place) -> Option<Diagnostic> {
    let pattern = rule.strip_prefix("Bash(")?.strip_suffix(')').filter(|pattern| !matches!(*pattern, "" | "*"))?;
    if !matches!(at.event.name, "PreToolUse" | "PermissionRequest") {
        return None;
    }
    let text = at.script.map_or_else(|| at.command().unwrap_or_default(), |script| script.text.clone());
    BLOCKS.as_ref().filter(|blocks| blocks.is_match(&text))?;
    let words = pattern.trim_end_matches([':', '*', ' ']).trim_start_matches("* ");
    let says =
        format!("`{rule}` is no gate: `sudo {words}`, `env {words}` and `bash -c '{words}'` do not start this hook");
    let help = "leave `if` out where the hook is to refuse, and test the command in the script";
    Some(Diagnostic::warning("HW802", says).at(place.span).help(help))
}

/// A folder that is looked for in the current folder alone.
fn anchored(at: &Looked<'_>, rule: &str, place: &Place) -> Option<Diagnostic> {
    let (tool, rest) = rule.split_once('(')?;
    let pattern = rest.strip_suffix(')')?;
    if !matches!(tool, "Edit" | "Write" | "Read" | "NotebookEdit") || !Rules::of(at.whole.version).forks {
        return None;
    }
    let folder = pattern.strip_suffix("/**").or_else(|| pattern.strip_suffix("/*"))?;
    if folder.is_empty() || folder.starts_with(['/', '.', '~', '*']) || folder.contains('*') {
        return None;
    }
    // Where it lies at the top of the project, that is what is meant.
    let (files, project) = (at.whole.files, &at.whole.place.project);
    if files.exists(&format!("{project}/{folder}")) {
        return None;
    }
    let says = format!("since 2.1.214 `{rule}` means the folder {folder} in the current folder, and nowhere below it");
    let anywhere = format!("{tool}(**/{pattern})");
    let found = Diagnostic::warning("HW803", says).at(place.span).help(format!("write {anywhere} for any depth"));
    Some(match &place.literal {
        Some(literal) => found.fix(Fix::proposal(literal.span, quoted(&anywhere))),
        None => found,
    })
}
