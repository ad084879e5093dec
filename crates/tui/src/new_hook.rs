//! The sheet for a new hook: a list of recipes with the selected one explained below it, the agents and the layer.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::{Map, Value};

use crate::layer_keys::{LayerKey, fixed_keys};
use crate::model::Model;
use crate::popup::{PickItem, PickList, Popup, PopupResult, arrows, draw_list, frame, list_key, row, show_patch};
use crate::theme::Theme;
use crate::widgets::RowWriter;
use hookbench_app::{Command, prepare_hook};
use hookbench_core::catalogue::catalogue;
use hookbench_core::hook::Layer;
use hookbench_core::port::{AgentVersion, mapping};
use hookbench_core::recipe::{ComposedCase, Recipe, RecipeEvent, RecipeRequest, compose, recipe, recipes};
use hookbench_core::text::stringify;

/// The layers that a new hook can go to.
const LAYERS: [Layer; 3] = [Layer::Project, Layer::Local, Layer::User];
/// The rows below the list.
const DETAIL: u16 = 8;
/// The rows of the list at least, with the filter.
const SHORTEST: u16 = 6;
/// The rows of the whole sheet at most.
const HEIGHT: u16 = 34;

/// The sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHookSheet {
    recipes: PickList,
    /// Whether the hook is for every agent, and not only for the one on the bench.
    every_agent: bool,
    layer: Layer,
}

/// What was chosen on the sheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewHookChoice {
    recipe: &'static str,
    every_agent: bool,
    layer: Layer,
}

impl NewHookSheet {
    /// The sheet with the first recipe selected.
    pub fn new() -> NewHookSheet {
        let item = |recipe: &Recipe| {
            let when = mapping().row(&recipe.event).map_or("", |row| row.about.as_str());
            PickItem { label: recipe.title.clone(), about: when.to_owned(), commands: Vec::new() }
        };
        let items = recipes().iter().map(item).collect();
        let recipes = PickList { title: "New hook", items, filter: String::new(), selected: 0 };
        NewHookSheet { recipes, every_agent: false, layer: Layer::Project }
    }

    fn selected(&self) -> Option<&'static Recipe> {
        let title = &self.recipes.shown().get(self.recipes.selected)?.label;
        recipes().iter().find(|recipe| recipe.title == *title)
    }

    /// Handles a key.
    pub fn key(&mut self, code: KeyCode, control: bool) -> PopupResult {
        let at = LAYERS.iter().position(|layer| *layer == self.layer).unwrap_or(0);
        match code {
            KeyCode::Tab => self.every_agent = !self.every_agent,
            KeyCode::Right => self.layer = LAYERS.get(at + 1).copied().unwrap_or(LAYERS[0]),
            KeyCode::Left => {
                self.layer = LAYERS.get(at.checked_sub(1).unwrap_or(LAYERS.len() - 1)).copied().unwrap_or(self.layer);
            }
            KeyCode::Enter => {
                let choice = |recipe: &'static Recipe| {
                    let (every_agent, layer) = (self.every_agent, self.layer);
                    PopupResult::NewHook(NewHookChoice { recipe: &recipe.id, every_agent, layer })
                };
                return self.selected().map_or(PopupResult::Stay, choice);
            }
            code => return list_key(&mut self.recipes, code, control),
        }
        PopupResult::Stay
    }

    /// The keys of the sheet.
    pub fn footer(&self, theme: Theme) -> Vec<LayerKey> {
        let sideways = if theme.unicode { "←→" } else { "Left Right" };
        let agents = if self.every_agent { "this agent only" } else { "every agent" };
        fixed_keys(&[
            ("Enter", "show files"),
            (arrows(theme), "move"),
            ("type", "to filter"),
            ("Tab", agents),
            (sideways, "layer"),
            ("Esc", "close"),
        ])
    }

    /// Draws the sheet. Returns the cursor's position.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, model: &Model) -> (u16, u16) {
        let theme = model.theme;
        let inner = frame(area, buf, theme, self.recipes.title, 110, area.height.saturating_sub(2).min(HEIGHT));
        let detail = DETAIL.min(inner.height.saturating_sub(SHORTEST));
        let list = Rect { height: inner.height.saturating_sub(detail), ..inner };
        let cursor = draw_list(&self.recipes, "no recipe has these words", list, buf, theme);
        for (index, (label, text)) in self.details(model).iter().enumerate() {
            let place = row(Rect { y: list.bottom(), height: detail, ..inner }, index + 1);
            RowWriter::new(place, buf, theme).cell(theme.quiet(), label, 8).put(theme.plain(), text);
        }
        cursor
    }

    /// The selected recipe and the choices, as labels and texts.
    pub fn details(&self, model: &Model) -> Vec<(&'static str, String)> {
        let agent = model.session.current().map_or("", |agent| agent.dialect.name());
        let agents = if self.every_agent { "every agent that has the event".to_owned() } else { agent.to_owned() };
        let file = model.session.current().and_then(|agent| {
            let path = (agent.dialect.settings_format().layer_file)(model.session.place(), self.layer)?;
            Some(model.session.place().display_path(&path))
        });
        let layer = match (self.every_agent, file) {
            (false, Some(file)) => format!("{} layer, {file}", self.layer.word()),
            (false, None) => format!("{agent} has no settings file for the {} layer", self.layer.word()),
            (true, _) => format!("{} layer", self.layer.word()),
        };
        let Some(recipe) = self.selected() else { return vec![("for", agents), ("in", layer)] };
        let tools = catalogue().agent(model.session.bench().payload.agent.as_str());
        let tools = recipe.tools.iter().filter_map(|row| Some(tools?.tool_for_row(row)?.id.as_str()));
        let tools: Vec<&str> = tools.collect();
        let mut rows = vec![("name", format!("{}.{}", recipe.id, recipe.extension))];
        if !tools.is_empty() {
            rows.push(("tools", tools.join(", ")));
        }
        rows.extend(recipe.caught.as_ref().and_then(example).map(|text| ("catches", text)));
        rows.extend(example(&recipe.passes).map(|text| ("allows", text)));
        rows.push(("misses", recipe.misses.clone()));
        rows.extend([("for", agents), ("in", layer)]);
        rows
    }
}

/// The first text of an example event.
fn example(event: &RecipeEvent) -> Option<String> {
    let input = event.input.as_ref().and_then(Value::as_object).unwrap_or(&event.set);
    input.values().find_map(|value| value.as_str().map(str::to_owned))
}

/// Shows the files of a new hook as a patch. `Y` writes them, pins the two events that test the hook, and arms
/// auto-fire. Returns false, with the reason in the toast, if there is nothing to write.
pub fn show_files(model: &mut Model, choice: NewHookChoice) -> bool {
    let Some(recipe) = recipe(choice.recipe) else { return false };
    let on_bench = model.session.bench().payload.agent;
    let all: Vec<AgentVersion> = model
        .session
        .agents()
        .iter()
        .map(|agent| AgentVersion { dialect: agent.dialect, version: agent.version.clone() })
        .collect();
    let own: Vec<AgentVersion> = all.iter().filter(|agent| agent.dialect.id() == on_bench).cloned().collect();
    let agents = if choice.every_agent { &all } else { &own };
    let place = model.session.place();
    let request = RecipeRequest { recipe, name: &recipe.id, layer: choice.layer, agents };
    let hook = match prepare_hook(&request, place, model.session.files()) {
        Ok(hook) => hook,
        Err(why) => {
            model.toast = Some(why.to_string());
            return false;
        }
    };
    if hook.changes.is_empty() {
        model.toast = Some(format!("{} is there already", hook.composed.name));
        return false;
    }
    // The events are written in the words of the agent on the bench.
    let cases = compose(&RecipeRequest { agents: &own, ..request }, place).map(|hook| hook.cases).unwrap_or_default();
    let mut then: Vec<Command> = Vec::new();
    for case in cases.iter().rev() {
        then.extend([Command::SetPayload(stringify(&payload(case))), Command::TogglePin]);
    }
    then.push(Command::SetAutoFire(true));
    show_patch(model, format!("New hook: {}", hook.composed.name), hook.changes, then);
    true
}

/// The payload of a case; the session fills in the rest.
fn payload(case: &ComposedCase) -> Value {
    let mut body = Map::from_iter([("hook_event_name".to_owned(), Value::from(case.event))]);
    body.extend(case.tool.iter().map(|tool| ("tool_name".to_owned(), Value::from(tool.as_str()))));
    body.extend(case.input.iter().map(|input| ("tool_input".to_owned(), input.clone())));
    body.extend(case.set.clone());
    Value::Object(body)
}

/// Opens the sheet.
pub fn open(model: &mut Model) {
    model.popups.push(Popup::NewHook(NewHookSheet::new()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::width;

    #[test]
    fn titles_are_short() {
        for recipe in recipes() {
            assert!(width(&recipe.title) <= 60, "{}", recipe.title);
        }
    }
}
