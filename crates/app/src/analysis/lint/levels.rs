//! The selected codes, and the severity that the user assigns to each: from the command line, and from `[lint]` in
//! config.toml.

use std::ops::Range;

use toml_edit::{Document, Item};

use super::Finding;
use crate::disk::state_dir::config_file;
use hookbench_core::diagnostic::{Code, Severity};

/// The severity that the user assigns to a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LintLevel {
    Off,
    Severity(Severity),
}

impl LintLevel {
    /// The accepted words.
    pub const WORDS: &str = "\"off\", \"info\", \"warning\", \"error\"";

    /// Parses a level. Returns `None` if the word is unknown.
    pub fn from_word(word: &str) -> Option<LintLevel> {
        let all = [Severity::Info, Severity::Warning, Severity::Error];
        let severity = all.into_iter().find(|severity| severity.word() == word).map(LintLevel::Severity);
        severity.or((word == "off").then_some(LintLevel::Off))
    }
}

/// Levels by code or code prefix. The longest matching prefix wins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintLevels(Vec<(String, LintLevel)>);

impl LintLevels {
    /// Adds the entries of the `[lint]` table of the configuration. Returns the invalid ones with their places.
    pub fn add_table(&mut self, table: &Item) -> Vec<(Option<Range<usize>>, String)> {
        let mut wrong = Vec::new();
        let Some(table) = table.as_table_like() else {
            return vec![(table.span(), "lint must be a table of codes, such as HW306 = \"off\"".to_owned())];
        };
        for (code, item) in table.iter() {
            let at = table.get_key_value(code).and_then(|(key, _)| key.span());
            match (normalize_code(code), item.as_str().and_then(LintLevel::from_word)) {
                (Err(why), _) => wrong.push((at, why)),
                (Ok(_), None) => {
                    wrong.push((item.span().or(at), format!("lint.{code} must be one of {}", LintLevel::WORDS)));
                }
                (Ok(code), Some(level)) => self.0.push((code, level)),
            }
        }
        wrong
    }

    /// Reads the levels from the text of a configuration file, and returns the mistakes in it as messages. A file
    /// that is not TOML yields no levels.
    pub fn read(name: &str, text: &str) -> (LintLevels, Vec<String>) {
        let mut levels = LintLevels::default();
        let place = |span: Option<Range<usize>>| {
            let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or(text);
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            format!("{name}:{}:{column}", before.matches('\n').count() + 1)
        };
        let wrong = match Document::parse(text) {
            Ok(document) => document.get("lint").map(|table| levels.add_table(table)).unwrap_or_default(),
            Err(why) => {
                let says = why.message().lines().collect::<Vec<_>>().join(", ");
                vec![(why.span(), format!("this is not valid TOML, so the whole file is ignored: {says}"))]
            }
        };
        (levels, wrong.into_iter().map(|(span, says)| format!("{}: {says}", place(span))).collect())
    }

    /// The level for a code, and the length of the prefix that sets it.
    fn level_of(&self, code: Code) -> Option<(usize, LintLevel)> {
        let fits = self.0.iter().filter(|(of, _)| code.as_str().starts_with(of.as_str()));
        fits.map(|(of, level)| (of.len(), *level)).max_by_key(|(length, _)| *length)
    }
}

/// The levels in the configuration of the current environment, and the mistakes in it. Both are empty if there is
/// no configuration file.
pub fn configured_levels() -> (LintLevels, Vec<String>) {
    let var = |name: &str| std::env::var(name).ok();
    let Some(path) = config_file(&var) else { return (LintLevels::default(), Vec::new()) };
    let name = path.display().to_string();
    match hookbench_system::disk::read_text(&path) {
        Ok(text) => LintLevels::read(&name, &text),
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => (LintLevels::default(), Vec::new()),
        Err(why) => (LintLevels::default(), vec![format!("{name} cannot be read: {why}")]),
    }
}

/// Normalizes a code or code prefix to the spelling of the catalogue. `301` is `HW301`.
///
/// # Errors
/// Returns an error if no code begins with this text.
pub fn normalize_code(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.contains('/') {
        return Ok(text.to_owned());
    }
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let code = if digits { format!("HW{text}") } else { text.to_ascii_uppercase() };
    if !code.is_empty() && Code::LINTS.iter().any(|known| known.as_str().starts_with(&code)) {
        return Ok(code);
    }
    let near = Code::LINTS.iter().map(|known| (strsim::damerau_levenshtein(known.as_str(), &code), known)).min();
    Err(match near.filter(|(far, _)| *far <= 1 && code.len() > 3) {
        Some((_, near)) => format!("no code starts with \"{text}\"; did you mean {near}?"),
        None => format!("no code starts with \"{text}\"; hookbench explain lists the codes"),
    })
}

/// The findings that the user selected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintSelection {
    /// Codes or code prefixes. Empty selects all.
    pub select: Vec<String>,
    pub ignore: Vec<String>,
    pub levels: LintLevels,
}

impl LintSelection {
    /// Returns whether every finding is selected.
    pub fn is_all(&self) -> bool {
        self.select.is_empty() && self.ignore.is_empty()
    }

    /// Applies the choice to a finding and sets its severity. Returns `None` if the finding is not selected.
    pub fn apply(&self, mut finding: Finding) -> Option<Finding> {
        let longest = |of: &[String]| {
            of.iter().filter(|begin| finding.code.as_str().starts_with(begin.as_str())).map(String::len).max()
        };
        let selected = longest(&self.select);
        if (!self.select.is_empty() && selected.is_none()) || longest(&self.ignore).is_some() {
            return None;
        }
        match self.levels.level_of(finding.code) {
            // `off` does not apply to a code that is selected with an equal or longer prefix.
            Some((said, LintLevel::Off)) if selected.is_none_or(|asked| asked < said) => return None,
            Some((_, LintLevel::Severity(severity))) => finding.severity = severity,
            _ => {}
        }
        Some(finding)
    }
}
