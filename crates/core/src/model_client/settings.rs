//! The `[model]` table of the user's settings.

use std::time::Duration;

use toml_edit::{Document, Item, Table};

use super::endpoint::{EndpointProblem, ModelEndpoint};
use crate::live::SettingsProblem;

/// The name of the table.
pub const MODEL_TABLE: &str = "model";

/// The names of the settings.
pub const MODEL_SETTING_NAMES: [&str; 12] = [
    "url",
    "command",
    "name",
    "key_variable",
    "key_command",
    "timeout_ms",
    "attempts",
    "max_messages",
    "max_tokens",
    "json_schema",
    "audit",
    "guards",
];

/// The source of the key for a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ModelKeySource {
    #[default]
    None,
    /// The name of an environment variable.
    Variable(String),
    /// A command that prints the key, such as one that reads the system's key store.
    Command(Vec<String>),
}

/// A configured model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSettings {
    pub endpoint: ModelEndpoint,
    /// The model's name, as the server knows it. For a command, the name that is shown.
    pub name: String,
    pub key: ModelKeySource,
    /// The time for everything: waiting, all attempts, reading.
    pub timeout: Duration,
    pub attempts: u32,
    /// The number of messages of a session that are sent at most.
    pub max_messages: usize,
    /// The estimated number of tokens that are sent at most.
    pub max_tokens: usize,
    /// Whether the server is asked for an answer that follows a JSON schema.
    pub json_schema: bool,
    /// Whether prompts and answers are kept.
    pub audit: bool,
    /// The guards that ask the model about events in which their rules find nothing.
    pub guards: Vec<String>,
}

impl ModelSettings {
    /// The settings of an endpoint with every other setting at its default.
    pub fn new(endpoint: ModelEndpoint, name: &str) -> ModelSettings {
        ModelSettings {
            endpoint,
            name: name.to_owned(),
            key: ModelKeySource::None,
            timeout: Duration::from_secs(20),
            attempts: 3,
            max_messages: 100,
            max_tokens: 100_000,
            json_schema: true,
            audit: false,
            guards: Vec::new(),
        }
    }

    /// The name of the model with its endpoint, as shown to the user.
    pub fn shown(&self) -> String {
        format!("{} ({})", self.name, self.endpoint.shown())
    }
}

/// Reads the table from the text of a settings file. `None` without the table, and if it has no usable endpoint.
pub fn read_model(text: &str) -> (Option<ModelSettings>, Vec<SettingsProblem>) {
    if !text.contains(MODEL_TABLE) {
        return (None, Vec::new());
    }
    match Document::parse(text) {
        Ok(document) => read_model_table(document.as_table()),
        Err(why) => {
            let message = format!("this is not valid TOML, so the whole file is ignored: {}", why.message());
            (None, vec![SettingsProblem { span: why.span(), message }])
        }
    }
}

/// The model that a settings file names for a guard. `None` if it names none; the mistake, with its line, if it names one
/// that is not usable.
pub fn guard_model(text: &str, guard: &str) -> Option<Result<ModelSettings, String>> {
    if !text.contains(MODEL_TABLE) {
        return None;
    }
    let document = Document::parse(text).ok()?;
    let guards = document.get(MODEL_TABLE)?.as_table_like()?.get("guards")?.as_array()?;
    if !guards.iter().any(|name| name.as_str() == Some(guard)) {
        return None;
    }
    let (settings, problems) = read_model_table(document.as_table());
    Some(settings.ok_or_else(|| {
        let first = problems.into_iter().next();
        let line = |at: usize| text.get(..at).map_or(1, |before| before.matches('\n').count() + 1);
        first.map_or_else(String::new, |wrong| {
            format!("line {}: {}", wrong.span.map_or(1, |span| line(span.start)), wrong.message)
        })
    }))
}

/// Reads the table from a parsed settings file. `None` without the table, and if it has no usable endpoint.
pub fn read_model_table(root: &Table) -> (Option<ModelSettings>, Vec<SettingsProblem>) {
    let Some(item) = root.get(MODEL_TABLE) else { return (None, Vec::new()) };
    let mut reader = TableReader { problems: Vec::new() };
    let settings = reader.read(item);
    (settings, reader.problems)
}

struct TableReader {
    problems: Vec<SettingsProblem>,
}

impl TableReader {
    fn problem(&mut self, span: Option<std::ops::Range<usize>>, message: impl Into<String>) {
        self.problems.push(SettingsProblem { span, message: message.into() });
    }

    fn read(&mut self, item: &Item) -> Option<ModelSettings> {
        let Some(table) = item.as_table_like() else {
            self.problem(item.span(), "model must be a table of settings");
            return None;
        };
        // The printed default file has an empty table.
        if table.is_empty() {
            return None;
        }
        // The defaults; the endpoint is replaced below.
        let mut settings = ModelSettings::new(ModelEndpoint::Command(Vec::new()), "");
        let mut endpoints = Vec::new();
        let mut keys = Vec::new();
        for (name, item) in table.iter() {
            let span = table.get_key_value(name).and_then(|(key, _)| key.span());
            match name {
                "url" => match item.as_str().map(ModelEndpoint::from_url) {
                    Some(Ok(endpoint)) => endpoints.push(Some(endpoint)),
                    Some(Err(EndpointProblem(why))) => {
                        self.problem(item.span(), format!("model.url is not usable: {why}"));
                        endpoints.push(None);
                    }
                    None => {
                        self.problem(item.span(), "model.url must be a text, such as \"http://127.0.0.1:11434/v1\"");
                        endpoints.push(None);
                    }
                },
                "command" => endpoints.push(self.words(name, item).map(ModelEndpoint::Command)),
                "name" => match item.as_str().filter(|text| !text.trim().is_empty()) {
                    Some(text) => text.trim().clone_into(&mut settings.name),
                    None => self.problem(item.span(), "model.name must be the name of a model, such as \"llama3.2\""),
                },
                "key_variable" => match item.as_str().filter(|text| is_variable_name(text)) {
                    Some(text) => keys.push(ModelKeySource::Variable(text.to_owned())),
                    None => {
                        let example = "model.key_variable must be the name of an environment variable, such as \"OPENAI_API_KEY\"";
                        self.problem(item.span(), example);
                    }
                },
                "key_command" => keys.extend(self.words(name, item).map(ModelKeySource::Command)),
                "timeout_ms" => {
                    if let Some(number) = self.number(name, item, 1_000, 600_000) {
                        settings.timeout = Duration::from_millis(number);
                    }
                }
                "attempts" => {
                    let number = self.number(name, item, 1, 10).and_then(|number| u32::try_from(number).ok());
                    settings.attempts = number.unwrap_or(settings.attempts);
                }
                "max_messages" => {
                    let number = self.number(name, item, 1, 100).and_then(|number| usize::try_from(number).ok());
                    settings.max_messages = number.unwrap_or(settings.max_messages);
                }
                "max_tokens" => {
                    let number =
                        self.number(name, item, 1_000, 100_000).and_then(|number| usize::try_from(number).ok());
                    settings.max_tokens = number.unwrap_or(settings.max_tokens);
                }
                "json_schema" => self.switch(name, item, &mut settings.json_schema),
                "audit" => self.switch(name, item, &mut settings.audit),
                "guards" => {
                    settings.guards = self.list(name, item, "guards, such as [\"response\"]").unwrap_or_default();
                }
                "key" | "api_key" | "token" => self.problem(
                    span,
                    format!(
                        "model.{name} is ignored, because keys do not belong in this file; delete the line, and write \
                         key_variable = \"NAME\" or key_command = [\"secret-tool\", \"lookup\", \"service\", \"NAME\"]"
                    ),
                ),
                _ => {
                    let known = MODEL_SETTING_NAMES.join(", ");
                    self.problem(span, format!("unknown setting model.{name}; known are {known}"));
                }
            }
        }
        if let [key] = keys.as_slice() {
            settings.key = key.clone();
        } else if keys.len() > 1 {
            self.problem(item.span(), "model has key_variable and key_command; delete one of them");
            return None;
        }
        match <[_; 1]>::try_from(endpoints) {
            Ok([endpoint]) => settings.endpoint = endpoint?,
            Err(endpoints) if endpoints.is_empty() => {
                self.problem(item.span(), "model has neither url nor command; add one of them");
                return None;
            }
            Err(_) => {
                self.problem(item.span(), "model has url and command; delete one of them");
                return None;
            }
        }
        self.named(item, settings)
    }

    /// A URL needs the name of a model. A command is named after its program.
    fn named(&mut self, item: &Item, mut settings: ModelSettings) -> Option<ModelSettings> {
        if settings.name.is_empty() {
            let ModelEndpoint::Command(words) = &settings.endpoint else {
                self.problem(item.span(), "model.name is missing; add the name by which the server knows the model");
                return None;
            };
            let program = words.first().map(String::as_str).unwrap_or_default();
            program.rsplit('/').next().unwrap_or(program).clone_into(&mut settings.name);
        }
        Some(settings)
    }

    fn number(&mut self, name: &str, item: &Item, least: u64, most: u64) -> Option<u64> {
        let number = item.as_integer().and_then(|number| u64::try_from(number).ok());
        let fine = number.filter(|number| (least..=most).contains(number));
        if fine.is_none() {
            self.problem(item.span(), format!("model.{name} must be a whole number from {least} to {most}"));
        }
        fine
    }

    fn switch(&mut self, name: &str, item: &Item, value: &mut bool) {
        match item.as_bool() {
            Some(said) => *value = said,
            None => self.problem(item.span(), format!("model.{name} must be true or false")),
        }
    }

    /// A program with its arguments.
    fn words(&mut self, name: &str, item: &Item) -> Option<Vec<String>> {
        self.list(name, item, "a program and its arguments, such as [\"llm\", \"-m\", \"llama3.2\"]")
            .filter(|words| !words.is_empty())
    }

    fn list(&mut self, name: &str, item: &Item, allowed: &str) -> Option<Vec<String>> {
        let words = item.as_array().and_then(|list| {
            list.iter().map(|word| word.as_str().filter(|word| !word.is_empty()).map(str::to_owned)).collect()
        });
        let words = words.filter(|words: &Vec<String>| !words.is_empty());
        if words.is_none() {
            self.problem(item.span(), format!("model.{name} must be a list of {allowed}"));
        }
        words
    }
}

fn is_variable_name(text: &str) -> bool {
    let mut letters = text.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_settings_are_read() {
        let text = "theme = 'dark'\n[model]\nurl = 'http://127.0.0.1:11434/v1/'\nname = 'llama3.2'\n\
            key_variable = 'MY_KEY'\ntimeout_ms = 5000\nattempts = 1\nmax_messages = 10\nmax_tokens = 2000\n\
            json_schema = false\naudit = true\nguards = ['response']\n";
        let want = ModelSettings {
            key: ModelKeySource::Variable("MY_KEY".to_owned()),
            timeout: Duration::from_secs(5),
            attempts: 1,
            max_messages: 10,
            max_tokens: 2_000,
            json_schema: false,
            audit: true,
            guards: vec!["response".to_owned()],
            ..ModelSettings::new(ModelEndpoint::Url("http://127.0.0.1:11434/v1".to_owned()), "llama3.2")
        };
        assert_eq!(read_model(text), (Some(want), Vec::new()));
        let (command, problems) =
            read_model("model.command = ['/opt/bin/ask', '-q']\nmodel.key_command = ['pass', 'x']");
        let words = ["/opt/bin/ask", "-q"].map(str::to_owned).to_vec();
        let want = ModelSettings {
            key: ModelKeySource::Command(vec!["pass".to_owned(), "x".to_owned()]),
            ..ModelSettings::new(ModelEndpoint::Command(words), "ask")
        };
        assert_eq!((command, problems), (Some(want), Vec::new()));
        for text in ["theme = 'dark'", "[model]\n# url = 'https://a'"] {
            assert_eq!(read_model(text), (None, Vec::new()), "{text}");
        }
    }

    #[test]
    fn a_guard_asks_only_if_the_settings_name_it() {
        let usable = "[model]\nurl = 'https://a/v1'\nname = 'm'\nguards = ['todo']\n";
        assert!(guard_model(usable, "todo").is_some_and(|model| model.is_ok_and(|model| model.name == "m")));
        for (text, guard) in
            [(usable, "response"), ("", "todo"), ("[model]\nurl = 'https://a/v1'\n", "todo"), ("[model", "todo")]
        {
            assert_eq!(guard_model(text, guard), None, "{text}");
        }
        let wrong = "theme = 'dark'\n[model]\nurl = 'http://a/v1'\nguards = ['todo']\n";
        let says = guard_model(wrong, "todo").and_then(Result::err).unwrap();
        assert!(says.starts_with("line 3: model.url is not usable: http://"), "{says}");
    }

    #[test]
    fn mistakes_are_named_with_their_fix() {
        let url = "[model]\nurl = 'https://a/v1'\nname = 'm'\n";
        let both = format!("{url}command = ['x']");
        let two_keys = format!("{url}key_variable = 'A'\nkey_command = ['b']");
        let with = |line: &str| format!("{url}{line}");
        for (text, usable, want) in [
            ("model = 1".to_owned(), false, "model must be a table of settings"),
            ("model.audit = true".to_owned(), false, "model has neither url nor command; add one of them"),
            ("[model]\nurl = 'http://a/v1'".to_owned(), false, "model.url is not usable: http:// would send"),
            ("[model]\nurl = 3".to_owned(), false, "model.url must be a text, such as"),
            ("[model]\nurl = 'https://a/v1'".to_owned(), false, "model.name is missing; add the name"),
            (
                "[model]\ncommand = 'ls'".to_owned(),
                false,
                "model.command must be a list of a program and its arguments",
            ),
            ("[model]\ncommand = []".to_owned(), false, "model.command must be a list of a program and its arguments"),
            (both, false, "model has url and command; delete one of them"),
            (two_keys, false, "model has key_variable and key_command; delete one of them"),
            (
                with("key = 'sk-1'"),
                true,
                "model.key is ignored, because keys do not belong in this file; delete the line",
            ),
            (with("key_variable = 'sk-abc'"), true, "model.key_variable must be the name of an environment variable"),
            (with("timeout_ms = 10"), true, "model.timeout_ms must be a whole number from 1000 to 600000"),
            (with("attempts = 0"), true, "model.attempts must be a whole number from 1 to 10"),
            (with("max_messages = 101"), true, "model.max_messages must be a whole number from 1 to 100"),
            (with("max_tokens = 100001"), true, "model.max_tokens must be a whole number from 1000 to 100000"),
            (with("audit = 1"), true, "model.audit must be true or false"),
            (with("guards = 'x'"), true, "model.guards must be a list of guards, such as"),
            (with("tempo = 1"), true, "unknown setting model.tempo; known are url, command, name"),
            ("[model".to_owned(), false, "this is not valid TOML, so the whole file is ignored"),
        ] {
            let (settings, problems) = read_model(&text);
            assert_eq!((settings.is_some(), problems.len()), (usable, 1), "{text}\n{problems:?}");
            assert!(problems[0].message.starts_with(want), "{text}\n{problems:?}");
            assert!(problems[0].span.is_some(), "{text}");
        }
    }
}
