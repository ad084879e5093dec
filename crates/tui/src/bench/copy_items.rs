//! The texts that can be copied from the bench.

use super::detail_rows;
use crate::copy_items::CopyItem;
use crate::model::{Focus, Model};
use hookbench_app::SharedPage;
use hookbench_core::text::{escape_for_terminal, stringify_pretty};

/// The texts of the bench, with the command line of the open page.
pub fn bench_items(model: &Model, command_line: Option<String>) -> Vec<CopyItem> {
    let mut all = Vec::new();
    let mut add = |key, name, text: Option<String>| all.extend(text.map(|text| CopyItem { key, name, text }));
    add('v', "pane", Some(pane(model)));
    add('e', "value under the cursor", value(model));
    let definition = model.definition();
    add('r', "command of the hook", definition.map(|d| d.handler.text()));
    add('j', "payload as JSON", model.session.bench().body().map(stringify_pretty));
    let path =
        definition.zip(model.loaded()).map(|(d, loaded)| loaded.sources.path(d.provenance.span.source).to_owned());
    add('p', "path of the hook's file", path);
    add('c', "command line", command_line);
    let firing = model.firing().filter(|firing| firing.settled);
    add('m', "firing as Markdown (masked)", firing.and_then(|one| model.to_markdown(SharedPage::Firing(one))));
    let log = model.definition_facts.as_ref().and_then(|facts| facts.log.as_ref());
    let ladder = definition.zip(model.ladder.as_ref());
    let ladder =
        ladder.and_then(|(definition, ladder)| model.to_markdown(SharedPage::Ladder { definition, ladder, log }));
    add('w', "ladder as Markdown (masked)", ladder);
    let agent = model.session.current().filter(|_| model.rows.is_empty());
    for (key, first) in ('1'..).zip(agent.map(|a| a.dialect.first_hooks()).into_iter().flatten()) {
        all.push(CopyItem { key, name: first.name, text: first.settings.to_owned() });
    }
    all
}

/// The value under the cursor: a string unchanged, anything else as JSON.
fn value(model: &Model) -> Option<String> {
    let row = model.payload_view.tree.row().filter(|r| model.focus == Focus::Event && !r.pointer.is_empty())?;
    let value = model.session.bench().body()?.pointer(&row.pointer)?;
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
