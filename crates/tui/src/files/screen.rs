//! The registration of the Files page.

use super::{FilesRow, FilesView, draw, keys, sentences};
use crate::bench::FrameLayout;
use crate::command_lines::place_options;
use crate::copy_items::CopyItem;
use crate::keymap::{Equivalent::CommandLine, UiCommand, row};
use crate::model::Model;
use crate::page::Page;
use crate::plain::sentences::{expanded, sentence};
use crate::screen::{FooterKey, Screen};
use hookbench_core::text::escape_for_terminal;

/// The parts of the page.
pub static SCREEN: Screen = Screen {
    refresh: |model| model.with_part(|model| &mut model.files, FilesView::refresh),
    close: |model| (model.files.detail_open, model.files.typing) = (false, false),
    on_command: keys::on_command,
    on_typing_key: |model, key, _| keys::on_typing_key(&mut model.files, key),
    on_click: |model, at, _| keys::on_click(model, at),
    step: |model, by, _| keys::step(model, by),
    visible_rows: draw::room,
    band: draw::build_band,
    draw_top_line: |model, area, buf| {
        draw::draw_top_line(model, area, buf);
        None
    },
    draw: |model, at, buf| draw::draw(model, at.shared, buf),
    footer,
    copy_items: |model| Ok(copy_items(model)),
    command_line: |model| Ok(command_line(model)),
    sentences: |model| sentences::summary(&model.files).iter().map(|text| sentence(&expanded(text))).collect(),
    ..Screen::new(
        "Files",
        row(
            UiCommand::Page(Page::Files),
            "files",
            "6",
            "",
            "every file that an agent looks at: what it brings, what is dropped, what is not read",
            CommandLine("hookbench list"),
        ),
    )
};

fn footer(model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
    let open =
        (UiCommand::Open, if matches!(model.files.item(), Some(FilesRow::Hook(..))) { "bench" } else { "unfold" });
    let why = (UiCommand::Why, "");
    let [first, second] = if model.files.detail_open { [why, open] } else { [open, why] };
    let back = model.files.detail_open.then_some((UiCommand::Back, ""));
    let rest = [first, second, (UiCommand::Search, ""), (UiCommand::OpenEditor, "editor"), (UiCommand::Palette, "")];
    back.into_iter().chain(rest).collect()
}

fn copy_items(model: &Model) -> Vec<CopyItem> {
    let shown = |lines: Vec<String>| lines.iter().map(|line| escape_for_terminal(line)).collect::<Vec<_>>().join("\n");
    let mut all = vec![
        CopyItem { key: 'v', name: "what the page lists", text: shown(sentences::page(model)) },
        CopyItem { key: 'd', name: "what is selected, in full", text: shown(sentences::selected(&model.files)) },
    ];
    let path = keys::selected_location(&model.files).map(|spot| spot.path);
    all.extend(path.map(|text| CopyItem { key: 'p', name: "the path of the file", text }));
    all.push(CopyItem { key: 'c', name: "the command line that does this", text: command_line(model) });
    all
}

fn command_line(model: &Model) -> String {
    let mut words = vec!["hookbench".to_owned(), "list".to_owned()];
    words.extend(place_options(model));
    words.join(" ")
}
