//! The registration of the Intercept page.

use super::{InterceptView, choices, draw, held_band, keys, sentences};
use crate::bench::FrameLayout;
use crate::keymap::{Equivalent::CommandLine, UiCommand, row};
use crate::model::Model;
use crate::page::Page;
use crate::plain::sentences::{expanded, sentence};
use crate::screen::{FooterKey, Screen};

/// The parts of the page.
pub static SCREEN: Screen = Screen {
    has_tab: false,
    refresh: |model| model.with_part(|model| &mut model.intercept, InterceptView::refresh),
    always_fresh: true,
    on_open: keys::on_open,
    on_command: keys::on_command,
    on_click: |model, at, _| keys::on_click(model, at),
    step: |model, by, _| keys::step(model, by),
    visible_rows: |_| 11,
    on_wheel: |model, at, by, _| {
        keys::on_wheel(model, at, by);
        true
    },
    band: held_band::build_band,
    draw_top_line: |model, area, buf| {
        held_band::draw_top_line(model, area, buf);
        None
    },
    draw: |model, at, buf| draw::draw(model, at.shared, buf),
    footer,
    sentences: |model| sentences::page(model).iter().map(|text| sentence(&expanded(text))).collect(),
    ..Screen::new(
        "Intercept",
        row(
            UiCommand::Page(Page::Intercept),
            "intercept",
            "i",
            "",
            "what is held of running agents: see it, answer it; what is to be held",
            CommandLine("hookbench serve --remote-decide"),
        ),
    )
};

fn footer(model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
    let live = model.session.live();
    let pause = (UiCommand::PauseHolding, if live.paused { "hold again" } else { "" });
    if !live.pending.is_empty() {
        return vec![
            (UiCommand::Open, "decide"),
            (UiCommand::Edit, choices::edit_label(model)),
            (UiCommand::ReleaseAll, ""),
            (UiCommand::NextPane, "payload"),
            (UiCommand::ToBench, "bench"),
            pause,
        ];
    }
    let mut all = vec![
        (UiCommand::Capture, if live.is_connected() { "capture off" } else { "" }),
        (UiCommand::Edit, "add"),
        (UiCommand::LeaveOut, "on or off"),
        pause,
    ];
    all.retain(|(command, _)| *command != UiCommand::LeaveOut || !live.breakpoints.is_empty());
    all
}
