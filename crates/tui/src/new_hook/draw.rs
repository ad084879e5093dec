//! Drawing of the sheet.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde_json::Value;

use super::NewHookSheet;
use crate::model::Model;
use crate::popup::{draw_list, frame, row};
use crate::widgets::RowWriter;
use hookbench_core::catalogue::catalogue;
use hookbench_core::recipe::RecipeEvent;

/// The rows below the list.
const DETAIL: u16 = 8;
/// The rows of the list at least, with the filter.
const SHORTEST: u16 = 6;
/// The rows of the whole sheet at most.
const HEIGHT: u16 = 34;

impl NewHookSheet {
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
