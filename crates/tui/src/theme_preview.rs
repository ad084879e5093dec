//! The theme of the screen: the chosen one, and the one that is selected in the palette.

use crate::model::Model;
use crate::popup::Popup;
use crate::theme::{Theme, ThemeChoice, ThemePreview};

impl Model {
    /// Shows the screen in the chosen theme.
    pub fn show_theme(&mut self, choice: ThemeChoice) {
        self.apply_theme(choice);
        self.config.theme = choice;
        self.theme_preview = None;
    }

    fn apply_theme(&mut self, choice: ThemeChoice) {
        let env = &self.session.place().env;
        let (theme, shades) = choice.resolve(&|name| env.get(name).cloned());
        self.theme = Theme { unicode: self.theme.unicode, ..theme };
        self.shades = shades;
    }

    /// Shows the theme that is selected in the palette, and the previous one again when it is no longer selected.
    pub(crate) fn refresh_theme_preview(&mut self) {
        let selected = match self.popups.last() {
            Some(Popup::Find(finder)) => finder.selected_theme(),
            _ => None,
        };
        match (selected, &self.theme_preview) {
            (Some(choice), Some(preview)) if preview.choice == choice => {}
            (Some(choice), preview) => {
                let (theme, shades) = preview.map_or((self.theme, self.shades), |preview| preview.before);
                self.theme_preview = Some(ThemePreview { choice, before: (theme, shades) });
                self.apply_theme(choice);
            }
            (None, Some(preview)) => {
                (self.theme, self.shades) = preview.before;
                self.theme_preview = None;
            }
            (None, None) => {}
        }
    }
}
