//! Adds groups to the `hooks` of a settings file. The rest of the text is unchanged, including comments and
//! whitespace.

use serde_json::{Map, Value, json};

use super::{WrittenDefinition, hook_list};
use crate::config::{Files, OverlayFiles, Place};
use crate::diagnostic::Code;
use crate::dialects::settings_format::FileForm;
use crate::port::AgentVersion;
use crate::text::edit::{EditSet, JsonLayout, TextEdit};
use crate::text::{Node, SourceId};

const BOM: char = '\u{feff}';

/// The reason why hooks cannot be added to a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsEditError {
    /// Counted from 1.
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// A group to add to an event.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupAddition {
    pub event: String,
    pub group: Value,
}

fn as_map(additions: &[GroupAddition]) -> Map<String, Value> {
    let mut map = Map::new();
    for one in additions {
        let groups = map.entry(one.event.clone()).or_insert_with(|| json!([]));
        if let Value::Array(groups) = groups {
            groups.push(one.group.clone());
        }
    }
    map
}

/// Returns the file with the groups added. A new file also shows that there is none.
///
/// # Errors
/// Returns an error if the file is not valid or if `hooks` does not have the shape that groups can be added to.
pub fn add(text: &str, form: FileForm, additions: &[GroupAddition]) -> Result<String, SettingsEditError> {
    let edits = if text.is_empty() { edits(text, form, additions)? } else { addition_edits(text, form, additions)? };
    edits.apply(text).map_err(|why| SettingsEditError::at(text, 0, why.to_string()))
}

/// Returns the edits that add the groups to a file.
///
/// # Errors
/// Returns an error if the file is not valid or if `hooks` does not have the shape that groups can be added to.
pub fn addition_edits(text: &str, form: FileForm, additions: &[GroupAddition]) -> Result<EditSet, SettingsEditError> {
    if additions.is_empty() { Ok(EditSet::default()) } else { edits(text, form, additions) }
}

fn edits(text: &str, form: FileForm, additions: &[GroupAddition]) -> Result<EditSet, SettingsEditError> {
    if let Some(list) = form.list {
        return hook_list::addition_edits(text, form, list, additions);
    }
    let events = as_map(additions);
    let Some(root) = read_settings(text, form)? else {
        let start = if form.syntax.bom && text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
        let file = JsonLayout::new(text, None).format_file(&Value::Object(form.content(events)));
        return Ok(EditSet::from_iter([TextEdit::replace(start, text.len(), file)]));
    };
    let layout = JsonLayout::new(text, Some(&root));
    let Some(_) = root.members() else { return Err(shape_error(text, &root, "the file", "an object")) };
    let Some(hooks) = form.events(&root) else {
        return Ok(layout.append_members(&root, 0, &form.content(events)).into_iter().collect());
    };
    if hooks.members().is_none() {
        return Err(shape_error(text, hooks, "`hooks`", "an object"));
    }
    // The depth of the object with the events.
    let depth = usize::from(!form.is_top_level);
    let (mut edits, mut missing) = (Vec::new(), Map::new());
    for (event, groups) in events {
        match hooks.get(&event) {
            None => drop(missing.insert(event, groups)),
            Some(list) if list.items().is_some() => {
                edits.extend(layout.append_items(list, depth + 1, groups.as_array().map_or(&[], Vec::as_slice)));
            }
            Some(other) => return Err(shape_error(text, other, &format!("`{event}`"), "a list")),
        }
    }
    edits.extend(layout.append_members(hooks, depth, &missing));
    Ok(edits.into_iter().collect())
}

/// Parses a settings file. `None` if it is empty or contains only whitespace.
pub fn read_settings(text: &str, form: FileForm) -> Result<Option<Node>, SettingsEditError> {
    if text.trim_start_matches(BOM).trim().is_empty() {
        return Ok(None);
    }
    form.parse(SourceId(0), text).map(Some).map_err(|why| SettingsEditError::at(text, why.at, why.message))
}

/// Returns the definitions in a file, skipping entries that do not have the shape of one.
pub fn definitions(text: &str, form: FileForm) -> Result<Vec<WrittenDefinition>, SettingsEditError> {
    let mut out = Vec::new();
    let Some(root) = read_settings(text, form)? else { return Ok(out) };
    if let Some(list) = form.list {
        return Ok(hook_list::definitions(&root, list).collect());
    }
    let root = root.to_value();
    for (event, groups) in root.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for group in groups.as_array().into_iter().flatten().filter_map(Value::as_object) {
            let handlers = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
            for handler in handlers.filter_map(Value::as_object) {
                let keys = group.iter().filter(|(key, _)| *key != "hooks" && *key != "matcher");
                out.push(WrittenDefinition {
                    event: event.clone(),
                    matcher: group.get("matcher").and_then(Value::as_str).map(str::to_owned),
                    group: keys.map(|(key, value)| (key.clone(), value.clone())).collect(),
                    handler: handler.clone(),
                    script: None,
                    file: None,
                    exists: true,
                });
            }
        }
    }
    Ok(out)
}

pub(super) fn shape_error(text: &str, node: &Node, what: &str, want: &str) -> SettingsEditError {
    SettingsEditError::at(text, node.span.start, format!("{what} is {}, but must be {want}", node.kind()))
}

impl SettingsEditError {
    /// Creates an error at a byte offset of the text.
    pub fn at(text: &str, offset: usize, says: String) -> SettingsEditError {
        let before = text.get(..offset.min(text.len())).unwrap_or(text);
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        SettingsEditError { line: before.matches('\n').count() + 1, column, message: says }
    }
}

/// Finds an event that the agent reads from another file than the one at `path`, among those for which hooks were added.
/// `after` is the new text of the file. `None` if the agent reads all of them.
pub fn find_replaced_event(
    agent: &AgentVersion,
    place: &Place,
    files: &dyn Files,
    (path, after): (&str, &str),
    events: &[&str],
) -> Option<SettingsEditError> {
    let files = OverlayFiles { files, replaced: vec![(path, after)] };
    let loaded = agent.dialect.load(&place.as_trusted(), &files, &agent.version);
    loaded.notes.iter().filter(|note| note.code == Code::HW714).find_map(|note| {
        let span = note.span.filter(|span| loaded.sources.path(span.source) == path)?;
        let event = after.get(span.start..span.end)?.trim_matches('"');
        let help = note.help.as_deref().unwrap_or_default();
        events.contains(&event).then(|| SettingsEditError::at(after, span.start, format!("{}; {help}", note.message)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{JsonSyntax, parse_json};
    use pretty_assertions::assert_eq;

    const COMMENTS: JsonSyntax = JsonSyntax { comments: true, trailing_commas: false, bom: true };

    fn group(command: &str) -> GroupAddition {
        let group = json!({"hooks": [{"type": "command", "command": command}]});
        GroupAddition { event: "Stop".to_owned(), group }
    }

    /// Returns the file with one group added, with the text of the group replaced by `G`.
    fn added(text: &str) -> String {
        let shown = add(text, FileForm::of_settings(COMMENTS), &[group("x")]).unwrap();
        let value = parse_json(SourceId(0), &shown, COMMENTS).unwrap().to_value();
        let groups = value["hooks"]["Stop"].as_array().unwrap();
        assert_eq!(groups.last(), Some(&group("x").group), "{shown}");
        let start = shown.rfind("{\n").unwrap();
        let start = shown[..start].rfind("{\n").unwrap();
        let end = shown.rfind('x').unwrap();
        let blanks = shown[end..].find(']').unwrap();
        let close = end + blanks + shown[end + blanks..].find('}').unwrap();
        format!("{}G{}", &shown[..start], &shown[close + 1..])
    }

    #[test]
    fn everything_else_stays() {
        for (text, want) in [
            ("{}", "{\n  \"hooks\": {\n    \"Stop\": [\n      G\n    ]\n  }\n}"),
            (
                "{\n\t\"a\": 1 // last\n}\n",
                "{\n\t\"a\": 1, // last\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\tG\n\t\t]\n\t}\n}\n",
            ),
            ("{ \"hooks\": { /* none */ } }", "{ \"hooks\": { /* none */\n    \"Stop\": [\n      G\n    ]\n  } }"),
            (
                "{\n  \"hooks\": {\n    \"Stop\": [\n      // mine\n      { \"hooks\": [] }\n      // end\n    ]\n  },\n  \"z\": 1\n}",
                "{\n  \"hooks\": {\n    \"Stop\": [\n      // mine\n      { \"hooks\": [] },\n      // end\n      G\n    ]\n  },\n  \"z\": 1\n}",
            ),
            ("{\"hooks\":{\"Stop\":[]}}", "{\"hooks\":{\"Stop\":[\n      G\n    ]}}"),
        ] {
            assert_eq!(added(text), want, "{text}");
        }
    }

    #[test]
    fn lines_end_as_they_did() {
        for text in ["{\r\n}\r\n", "{\r\n  \"a\": 1\r\n}", "{\r\n  \"hooks\": {\"Stop\": []}\r\n}\r\n"] {
            let shown = add(text, FileForm::of_settings(COMMENTS), &[group("a\nb"), group("y")]).unwrap();
            assert_eq!(shown.matches('\n').count(), shown.matches("\r\n").count(), "{shown:?}");
        }
        assert!(!add("{\n}\n", FileForm::of_settings(COMMENTS), &[group("x")]).unwrap().contains('\r'));
    }

    #[test]
    fn invalid_files_are_rejected() {
        for (text, line, says) in [
            ("[]", 1, "the file is a list, but must be an object"),
            ("{\n\"hooks\": []}", 2, "`hooks` is a list, but must be an object"),
            ("{\"hooks\": {\"Stop\": {}}}", 1, "`Stop` is an object, but must be a list"),
        ] {
            let why = add(text, FileForm::of_settings(COMMENTS), &[group("x")]).unwrap_err();
            assert_eq!((why.line, why.message.as_str()), (line, says), "{text}");
        }
        assert!(add("{ nope", FileForm::of_settings(COMMENTS), &[group("x")]).is_err());
        assert!(add("{} // c", FileForm::default(), &[group("x")]).is_err());
    }
}
