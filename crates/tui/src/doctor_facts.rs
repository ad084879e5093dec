//! The facts about this terminal and the user's settings, for `hookbench doctor`.

use std::io::IsTerminal as _;

use crate::clipboard::{self, ClipboardRoute};
use crate::config;
use crate::theme::{Shades, Theme};
use hookbench_app::document::TerminalDoc;

/// Collects the facts from the environment, without querying the terminal itself.
pub fn terminal_facts() -> TerminalDoc {
    let var = |name: &str| std::env::var(name).ok();
    let (config, problems) = config::read(&var);
    let (theme, shades) = config.theme.resolve(&var);
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    TerminalDoc {
        term: var("TERM"),
        is_terminal,
        size: is_terminal.then(crossterm::terminal::size).and_then(Result::ok),
        colours: colours(theme, shades),
        utf8: theme.unicode,
        clipboard: clipboard_words(&clipboard::route(&config.clipboard, &var, &clipboard::installed)),
        config_problems: problems.iter().map(ToString::to_string).collect(),
    }
}

fn colours(theme: Theme, shades: Shades) -> String {
    match (theme.colour, shades) {
        (false, _) => "none: words carry the meaning".to_owned(),
        (true, Shades::Terminal) => "the terminal's own sixteen".to_owned(),
        (true, Shades::OnLight) => "256, for a light background".to_owned(),
        (true, Shades::OnDark) => "256, for a dark background".to_owned(),
        (true, Shades::Palette(palette)) => format!("24-bit, theme {}", palette.name),
    }
}

fn clipboard_words(route: &ClipboardRoute) -> String {
    match route {
        ClipboardRoute::Terminal { tmux: false } => "the terminal, OSC 52".to_owned(),
        ClipboardRoute::Terminal { tmux: true } => "tmux and the terminal, OSC 52".to_owned(),
        ClipboardRoute::Tool(line) => line.clone(),
        ClipboardRoute::Off => "off in the configuration".to_owned(),
    }
}
