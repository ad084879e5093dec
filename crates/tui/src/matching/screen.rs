//! The registration of the Match page.

use super::{MatchView, keys, pattern_line, placement, typing};
use crate::bench::FrameLayout;
use crate::command_lines::{place_options, shell_quoted};
use crate::keymap::{Equivalent::CommandLine, UiCommand, row};
use crate::model::Model;
use crate::page::Page;
use crate::plain;
use crate::screen::{FooterKey, Screen};

/// The parts of the page.
pub static SCREEN: Screen = Screen {
    refresh: |model| model.with_part(|model| &mut model.matching, MatchView::refresh),
    on_open: keys::on_open,
    close: |model| (model.matching.typing, model.matching.zoomed) = (None, false),
    on_command: keys::on_command,
    on_typing_key: |model, key, _| typing::on_typing_key(model, key),
    on_paste: |model, text, _| typing::on_paste(model, text),
    on_click: |model, at, _| keys::on_click(model, at),
    step: |model, by, _| keys::step(model, by),
    visible_rows: keys::visible_rows,
    band: pattern_line::build_band,
    draw_top_line: pattern_line::draw_top_line,
    draw: |model, at, buf| placement::draw(model, at.shared, buf),
    footer,
    command_line: |model| Ok(command_line(model)),
    sentences: plain::matching::page,
    plain_command: plain::PlainSession::try_matcher,
    ..Screen::new(
        "Match",
        row(
            UiCommand::Page(Page::Match),
            "match",
            "2",
            "",
            "one matcher, tried on everything in every agent, at every letter",
            CommandLine("hookbench match --hook HOOK"),
        ),
    )
};

fn footer(_: &Model, _: &FrameLayout) -> Vec<FooterKey> {
    vec![
        (UiCommand::Edit, ""),
        (UiCommand::Fix, "write"),
        (UiCommand::Open, "take"),
        (UiCommand::Search, "names"),
        (UiCommand::NextMatch, "next problem"),
        (UiCommand::Palette, ""),
    ]
}

fn command_line(model: &Model) -> String {
    let matching = &model.matching;
    let mut words = vec!["hookbench".to_owned(), "match".to_owned(), shell_quoted(&matching.text.text())];
    match matching.owner.as_ref().and_then(|whose| Some((whose, whose.definition(model)?))) {
        Some((_, definition)) => {
            let place = format!(
                "{}:{}:{}",
                definition.provenance.file, definition.provenance.line, definition.provenance.column
            );
            words.extend(["--hook".to_owned(), shell_quoted(&place)]);
        }
        None => {
            let event = matching.board.as_ref().and_then(|board| board.columns.first()).map(|c| c.event.name);
            words.extend(event.into_iter().flat_map(|event| ["--event".to_owned(), event.to_owned()]));
        }
    }
    words.extend(matching.added_names.iter().flat_map(|name| ["--value".to_owned(), shell_quoted(name)]));
    words.extend(place_options(model));
    words.join(" ")
}
