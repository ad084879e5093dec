//! The registration of the Problems page.

use super::{ProblemsView, band, draw, keys, sentences, state};
use crate::bench::FrameLayout;
use crate::keymap::{Equivalent::CommandLine, UiCommand, row};
use crate::model::Model;
use crate::page::Page;
use crate::plain::sentences::{expanded, sentence};
use crate::screen::{FooterKey, Screen};

/// The parts of the page.
pub static SCREEN: Screen = Screen {
    tab_count: state::count,
    refresh: |model| model.with_part(|model| &mut model.problems, ProblemsView::refresh),
    always_fresh: true,
    close: |model| (model.problems.open, model.problems.typing) = (None, None),
    on_command: keys::on_command,
    on_typing_key: |model, key, _| keys::on_typing_key(model, key),
    on_paste: |model, text, _| keys::on_paste(&mut model.problems, text),
    on_click: |model, at, _| keys::on_click(model, at),
    step: |model, by, _| keys::step(model, by),
    visible_rows: |model| if model.problems.open.is_some() { draw::open_room(model) } else { draw::room(model) },
    band: band::build_band,
    draw_top_line: band::draw_top_line,
    draw: |model, at, buf| draw::draw(model, at.shared, buf),
    footer,
    copy_items: keys::copy_items,
    command_line: |model| Ok(keys::lint_command_line(model)),
    sentences: sentences::page,
    open_sentences: |model| {
        model.problems.open?;
        Some(sentences::full_finding(model).iter().map(|text| sentence(&expanded(text))).collect())
    },
    ..Screen::new(
        "Problems",
        row(
            UiCommand::Page(Page::Problems),
            "problems",
            "4",
            "",
            "what is wrong with the hooks of all agents, with line and cure",
            CommandLine("hookbench lint"),
        ),
    )
};

fn footer(model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
    let palette = (UiCommand::Palette, "");
    if model.problems.group().is_none() {
        return vec![palette];
    }
    vec![
        (if model.problems.open.is_some() { UiCommand::Back } else { UiCommand::Open }, ""),
        (UiCommand::Fix, ""),
        (UiCommand::Explain, ""),
        (UiCommand::Why, ""),
        (UiCommand::Search, "filter"),
        (UiCommand::OpenEditor, "editor"),
        palette,
    ]
}
