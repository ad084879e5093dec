//! What a document shows about its hooks: hover, symbols, definitions, code lenses and inlay hints.

use hookbench_app::AgentState;
use hookbench_core::dialects::find_event;
use hookbench_core::hook::EventSpec;
use lsp_types::{
    CodeLens, Command, DocumentSymbol, Hover, HoverContents, InlayHint, InlayHintLabel, Location, MarkupContent,
    MarkupKind, Position, Range, SymbolKind,
};
use serde_json::{Value, json};

use crate::commands::{FIRE, HookAddress, STRESS, WHY};
use crate::document_view::DocumentView;
use crate::explanations::{assess_matcher, explain_event, explain_hook, explain_matcher};
use crate::request_error::{RequestError, parse};
use crate::root::PlacedHook;
use crate::uri::uri_of;

fn offset(view: &DocumentView<'_>, params: &Value) -> Result<usize, RequestError> {
    let position: Position = parse(params.get("position").cloned().unwrap_or_default())?;
    Ok(view.lines.offset(position))
}

/// The explanation of the matcher, the event or the hook at a position.
pub fn hover(view: &DocumentView<'_>, params: &Value) -> Result<Value, RequestError> {
    let offset = offset(view, params)?;
    let of_matcher = || {
        let readers = view.matcher_at(offset)?;
        let hook = readers.first()?;
        let span = hook.definition.matcher_span?;
        Some((explain_matcher(view.root.session(), hook)?, view.lines.range(span.start, span.end)))
    };
    let of_event = || {
        let (agent, event, range) = event_at(view, offset)?;
        Some((explain_event(agent, event), range))
    };
    let of_hook = || {
        let readers = view.handler_at(offset)?;
        Some((explain_hook(view.root, &readers)?, view.range_of(readers.first()?)))
    };
    let found = of_matcher().or_else(of_event).or_else(of_hook);
    Ok(json!(found.map(|(value, range)| Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(range),
    })))
}

/// The event that the word at an offset names, with the first agent that reads the document and has it.
fn event_at<'a>(view: &DocumentView<'a>, offset: usize) -> Option<(&'a AgentState, &'static EventSpec, Range)> {
    let (word, start, end) = view.word_at(offset)?;
    let mut readers = view.root.readers_of(view.path).into_iter();
    let (agent, event) = readers.find_map(|agent| Some((agent, find_event(agent.dialect, &agent.version, word)?)))?;
    Some((agent, event, view.lines.range(start, end)))
}

/// The hooks of a document, below their events.
#[allow(deprecated, reason = "the type of the protocol has a deprecated field")]
pub fn symbols(view: &DocumentView<'_>) -> Value {
    let symbol = |name: String, detail, kind, range: Range, children| DocumentSymbol {
        name,
        detail,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range: range,
        children,
    };
    let mut events: Vec<DocumentSymbol> = Vec::new();
    for group in view.handlers() {
        let Some(hook) = group.first() else { continue };
        let (definition, range) = (hook.definition, view.range_of(hook));
        let detail = definition.matcher.as_ref().map(|_| definition.matcher_text());
        let child = symbol(definition.label(), detail, SymbolKind::FUNCTION, range, None);
        match events.iter_mut().find(|event| event.name == definition.event) {
            Some(event) => {
                event.range.end = event.range.end.max(range.end);
                event.children.get_or_insert_default().push(child);
            }
            None => events.push(symbol(definition.event.clone(), None, SymbolKind::EVENT, range, Some(vec![child]))),
        }
    }
    json!(events)
}

/// The script of the command at a position.
pub fn definition(view: &DocumentView<'_>, params: &Value) -> Result<Value, RequestError> {
    let offset = offset(view, params)?;
    let readers = view.handler_at(offset).unwrap_or_default();
    let script = readers.iter().find_map(|hook| view.root.session().resolve(hook.agent, hook.definition)?.script);
    let uri = script.filter(|path| view.root.text(path).is_some()).and_then(|path| uri_of(&path));
    Ok(json!(uri.map(|uri| Location { uri, range: Range::default() })))
}

/// The commands at each hook.
pub fn lenses(view: &DocumentView<'_>) -> Value {
    let mut lenses = Vec::new();
    for group in view.handlers() {
        let Some(hook) = group.first().filter(|hook| !hook.stale) else { continue };
        let range = view.range_of(hook);
        for (title, command) in [("fire", FIRE), ("stress", STRESS), ("why", WHY)] {
            let command = Command {
                title: title.to_owned(),
                command: command.to_owned(),
                arguments: Some(vec![json!(HookAddress::of(view.root, hook))]),
            };
            lenses.push(CodeLens {
                range: Range { start: range.start, end: range.start },
                command: Some(command),
                data: None,
            });
        }
    }
    json!(lenses)
}

/// What each hook of a range fires on: `PreToolUse · 3 of 17 tools`.
pub fn inlay_hints(view: &DocumentView<'_>, params: &Value) -> Result<Value, RequestError> {
    let range: Range = parse(params.get("range").cloned().unwrap_or_default())?;
    let mut hints = Vec::new();
    for group in view.handlers() {
        let Some(hook) = group.first().filter(|hook| !hook.stale) else { continue };
        let position = view.range_of(hook).end;
        if position < range.start || position > range.end {
            continue;
        }
        hints.push(InlayHint {
            position,
            label: InlayHintLabel::String(hint(view, hook)),
            kind: None,
            text_edits: None,
            tooltip: None,
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
    }
    Ok(json!(hints))
}

fn hint(view: &DocumentView<'_>, hook: &PlacedHook<'_>) -> String {
    let event = &hook.definition.event;
    let doc = assess_matcher(view.root.session(), hook, false);
    let own = doc.as_ref().and_then(|doc| doc.agents.first()).filter(|own| own.known > 0);
    let spec = find_event(hook.agent.dialect, &hook.agent.version, event);
    match own.zip(spec.and_then(|spec| spec.subject)) {
        Some((own, "tool_name")) => format!("{event} · {} of {} tools", own.matches.len(), own.known),
        Some((own, key)) => format!("{event} · {} of {} values of {key}", own.matches.len(), own.known),
        None => event.clone(),
    }
}
