//! Adds groups to the `hooks` of a settings file. The rest of the text is unchanged, including comments and
//! whitespace.

use serde_json::{Map, Value, json};

use super::WrittenDefinition;
use crate::text::{JsonSyntax, Node, SourceId, parse_json, stringify};

const BOM: char = '\u{feff}';
/// The characters that JSON treats as whitespace.
const BLANK: [char; 4] = [' ', '\t', '\n', '\r'];

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

/// Returns the text of a new settings file.
pub fn new_file(additions: &[GroupAddition]) -> String {
    format!("{}\n", pretty(&json!({ "hooks": as_map(additions) }), "  ", 0))
}

fn as_map(additions: &[GroupAddition]) -> Value {
    let mut map = Map::new();
    for one in additions {
        let groups = map.entry(one.event.clone()).or_insert_with(|| json!([]));
        if let Value::Array(groups) = groups {
            groups.push(one.group.clone());
        }
    }
    Value::Object(map)
}

/// A replacement of a byte range of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    pub start: usize,
    pub end: usize,
    pub text: String,
}

impl Splice {
    /// Returns the text with the replacement applied, or the unchanged text if the range does not fit.
    pub fn apply_to(&self, text: &str) -> String {
        match (text.get(..self.start), text.get(self.end..)) {
            (Some(before), Some(behind)) if self.start <= self.end => format!("{before}{}{behind}", self.text),
            _ => text.to_owned(),
        }
    }
}

/// Returns the file with the groups added.
///
/// # Errors
/// Returns an error if the file is not valid or if `hooks` does not have the shape that groups can be added to.
pub fn add(text: &str, syntax: JsonSyntax, additions: &[GroupAddition]) -> Result<String, SettingsEditError> {
    let splices = splices(text, syntax, additions)?;
    Ok(splices.iter().fold(text.to_owned(), |text, splice| splice.apply_to(&text)))
}

/// Returns the splices that add the groups. Apply them in order: the offsets of each refer to the text that the
/// previous one produced.
///
/// # Errors
/// Returns an error if the file is not valid or if `hooks` does not have the shape that groups can be added to.
pub fn splices(text: &str, syntax: JsonSyntax, additions: &[GroupAddition]) -> Result<Vec<Splice>, SettingsEditError> {
    if additions.is_empty() {
        return Ok(Vec::new());
    }
    let ends = line_end(text);
    if is_blank(text) {
        let start = if syntax.bom && text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
        return Ok(vec![Splice { start, end: text.len(), text: new_file(additions).replace('\n', ends) }]);
    }
    let root = parse_json(SourceId(0), text, syntax).map_err(|why| SettingsEditError::at(text, why.at, why.message))?;
    let unit = unit(text, &root);
    let Some(_) = root.members() else { return Err(shape_error(text, &root, "the file", "an object")) };
    let Some(hooks) = root.get("hooks") else {
        return Ok(JsonEditor { text, unit, line_end: ends }.member(&root, 0, "hooks", &as_map(additions)));
    };
    if hooks.members().is_none() {
        return Err(shape_error(text, hooks, "`hooks`", "an object"));
    }
    let mut out = text.to_owned();
    let mut all = Vec::new();
    for (event, groups) in as_map(additions).as_object().into_iter().flatten() {
        // Parse again, because every change moves the offsets.
        let root =
            parse_json(SourceId(0), &out, syntax).map_err(|why| SettingsEditError::at(&out, why.at, why.message))?;
        let Some(hooks) = root.get("hooks") else { continue };
        let edit = JsonEditor { text: &out, unit: unit.clone(), line_end: ends };
        let made = match hooks.get(event) {
            None => edit.member(hooks, 1, event, groups),
            Some(list) if list.items().is_some() => edit.items(list, 2, groups.as_array().map_or(&[], Vec::as_slice)),
            Some(other) => return Err(shape_error(&out, other, &format!("`{event}`"), "a list")),
        };
        out = made.iter().fold(out, |text, splice| splice.apply_to(&text));
        all.extend(made);
    }
    Ok(all)
}

/// Whether a file is empty or contains only whitespace.
pub fn is_blank(text: &str) -> bool {
    text.trim_start_matches(BOM).trim().is_empty()
}

/// Returns the definitions in a file, skipping entries that do not have the shape of one.
///
/// # Errors
/// Returns an error if the file cannot be parsed.
pub fn definitions(text: &str, syntax: JsonSyntax) -> Result<Vec<WrittenDefinition>, SettingsEditError> {
    let mut out = Vec::new();
    if is_blank(text) {
        return Ok(out);
    }
    let root = parse_json(SourceId(0), text, syntax)
        .map_err(|why| SettingsEditError::at(text, why.at, why.message))?
        .to_value();
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
                    exists: true,
                });
            }
        }
    }
    Ok(out)
}

fn shape_error(text: &str, node: &Node, what: &str, want: &str) -> SettingsEditError {
    SettingsEditError::at(text, node.span.start, format!("{what} is {}, and must be {want}", node.kind()))
}

impl SettingsEditError {
    /// Creates an error at a byte offset of the text.
    pub fn at(text: &str, offset: usize, says: String) -> SettingsEditError {
        let before = text.get(..offset.min(text.len())).unwrap_or(text);
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        SettingsEditError { line: before.matches('\n').count() + 1, column, message: says }
    }
}

/// Returns the indentation unit of the file: the whitespace before the first member of the root.
fn unit(text: &str, root: &Node) -> String {
    let first = root.members().and_then(|members| members.first());
    let line = first.and_then(|member| text.get(..member.key_span.start)?.rsplit_once('\n').map(|(_, line)| line));
    line.filter(|line| !line.is_empty() && line.chars().all(|c| c == ' ' || c == '\t')).unwrap_or("  ").to_owned()
}

/// Returns the line ending of the file, taken from its first line.
fn line_end(text: &str) -> &'static str {
    let first = text.split_once('\n').is_some_and(|(line, _)| line.ends_with('\r'));
    if first { "\r\n" } else { "\n" }
}

struct JsonEditor<'a> {
    text: &'a str,
    unit: String,
    line_end: &'static str,
}

impl JsonEditor<'_> {
    /// Appends a member to an object at nesting level `depth`.
    fn member(&self, object: &Node, depth: usize, key: &str, value: &Value) -> Vec<Splice> {
        let shown = format!("{}: {}", stringify(&Value::from(key)), pretty(value, &self.unit, depth + 1));
        let last = object.members().and_then(|members| members.last()).map(|member| member.value.span.end);
        self.append(object, depth, last, &[shown])
    }

    /// Appends items to a list at nesting level `depth`.
    fn items(&self, list: &Node, depth: usize, items: &[Value]) -> Vec<Splice> {
        let shown: Vec<String> = items.iter().map(|item| pretty(item, &self.unit, depth + 1)).collect();
        let last = list.items().and_then(|items| items.last()).map(|item| item.span.end);
        self.append(list, depth, last, &shown)
    }

    /// Inserts texts before the closing bracket and a comma after the previous last element. The splices are
    /// ordered from the end of the text, so that offsets stay valid.
    fn append(&self, node: &Node, depth: usize, last: Option<usize>, texts: &[String]) -> Vec<Splice> {
        let close = node.span.end - 1;
        let from = last.unwrap_or(node.span.start + 1);
        // Trim only JSON whitespace: a comment may end in other Unicode whitespace.
        let end = from + self.text.get(from..close).unwrap_or("").trim_end_matches(BLANK).len();
        let indent = self.unit.repeat(depth + 1);
        let lines: Vec<String> = texts.iter().map(|text| format!("\n{indent}{text}")).collect();
        // The texts contain no other line breaks: those inside strings are escaped.
        let mut lines = lines.join(",").replace('\n', self.line_end);
        let on_own_line = self.text.get(end..close).is_some_and(|rest| rest.contains('\n'));
        if !on_own_line {
            lines.push_str(self.line_end);
            lines.push_str(&self.unit.repeat(depth));
        }
        let mut made = vec![Splice { start: end, end: if on_own_line { end } else { close }, text: lines }];
        made.extend(last.map(|last| Splice { start: last, end: last, text: ",".to_owned() }));
        made
    }
}

/// Formats a value over several lines. A short object with one plain value stays on one line.
fn pretty(value: &Value, unit: &str, depth: usize) -> String {
    const SHORT: usize = 60;
    let inner = unit.repeat(depth + 1);
    let close = unit.repeat(depth);
    match value {
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let items: Vec<String> =
                items.iter().map(|item| format!("{inner}{}", pretty(item, unit, depth + 1))).collect();
            format!("[\n{}\n{close}]", items.join(",\n"))
        }
        Value::Object(map) if !map.is_empty() => {
            let plain = map.values().all(|value| !value.is_object() && !value.is_array());
            let one = map
                .iter()
                .map(|(key, value)| format!("{}: {}", stringify(&Value::from(key.as_str())), stringify(value)));
            let one = format!("{{ {} }}", one.collect::<Vec<_>>().join(", "));
            if plain && map.len() < 2 && one.len() <= SHORT {
                return one;
            }
            let members = map.iter().map(|(key, value)| {
                format!("{inner}{}: {}", stringify(&Value::from(key.as_str())), pretty(value, unit, depth + 1))
            });
            format!("{{\n{}\n{close}}}", members.collect::<Vec<_>>().join(",\n"))
        }
        other => stringify(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const COMMENTS: JsonSyntax = JsonSyntax { comments: true, trailing_commas: false, bom: true };

    fn group(command: &str) -> GroupAddition {
        let group = json!({"hooks": [{"type": "command", "command": command}]});
        GroupAddition { event: "Stop".to_owned(), group }
    }

    /// Returns the file with one group added, with the text of the group replaced by `G`.
    fn added(text: &str) -> String {
        let shown = add(text, COMMENTS, &[group("x")]).unwrap();
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
            let shown = add(text, COMMENTS, &[group("a\nb"), group("y")]).unwrap();
            assert_eq!(shown.matches('\n').count(), shown.matches("\r\n").count(), "{shown:?}");
        }
        assert!(!add("{\n}\n", COMMENTS, &[group("x")]).unwrap().contains('\r'));
    }

    #[test]
    fn invalid_files_are_rejected() {
        for (text, line, says) in [
            ("[]", 1, "the file is a list, and must be an object"),
            ("{\n\"hooks\": []}", 2, "`hooks` is a list, and must be an object"),
            ("{\"hooks\": {\"Stop\": {}}}", 1, "`Stop` is an object, and must be a list"),
        ] {
            let why = add(text, COMMENTS, &[group("x")]).unwrap_err();
            assert_eq!((why.line, why.message.as_str()), (line, says), "{text}");
        }
        assert!(add("{ nope", COMMENTS, &[group("x")]).is_err());
        assert!(add("{} // c", JsonSyntax::default(), &[group("x")]).is_err());
    }
}
