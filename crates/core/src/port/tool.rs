//! Translation of a tool call: the tool's name, its input and its response.

use serde_json::{Map, Value, json};

use super::data::{AgentKeys, AgentWords, ToolInputRow, mapping};
use super::event::{AgentVersion, MissingEvent, TranslationNote};
use super::patch::{self, PatchChange};
use super::project_directory::with_one_spelling;
use crate::catalogue::{AgentTools, MCP, OTHER, catalogue};
use crate::dialects::released;
use crate::dialects::settings_format::PROJECT;
use crate::hook::{HookInput, adapted_command};

/// The source and the target agent of a call.
pub struct CallTranslator<'a> {
    pub from: &'a AgentTools,
    pub to: &'a AgentTools,
}

/// The end of a key in the mapping whose value is a list of texts. For other agents, it is their text, each in a line.
const LIST: &str = "[]";

fn as_list_or_text(value: &Value, was_list: bool, is_list: bool) -> Value {
    let lines = |items: &[Value]| {
        items.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned)).collect::<Vec<_>>()
    };
    match value {
        Value::String(_) if is_list => json!([value]),
        Value::Array(items) if was_list && !is_list => Value::from(lines(items).join("\n")),
        other => other.clone(),
    }
}

/// A translated call.
pub struct TranslatedCall {
    pub name: String,
    pub input: Value,
    /// The key and value that name the MCP server.
    pub server: Option<(String, Value)>,
    /// The tool's row in the catalogue.
    canonical: String,
}

impl CallTranslator<'_> {
    /// Translates a call. `body` is the payload that contains it.
    pub fn call(
        &self,
        name: &str,
        input: &Value,
        body: &Value,
        notes: &mut Vec<TranslationNote>,
    ) -> Result<TranslatedCall, MissingEvent> {
        let found = catalogue().resolve(name, self.from);
        if found.canonical == MCP {
            return self.mcp_call(name, input, body, notes);
        }
        if found.canonical == OTHER && found.tool.is_none() {
            notes.push(TranslationNote::kept(
                "tool_name",
                format!("the tool {name} is not known in any agent: the name is kept"),
            ));
            return Ok(TranslatedCall {
                name: name.to_owned(),
                input: input.clone(),
                server: None,
                canonical: OTHER.to_owned(),
            });
        }
        let row = mapping().tool(found.canonical);
        let patch_key = row.and_then(|row| row.patch.get(self.from.id));
        if let Some(patch) = patch_key.and_then(|key| input.get(key)).and_then(Value::as_str)
            && row.is_none_or(|row| row.patch.get(self.to.id).is_none())
        {
            return self.translate_patch(name, patch, notes);
        }
        let tool = self.tool_of(found.canonical, name)?;
        let input = match (row, input) {
            (Some(row), Value::Object(given)) => self.input(row, given, notes),
            _ => input.clone(),
        };
        Ok(TranslatedCall { name: tool, input, server: None, canonical: found.canonical.to_owned() })
    }

    fn tool_of(&self, canonical: &str, name: &str) -> Result<String, MissingEvent> {
        let none = || {
            let says = catalogue().describe(name, self.to, &catalogue().resolve(name, self.to));
            MissingEvent { message: says, nearest: None }
        };
        self.to.tool_for_row(canonical).map(|tool| tool.id.to_owned()).ok_or_else(none)
    }

    fn input(&self, row: &ToolInputRow, given: &Map<String, Value>, notes: &mut Vec<TranslationNote>) -> Value {
        if let Some(key) = row.patch.get(self.to.id) {
            return self.build_patch(row, key, given, notes);
        }
        let mut out = Map::new();
        for (key, value) in given {
            let own =
                |field: &&AgentWords| field.get(self.from.id).is_some_and(|own| own.trim_end_matches(LIST) == key);
            let field = row.fields.iter().find(own);
            match field.map(|field| field.get(self.to.id)) {
                None => out.insert(key.clone(), value.clone()),
                Some(Some(there)) => {
                    let was_list =
                        field.and_then(|field| field.get(self.from.id)).is_some_and(|own| own.ends_with(LIST));
                    let value = as_list_or_text(value, was_list, there.ends_with(LIST));
                    out.insert(there.trim_end_matches(LIST).to_owned(), value)
                }
                Some(None) => {
                    notes.push(self.no_key(key));
                    None
                }
            };
        }
        self.add_required_keys(row, &mut out, notes);
        Value::Object(out)
    }

    /// Adds the keys that the tool always gets.
    fn add_required_keys(&self, row: &ToolInputRow, input: &mut Map<String, Value>, notes: &mut Vec<TranslationNote>) {
        for (key, value) in row.needs(self.to.id) {
            if !input.contains_key(&key) {
                let says = format!("the tool of {} always receives {key}: {value} is used", self.to.name);
                notes.push(TranslationNote::invented(&format!("tool_input.{key}"), says));
                input.insert(key, value);
            }
        }
    }

    fn no_key(&self, key: &str) -> TranslationNote {
        TranslationNote::lost(
            &format!("tool_input.{key}"),
            format!("the tool of {} does not receive {key}", self.to.name),
        )
    }

    /// Builds a patch. In the mapping, the fields of a tool whose counterpart takes a patch are ordered: the path,
    /// then the content or the old and the new text.
    fn build_patch(
        &self,
        row: &ToolInputRow,
        key: &str,
        given: &Map<String, Value>,
        notes: &mut Vec<TranslationNote>,
    ) -> Value {
        let own: Vec<Option<&str>> = row.fields.iter().map(|field| field.get(self.from.id)).collect();
        let nth = |n: usize| own.get(n).copied().flatten();
        let text = |n: usize| nth(n).and_then(|key| given.get(key)).and_then(Value::as_str).unwrap_or("").to_owned();
        let writes = own.iter().flatten().count() < 3;
        let change = if writes {
            PatchChange::Write { path: text(0), content: text(1) }
        } else {
            PatchChange::Edit { path: text(0), old: text(1), new: text(2) }
        };
        let used = if writes { 2 } else { 3 };
        for name in given.keys().filter(|name| !(0..used).any(|n| nth(n) == Some(name))) {
            notes.push(self.no_key(name));
        }
        let patch = change.text();
        if patch::parse_patch(&patch) != [change] {
            let says = "a patch has whole lines: the end of the last line differs".to_owned();
            notes.push(TranslationNote::lost(&format!("tool_input.{}", nth(1).unwrap_or("")), says));
        }
        if !writes {
            let says = "a patch changes whole lines, but this text may be part of a line".to_owned();
            notes.push(TranslationNote::invented(&format!("tool_input.{key}"), says));
        }
        Value::Object(Map::from_iter([(key.to_owned(), Value::from(patch))]))
    }

    fn translate_patch(
        &self,
        name: &str,
        patch: &str,
        notes: &mut Vec<TranslationNote>,
    ) -> Result<TranslatedCall, MissingEvent> {
        let changes = patch::parse_patch(patch);
        let whole = "tool_input";
        let (canonical, texts): (&str, Vec<String>) = match changes.first().cloned() {
            Some(PatchChange::Write { path, content }) => ("write_file", vec![path, content]),
            Some(PatchChange::Edit { path, old, new }) => ("edit_file", vec![path, old, new]),
            Some(PatchChange::Delete { path }) => {
                let says = format!("this patch deletes {path}, and {} has no tool that deletes a file", self.to.name);
                return Err(MissingEvent { message: says, nearest: None });
            }
            None => {
                notes.push(TranslationNote::lost(
                    whole,
                    "the patch cannot be parsed, so its files are unknown".to_owned(),
                ));
                ("edit_file", Vec::new())
            }
        };
        if changes.len() > 1 {
            let says = format!("the patch has {} changes, but a tool of {} makes one", changes.len(), self.to.name);
            notes.push(TranslationNote::lost(whole, format!("{says}: the first is shown")));
        } else if changes.first().is_some_and(|change| change.text() != patch) {
            notes.push(TranslationNote::lost(whole, "only the changed lines of the patch are translated".to_owned()));
        }
        let tool = self.tool_of(canonical, name)?;
        let row = mapping().tool(canonical);
        let keys = row.iter().flat_map(|row| row.fields).map(|field| field.get(self.to.id));
        let pairs = keys.zip(texts).filter_map(|(key, text)| Some((key?.to_owned(), Value::from(text))));
        let mut input: Map<String, Value> = pairs.collect();
        if let Some(row) = row {
            self.add_required_keys(row, &mut input, notes);
        }
        Ok(TranslatedCall { name: tool, input: Value::Object(input), server: None, canonical: canonical.to_owned() })
    }

    fn mcp_call(
        &self,
        name: &str,
        input: &Value,
        body: &Value,
        notes: &mut Vec<TranslationNote>,
    ) -> Result<TranslatedCall, MissingEvent> {
        let (from, to) = (mapping().agent(self.from.id), mapping().agent(self.to.id));
        let said = from.and_then(|agent| named_server(agent, body));
        let parted = catalogue().resolve(name, self.from).mcp.or(said).or_else(|| {
            // If neither the name nor the payload tells where the server name ends, it is assumed to be one word.
            let (server, tool) = name.strip_prefix("mcp_")?.split_once('_')?;
            let says =
                format!("{name} does not separate the server from the tool: hookbench assumes {server} and {tool}");
            notes.push(TranslationNote::invented("tool_name", says));
            Some((server.to_owned(), tool.to_owned()))
        });
        let Some((server, tool)) = parted else {
            return Err(MissingEvent { message: format!("{name} is not a tool of an MCP server"), nearest: None });
        };
        let there = self.to.mcp.name(&server, &tool);
        let keys = to.and_then(|agent| agent.mcp.as_ref());
        let context = keys.and_then(|keys| {
            let tool_key = keys.tool?;
            notes.push(TranslationNote::invented(keys.key, "the start command of the server is unknown".to_owned()));
            let pairs =
                [(keys.server, server), (tool_key, tool)].map(|(key, name)| (key.to_owned(), Value::from(name)));
            Some((keys.key.to_owned(), Value::Object(Map::from_iter(pairs))))
        });
        Ok(TranslatedCall { name: there, input: input.clone(), server: context, canonical: MCP.to_owned() })
    }

    /// Translates the response of a call. `None` if it can only be replaced by a response that the other agent
    /// would send.
    pub fn response(&self, call: &TranslatedCall, given: &Value, notes: &mut Vec<TranslationNote>) -> Option<Value> {
        let shape = |agent: &AgentTools| {
            let response = &mapping().agent(agent.id)?.response;
            let any = response.tools.is_empty() || response.tools.contains(&call.canonical.as_str());
            any.then_some(response)
        };
        let (from, to) = (shape(self.from), shape(self.to));
        if from.is_some() && from == to {
            return Some(given.clone());
        }
        let text = from.and_then(|from| match from.text {
            Some(key) => given.get(key)?.as_str(),
            None => given.as_str(),
        });
        let (Some(to), Some(text)) = (to, text) else {
            let says = format!("the tool's output has another form in {}", self.to.name);
            notes.push(TranslationNote::lost("tool_response", says));
            return None;
        };
        notes.push(TranslationNote::lost(
            "tool_response",
            "only the text of the tool's output is translated".to_owned(),
        ));
        let Some(key) = to.text else { return Some(Value::from(text)) };
        let mut whole = to.empty();
        for key in std::iter::once(key).chain(to.copy) {
            if let Some(place) = whole.get_mut(key) {
                *place = Value::from(text);
            }
        }
        Some(whole)
    }
}

/// Splits an event whose tool applies a patch into one event for each change, if the tools of the other agent change
/// one file each. Any other event is returned as it is.
pub fn split_patch(input: &HookInput, from: &AgentVersion, to: &AgentVersion) -> Vec<HookInput> {
    let whole = || vec![input.clone()];
    let (from, to) = (from.dialect.id(), to.dialect.id());
    let name = input.body.get("tool_name").and_then(Value::as_str);
    let Some((name, agent)) = name.zip(catalogue().agent(from.as_str())) else { return whole() };
    let row = mapping().tool(catalogue().resolve(name, agent).canonical);
    let Some(row) = row.filter(|row| row.patch.get(to.as_str()).is_none()) else { return whole() };
    let Some(key) = row.patch.get(from.as_str()) else { return whole() };
    let patch = input.body.get("tool_input").and_then(|given| given.get(key)).and_then(Value::as_str);
    let changes = patch::parse_patch(patch.unwrap_or_default());
    if changes.len() < 2 {
        return whole();
    }
    let part = |change: &PatchChange| {
        let mut part = input.clone();
        if let Some(place) = part.body.get_mut("tool_input").and_then(|given| given.get_mut(key)) {
            *place = Value::from(change.text());
        }
        part
    };
    changes.iter().map(part).collect()
}

/// Returns the server and the tool if the payload names both.
fn named_server(agent: &AgentKeys, body: &Value) -> Option<(String, String)> {
    let keys = agent.mcp.as_ref()?;
    let said = body.get(keys.key)?;
    let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
    Some((text(keys.server)?, text(keys.tool?)?))
}

/// Returns a command without what a conversion changes in it: the adapter before the script, and the expression for the
/// project's directory.
pub fn command_of_any_agent(command: &str) -> String {
    let script = adapted_command(command).map_or(command, |adapted| adapted.command);
    if !script.contains('$') {
        return script.to_owned();
    }
    let names = released().filter_map(|dialect| dialect.settings_format().variable_for(PROJECT));
    names.fold(with_one_spelling(script, "$PROJECT"), |text, name| {
        text.replace(&format!("${{{name}}}"), "$PROJECT").replace(&format!("${name}"), "$PROJECT")
    })
}
