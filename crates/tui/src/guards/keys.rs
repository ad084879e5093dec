//! The commands of the page.

use ratatui::layout::Position;

use super::state::LAYER;
use super::view::{current_detail, row_places};
use crate::bench::has_detail;
use crate::finder::guard_modes;
use crate::guard_mode::GuardModeChange;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::popup::{InputPopup, InputPurpose, Popup, show_patch, show_patch_with_note};
use crate::update::{LoopRequest, command, open_page};
use crate::widgets;
use hookbench_app::guards::{
    GuardsRequest, Judgement, allowance_of, finding_case, needs_mode_hint, with_allowance, with_mode,
};
use hookbench_app::lint::FileChange;
use hookbench_app::suite::{DEFAULT_SUITE, addition_to};
use hookbench_app::{Command, GuardInstallRequest, prepare_guards};
use hookbench_core::guard::{GUARD_SECTIONS, GuardHit, GuardMode, GuardName, guard_page};
use hookbench_core::port::AgentVersion;

/// Handles a command; returns `false` if it has its general meaning.
pub fn on_command(model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
    match verb {
        UiCommand::JudgeRight => judge(model, Judgement::Right, asks),
        UiCommand::JudgeWrong => judge(model, Judgement::Wrong, asks),
        UiCommand::GuardMode => choose_mode(model),
        UiCommand::Replay => {
            model.toast = Some("checking recorded events".to_owned());
            command(model, Command::Guards(GuardsRequest::Try), asks);
        }
        UiCommand::SaveTest => keep_as_test(model),
        UiCommand::Allow => ask_reason(model),
        UiCommand::Explain => explain(model),
        UiCommand::Open if install(model) => {}
        UiCommand::Open if !has_detail(model.size) => {
            model.guards.detail_open = !model.guards.detail_open;
            model.guards.scroll = 0;
        }
        UiCommand::Open => {}
        UiCommand::Back if model.guards.detail_open && !has_detail(model.size) => model.guards.detail_open = false,
        UiCommand::Back => open_page(model, Page::Events),
        _ => return false,
    }
    true
}

/// Offers to install the selected guard; returns `false` if that is not possible or not needed.
fn install(model: &mut Model) -> bool {
    let Some((guard, mode)) = model.guards.installable().map(|guard| (guard.guard, guard.mode)) else { return false };
    show_install(model, guard, mode);
    true
}

/// Keeps the judgement of the selected finding, or forgets it if it is the same.
fn judge(model: &mut Model, judged: Judgement, asks: &mut Vec<LoopRequest>) {
    let Some(one) = model.guards.hit() else {
        model.toast = Some("select a finding to judge it".to_owned());
        return;
    };
    let judged = Some(judged).filter(|judged| one.judged != Some(*judged));
    let request = GuardsRequest::Judge { id: one.hit.id.clone(), judged };
    command(model, Command::Guards(request), asks);
}

fn ask_reason(model: &mut Model) {
    let Some(hit) = model.guards.hit().map(|one| one.hit.clone()) else {
        model.toast = Some("select a finding to allow it".to_owned());
        return;
    };
    model.popups.push(Popup::Input(InputPopup {
        prefix: String::new(),
        title: format!("Why do you allow {} here?", hit.rule),
        hint: "an entry in the configuration, shown before it is written".to_owned(),
        text: String::new().into(),
        form: "the reason, for the next reader",
        what: InputPurpose::GuardReason(Box::new(hit)),
        error: None,
    }));
}

/// Shows the entry that allows a finding as a patch; `Y` writes it.
pub fn allow_hit(model: &mut Model, hit: &GuardHit, reason: &str) {
    let title = format!("Allow {} here", hit.rule);
    show_config_change(model, title, |text| with_allowance(text, &allowance_of(hit, reason)));
}

/// Shows the new mode as a patch; `Y` writes it.
pub fn change_mode(model: &mut Model, change: &GuardModeChange) {
    let title = format!("{}: {}", change.subject(), change.mode.word());
    show_config_change(model, title, |text| with_mode(text, change.guard, change.rule.as_deref(), change.mode));
}

/// Shows a change of the configuration as a patch.
fn show_config_change(model: &mut Model, title: String, edit: impl FnOnce(&str) -> Result<String, String>) {
    let Some(path) = model.config.file.as_ref().map(|file| file.display().to_string()) else {
        model.toast = Some("the home directory is unknown, so the configuration cannot be found; set HOME".to_owned());
        return;
    };
    let before = model.session.files().read(&path).ok();
    let text = before.as_ref().and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default();
    match edit(text) {
        Ok(after) if after == text => model.toast = Some("nothing changes".to_owned()),
        Ok(after) => {
            let file = model.session.place().display_path(&path);
            let change = FileChange { file, path, before, after: after.into_bytes(), executable: false };
            show_patch(model, title, vec![change]);
        }
        Err(why) => model.toast = Some(why),
    }
}

/// Lists the modes of the selected guard, or of the rule of the selected finding.
fn choose_mode(model: &mut Model) {
    let hit = model.guards.hit().map(|one| (one.hit.guard.clone(), Some(one.hit.rule.clone())));
    let guard = || model.guards.guard().map(|guard| (guard.guard.word().to_owned(), None));
    let Some((guard, rule)) = hit.or_else(guard) else { return };
    let Some(guard) = GuardName::from_word(&guard) else { return };
    let modes = [GuardMode::Shadow, GuardMode::Warn, GuardMode::Deny, GuardMode::Off];
    let change = |mode| GuardModeChange { guard, rule: rule.clone(), mode };
    model.popups.push(guard_modes(modes.into_iter().map(change).collect()));
}

/// Shows the selected finding as a case of the project's suite; `Y` writes it.
fn keep_as_test(model: &mut Model) {
    let Some(found) = model.guards.hit().cloned() else {
        model.toast = Some("select a finding to keep it as a test".to_owned());
        return;
    };
    let kept = finding_case(&found)
        .and_then(|case| addition_to(DEFAULT_SUITE, &[case], model.session.place(), model.session.files()));
    match kept {
        Ok(change) => {
            show_patch(model, "Keep the finding as a test".to_owned(), vec![change]);
            let guard = &found.hit.guard;
            if needs_mode_hint(model.guards.guards(), guard) {
                model.toast = Some(format!("tests do not read config.toml; {guard} needs --mode deny in this project"));
            }
        }
        Err(why) => model.toast = Some(why.to_string()),
    }
}

/// Shows the page of the selected finding's rule.
fn explain(model: &mut Model) {
    let Some(page) = model.guards.hit().and_then(|one| guard_page(&one.hit.rule)) else { return };
    let theme = model.theme;
    let mut lines = Vec::new();
    for (title, text) in GUARD_SECTIONS.iter().zip(page.sections) {
        lines.push(vec![(theme.strong(), (*title).to_owned())]);
        let shown = text.lines().filter(|line| !line.starts_with("```"));
        let columns = crate::popup::lines_columns(model.size.0);
        lines.extend(shown.flat_map(|line| widgets::wrap(&[(theme.plain(), format!("  {line}"))], columns, 2)));
        lines.push(Vec::new());
    }
    model.popups.push(Popup::Lines { title: format!("{}: {}", page.id, page.title), lines, top: 0 });
}

/// Moves up or down in the rows, or scrolls the detail if it fills the page.
pub fn step(model: &mut Model, by: isize) {
    if model.guards.detail_open && !has_detail(model.size) {
        let (lines, rows) = current_detail(model);
        model.guards.scroll = widgets::scroll(model.guards.scroll, by, lines.len(), rows);
        return;
    }
    model.guards.selected = widgets::step(model.guards.selected, by, model.guards.rows.len());
    model.guards.scroll = 0;
}

/// Handles a click: selects a row.
pub fn on_click(model: &mut Model, at: Position) {
    let frame = frame_layout(model);
    let Some(row) = widgets::target_at(row_places(model, frame.shared, frame.size), at) else { return };
    model.guards.selected = row.min(model.guards.rows.len().saturating_sub(1));
    model.guards.scroll = 0;
}

/// Reads the findings again when the page is opened.
pub fn on_open(model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
    if before != Page::Guards {
        command(model, Command::Guards(GuardsRequest::Read), asks);
    }
}

/// Shows the settings with the guard as a patch; `Y` writes them.
pub fn show_install(model: &mut Model, guard: GuardName, mode: GuardMode) {
    let Some(state) = model.session.agent(model.session.bench().payload.agent.as_str()) else { return };
    let agent = AgentVersion { dialect: state.dialect, version: state.version.clone() };
    let name = agent.dialect.name();
    let request = GuardInstallRequest { guards: &[guard], agents: &[agent], layer: LAYER };
    let install = match prepare_guards(model.session.place(), model.session.files(), &request) {
        Ok(install) => install,
        Err(why) => {
            model.toast = Some(why.to_string());
            return;
        }
    };
    if install.changes.is_empty() {
        model.toast = Some(format!("{name} has {} already", guard.word()));
        return;
    }
    let effect = match mode {
        GuardMode::Shadow => "it records findings and stops nothing",
        GuardMode::Warn => "it warns you and stops nothing",
        GuardMode::Deny => "it refuses",
        GuardMode::Off => "it does nothing",
    };
    let note = format!("finds {}; mode {}: {effect}", guard.about(), mode.word());
    show_patch_with_note(model, format!("Install guard {} in {name}", guard.word()), Some(note), install.changes);
}
