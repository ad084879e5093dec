//! The registration of the Compare page.

use super::{CompareView, band, detail, keys, placement, sentences};
use crate::bench::FrameLayout;
use crate::command_lines::fire_line;
use crate::copy_items::CopyItem;
use crate::keymap::{Equivalent::CommandLine, UiCommand, row};
use crate::model::Model;
use crate::page::Page;
use crate::plain;
use crate::screen::{FooterKey, Screen};
use crate::view::frame_layout;
use hookbench_core::text::{escape_for_terminal, stringify_pretty};

/// The parts of the page.
pub static SCREEN: Screen = Screen {
    refresh: |model| model.with_part(|model| &mut model.compare, CompareView::refresh),
    close: |model| (model.compare.open, model.compare.typing) = (None, false),
    on_output: Model::refresh_compared_runs,
    on_command: keys::on_command,
    on_typing_key: |model, key, _| keys::on_typing_key(&mut model.compare, key),
    on_click: |model, at, _| keys::on_click(model, at),
    step: |model, by, _| keys::step(model, by),
    visible_rows: |model| detail::room(frame_layout(model).shared),
    band: band::build_band,
    draw: |model, at, buf| placement::draw(model, at.shared, buf),
    footer,
    copy_items: |model| Ok(copy_items(model)),
    command_line: |model| Ok(command_line(model)),
    sentences: plain::compare::page,
    plain_command: plain::PlainSession::open_agent,
    ..Screen::new(
        "Compare",
        row(
            UiCommand::Page(Page::Compare),
            "compare",
            "5",
            "",
            "the same event in every agent, side by side",
            CommandLine("hookbench plan EVENT --agent all"),
        ),
    )
};

fn footer(model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
    let fire = (UiCommand::Fire, "");
    let event = [(UiCommand::Edit, ""), (UiCommand::Template, ""), (UiCommand::Agent, "agents")];
    match model.compare.open {
        Some(_) => [(UiCommand::Back, ""), fire].into_iter().chain(event).chain([(UiCommand::Open, "bench")]).collect(),
        None => [fire, (UiCommand::Open, "")].into_iter().chain(event).chain([(UiCommand::Palette, "")]).collect(),
    }
}

fn copy_items(model: &Model) -> Vec<CopyItem> {
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
    all
}

/// The command line that fires the event in all compared agents. If agents are left out, each of the others gets its
/// own line with its own event.
fn command_line(model: &Model) -> String {
    let bench = &model.session.bench;
    match &model.compare.shown {
        None => fire_line(model, bench.agent, bench.body()),
        Some(shown) if shown.len() == model.session.agents.len() => fire_line(model, "all", bench.body()),
        Some(shown) => {
            let line = |(of, there): (&hookbench_app::AgentEvent, &hookbench_app::PlannedAgentEvent)| {
                fire_line(model, of.agent, Some(&there.input.body))
            };
            shown.all.translated().map(line).collect::<Vec<_>>().join("\n")
        }
    }
}
