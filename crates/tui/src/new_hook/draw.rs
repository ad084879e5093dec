//! Drawing of the sheet.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::NewHookSheet;
use super::own_hook::OwnHookForm;
use crate::model::Model;
use crate::popup::{draw_list, frame, row};
use crate::widgets::RowWriter;
use hookbench_app::AgentState;
use hookbench_core::catalogue::catalogue;
use hookbench_core::hook::Layer;
use hookbench_core::port::mapping;
use hookbench_core::recipe::RecipeEvent;

/// The rows below the list.
const DETAIL: u16 = 7;
/// The columns of a label.
const LABEL: usize = 8;
/// The rows of the list at least, with the filter.
const SHORTEST: u16 = 6;
/// The rows of the whole sheet at most.
const HEIGHT: u16 = 34;

impl NewHookSheet {
    /// Draws the sheet. Returns the cursor's position.
    pub fn draw(&self, area: Rect, buf: &mut Buffer, model: &Model) -> (u16, u16) {
        let theme = model.theme;
        if let Some(form) = &self.own {
            return self.draw_form(form, area, buf, model);
        }
        let inner = frame(area, buf, theme, self.recipes.title, 110, area.height.saturating_sub(2).min(HEIGHT));
        let detail = DETAIL.min(inner.height.saturating_sub(SHORTEST));
        let list = Rect { height: inner.height.saturating_sub(detail), ..inner };
        let cursor = draw_list(&self.recipes, "no recipe has these words", list, buf, theme);
        for (index, (label, text)) in self.details(model).iter().enumerate() {
            let place = row(Rect { y: list.bottom(), height: detail, ..inner }, index + 1);
            RowWriter::new(place, buf, theme).cell(theme.quiet(), label, LABEL).put(theme.plain(), text);
        }
        cursor
    }

    /// Draws the form of a hook without a recipe. Returns the cursor's position.
    fn draw_form(&self, form: &OwnHookForm, area: Rect, buf: &mut Buffer, model: &Model) -> (u16, u16) {
        let theme = model.theme;
        let fields = form.fields();
        let [agents, (_, layer)] = self.choices(model);
        let rows = u16::try_from(fields.len() + 4).unwrap_or(u16::MAX);
        let inner = frame(area, buf, theme, "New hook: your own", 110, rows.min(area.height.saturating_sub(2)));
        let [open, close] = if theme.unicode { ["‹ ", " ›"] } else { ["< ", " >"] };
        let mut cursor = (inner.x, inner.y);
        for (index, field) in fields.iter().enumerate() {
            let place = row(inner, index);
            let is_focused = *field == form.field;
            let (label, text) = form.line(*field, &layer);
            let mut cells = RowWriter::new(place, buf, theme);
            cells.cell(theme.quiet(), label, LABEL);
            let start = place.right() - u16::try_from(cells.left()).unwrap_or(0);
            match form.input(*field) {
                Some(line) => {
                    let (shown, column) = line.window(cells.left());
                    let is_empty = shown.is_empty();
                    cells.put(theme.strong(), &shown);
                    if is_empty {
                        cells.put(theme.quiet(), form.hint(*field));
                    }
                    if is_focused {
                        cursor = (start + u16::try_from(column).unwrap_or(0), place.y);
                    }
                }
                None if is_focused => {
                    cells.put(theme.name(), open).put(theme.strong(), &text).put(theme.name(), close);
                    cursor = (start, place.y);
                }
                None => drop(cells.put(theme.plain(), &text)),
            }
            if is_focused {
                buf.set_style(place, theme.selected());
            }
        }
        let (label, text) = agents;
        let place = row(inner, fields.len() + 1);
        RowWriter::new(place, buf, theme).cell(theme.quiet(), label, LABEL).put(theme.plain(), &text);
        cursor
    }

    /// The agents and the layer, as labels and texts.
    fn choices(&self, model: &Model) -> [(&'static str, String); 2] {
        let agent = model.session.current().map_or("", |agent| agent.dialect.name());
        let agents = if self.every_agent { "every agent that has the event".to_owned() } else { agent.to_owned() };
        let file = self.settings_file(model).map(|path| model.session.place().display_path(&path));
        let word = self.layer_of(model).word();
        let layer = match (self.every_agent, file) {
            (false, Some(file)) => format!("{word} layer, {file}"),
            (false, None) => format!("{agent} has no settings file for the {word} layer"),
            (true, _) if self.layer.is_none() => "project layer, or the user's where an agent has none".to_owned(),
            (true, _) => format!("{word} layer"),
        };
        [("for", agents), ("in", layer)]
    }

    /// The layer that gets the hook: the chosen one, or the usual one of the agent on the bench.
    fn layer_of(&self, model: &Model) -> Layer {
        let usual = |agent: &AgentState| agent.dialect.settings_format().usual_settings(model.session.place());
        let usual = || model.session.current().and_then(usual).map(|(layer, _)| layer);
        self.layer.or_else(usual).unwrap_or(Layer::Project)
    }

    /// The settings file that gets the hook: the one that has the event already, if the agent reads each event from one file.
    fn settings_file(&self, model: &Model) -> Option<String> {
        let agent = model.session.current()?;
        let (place, dialect, layer) = (model.session.place(), agent.dialect, self.layer_of(model));
        let usual = || (dialect.settings_format().layer_file)(place, layer);
        let event = self.selected().and_then(|recipe| mapping().row(&recipe.event)?.events.get(dialect.id().as_str()));
        let Some((event, loaded)) = event.zip(agent.loaded.as_ref()) else { return usual() };
        let own = dialect.hook_files(place, layer);
        let mut there = loaded.definitions.iter().filter(|one| one.event == event && one.provenance.layer == layer);
        let file = there.find_map(|one| {
            let path = loaded.sources.path(one.provenance.span.source);
            own.iter().find(|file| file.path == path)
        });
        file.map(|file| file.path.clone()).or_else(usual)
    }

    /// The selected recipe and the choices, as labels and texts.
    pub fn details(&self, model: &Model) -> Vec<(&'static str, String)> {
        let choices = self.choices(model);
        let Some(recipe) = self.selected() else { return choices.to_vec() };
        let tools = catalogue().agent(model.session.bench().payload.agent.as_str());
        let tools = recipe.tools.iter().filter_map(|row| Some(tools?.tool_for_row(row)?.id));
        let tools: Vec<&str> = tools.collect();
        let script = format!("{}.{}", recipe.id, recipe.extension);
        let about = if tools.is_empty() { script } else { format!("{script}   for {}", tools.join(", ")) };
        let mut rows = vec![("script", about)];
        rows.extend(recipe.caught.as_ref().and_then(example).map(|text| ("catches", text)));
        rows.extend(recipe.passes.as_ref().and_then(example).map(|text| ("allows", text)));
        rows.push(("misses", recipe.misses.clone()));
        rows.extend(choices);
        rows
    }
}

/// The first text of an example event.
fn example(event: &RecipeEvent) -> Option<String> {
    let input = event.input.as_ref().and_then(Value::as_object).unwrap_or(&event.set);
    input.values().find_map(|value| value.as_str().map(str::to_owned))
}
