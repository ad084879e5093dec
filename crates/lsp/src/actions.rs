//! Code actions: the fixes and proposals of lint.

use std::collections::{BTreeMap, HashMap};

use hookbench_app::lint::{FileFix, FindingGroup, group_by_place};
use lsp_types::{CodeAction, CodeActionKind, Command, Range, TextEdit, Uri, WorkspaceEdit};
use serde_json::{Value, json};

use crate::code_pages::CodePages;
use crate::commands::MAKE_EXECUTABLE;
use crate::diagnostics::diagnostic;
use crate::document_view::DocumentView;
use crate::request_error::{RequestError, parse};
use crate::text::Lines;
use crate::uri::uri_of;

/// The actions for the findings in a range.
pub fn code_actions(view: &DocumentView<'_>, params: &Value, pages: &CodePages) -> Result<Value, RequestError> {
    let range: Range = parse(params.get("range").cloned().unwrap_or_default())?;
    let only = params.pointer("/context/only").and_then(Value::as_array);
    let is_wanted = |kind: &Value| kind.as_str().is_some_and(|kind| kind.is_empty() || kind == "quickfix");
    if only.is_some_and(|only| !only.iter().any(is_wanted)) {
        return Ok(json!([]));
    }
    let of_document = |group: &FindingGroup| {
        let path = group.finding.path.as_deref();
        path.is_some_and(|path| view.root.overlay().real(path) == view.path)
    };
    let groups = group_by_place(&view.root.report().findings);
    let actions = groups.iter().filter(|group| of_document(group)).filter_map(|group| {
        let shown = diagnostic(view.root, group, &view.lines, view.encoding, pages);
        if shown.range.start > range.end || shown.range.end < range.start {
            return None;
        }
        let fix = group.finding.fix.as_ref()?;
        let text = group.finding.help.as_deref().unwrap_or(&group.finding.message);
        let edit = if fix.edits.is_empty() { None } else { Some(workspace_edit(view, fix)?) };
        let command = fix.executable.first().map(|path| Command {
            title: text.to_owned(),
            command: MAKE_EXECUTABLE.to_owned(),
            arguments: Some(vec![json!({ "path": path })]),
        });
        (edit.is_some() || command.is_some()).then(|| CodeAction {
            title: if fix.safe { text.to_owned() } else { format!("Proposal: {text}") },
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![shown]),
            edit,
            command,
            is_preferred: Some(fix.safe),
            ..CodeAction::default()
        })
    });
    Ok(json!(actions.collect::<Vec<_>>()))
}

/// The edits of a fix. `None` if a file has another text now.
fn workspace_edit(view: &DocumentView<'_>, fix: &FileFix) -> Option<WorkspaceEdit> {
    let mut by_path: BTreeMap<String, Vec<&hookbench_app::lint::FileEdit>> = BTreeMap::new();
    for edit in &fix.edits {
        by_path.entry(view.root.overlay().real(&edit.path)).or_default().push(edit);
    }
    #[allow(clippy::mutable_key_type, reason = "the type of the protocol's map; the key is not changed")]
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for (path, edits) in by_path {
        let text = view.root.text(&path)?;
        let lines = Lines::new(&text, view.encoding);
        let converted = edits.into_iter().map(|edit| {
            let (start, end) = (edit.edit.start, edit.edit.end);
            (text.get(start..end)? == edit.was)
                .then(|| TextEdit { range: lines.range(start, end), new_text: edit.edit.text.clone() })
        });
        changes.insert(uri_of(&path)?, converted.collect::<Option<Vec<_>>>()?);
    }
    Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}
