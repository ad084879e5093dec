//! The state and the keys of the sheet.

use crossterm::event::KeyCode;

use crate::layer_keys::{LayerKey, arrows, fixed_keys};
use crate::popup::{NewHookChoice, PickItem, PickList, PopupResult, list_key};
use crate::theme::Theme;
use hookbench_core::hook::Layer;
use hookbench_core::port::mapping;
use hookbench_core::recipe::{Recipe, recipes};

/// The layers that a new hook can go to.
const LAYERS: [Layer; 3] = [Layer::Project, Layer::Local, Layer::User];
/// The sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHookSheet {
    pub(super) recipes: PickList,
    /// Whether the hook is for every agent, and not only for the one on the bench.
    pub(super) every_agent: bool,
    pub(super) layer: Layer,
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

    /// The selected recipe.
    pub(super) fn selected(&self) -> Option<&'static Recipe> {
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
