//! The `[forward]` table of the user's settings: time limits of the forwarding hook.

use std::ops::Range;
use std::time::Duration;

use toml_edit::{Document, Item, Table};

use super::DeadlineOverrides;

/// The settings of the forwarding hook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ForwardSettings {
    pub deadlines: DeadlineOverrides,
}

/// A setting that was ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The position in the text.
    pub span: Option<Range<usize>>,
    pub message: String,
}

/// The name of the table.
pub const FORWARD_TABLE: &str = "forward";

/// Parses a settings file. A file without the word `forward` is not parsed, because most files have no such table.
pub fn read_settings(text: &str) -> (ForwardSettings, Vec<SettingsProblem>) {
    if !text.contains(FORWARD_TABLE) {
        return (ForwardSettings::default(), Vec::new());
    }
    match Document::parse(text) {
        Ok(document) => read_table(document.as_table()),
        Err(why) => {
            let says = format!("this is not valid TOML, so the whole file is ignored: {}", why.message());
            (ForwardSettings::default(), vec![SettingsProblem { span: why.span(), message: says }])
        }
    }
}

/// Reads the settings from a parsed file.
pub fn read_table(root: &Table) -> (ForwardSettings, Vec<SettingsProblem>) {
    let mut settings = ForwardSettings::default();
    let mut wrong = Vec::new();
    let Some(item) = root.get(FORWARD_TABLE) else { return (settings, wrong) };
    let Some(table) = item.as_table_like() else {
        let says = "forward must be a table of settings".to_owned();
        return (settings, vec![SettingsProblem { span: item.span(), message: says }]);
    };
    for (name, item) in table.iter() {
        let span = table.get_key_value(name).and_then(|(key, _)| key.span());
        let deadline = match name {
            "stdin_ms" => &mut settings.deadlines.stdin,
            "ack_ms" => &mut settings.deadlines.ack,
            "hold_ms" => &mut settings.deadlines.hold,
            _ => {
                let says = format!("unknown setting forward.{name}; known are stdin_ms, ack_ms, hold_ms");
                wrong.push(SettingsProblem { span, message: says });
                continue;
            }
        };
        match milliseconds(item) {
            Some(value) => *deadline = Some(value),
            None => {
                let says = format!("forward.{name} must be a whole number of milliseconds above 0");
                wrong.push(SettingsProblem { span: item.span(), message: says });
            }
        }
    }
    (settings, wrong)
}

fn milliseconds(item: &Item) -> Option<Duration> {
    let number = u64::try_from(item.as_integer()?).ok().filter(|number| *number > 0)?;
    Some(Duration::from_millis(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_numbers_and_nothing_else() {
        let ms = |number| Some(Duration::from_millis(number));
        let (settings, wrong) = read_settings("theme = 'dark'\n[forward]\nstdin_ms = 1\nack_ms = 2\nhold_ms = 3\n");
        let deadlines = DeadlineOverrides { stdin: ms(1), ack: ms(2), hold: ms(3) };
        assert_eq!((settings, wrong), (ForwardSettings { deadlines }, Vec::new()));
        for (text, says) in [
            ("forward.ack = 1", "unknown setting forward.ack; known are stdin_ms, ack_ms, hold_ms"),
            ("forward.ack_ms = '1'", "forward.ack_ms must be a whole number of milliseconds above 0"),
            ("forward.ack_ms = 0", "forward.ack_ms must be a whole number of milliseconds above 0"),
            ("forward = 1", "forward must be a table of settings"),
        ] {
            let (settings, wrong) = read_settings(text);
            let said: Vec<&str> = wrong.iter().map(|w| w.message.as_str()).collect();
            assert_eq!((settings, said), (ForwardSettings::default(), vec![says]), "{text}");
        }
        let (_, wrong) = read_settings("[forward\n");
        assert!(wrong[0].message.starts_with("this is not valid TOML"), "{wrong:?}");
    }
}
