//! The YAML that people write in front matter: block mappings and lists, flow lists and mappings on one line, plain and
//! quoted scalars, block scalars. Anchors, tags and several documents are not read. Every value keeps its place.

use crate::core::text::{JsonError, Member, Node, NodeValue, SourceId, Span};

/// The front matter of a Markdown file: where its text starts, and the text between the two `---` lines.
pub fn front_matter(text: &str) -> Option<(usize, &str)> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let first = text.get(start..)?.split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let body_start = start + first.len();
    let mut at = body_start;
    for line in text.get(body_start..)?.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((body_start, text.get(body_start..at)?));
        }
        at += line.len();
    }
    None
}

/// Reads a block of YAML that starts at byte `offset` of its source.
///
/// # Errors
/// The first thing that this reader does not understand, with its byte offset in the source.
pub fn parse_yaml(source: SourceId, text: &str, offset: usize) -> Result<Node, JsonError> {
    let mut lines = Vec::new();
    let mut at = offset;
    for raw in text.split_inclusive('\n') {
        let line = raw.trim_end_matches(['\n', '\r']);
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        lines.push(Line { indent, at: at + indent, text: content.trim_end().to_owned() });
        at += raw.len();
    }
    let mut reader = Reader { source, lines, next: 0, depth: 0 };
    reader.skip_blank();
    let node = match reader.current() {
        None => reader.node(offset, offset, NodeValue::Null),
        Some(line) => {
            let indent = line.indent;
            reader.block(indent)?
        }
    };
    reader.skip_blank();
    match reader.current() {
        Some(line) => Err(error(line.at, "this line does not belong to what stands above it")),
        None => Ok(node),
    }
}

/// Deeper nesting than this is refused, so that hostile input cannot exhaust the stack.
const DEPTH: usize = 64;

#[derive(Debug, Clone)]
struct Line {
    indent: usize,
    /// Byte offset of the first character behind the indentation.
    at: usize,
    text: String,
}

struct Reader {
    source: SourceId,
    lines: Vec<Line>,
    next: usize,
    depth: usize,
}

fn error(at: usize, message: impl Into<String>) -> JsonError {
    JsonError { at, message: message.into(), help: None }
}

impl Reader {
    fn node(&self, start: usize, end: usize, value: NodeValue) -> Node {
        Node { span: Span::new(self.source, start, end), value }
    }

    fn current(&self) -> Option<Line> {
        self.lines.get(self.next).cloned()
    }

    fn skip_blank(&mut self) {
        while self.lines.get(self.next).is_some_and(|l| l.text.is_empty() || l.text.starts_with('#')) {
            self.next += 1;
        }
    }

    /// Whatever stands at this indentation.
    fn block(&mut self, indent: usize) -> Result<Node, JsonError> {
        let Some(line) = self.current() else { return Err(error(0, "the text ends here")) };
        if self.depth >= DEPTH {
            return Err(error(line.at, format!("nested deeper than {DEPTH} levels")));
        }
        if line.text.starts_with('\t') {
            return Err(error(line.at, "a tab cannot indent YAML"));
        }
        self.depth += 1;
        let node = if is_item(&line.text) {
            self.list(indent)
        } else if key_of(&line.text).is_some() {
            self.mapping(indent)
        } else {
            self.next += 1;
            self.scalar(&line.text, line.at)
        };
        self.depth -= 1;
        node
    }

    fn list(&mut self, indent: usize) -> Result<Node, JsonError> {
        let start = self.current().map_or(0, |l| l.at);
        let mut items: Vec<Node> = Vec::new();
        loop {
            self.skip_blank();
            let Some(line) = self.current().filter(|l| l.indent == indent && is_item(&l.text)) else { break };
            let rest = line.text.get(1..).unwrap_or("").trim_start();
            let inner = line.text.len() - rest.len();
            if rest.is_empty() || rest.starts_with('#') {
                self.next += 1;
                items.push(self.nested(indent + 1, line.at)?);
                continue;
            }
            // What stands behind the dash is a block of its own, indented by the dash.
            if let Some(slot) = self.lines.get_mut(self.next) {
                *slot = Line { indent: indent + inner, at: line.at + inner, text: rest.to_owned() };
            }
            items.push(self.block(indent + inner)?);
        }
        let end = items.last().map_or(start, |n| n.span.end);
        Ok(self.node(start, end, NodeValue::Array(items)))
    }

    fn mapping(&mut self, indent: usize) -> Result<Node, JsonError> {
        let start = self.current().map_or(0, |l| l.at);
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.skip_blank();
            let Some(line) = self.current().filter(|l| l.indent == indent && !is_item(&l.text)) else { break };
            let Some((key, key_length, rest_at)) = key_of(&line.text) else {
                return Err(error(line.at, "a `key: value` was expected here"));
            };
            self.next += 1;
            let rest = line.text.get(rest_at..).unwrap_or("");
            let value = if rest.is_empty() || rest.starts_with('#') {
                self.skip_blank();
                let same = self.current().filter(|l| l.indent == indent && is_item(&l.text));
                if same.is_some() { self.block(indent)? } else { self.nested(indent + 1, line.at)? }
            } else if rest.starts_with(['|', '>']) {
                self.block_scalar(indent, rest, line.at + rest_at)
            } else {
                self.scalar(rest, line.at + rest_at)?
            };
            let key_span = Span::new(self.source, line.at, line.at + key_length);
            members.push(Member { key, key_span, value });
        }
        let end = members.last().map_or(start, |m| m.value.span.end);
        Ok(self.node(start, end, NodeValue::Object(members)))
    }

    /// The block below a key or a dash, or null when nothing is indented far enough.
    fn nested(&mut self, least: usize, at: usize) -> Result<Node, JsonError> {
        self.skip_blank();
        match self.current().filter(|l| l.indent >= least) {
            Some(line) => self.block(line.indent),
            None => Ok(self.node(at, at, NodeValue::Null)),
        }
    }

    fn block_scalar(&mut self, indent: usize, header: &str, at: usize) -> Node {
        let folded = header.starts_with('>');
        let mut texts: Vec<String> = Vec::new();
        let mut least = None;
        while let Some(line) = self.current().filter(|l| l.text.is_empty() || l.indent > indent) {
            let left = *least.get_or_insert(line.indent);
            texts.push(format!("{}{}", " ".repeat(line.indent.saturating_sub(left)), line.text));
            self.next += 1;
        }
        while texts.last().is_some_and(String::is_empty) {
            texts.pop();
        }
        let mut text = texts.join(if folded { " " } else { "\n" });
        if !header.contains('-') && !text.is_empty() {
            text.push('\n');
        }
        self.node(at, at + header.len(), NodeValue::String(text))
    }

    fn scalar(&self, text: &str, at: usize) -> Result<Node, JsonError> {
        let mut flow = Flow { reader: self, text, position: 0, at, depth: 0 };
        if text.starts_with(['"', '\'', '[', '{']) {
            let node = flow.value()?;
            let rest = text.get(flow.position..).unwrap_or("").trim_start();
            if rest.is_empty() || rest.starts_with('#') {
                return Ok(node);
            }
            return Err(error(at + flow.position, "something follows the end of this value"));
        }
        let plain = text.split(" #").next().unwrap_or(text).trim_end();
        Ok(self.node(at, at + plain.len(), plain_value(plain)))
    }
}

/// `- x` or a mere `-`.
fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// The key of `key: value`, how long it is as written, and where the value starts.
fn key_of(text: &str) -> Option<(String, usize, usize)> {
    let (key, length) = match text.chars().next()? {
        quote @ ('"' | '\'') => {
            let inner = text.get(1..)?;
            let close = inner.find(quote)?;
            (inner.get(..close)?, close + 2)
        }
        '[' | '{' | '&' | '*' | '!' | '|' | '>' | '%' | '@' => return None,
        _ => {
            let colon = text
                .match_indices(':')
                .map(|(at, _)| at)
                .find(|at| text.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))?;
            (text.get(..colon)?, colon)
        }
    };
    let rest = text.get(length..)?;
    let value = rest.trim_start().strip_prefix(':')?;
    let value_at = text.len() - value.trim_start().len();
    Some((key.trim_end().to_owned(), length, value_at))
}

fn plain_value(text: &str) -> NodeValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeValue::Null,
        "true" | "True" | "TRUE" => NodeValue::Bool(true),
        "false" | "False" | "FALSE" => NodeValue::Bool(false),
        _ => {
            let number = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
                && text.chars().any(|c| c.is_ascii_digit())
                && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E'));
            match text.parse::<f64>() {
                Ok(value) if number => NodeValue::Number(value),
                _ => NodeValue::String(text.to_owned()),
            }
        }
    }
}

/// Values on one line: quoted strings, `[a, b]`, `{a: b}`.
struct Flow<'a> {
    reader: &'a Reader,
    text: &'a str,
    position: usize,
    at: usize,
    depth: usize,
}

impl Flow<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.position..).unwrap_or("")
    }

    fn blank(&mut self) {
        self.position += self.rest().len() - self.rest().trim_start().len();
    }

    fn value(&mut self) -> Result<Node, JsonError> {
        self.blank();
        let start = self.at + self.position;
        if self.depth >= DEPTH {
            return Err(error(start, format!("nested deeper than {DEPTH} levels")));
        }
        self.depth += 1;
        let value = match self.rest().chars().next() {
            None => return Err(error(start, "the line ends where a value should stand")),
            Some('"') => NodeValue::String(self.double_quoted()?),
            Some('\'') => NodeValue::String(self.single_quoted()?),
            Some('[') => self.items()?,
            Some('{') => self.members()?,
            Some(_) => {
                let length = self.rest().find([',', ']', '}']).unwrap_or(self.rest().len());
                let word = self.rest().get(..length).unwrap_or("").trim_end().to_owned();
                self.position += length;
                plain_value(&word)
            }
        };
        self.depth -= 1;
        Ok(self.reader.node(start, self.at + self.position, value))
    }

    fn single_quoted(&mut self) -> Result<String, JsonError> {
        let start = self.at + self.position;
        self.position += 1;
        let mut out = String::new();
        while let Some(c) = self.rest().chars().next() {
            self.position += c.len_utf8();
            if c != '\'' {
                out.push(c);
            } else if self.rest().starts_with('\'') {
                out.push('\'');
                self.position += 1;
            } else {
                return Ok(out);
            }
        }
        Err(error(start, "this string is never closed"))
    }

    fn double_quoted(&mut self) -> Result<String, JsonError> {
        let start = self.at + self.position;
        let mut escaped = false;
        let close = self.rest().char_indices().skip(1).find(|(_, c)| {
            let end = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            end
        });
        let Some((close, _)) = close else { return Err(error(start, "this string is never closed")) };
        let quoted = self.rest().get(..=close).unwrap_or("").to_owned();
        self.position += close + 1;
        match crate::core::text::parse_value(&quoted) {
            Ok(serde_json::Value::String(text)) => Ok(text),
            _ => Err(error(start, "an unknown escape in this string")),
        }
    }

    fn items(&mut self) -> Result<NodeValue, JsonError> {
        self.position += 1;
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.rest().starts_with(']') {
                self.position += 1;
                return Ok(NodeValue::Array(items));
            }
            items.push(self.value()?);
            self.separator(']')?;
        }
    }

    fn members(&mut self) -> Result<NodeValue, JsonError> {
        self.position += 1;
        let mut members = Vec::new();
        loop {
            self.blank();
            if self.rest().starts_with('}') {
                self.position += 1;
                return Ok(NodeValue::Object(members));
            }
            let start = self.at + self.position;
            let key = match self.rest().chars().next() {
                Some('"') => self.double_quoted()?,
                Some('\'') => self.single_quoted()?,
                _ => {
                    let Some(colon) = self.rest().find(':') else { return Err(error(start, "a `:` is missing")) };
                    let key = self.rest().get(..colon).unwrap_or("").trim_end().to_owned();
                    self.position += colon;
                    key
                }
            };
            let key_span = Span::new(self.reader.source, start, self.at + self.position);
            self.blank();
            if !self.rest().starts_with(':') {
                return Err(error(self.at + self.position, "a `:` is missing"));
            }
            self.position += 1;
            let value = self.value()?;
            members.push(Member { key, key_span, value });
            self.separator('}')?;
        }
    }

    fn separator(&mut self, close: char) -> Result<(), JsonError> {
        self.blank();
        if self.rest().starts_with(',') {
            self.position += 1;
            return Ok(());
        }
        if self.rest().starts_with(close) {
            return Ok(());
        }
        Err(error(self.at + self.position, format!("`,` or `{close}` was expected here")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_people_write() {
        for (text, want) in [
            ("", json!(null)),
            ("name: x\ndescription: a: b # c\n", json!({"name": "x", "description": "a: b"})),
            (
                "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: /a/b c\n  Stop:\n  - hooks: [{type: command, command: \"x\\ty\"}]\n",
                json!({"hooks": {
                    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/a/b c"}]}],
                    "Stop": [{"hooks": [{"type": "command", "command": "x\ty"}]}],
                }}),
            ),
            ("a: |\n  one\n    two\nb: >-\n  x\n  y\n", json!({"a": "one\n  two\n", "b": "x y"})),
            (
                "a: 'it''s'\nb: 0.5\nc: true\nd: ~\ne:\nf: []\n",
                json!({"a": "it's", "b": 0.5, "c": true, "d": null, "e": null, "f": []}),
            ),
            ("-\n  - 1\n  - 2\n- x\n", json!([[1, 2], "x"])),
            ("\"a b\": 1\n'c': 2\n", json!({"a b": 1, "c": 2})),
            ("# only a comment\n", json!(null)),
        ] {
            assert_eq!(parse_yaml(SourceId(0), text, 0).map(|n| n.to_value()), Ok(want), "{text}");
        }
    }

    #[test]
    fn what_it_refuses() {
        for text in ["a: \"x", "a: [1", "a: {b", "a: 1\n   b: 2\n", "a:\n\t- x\n", "x\ny: 1\n"] {
            assert!(parse_yaml(SourceId(0), text, 0).is_err(), "{text}");
        }
    }

    #[test]
    fn places_are_bytes_of_the_file() {
        let file = "---\nname: é\nhooks:\n  Stop: [x]\n---\nbody\n";
        let (offset, text) = front_matter(file).unwrap();
        let node = parse_yaml(SourceId(0), text, offset).unwrap();
        let item = node.get("hooks").and_then(|h| h.get("Stop")).and_then(Node::items).and_then(|i| i.first()).unwrap();
        assert_eq!(file.get(item.span.start..item.span.end), Some("x"));
        assert_eq!(front_matter("no"), None);
        assert_eq!(front_matter("---\nopen"), None);
    }

    proptest! {
        #[test]
        fn any_text(text in "[a-c:\\- \n\"'\\[\\]{},#|>\t0.]{0,60}") {
            let _ = parse_yaml(SourceId(0), &text, 0);
            let _ = front_matter(&text);
        }
    }
}
