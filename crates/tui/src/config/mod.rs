//! The user's settings: one file, read once. An error in it is reported with its place and is never fatal; the
//! rest of the file is used.

mod kept_choices;
mod keys;
mod table;
mod user_config;

use std::ops::Range;
use std::path::Path;

use toml_edit::{Document, Item};

use hookbench_app::{ExitStatus, config_file as path, write_stderr, write_stdout};
use hookbench_core::guard::{GUARD_TABLE, read_guard_table};
use hookbench_core::live::intercept::{INTERCEPT_TABLES, read_intercept_tables};
use hookbench_core::live::{FORWARD_TABLE, SettingsProblem, read_table};
use hookbench_core::model_client::{MODEL_TABLE, read_model_table};
use table::ConfigSetting;

pub use kept_choices::{log_change, theme_change};
pub use user_config::{ConfigProblem, UserConfig};

/// Reads the settings file of this environment. A missing file means the defaults.
pub fn read(var: &dyn Fn(&str) -> Option<String>) -> (UserConfig, Vec<ConfigProblem>) {
    let Some(path) = path(var) else { return (UserConfig::default(), Vec::new()) };
    let name = display_path(&path, var);
    let (config, problems) = match hookbench_system::disk::read_text(&path) {
        Ok(text) => parse(&name, &text),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => (UserConfig::default(), Vec::new()),
        Err(why) => {
            (UserConfig::default(), vec![ConfigProblem { place: name, message: format!("cannot be read: {why}") }])
        }
    };
    (UserConfig { file: Some(path), ..config }, problems)
}

/// The path with `~` for the home directory.
fn display_path(path: &Path, var: &dyn Fn(&str) -> Option<String>) -> String {
    let below_home = var("HOME").and_then(|home| Some(path.strip_prefix(home).ok()?.display().to_string()));
    below_home.map_or_else(|| path.display().to_string(), |rest| format!("~/{rest}"))
}

/// Parses a file; values with problems keep their defaults.
pub fn parse(name: &str, text: &str) -> (UserConfig, Vec<ConfigProblem>) {
    let mut reading = ConfigParser { name, text, problems: Vec::new() };
    let mut config = UserConfig::default();
    match Document::parse(text) {
        Ok(document) => reading.settings(&document, &mut config),
        Err(why) => {
            let says = why.message().lines().collect::<Vec<_>>().join(", ");
            reading.problem(why.span(), format!("this is not TOML, so the whole file is ignored: {says}"));
        }
    }
    // In the order of the file, not in the order in which the tables are read.
    reading.problems.sort_by_key(|(at, _)| *at);
    (config, reading.problems.into_iter().map(|(_, problem)| problem).collect())
}

/// The state of the parser.
struct ConfigParser<'a> {
    name: &'a str,
    text: &'a str,
    /// Each problem with its byte offset.
    problems: Vec<(usize, ConfigProblem)>,
}

impl ConfigParser<'_> {
    fn settings(&mut self, document: &Document<&str>, config: &mut UserConfig) {
        for (name, item) in document.iter() {
            let span = document.as_table().get_key_value(name).and_then(|(key, _)| key.span());
            match name {
                table::KEYS_TABLE => self.keys(item, config),
                table::WATCH_TABLE => self.table((name, table::WATCH), item, config),
                table::LOG_TABLE => self.table((name, table::LOG), item, config),
                FORWARD_TABLE => self.checked(read_table(document.as_table()).1),
                GUARD_TABLE => self.checked(read_guard_table(document.as_table()).1),
                MODEL_TABLE => self.checked(read_model_table(document.as_table()).1),
                // These tables are read below, together.
                name if INTERCEPT_TABLES.contains(&name) => {}
                table::LINT_TABLE => {
                    let wrong = config.lint.add_table(item);
                    for (at, says) in wrong {
                        self.problem(at.or(span.clone()), says);
                    }
                }
                _ => self.setting(table::SETTINGS, "", (name, item), span, config),
            }
        }
        let (desk, wrong) = read_intercept_tables(document.as_table());
        config.intercept = desk;
        for wrong in wrong {
            self.problem(wrong.span, wrong.message);
        }
    }

    /// Reads a table with its settings.
    fn table(&mut self, (of, known): (&str, &[ConfigSetting]), item: &Item, config: &mut UserConfig) {
        let Some(table) = item.as_table_like() else {
            let says = format!("{of} cannot be {}; allowed: a table of settings", self.source_text(item));
            self.problem(item.span(), says);
            return;
        };
        for (name, item) in table.iter() {
            let span = table.get_key_value(name).and_then(|(key, _)| key.span());
            self.setting(known, &format!("{of}."), (name, item), span, config);
        }
    }

    /// Reports the problems of a table that a hook reads itself.
    fn checked(&mut self, wrong: Vec<SettingsProblem>) {
        for wrong in wrong {
            self.problem(wrong.span, wrong.message);
        }
    }

    /// Applies one setting.
    fn setting(
        &mut self,
        all: &[ConfigSetting],
        table: &str,
        (name, item): (&str, &Item),
        span: Option<Range<usize>>,
        config: &mut UserConfig,
    ) {
        if let Some(setting) = all.iter().find(|s| s.name == name) {
            if (setting.apply)(config, item).is_none() {
                let says = format!("{table}{name} cannot be {}; allowed: {}", self.source_text(item), setting.allowed);
                self.problem(item.span().or(span), says);
            }
        } else {
            let tables = if table.is_empty() {
                let desk = INTERCEPT_TABLES.into_iter();
                [table::WATCH_TABLE, table::LOG_TABLE, FORWARD_TABLE, GUARD_TABLE, MODEL_TABLE]
                    .into_iter()
                    .chain(desk)
                    .chain([table::LINT_TABLE, table::KEYS_TABLE])
                    .collect()
            } else {
                Vec::new()
            };
            let known = all.iter().map(|s| s.name).chain(tables);
            self.problem(span, format!("unknown setting \"{table}{name}\"; {}", nearest(name, known)));
        }
    }

    fn problem(&mut self, span: Option<Range<usize>>, says: String) {
        let at = span.map_or(0, |s| s.start);
        let (line, column) = position(self.text, at);
        self.problems.push((at, ConfigProblem { place: format!("{}:{line}:{column}", self.name), message: says }));
    }

    /// The first line of a value as written in the file.
    fn source_text(&self, item: &Item) -> String {
        let text = item.span().and_then(|span| self.text.get(span)).unwrap_or_else(|| item.type_name());
        let mut lines = text.trim().lines();
        let first = lines.next().unwrap_or_default();
        if lines.next().is_some() { format!("{first} …") } else { first.to_owned() }
    }
}

/// Line and column of an offset, both counted from 1, the column in characters.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or(before);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

/// A suggestion with the closest name, otherwise a list of all names.
fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    let near = known.iter().map(|k| (strsim::damerau_levenshtein(k, name), k)).min().filter(|(far, _)| *far <= 2);
    match near {
        Some((_, near)) => format!("did you mean \"{near}\"?"),
        None => format!("known are {}", known.join(", ")),
    }
}

/// Prints the documented file with every default, or checks the existing file.
pub fn print_or_check(check: bool) -> ExitStatus {
    let var = |name: &str| std::env::var(name).ok();
    if !check {
        write_stdout(&table::default_text());
        return ExitStatus::Ok;
    }
    let (_, problems) = read(&var);
    for problem in &problems {
        write_stderr(problem);
    }
    let name = path(&var).map_or_else(|| "config.toml".to_owned(), |path| display_path(&path, &var));
    match problems.len() {
        0 if path(&var).is_some_and(|p| p.exists()) => write_stdout(&format!("{name} is fine\n")),
        0 => write_stdout(&format!("{name} does not exist, so all defaults apply; hookbench config prints them\n")),
        _ => return ExitStatus::BadFile,
    }
    ExitStatus::Ok
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::UiCommand;
    use hookbench_app::WatchOptions;
    use std::time::Duration;

    #[test]
    fn the_printed_file_is_the_default() {
        let text = table::default_text();
        assert_eq!(parse("config.toml", &text), (UserConfig::default(), Vec::new()));
        let names = crate::keymap::BINDINGS.iter().map(|b| b.name);
        for name in table::SETTINGS.iter().chain(table::WATCH).map(|s| s.name).chain(names) {
            assert!(text.contains(&format!("\n{name} = ")), "{name} is not documented");
        }
        // The example of a breakpoint is valid.
        let example = text.replace("\n# [[", "\n[[");
        let (_, section) = example.split_once("\n[[breakpoint]]").unwrap();
        let (lines, _) = section.split_once("\n\n").unwrap();
        let breakpoint = format!("[[breakpoint]]{}\n", lines.replace("\n# ", "\n"));
        assert_eq!(parse("config.toml", &breakpoint).1, Vec::new(), "{breakpoint}");
        // The example of a model is valid, with each of its two endpoints.
        let (_, section) = text.split_once("\n[model]").unwrap();
        let (lines, _) = section.split_once("\n\n").unwrap();
        let settings: Vec<&str> = lines.lines().filter_map(|line| line.strip_prefix("# ")).collect();
        let without = |left_out: [&str; 2]| -> String {
            let kept = settings.iter().filter(|line| !left_out.iter().any(|name| line.starts_with(name)));
            kept.fold("[model]\n".to_owned(), |text, line| text + line + "\n")
        };
        for left_out in [["url", "key_variable"], ["command", "key_command"]] {
            let model = without(left_out);
            assert_eq!(parse("config.toml", &model).1, Vec::new(), "{model}");
        }
        for name in hookbench_core::model_client::MODEL_SETTING_NAMES {
            assert!(settings.iter().any(|line| line.starts_with(&format!("{name} = "))), "{name} is not documented");
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_the_rest_holds() {
        let says = |text: &str| -> Vec<String> { parse("c", text).1.iter().map(ToString::to_string).collect() };
        for (text, want) in [
            (
                "theme = \"blue\"",
                "c:1:9: theme cannot be \"blue\"; allowed: \"auto\", \"dark\", \"light\", \"contrast\", ",
            ),
            ("theme = 16", "c:1:9: theme cannot be 16; allowed: \"auto\""),
            ("\nthem = \"auto\"", "c:2:1: unknown setting \"them\"; did you mean \"theme\"?"),
            ("colour = 1", "c:1:1: unknown setting \"colour\"; known are theme, "),
            ("editor = [\n1]", "c:1:10: editor cannot be [ …; allowed: "),
            ("watch = 3", "c:1:9: watch cannot be 3; allowed: a table of settings"),
            ("[watch]\nenabled = 1", "c:2:11: watch.enabled cannot be 1; allowed: true, false"),
            ("[watch]\nquiet_ms = 9000", "c:2:12: watch.quiet_ms cannot be 9000; allowed: 0 to 5000"),
            ("watch.ignore = [1]", "c:1:16: watch.ignore cannot be [1]; allowed: a list of patterns"),
            ("lint = 3", "c:1:8: lint must be a table of codes, such as HW306 = \"off\""),
            ("[lint]\nHW30 = 1", "c:2:8: lint.HW30 must be one of \"off\", \"info\", \"warning\", \"error\""),
            ("[lint]\nHX3 = \"off\"", "c:2:1: no code starts with \"HX3\""),
            ("[watch]\nquiet = 5", "c:2:1: unknown setting \"watch.quiet\"; known are enabled, quiet_ms, ignore"),
            ("wach = {}", "c:1:1: unknown setting \"wach\"; did you mean \"watch\"?"),
            ("[model]\nurl = 'http://a/v1'", "c:2:7: model.url is not usable: http:// would send"),
            ("[live]\nhold = 1", "c:2:1: unknown setting live.hold; known are cooldown_stop_ms"),
            ("[handlers]\nhandoff = 1", "c:2:11: handlers.handoff must be true or false"),
            ("[[breakpoint]]\nname = \"x\"\non = 1", "c:3:1: unknown setting breakpoint.on; known are name, "),
            ("[[breakpoints]]", "c:1:3: unknown setting \"breakpoints\"; did you mean \"breakpoint\"?"),
            ("keys = 3", "c:1:8: keys cannot be 3; allowed: a table of commands"),
            ("[keys]\nfier = [\"x\"]", "c:2:1: unknown command \"fier\"; did you mean \"fire\"?"),
            ("[keys]\nfire = \"x\"", "c:2:8: fire cannot be \"x\"; allowed: a list of keys, such as [\"f\"]"),
            ("[keys]\nfire = [\"0\", \"Entr\"]", "c:2:14: \"Entr\" is not a key; keys look like f, G, Enter, Ctrl+C"),
            ("[keys]\nfire = [\"0\"]\nedit = [\"0\"]", "c:3:9: 0 is already the key of fire"),
            ("[keys]\nfire = [\"w\"]", "c:2:9: w was the only key of why"),
            ("[keys]\nquit = []\ncancel = []", "c:1:1: no key would quit the workbench, so Ctrl+C keeps doing it"),
            ("é = \"\"\"", "c:1:1: this is not TOML"),
        ] {
            let all = says(text);
            assert!(all.len() == 1 && all[0].starts_with(want), "{text}\n{all:#?}");
        }
        let (config, problems) = parse(
            "c",
            "editor = \"code -w\"\ntheme = 1\n[keys]\nnone = []\nwhy = [\"f\", \"ctrl+y\"]\nfire = [\"w\"]\n",
        );
        assert_eq!(problems.len(), 2);
        assert_eq!(config.editor.as_deref(), Some("code -w"));
        assert_eq!((config.keys.first_key(UiCommand::Why), config.keys.first_key(UiCommand::Fire)), ("f", "w"));
        let (config_of_watch, problems) =
            parse("c", "[watch]\nenabled = false\nquiet_ms = 250\nignore = [\"*.json\"]\n");
        assert_eq!(problems, Vec::new());
        let watch =
            WatchOptions { enabled: false, quiet: Duration::from_millis(250), ignore: vec!["*.json".to_owned()] };
        assert_eq!(config_of_watch.watch, watch);
        let verb = |key: &str| crate::key_names::parse(key).and_then(|key| config.keys.command(key));
        assert_eq!(
            [verb("f"), verb("w"), verb("Ctrl+Y")],
            [Some(UiCommand::Why), Some(UiCommand::Fire), Some(UiCommand::Why)]
        );
    }

    #[test]
    fn the_file_lies_where_others_lie() {
        let env = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
        };
        let at = |pairs| path(&env(pairs)).map(|p| p.display().to_string());
        assert_eq!(at(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c")]).as_deref(), Some("/c/hookbench/config.toml"));
        assert_eq!(at(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "")]).as_deref(), Some("/h/.config/hookbench/config.toml"));
        assert_eq!(at(&[("XDG_CONFIG_HOME", "/c")]).as_deref(), Some("/c/hookbench/config.toml"));
        assert_eq!(display_path(Path::new("/h/.config/x"), &env(&[("HOME", "/h")])), "~/.config/x");
    }
}
