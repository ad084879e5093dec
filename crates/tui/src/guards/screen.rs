//! The Guards page and its commands.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::GuardsView;
use super::state::LAYER;
use super::view::{self, current_detail, row_places};
use crate::bench::{Band, FrameLayout, has_detail};
use crate::command_lines::place_options;
use crate::copy_items::CopyItem;
use crate::finder::guard_modes;
use crate::guard_mode::GuardModeChange;
use crate::keymap::UiCommand;
use crate::model::Model;
use crate::page::Page;
use crate::page_layout::frame_layout;
use crate::plain::sentences::{band_rows, detail, expanded, sentence};
use crate::popup::{InputPopup, InputPurpose, Popup, show_patch, show_patch_with_note};
use crate::screen::{FooterKey, PageKeys, PageList, Screen};
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
use hookbench_core::text::escape_for_terminal;

/// The page.
pub struct GuardsScreen;

impl Screen for GuardsScreen {
    fn refresh(&self, model: &mut Model) {
        model.with_part(|model| &mut model.guards, GuardsView::refresh);
    }

    /// Reads the findings again when the page is opened.
    fn on_open(&self, model: &mut Model, before: Page, asks: &mut Vec<LoopRequest>) {
        if before != Page::Guards {
            command(model, Command::Guards(GuardsRequest::Read), asks);
        }
    }

    fn on_command(&self, model: &mut Model, verb: UiCommand, asks: &mut Vec<LoopRequest>) -> bool {
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

    fn on_click(&self, model: &mut Model, at: Position, _: &mut Vec<LoopRequest>) {
        let frame = frame_layout(model);
        let Some(row) = widgets::target_at(row_places(model, frame.shared, frame.size), at) else { return };
        model.guards.selected = row.min(model.guards.rows.len().saturating_sub(1));
        model.guards.scroll = 0;
    }

    fn step(&self, model: &mut Model, by: isize, _: &mut Vec<LoopRequest>) {
        if model.guards.detail_open && !has_detail(model.size) {
            let (lines, rows) = current_detail(model);
            model.guards.scroll = widgets::scroll(model.guards.scroll, by, lines.len(), rows);
            return;
        }
        model.guards.selected = widgets::step(model.guards.selected, by, model.guards.rows.len());
        model.guards.scroll = 0;
    }

    fn visible_rows(&self, model: &Model) -> usize {
        view::room(model)
    }

    fn band(&self, model: &Model) -> Band {
        view::build_band(model)
    }

    fn draw_top_line(&self, model: &Model, area: Rect, buf: &mut Buffer) -> Option<(u16, u16)> {
        view::draw_top_line(model, area, buf);
        None
    }

    fn draw(&self, model: &Model, at: &FrameLayout, buf: &mut Buffer) {
        view::draw(model, at.shared, buf);
    }

    fn keys(&self) -> &'static [PageKeys] {
        &[
            (&[UiCommand::Open], "install a guard"),
            (&[UiCommand::JudgeRight, UiCommand::JudgeWrong], "judge right, wrong"),
            (&[UiCommand::Allow], "allow with a reason"),
            (&[UiCommand::SaveTest], "keep as a test"),
            (&[UiCommand::GuardMode], "choose the mode"),
            (&[UiCommand::Replay], "try on recorded events"),
            (&[UiCommand::Explain], "explain the rule"),
        ]
    }

    fn footer(&self, model: &Model, _: &FrameLayout) -> Vec<FooterKey> {
        if model.guards.hit().is_none() {
            let install = model.guards.installable().map(|_| (UiCommand::Open, "install"));
            let rest = [
                (UiCommand::GuardMode, "mode"),
                (UiCommand::Replay, "try on events"),
                (UiCommand::Back, "events"),
                (UiCommand::Palette, ""),
            ];
            return install.into_iter().chain(rest).collect();
        }
        vec![
            (UiCommand::JudgeRight, "right"),
            (UiCommand::JudgeWrong, "wrong"),
            (UiCommand::Allow, "allow"),
            (UiCommand::SaveTest, "test"),
            (UiCommand::GuardMode, "mode"),
            (UiCommand::Explain, "explain"),
            (UiCommand::Replay, "try"),
            (UiCommand::Palette, ""),
        ]
    }

    fn copy_items(&self, model: &Model) -> Result<Vec<CopyItem>, &'static str> {
        let shown =
            |lines: Vec<String>| lines.iter().map(|line| escape_for_terminal(line)).collect::<Vec<_>>().join("\n");
        Ok(vec![
            CopyItem { key: 'v', name: "list", text: shown(view::page(&model.guards)) },
            CopyItem { key: 'd', name: "selected row", text: shown(view::selected(&model.guards)) },
            CopyItem { key: 'c', name: "command line", text: command_line(model) },
        ])
    }

    fn command_line(&self, model: &Model) -> Result<String, &'static str> {
        Ok(command_line(model))
    }

    fn page_list(&self, model: &Model) -> Option<PageList> {
        let rows = view::page(&model.guards).into_iter().map(|text| sentence(&expanded(&text)));
        Some(PageList::new("guards", rows, model.guards.selected))
    }

    fn sentences(&self, model: &Model) -> Vec<String> {
        band_rows(&self.band(model))
    }

    fn open_sentences(&self, model: &Model) -> Option<Vec<String>> {
        Some(detail(&view::selected(&model.guards)))
    }
}

fn command_line(model: &Model) -> String {
    let view = &model.guards;
    let install = view
        .installable()
        .zip(view.agent)
        .map(|(guard, agent)| vec!["install", guard.guard.word(), "--agent", agent.as_str(), "--scope", LAYER.word()]);
    let own = install.unwrap_or_else(|| vec!["list"]);
    let mut words: Vec<String> = ["hookbench", "guard"].into_iter().chain(own).map(str::to_owned).collect();
    words.extend(place_options(model));
    words.join(" ")
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
