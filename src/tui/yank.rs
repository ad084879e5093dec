//! What can be copied of what the screen shows.

use crate::core::run::Stream;
use crate::core::text::{stringify_pretty, visible};
use crate::tui::bench::detail_rows;
use crate::tui::model::{Model, Tab};
use crate::tui::popup::Popup;
use crate::tui::twin::command_line;

/// One thing to copy, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yank {
    pub key: char,
    pub name: &'static str,
    pub text: String,
}

/// All that can be copied now.
pub fn yanks(model: &Model) -> Popup {
    let mut all = Vec::new();
    let mut add = |key, name, text: Option<String>| all.extend(text.map(|text| Yank { key, name, text }));
    add('v', "what the pane shows", pane(model));
    let definition = model.definition();
    add('r', "the hook's command", definition.map(|d| d.handler.text()));
    add('j', "the payload as JSON", model.session.bench.body().map(stringify_pretty));
    let path = definition.zip(model.loaded()).map(|(d, loaded)| loaded.sources.path(d.from.span.source).to_owned());
    add('p', "the path of the hook's file", path);
    add('c', "the command line that does this", Some(command_line(model)));
    Popup::Yank(all)
}

fn pane(model: &Model) -> Option<String> {
    let run = model.selected_run();
    match model.current_tab() {
        // Control characters stay harmless on their way into somebody's shell.
        Tab::Stdout => run.map(|run| clean(&run.live(Stream::Stdout).head)),
        Tab::Stderr => run.map(|run| clean(&run.live(Stream::Stderr).head)),
        tab => {
            let line = |pieces: Vec<(_, String)>| pieces.into_iter().map(|(_, text)| text).collect::<String>();
            Some(detail_rows(model, tab).into_iter().map(line).collect::<Vec<_>>().join("\n"))
        }
    }
}

fn clean(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().map(visible).collect::<Vec<_>>().join("\n")
}
