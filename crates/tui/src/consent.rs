//! The question before a hook runs for the first time. It shows every command in full and accepts "yes" only after
//! its end was visible.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::bench::script_rows;
use crate::layer_keys::{LayerKey, answers};
use crate::model::Model;
use crate::popup::{Popup, answer_row, frame, lines_columns, row};
use crate::theme::Theme;
use crate::widgets::{ListWindow, RowWriter, StyledLine, wrap};
use hookbench_app::{ConsentCommands, ConsentItem, ScriptText, commands_by_place, consent_notes};

/// Counts hooks with a need: `1 needs the agent's model`, `2 need the agent's model`.
pub fn need_words(number: usize, needs: &str) -> String {
    let plural = needs.strip_prefix("needs ").filter(|_| number > 1);
    plural.map_or_else(|| format!("{number} {needs}"), |what| format!("{number} need {what}"))
}

/// A question: the commands and the text around them.
pub struct ConsentQuestion<'a> {
    pub items: &'a [ConsentItem],
    pub title: String,
    /// Lines below the commands.
    pub notes: Vec<String>,
    /// An additional key and its verb.
    pub extra_key: Option<(&'static str, &'static str)>,
}

impl<'a> ConsentQuestion<'a> {
    /// The question before an event is fired. `others` counts the hooks that hookbench cannot run, by their needs.
    pub fn to_fire(items: &'a [ConsentItem], others: &[(usize, &'static str)]) -> ConsentQuestion<'a> {
        let count = match commands_by_place(items).commands.len() {
            1 => "Run this command?".to_owned(),
            commands => format!("Run these {commands} commands?"),
        };
        let others = others.iter().map(|(number, needs)| format!(" {}", need_words(*number, needs)));
        let says = "Asked once. Later edits of the scripts run too.";
        ConsentQuestion {
            items,
            title: format!("{count}{}", others.collect::<String>()),
            notes: consent_notes(items).into_iter().chain([says]).map(str::to_owned).collect(),
            extra_key: None,
        }
    }

    /// The rows of text, and the number of rows that fit.
    fn rows_and_room(&self, size: (u16, u16)) -> (Vec<(bool, String)>, usize) {
        let columns = usize::from(size.0.min(WIDEST)).saturating_sub(4).max(8);
        let mut rows = Vec::new();
        let mut add = |is_command: bool, text: String| {
            for row in wrap(&[(Style::new(), text)], columns, 2) {
                rows.push((is_command, row.into_iter().map(|(_, text)| text).collect()));
            }
        };
        let ConsentCommands { commands, shared } = commands_by_place(self.items);
        for command in commands {
            add(true, command.command.to_owned());
            add(false, format!("  {}", command.sources.join(", ")));
            for line in &command.details {
                add(false, format!("  {line}"));
            }
        }
        if !shared.is_empty() {
            add(true, "all of them".to_owned());
            for line in &shared {
                add(false, format!("  {line}"));
            }
        }
        (rows, usize::from(size.1.saturating_sub(4 + self.rows_below(size))).max(1))
    }

    /// The text below the commands, in rows.
    fn note_rows(&self, columns: u16) -> Vec<String> {
        let columns = usize::from(columns.min(WIDEST)).saturating_sub(4).max(8);
        let rows = self.notes.iter().flat_map(|note| wrap(&[(Style::new(), note.clone())], columns, 0));
        rows.map(|row| row.into_iter().map(|(_, text)| text).collect()).collect()
    }

    /// Rows below the commands: the text and the keys with space between them, or only the keys in a low terminal.
    fn rows_below(&self, (columns, height): (u16, u16)) -> u16 {
        let says = u16::try_from(self.note_rows(columns).len()).unwrap_or(1);
        if height < 10 { 1 } else { says + 3 }
    }

    /// Whether the last row is visible.
    pub fn reaches_end(&self, top: usize, size: (u16, u16)) -> bool {
        top >= self.last_top(size)
    }

    /// The first visible row when the end is visible.
    pub fn last_top(&self, size: (u16, u16)) -> usize {
        let (rows, room) = self.rows_and_room(size);
        rows.len().saturating_sub(room)
    }

    /// Draws the question, beginning with row `top`.
    pub fn draw(&self, top: usize, area: Rect, buf: &mut Buffer, theme: Theme) {
        let (rows, room) = self.rows_and_room((area.width, area.height));
        let shown = rows.len().min(room);
        let below = self.rows_below((area.width, area.height));
        let height = u16::try_from(shown).unwrap_or(u16::MAX).saturating_add(2 + below);
        let inner = frame(area, buf, theme, &self.title, WIDEST, height);
        let top = ListWindow::from(top, rows.len(), room).first;
        for (index, (command, text)) in rows.iter().skip(top).take(shown).enumerate() {
            RowWriter::new(row(inner, index), buf, theme)
                .put(if *command { theme.strong() } else { theme.quiet() }, text);
        }
        if below > 1 {
            for (index, says) in self.note_rows(area.width).iter().enumerate() {
                RowWriter::new(row(inner, shown + 1 + index), buf, theme).put(theme.quiet(), says);
            }
        }
        let keys = self.keys(top, (area.width, area.height));
        answer_row(row(inner, shown + usize::from(below) - 1), buf, theme, &keys);
    }

    /// The keys. While rows at the end are hidden, the first key leads to them.
    pub fn keys(&self, top: usize, size: (u16, u16)) -> Vec<LayerKey> {
        let mut keys = answers("run", "cancel");
        let (rows, room) = self.rows_and_room(size);
        let more = ListWindow::from(top, rows.len(), room).below;
        if let Some(first) = keys.first_mut().filter(|_| more > 0) {
            let key = if more > PAGE { "PgDn" } else { "j" };
            *first = (key.to_owned(), format!("{more} more"));
        }
        let scripts = if commands_by_place(self.items).commands.len() > 1 { "read scripts" } else { "read script" };
        keys.push(("Enter".to_owned(), scripts.to_owned()));
        keys.extend(self.extra_key.map(|(key, label)| (key.to_owned(), label.to_owned())));
        keys
    }
}

/// Shows the scripts behind commands that wait for consent, over the question.
pub fn show_scripts(model: &mut Model, items: &[ConsentItem]) {
    let scripts = model.session.scripts_to_run(items);
    let mut lines: Vec<StyledLine> = Vec::new();
    for script in &scripts {
        if scripts.len() > 1 {
            lines.extend((!lines.is_empty()).then(StyledLine::new));
            lines.push(vec![(model.theme.strong(), script_name(model, script))]);
        }
        lines.extend(script_rows(model, script, lines_columns(model.size.0)));
    }
    match scripts.as_slice() {
        [] => model.toast = Some("no script: the commands above are all that runs".to_owned()),
        [script] => model.popups.push(Popup::Lines { title: script_name(model, script), lines, top: 0 }),
        _ => model.popups.push(Popup::Lines { title: format!("{} scripts", scripts.len()), lines, top: 0 }),
    }
}

fn script_name(model: &Model, script: &ScriptText) -> String {
    let path = script.path.as_ref().map(|path| model.session.place().display_path(path));
    path.unwrap_or_else(|| "The command".to_owned())
}

/// Hidden rows that are few enough to scroll to one by one.
const PAGE: usize = 3;

/// Maximum width of the popup, in columns.
const WIDEST: u16 = 96;

#[cfg(test)]
mod tests {
    use super::ConsentQuestion;
    use hookbench_app::ConsentItem;

    #[test]
    fn a_command_of_several_places_is_shown_once() {
        let item = |command: &str, source: &str| ConsentItem {
            key: source.to_owned(),
            hook: "h1".to_owned(),
            command: command.to_owned(),
            details: vec![format!("with A={source}")],
            source: source.to_owned(),
        };
        let items = [item("sh a", "x:1"), item("sh b", "x:2"), item("sh a", "x:1")];
        let (rows, _) = ConsentQuestion::to_fire(&items, &[]).rows_and_room((80, 24));
        let rows: Vec<(bool, &str)> = rows.iter().map(|(command, text)| (*command, text.as_str())).collect();
        let want = [
            (true, "sh a"),
            (false, "  x:1"),
            (false, "  with A=x:1"),
            (true, "sh b"),
            (false, "  x:2"),
            (false, "  with A=x:2"),
        ];
        assert_eq!(rows, want);
    }
}
