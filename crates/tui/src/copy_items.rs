//! The texts that can be copied from the screen.

use crate::bench::detail_rows;
use crate::command_lines::command_line;
use crate::compare::sentences;
use crate::files;
use crate::model::{Focus, Model};
use crate::page::Page;
use crate::popup::Popup;
use hookbench_core::text::{escape_for_terminal, stringify_pretty};

/// One text to copy, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyItem {
    pub key: char,
    pub name: &'static str,
    pub text: String,
}

/// The popup with everything that can be copied now.
pub fn copy_popup(model: &Model) -> Popup {
    if model.page == Page::Compare {
        return compared(model);
    }
    if model.page == Page::Files {
        return listed(model);
    }
    let mut all = Vec::new();
    let mut add = |key, name, text: Option<String>| all.extend(text.map(|text| CopyItem { key, name, text }));
    add('v', "what the pane shows", Some(pane(model)));
    add('e', "the value under the cursor in the event", value(model));
    let definition = model.definition();
    add('r', "the hook's command", definition.map(|d| d.handler.text()));
    add('j', "the payload as JSON", model.session.bench.body().map(stringify_pretty));
    let path =
        definition.zip(model.loaded()).map(|(d, loaded)| loaded.sources.path(d.provenance.span.source).to_owned());
    add('p', "the path of the hook's file", path);
    add('c', "the command line that does this", Some(command_line(model)));
    let agent = model.session.current().filter(|_| model.rows.is_empty());
    for (key, first) in ('1'..).zip(agent.map(|a| a.dialect.first_hooks()).into_iter().flatten()) {
        all.push(CopyItem { key, name: first.name, text: first.settings.to_owned() });
    }
    Popup::Copy(all)
}

/// The texts of the Compare page.
fn compared(model: &Model) -> Popup {
    let mut all = Vec::new();
    let mut add = |key, name, text: Option<String>| all.extend(text.map(|text| CopyItem { key, name, text }));
    let open = model.compare.open.is_some();
    let shown = if open { sentences::open_detail(model) } else { sentences::page(model) };
    let shown: Vec<String> = shown.iter().map(|line| escape_for_terminal(line)).collect();
    add('v', "what the page shows", Some(shown.join("\n")));
    let of = model.compare.shown.as_ref().and_then(|s| s.all.agents.get(model.compare.selected(model)));
    let body = of.and_then(|of| of.event.as_ref().ok()).map(|there| stringify_pretty(&there.input.body));
    add('j', "the selected agent's payload", body);
    add('c', "the command line that does this", Some(command_line(model)));
    Popup::Copy(all)
}

/// The texts of the Files page.
fn listed(model: &Model) -> Popup {
    let shown = |lines: Vec<String>| lines.iter().map(|line| escape_for_terminal(line)).collect::<Vec<_>>().join("\n");
    let mut all = vec![
        CopyItem { key: 'v', name: "what the page lists", text: shown(files::sentences::page(model)) },
        CopyItem { key: 'd', name: "what is selected, in full", text: shown(files::sentences::selected(&model.files)) },
    ];
    let path = files::selected_location(&model.files).map(|spot| spot.path);
    all.extend(path.map(|text| CopyItem { key: 'p', name: "the path of the file", text }));
    all.push(CopyItem { key: 'c', name: "the command line that does this", text: command_line(model) });
    Popup::Copy(all)
}

/// The value under the cursor: a string unchanged, anything else as JSON.
fn value(model: &Model) -> Option<String> {
    let row = model.payload_view.tree.row().filter(|r| model.focus == Focus::Event && !r.pointer.is_empty())?;
    let value = model.session.bench.body()?.pointer(&row.pointer)?;
    Some(value.as_str().map_or_else(|| stringify_pretty(value), str::to_owned))
}

fn pane(model: &Model) -> String {
    let Some(stream) = model.stream() else {
        let line = |pieces: Vec<(_, String)>| pieces.into_iter().map(|(_, text)| text).collect::<String>();
        let rows = detail_rows(model, model.current_tab());
        return rows.into_iter().map(line).collect::<Vec<_>>().join("\n");
    };
    let gap = if stream.gap > 0 { format!("\n[{} bytes are not kept]\n", stream.gap) } else { String::new() };
    format!("{}{gap}{}", cleaned(&stream.head), cleaned(&stream.tail))
}

/// Makes control characters visible, so that they are harmless when pasted into a shell.
fn cleaned(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().map(escape_for_terminal).collect::<Vec<_>>().join("\n")
}
