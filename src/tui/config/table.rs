//! Every setting, once: how it is read, and what the documented file says of it.

use toml_edit::Item;

use super::{Config, keys};
use crate::tui::clipboard::Clipboard;
use crate::tui::keymap::Keymap;
use crate::tui::theme::ThemeChoice;

/// One setting.
pub struct Setting {
    pub name: &'static str,
    /// As it would stand in the file.
    default: &'static str,
    pub allowed: &'static str,
    /// Lines of the documented file.
    about: &'static str,
    /// Takes a value; none when it is not allowed.
    pub take: fn(&mut Config, &Item) -> Option<()>,
}

/// All but the keys, in the order of the documented file.
pub const SETTINGS: &[Setting] = &[
    Setting {
        name: "theme",
        default: "\"auto\"",
        allowed: "\"auto\", \"light\", \"dark\", \"mono\", \"16\"",
        about: "Colours. auto: none under NO_COLOR or TERM=dumb; shades for a light or dark background where COLORFGBG\n\
                tells which it is; else the terminal's own sixteen, which suit both. mono: no colours at all.",
        take: |config, item| {
            config.theme = ThemeChoice::from_name(item.as_str()?)?;
            Some(())
        },
    },
    Setting {
        name: "mouse",
        default: "true",
        allowed: "true, false",
        about: "Clicks select, the wheel scrolls. While it is on, most terminals mark text with Shift held.",
        take: |config, item| {
            config.mouse = item.as_bool()?;
            Some(())
        },
    },
    Setting {
        name: "clipboard",
        default: "\"auto\"",
        allowed: "\"auto\", \"osc52\", \"command:…\", \"off\"",
        about: "How texts are copied. auto: over ssh, and where no tool is found, through the terminal (OSC 52), else with\n\
                wl-copy, xclip or pbcopy. command:… is a command line that takes the text on stdin.",
        take: |config, item| {
            config.clipboard = Clipboard::from_name(item.as_str()?)?;
            Some(())
        },
    },
    Setting {
        name: "editor",
        default: "\"\"",
        allowed: "a command line, such as \"code --wait\"",
        about: "What opens payloads, scripts and settings. Empty: $VISUAL, else $EDITOR, else vi.",
        take: |config, item| {
            let text = item.as_str()?.trim();
            config.editor = (!text.is_empty()).then(|| text.to_owned());
            Some(())
        },
    },
];

/// The file with every default.
pub fn default_text() -> String {
    let mut text = String::from(
        "# What hookbench goes by: $XDG_CONFIG_HOME/hookbench/config.toml, else ~/.config/hookbench/config.toml.\n\
         # Everything here is the default; keep the lines that you change.\n",
    );
    for setting in SETTINGS {
        text.push('\n');
        for line in setting.about.lines() {
            text.push_str(&format!("# {line}\n"));
        }
        text.push_str(&format!("# Allowed: {}\n{} = {}\n", setting.allowed, setting.name, setting.default));
    }
    text.push_str(&format!(
        "\n# The keys of every verb. A letter is itself; others are named: Enter, Esc, Tab, Shift+Tab, Space, Up, PgUp,\n\
         # Home, Ctrl+C. An empty list leaves a verb without a key.\n[{}]\n",
        keys::TABLE
    ));
    for (binding, chords) in Keymap::default().rows() {
        let chords: Vec<String> =
            chords.iter().map(|c| format!("\"{}\"", c.replace('\\', "\\\\").replace('"', "\\\""))).collect();
        text.push_str(&format!("# {}\n{} = [{}]\n", binding.help, binding.name, chords.join(", ")));
    }
    text
}
