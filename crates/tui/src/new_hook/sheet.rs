//! The state and the keys of the sheet.

use crossterm::event::KeyCode;

use super::own_hook::{OwnHookField, OwnHookForm};
use crate::layer_keys::{LayerKey, arrows, fixed_keys};
use crate::popup::{NewHookChoice, NewHookSource, PickItem, PickList, PopupResult, list_key};
use crate::theme::Theme;
use hookbench_core::hook::Layer;
use hookbench_core::names::AgentId;
use hookbench_core::port::mapping;
use hookbench_core::recipe::{Recipe, recipes};

/// The layers that a new hook can go to, after the usual one of each agent.
const LAYERS: [Option<Layer>; 3] = [None, Some(Layer::Local), Some(Layer::User)];
/// The entry for a hook without a recipe.
const OWN: &str = "A hook of your own";

/// The sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHookSheet {
    pub(super) recipes: PickList,
    /// Whether the hook is for every agent, and not only for the one on the bench.
    pub(super) every_agent: bool,
    pub(super) layer: Option<Layer>,
    /// The agent on the bench.
    agent: AgentId,
    /// The form for a hook without a recipe, while it is open.
    pub(super) own: Option<OwnHookForm>,
}

impl NewHookSheet {
    /// The sheet with the first entry selected.
    pub fn new(agent: AgentId) -> NewHookSheet {
        let item = |recipe: &Recipe| {
            let when = mapping().row(&recipe.event).map_or("", |row| row.about);
            PickItem { label: recipe.title.clone(), about: when.to_owned(), commands: Vec::new() }
        };
        let about = "from a few answers".to_owned();
        let own = PickItem { label: OWN.to_owned(), about, commands: Vec::new() };
        let items = std::iter::once(own).chain(recipes().iter().map(item)).collect();
        let recipes = PickList { title: "New hook", items, filter: String::new(), selected: 0 };
        NewHookSheet { recipes, every_agent: false, layer: None, agent, own: None }
    }

    /// The selected recipe. `None` for a hook without one.
    pub(super) fn selected(&self) -> Option<&'static Recipe> {
        let title = &self.recipes.shown().get(self.recipes.selected)?.label;
        recipes().iter().find(|recipe| recipe.title == *title)
    }

    /// Handles a key.
    pub fn key(&mut self, code: KeyCode, control: bool) -> PopupResult {
        if let Some(form) = self.own.as_mut().filter(|_| code != KeyCode::Tab) {
            let is_layer = form.field == OwnHookField::Layer;
            match code {
                KeyCode::Esc => self.own = None,
                KeyCode::Right | KeyCode::Left if is_layer => self.choose_layer(code == KeyCode::Right),
                KeyCode::Enter => {
                    let answers = form.answers();
                    return self.chosen(NewHookSource::Answers(Box::new(answers)));
                }
                code => return form.key(code, control),
            }
            return PopupResult::Stay;
        }
        match code {
            KeyCode::Tab => self.every_agent = !self.every_agent,
            KeyCode::Right | KeyCode::Left => self.choose_layer(code == KeyCode::Right),
            KeyCode::Enter => match self.selected() {
                Some(recipe) => return self.chosen(NewHookSource::Recipe(&recipe.id)),
                None if self.recipes.shown().is_empty() => {}
                None => self.own = Some(OwnHookForm::new(self.agent)),
            },
            code => return list_key(&mut self.recipes, code, control),
        }
        PopupResult::Stay
    }

    /// Takes the next or the previous layer.
    fn choose_layer(&mut self, forward: bool) {
        let at = LAYERS.iter().position(|layer| *layer == self.layer).unwrap_or(0);
        let next = (at + if forward { 1 } else { LAYERS.len() - 1 }) % LAYERS.len();
        self.layer = LAYERS.get(next).copied().unwrap_or(self.layer);
    }

    fn chosen(&self, source: NewHookSource) -> PopupResult {
        PopupResult::NewHook(NewHookChoice { source, every_agent: self.every_agent, layer: self.layer })
    }

    /// The keys of the sheet.
    pub fn footer(&self, theme: Theme) -> Vec<LayerKey> {
        let sideways = if theme.unicode { "←→" } else { "Left Right" };
        let agents = if self.every_agent { "this agent only" } else { "every agent" };
        if let Some(form) = &self.own {
            let change = if form.input(form.field).is_some() { ("type", "a text") } else { (sideways, "choose") };
            return fixed_keys(&[
                ("Enter", "show files"),
                (arrows(theme), "move"),
                change,
                ("Tab", agents),
                ("Esc", "back"),
            ]);
        }
        fixed_keys(&[
            ("Enter", if self.selected().is_some() { "show files" } else { "fill in" }),
            (arrows(theme), "move"),
            ("type", "to filter"),
            ("Tab", agents),
            ("Esc", "close"),
            (sideways, "layer"),
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
