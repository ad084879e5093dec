//! The laws of fixes for matchers. A safe fix loses no call for which the hook ran, and gains only tools that the author
//! wrote; otherwise it is a proposal. A fix after which the hook would run for nothing, or no longer for an MCP tool that
//! the matcher writes out, is dropped.

use std::collections::{BTreeSet, HashMap};

use super::matcher_context::MatcherContext;
use crate::diagnostic::{Code, CodeFamily, Diagnostic};
use crate::dialects::RuleContext;
use crate::matcher::{WrittenNames, server_tools_in};
use crate::text::Span;

/// Applies the laws to the fixes of findings about matchers.
pub(in crate::lint) fn keep_laws<'a>(hooks: impl Iterator<Item = RuleContext<'a>>, found: &mut [Diagnostic]) {
    let mut by_span: HashMap<Span, Vec<usize>> = HashMap::new();
    for (index, one) in found.iter().enumerate().filter(|(_, one)| one.code.family() == Some(CodeFamily::Matchers)) {
        if let Some(span) = one.span.filter(|_| one.fix.is_some()) {
            by_span.entry(span).or_default().push(index);
        }
    }
    if by_span.is_empty() {
        return;
    }
    for hook in hooks {
        let Some(indexes) = hook.matcher().and_then(|(_, span)| by_span.remove(&span)) else { continue };
        let Some(matcher) = MatcherContext::of(&hook) else { continue };
        for index in indexes {
            found.get_mut(index).into_iter().for_each(|one| keep_laws_of(&matcher, one));
        }
    }
}

fn keep_laws_of(matcher: &MatcherContext<'_>, found: &mut Diagnostic) {
    let Some(fix) = &mut found.fix else { return };
    let written = fix.edits.iter().find(|edit| (edit.start, edit.end) == (matcher.span.start, matcher.span.end));
    let Some(fixed) = written.and_then(|edit| serde_json::from_str::<String>(&edit.text).ok()) else { return };
    let tools = matcher.tools();
    let of_servers = [matcher.text, fixed.as_str()]
        .into_iter()
        .flat_map(|text| tools.map(|tools| server_tools_in(text, tools)).unwrap_or_default());
    let known: BTreeSet<String> = matcher.known().into_iter().map(str::to_owned).collect();
    let servers: BTreeSet<String> = of_servers.filter(|name| !known.contains(name)).collect();
    let was = |name: &&String| matcher.matches(name) == Some(true);
    let is = |name: &&String| matcher.would_match(&fixed, name) == Some(true);
    let names = || known.iter().chain(&servers);
    // A negation excludes on purpose, and HW305 corrects the names of MCP tools.
    let corrects = matches!(found.code, Code::HW305 | Code::HW317);
    let loses_server_tool = !corrects && servers.iter().any(|name| was(&name) && !is(&name));
    if tools.is_some() && (loses_server_tool || !names().any(|name| is(&name))) {
        found.fix = None;
        return;
    }
    let loses = names().any(|name| was(&name) && !is(&name));
    let wrote = WrittenNames::of(matcher.text);
    let is_written = |name: &str| {
        let mut texts = wrote.names.iter().map(|written| written.text);
        texts.any(|text| text.eq_ignore_ascii_case(name) || matcher.resolve_name(text) == name)
    };
    let gains = known.iter().any(|name| !was(&name) && is(&name) && !is_written(name));
    fix.safe &= !loses && !gains;
}
