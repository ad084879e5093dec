//! The mode of each guard and rule: whether its findings deny, warn or are ignored.

use std::collections::BTreeMap;

use toml_edit::{Document, Item, Table, TableLike};

use super::answer::Allowance;
use super::rule::{GuardName, RuleSeverity, find};
use crate::live::SettingsProblem;

hookbench_base::words! {
    /// The treatment of a finding.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum GuardMode {
        /// The rule is not used.
        Off = "off",
        /// The finding is recorded. The agent hears nothing.
        #[default]
        Shadow = "shadow",
        /// The user sees a message.
        Warn = "warn",
        /// The agent may not continue.
        Deny = "deny",
    }
    /// The word in settings and commands.
    fn word; const ALL; fn from_word;
}

/// The settings of one guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardOptions {
    /// `None`: the mode of all guards.
    pub mode: Option<GuardMode>,
    /// Whether all rules are on, not only the recommended ones.
    pub all_rules: bool,
    /// The modes of single rules.
    pub modes: BTreeMap<String, GuardMode>,
    /// Research: the number of changed lines below which a change is not checked.
    pub min_lines: usize,
    /// Research: the number of messages in which the file may have been read.
    pub lookback: usize,
    /// Response: the number of refusals in a row after which the agent may stop.
    pub max_blocks: u32,
    /// Whether a payload that is not a JSON object is refused.
    pub deny_unreadable: bool,
}

impl Default for GuardOptions {
    fn default() -> GuardOptions {
        GuardOptions {
            mode: None,
            all_rules: false,
            modes: BTreeMap::new(),
            min_lines: 5,
            lookback: 200,
            max_blocks: 2,
            deny_unreadable: false,
        }
    }
}

/// The settings of all guards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GuardSettings {
    /// The mode of guards without their own.
    pub mode: GuardMode,
    pub guards: BTreeMap<GuardName, GuardOptions>,
    pub allowances: Vec<Allowance>,
}

impl GuardSettings {
    /// Returns the settings of a guard.
    pub fn options(&self, guard: GuardName) -> GuardOptions {
        self.guards.get(&guard).cloned().unwrap_or_default()
    }

    /// Returns the mode of a guard.
    pub fn guard_mode(&self, guard: GuardName) -> GuardMode {
        self.guards.get(&guard).and_then(|options| options.mode).unwrap_or(self.mode)
    }

    /// Returns the mode of a rule: its own; else off if it is not recommended and not all rules are on; else that of
    /// its guard, which only warns about medium findings. A rule without a row is about the payload itself.
    pub fn rule_mode(&self, id: &str) -> GuardMode {
        let Some(rule) = find(id) else { return GuardMode::Deny };
        let options = self.guards.get(&rule.guard);
        if let Some(mode) = options.and_then(|options| options.modes.get(id)) {
            return *mode;
        }
        if !rule.recommended && !options.is_some_and(|options| options.all_rules) {
            return GuardMode::Off;
        }
        let mode = self.guard_mode(rule.guard);
        if rule.severity == RuleSeverity::Medium { mode.min(GuardMode::Warn) } else { mode }
    }

    /// Returns the mode of a finding of a guard. A moderator's ruling has no row, so it has the mode of its guard.
    pub fn finding_mode(&self, guard: GuardName, id: &str) -> GuardMode {
        if find(id).is_some() { self.rule_mode(id) } else { self.guard_mode(guard) }
    }

    /// Applies the options of the command line to a guard.
    #[must_use]
    pub fn with_options(mut self, guard: GuardName, mode: Option<GuardMode>, all_rules: bool) -> GuardSettings {
        let mut options = self.options(guard);
        options.mode = mode.or(options.mode);
        options.all_rules |= all_rules;
        self.guards.insert(guard, options);
        self
    }
}

/// The name of the table.
pub const GUARD_TABLE: &str = "guard";

const MODES: &str = "\"off\", \"shadow\", \"warn\" or \"deny\"";

/// Parses a settings file. A file without the word `guard` is not parsed.
pub fn read_guard_settings(text: &str) -> (GuardSettings, Vec<SettingsProblem>) {
    if !text.contains(GUARD_TABLE) {
        return (GuardSettings::default(), Vec::new());
    }
    match Document::parse(text) {
        Ok(document) => read_guard_table(document.as_table()),
        Err(why) => {
            let message = format!("this is not valid TOML, so the whole file is ignored: {}", why.message());
            (GuardSettings::default(), vec![SettingsProblem { span: why.span(), message }])
        }
    }
}

/// Reads the settings from a parsed file.
pub fn read_guard_table(root: &Table) -> (GuardSettings, Vec<SettingsProblem>) {
    let mut reader = GuardTableReader::default();
    if let Some(item) = root.get(GUARD_TABLE) {
        match item.as_table_like() {
            Some(table) => reader.table(table),
            None => reader.problem(item, "guard must be a table of settings".to_owned()),
        }
    }
    (reader.settings, reader.problems)
}

#[derive(Default)]
struct GuardTableReader {
    settings: GuardSettings,
    problems: Vec<SettingsProblem>,
}

impl GuardTableReader {
    fn problem(&mut self, item: &Item, message: String) {
        self.problems.push(SettingsProblem { span: item.span(), message });
    }

    fn table(&mut self, table: &dyn TableLike) {
        for (name, item) in table.iter() {
            match (name, GuardName::from_word(name)) {
                ("mode", _) => match mode(item) {
                    Some(mode) => self.settings.mode = mode,
                    None => self.problem(item, format!("guard.mode must be {MODES}")),
                },
                ("allow", _) => self.allowances(item),
                (_, Some(guard)) => match item.as_table_like() {
                    Some(table) => {
                        let options = self.options(name, table);
                        self.settings.guards.insert(guard, options);
                    }
                    None => self.problem(item, format!("guard.{name} must be a table of settings")),
                },
                _ => {
                    let guards: Vec<&str> = GuardName::ALL.iter().map(|guard| guard.word()).collect();
                    let message = format!("unknown setting guard.{name}; known are mode, allow, {}", guards.join(", "));
                    self.problem(item, message);
                }
            }
        }
    }

    fn options(&mut self, guard: &str, table: &dyn TableLike) -> GuardOptions {
        let mut options = GuardOptions::default();
        for (name, item) in table.iter() {
            let number = || item.as_integer().and_then(|number| usize::try_from(number).ok());
            let done = match name {
                "mode" => mode(item).map(|mode| options.mode = Some(mode)).ok_or(MODES),
                "rules" => match item.as_str() {
                    Some("all") => {
                        options.all_rules = true;
                        Ok(())
                    }
                    Some("recommended") => Ok(()),
                    _ => Err("\"recommended\" or \"all\""),
                },
                "modes" => match item.as_table_like() {
                    Some(rules) => {
                        self.modes(guard, rules, &mut options);
                        Ok(())
                    }
                    None => Err("a table of rules and their modes"),
                },
                "min_lines" => number().map(|lines| options.min_lines = lines).ok_or("a whole number"),
                "lookback" => number().map(|messages| options.lookback = messages).ok_or("a whole number"),
                "max_blocks" => number()
                    .and_then(|blocks| u32::try_from(blocks).ok())
                    .map(|blocks| options.max_blocks = blocks)
                    .ok_or("a whole number"),
                "unreadable" => match item.as_str() {
                    Some("deny") => {
                        options.deny_unreadable = true;
                        Ok(())
                    }
                    Some("pass") => Ok(()),
                    _ => Err("\"pass\" or \"deny\""),
                },
                _ => {
                    let message = format!(
                        "unknown setting guard.{guard}.{name}; known are mode, rules, modes, min_lines, lookback, max_blocks, unreadable"
                    );
                    self.problem(item, message);
                    continue;
                }
            };
            if let Err(allowed) = done {
                self.problem(item, format!("guard.{guard}.{name} must be {allowed}"));
            }
        }
        options
    }

    fn modes(&mut self, guard: &str, rules: &dyn TableLike, options: &mut GuardOptions) {
        for (id, item) in rules.iter() {
            match (find(id).filter(|rule| rule.guard.word() == guard), mode(item)) {
                (None, _) => self.problem(item, format!("guard.{guard}.modes: guard {guard} has no rule {id}")),
                (_, None) => self.problem(item, format!("guard.{guard}.modes.{id} must be {MODES}")),
                (Some(rule), Some(mode)) => {
                    options.modes.insert(rule.id.to_owned(), mode);
                }
            }
        }
    }

    fn allowances(&mut self, item: &Item) {
        let Some(list) = item.as_array_of_tables() else {
            return self.problem(item, "guard.allow must be a list of tables: [[guard.allow]]".to_owned());
        };
        for table in list {
            let text = |key: &str| table.get(key).and_then(Item::as_str).unwrap_or_default().to_owned();
            let (rule, reason) = (text("rule"), text("reason"));
            if find(&rule).is_none() || reason.trim().is_empty() {
                let message = "an allowance needs a known rule and a reason".to_owned();
                self.problems.push(SettingsProblem { span: table.span(), message });
                continue;
            }
            self.settings.allowances.push(Allowance { rule, reason, text: text("text"), project: text("project") });
        }
    }
}

fn mode(item: &Item) -> Option<GuardMode> {
    GuardMode::from_word(item.as_str()?)
}
