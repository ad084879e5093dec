//! Hooks in a list with one entry for each of them: their definitions, and entries to add.

use serde_json::{Map, Value};

use super::WrittenDefinition;
use super::settings_edit::{GroupAddition, SettingsEditError, read_settings, shape_error};
use crate::dialects::settings_format::{FileForm, FileLanguage, ListForm, toml_table};
use crate::text::edit::{EditSet, JsonLayout, TextEdit, append_to_yaml, remove_from_yaml};
use crate::text::{Node, SourceId};

/// The definitions in a file.
pub(super) fn definitions(root: &Node, list: ListForm) -> impl Iterator<Item = WrittenDefinition> {
    list.entries(root).map(move |(event, entry)| {
        let entry = entry.to_value();
        let keys = entry.as_object().into_iter().flatten();
        let keys = keys.filter(|(key, _)| ![list.event, list.matcher, list.name].contains(&key.as_str()));
        let mut handler = Map::from_iter([("type".to_owned(), Value::from("command"))]);
        handler.extend(keys.map(|(key, value)| (key.clone(), value.clone())));
        let matcher = entry.get(list.matcher).and_then(|matcher| match matcher {
            Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|")),
            other => other.as_str().map(str::to_owned),
        });
        WrittenDefinition {
            event: event.to_owned(),
            matcher,
            group: Map::new(),
            handler,
            script: None,
            file: None,
            exists: true,
        }
    })
}

/// The edits that add the handlers of groups to a file.
///
/// # Errors
/// Returns an error if the file is not valid or if its `hooks` are not a list that entries can be added to.
pub(super) fn addition_edits(
    text: &str,
    form: FileForm,
    list: ListForm,
    additions: &[GroupAddition],
) -> Result<EditSet, SettingsEditError> {
    let root = read_settings(text, form)?;
    let own = root.as_ref().and_then(|root| list.list(root));
    let misfit = |node: &Node, name: &str, want: &str| Err(shape_error(text, node, &format!("`{name}`"), want));
    if list.language == FileLanguage::Yaml {
        return yaml_edits(text, form, list, additions);
    }
    let mut names = list.names(own);
    let entry = |one: &GroupAddition| list.new_entries(&one.event, &one.group, &mut names);
    let entries: Vec<Value> = additions.iter().flat_map(entry).collect();
    if form.script.is_some() {
        return match entries.as_slice() {
            [] => Ok(EditSet::default()),
            [entry] if root.is_none() => {
                Ok(EditSet::from_iter([TextEdit::replace(0, text.len(), ListForm::script(entry))]))
            }
            [_] => {
                Err(SettingsEditError::at(text, 0, "this file is a hook already, and a file is only one".to_owned()))
            }
            _ => Err(SettingsEditError::at(text, 0, "a file is only one hook, and these are several".to_owned())),
        };
    }
    if list.language == FileLanguage::Toml {
        let is_table = |entry: &Node| text.get(entry.span.start..).is_some_and(|entry| entry.starts_with("[["));
        return match own {
            Some(own) if !own.items().and_then(<[Node]>::first).is_some_and(is_table) => {
                misfit(own, "hooks", "tables: [[hooks]]")
            }
            _ => Ok(EditSet::from_iter([TextEdit::insert(text.len(), tables(text, &entries))])),
        };
    }
    let layout = JsonLayout::new(text, root.as_ref());
    let added = Map::from_iter([(list.below.to_owned(), Value::from(entries.clone()))]);
    let hooks = Map::from_iter([("hooks".to_owned(), Value::Object(added.clone()))]);
    Ok(match (&root, root.as_ref().and_then(|root| root.get("hooks")), own) {
        (None, ..) => EditSet::from_iter([TextEdit::replace(0, text.len(), layout.format_file(&Value::Object(hooks)))]),
        (Some(root), ..) if root.members().is_none() => return Err(shape_error(text, root, "the file", "an object")),
        (Some(root), None, _) => layout.append_members(root, 0, &hooks).into_iter().collect(),
        (_, Some(hooks), _) if hooks.members().is_none() => return misfit(hooks, "hooks", "an object"),
        (_, _, Some(own)) if own.items().is_none() => return misfit(own, list.below, "a list"),
        (_, _, Some(own)) => layout.append_items(own, 2, &entries).into_iter().collect(),
        (_, Some(hooks), None) => layout.append_members(hooks, 1, &added).into_iter().collect(),
    })
}

/// The edits that add the handlers of groups to the lists of their events.
fn yaml_edits(
    text: &str,
    form: FileForm,
    list: ListForm,
    additions: &[GroupAddition],
) -> Result<EditSet, SettingsEditError> {
    let (mut edits, mut changed) = (EditSet::default(), text.to_owned());
    for one in additions {
        let error = |at: usize, says: String| SettingsEditError::at(&changed, at, says);
        let root = form.parse(SourceId(0), &changed).map_err(|why| error(why.at, why.message))?;
        let items = list.new_entries(&one.event, &one.group, &mut Vec::new());
        let Some(edit) = append_to_yaml(&changed, &root, &["hooks", &one.event], &items) else {
            let at = root.get("hooks").map_or(0, |hooks| hooks.span.start);
            return Err(error(at, format!("`hooks` has no list `{}` to which a hook can be added", one.event)));
        };
        let edit = EditSet::from_iter([edit]);
        changed = edit.apply(&changed).map_err(|why| error(0, why.to_string()))?;
        edits = edits.then(&edit);
    }
    Ok(edits)
}

/// The text of entries as TOML tables at the end of a file, after a blank line.
fn tables(text: &str, entries: &[Value]) -> String {
    let tables = entries.iter().map(toml_table).collect::<Vec<_>>().join("\n");
    let before = if text.is_empty() || text.ends_with("\n\n") {
        ""
    } else if text.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    format!("{before}{tables}")
}

/// The edits that remove an entry of a file. In TOML, with the blank lines before it; in YAML, with the keys that become empty.
pub fn entry_removal(text: &str, root: &Node, list: ListForm, entry: &Node) -> Option<EditSet> {
    if list.language == FileLanguage::Yaml {
        let mut events = list.list(root).and_then(Node::members)?.iter();
        let place = |items: &[Node]| items.iter().position(|item| item.span == entry.span);
        let (event, index) = events.find_map(|event| Some((event.key.as_str(), place(event.value.items()?)?)))?;
        return remove_from_yaml(text, root, &["hooks", event], index);
    }
    let ends = entry.members().into_iter().flatten().map(|member| member.value.span.end);
    let last = ends.max().unwrap_or(entry.span.end);
    let end = text.get(last..).and_then(|rest| rest.find('\n')).map_or(text.len(), |line| last + line + 1);
    let before = text.get(..entry.span.start).unwrap_or_default().trim_end();
    let start = if before.is_empty() { 0 } else { before.len() + 1 };
    Some(EditSet::from_iter([TextEdit::replace(start.min(entry.span.start), end, "")]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::settings_edit::add;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    const TOML: ListForm = ListForm {
        below: "",
        language: FileLanguage::Toml,
        event: "on",
        matcher: "match",
        name: "name",
        lists_names: false,
    };

    #[test]
    fn tables_are_added_at_the_end() {
        let form = FileForm { list: Some(TOML), ..FileForm::default() };
        let group = json!({"matcher": "a", "hooks": [{"type": "command", "command": "x/guard.sh '1'", "timeout": 5}]});
        let addition = GroupAddition { event: "E".to_owned(), group };
        let entry = |name: &str| {
            format!(
                "[[hooks]]\nname = \"{name}\"\non = \"E\"\nmatch = \"a\"\ncommand = \"x/guard.sh '1'\"\ntimeout = 5\n"
            )
        };
        for (text, want) in [
            ("", entry("guard.sh")),
            ("a = 1\n", format!("a = 1\n\n{}", entry("guard.sh"))),
            ("a = 1", format!("a = 1\n\n{}", entry("guard.sh"))),
            (
                "[[hooks]]\nname = \"guard.sh\"\n[t]\n\n",
                format!("[[hooks]]\nname = \"guard.sh\"\n[t]\n\n{}", entry("guard.sh-2")),
            ),
        ] {
            let added = add(text, form, std::slice::from_ref(&addition)).unwrap();
            assert_eq!(added, want, "{text}");
            let root = form.parse(crate::text::SourceId(0), &added).unwrap();
            let written = definitions(&root, TOML).last().unwrap();
            assert_eq!((written.event.as_str(), written.matcher.as_deref()), ("E", Some("a")), "{text}");
            let (_, last) = TOML.entries(&root).last().unwrap();
            let left = entry_removal(&added, &root, TOML, last).unwrap().apply(&added).unwrap();
            assert_eq!(left.trim_end(), text.trim_end(), "{text}");
        }
        for text in ["hooks = []\n", "hooks = [{ on = \"E\" }]\n", "[hooks]\na = 1\n", "hooks = "] {
            assert!(add(text, form, std::slice::from_ref(&addition)).is_err(), "{text}");
        }
    }
}
