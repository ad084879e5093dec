//! The head of a Markdown file between two `---` lines: the part of YAML that people write there (block mappings and
//! lists, plain and quoted texts, `|` and `>` texts, flow lists and mappings), every value with its place.

use crate::core::text::{Member, Node, NodeValue, SourceId, Span};

/// Deeper nesting than this is refused.
const DEPTH: usize = 32;

/// The head of a file as a value, or none when there is no head or it is not understood.
pub fn frontmatter(source: SourceId, text: &str) -> Option<Node> {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut at = start;
    let mut lines = Vec::new();
    let mut closed = false;
    for (index, raw) in text.get(start..)?.split_inclusive('\n').enumerate() {
        let line = raw.trim_end_matches(['\n', '\r']);
        if index == 0 && line.trim_end() != "---" {
            return None;
        }
        if index > 0 && line.trim_end() == "---" {
            closed = true;
            break;
        }
        if index > 0 {
            lines.push(Line { at, text: line });
        }
        at += raw.len();
    }
    if !closed {
        return None;
    }
    let mut reader = Reader { source, lines, next: 0, depth: 0 };
    reader.skip_blank();
    let node = match reader.peek() {
        None => Node { span: Span::new(source, at, at), value: NodeValue::Object(Vec::new()) },
        Some(line) => reader.block(line.indent())?,
    };
    reader.skip_blank();
    reader.peek().is_none().then_some(node)
}

#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    /// Byte offset of its start.
    at: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    fn indent(self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }

    fn content(self) -> &'a str {
        self.text.trim_start_matches(' ')
    }

    fn blank(self) -> bool {
        let content = self.content().trim();
        content.is_empty() || content.starts_with('#')
    }
}

struct Reader<'a> {
    source: SourceId,
    lines: Vec<Line<'a>>,
    next: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<Line<'a>> {
        self.lines.get(self.next).copied()
    }

    fn skip_blank(&mut self) {
        while self.peek().is_some_and(Line::blank) {
            self.next += 1;
        }
    }

    fn block(&mut self, indent: usize) -> Option<Node> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let line = self.peek()?;
        let content = line.content();
        let node = if content == "-" || content.starts_with("- ") {
            self.list(indent)
        } else if key_of(content).is_some() {
            self.mapping(indent)
        } else {
            self.next += 1;
            self.scalar(line.at + line.indent(), content)
        };
        self.depth -= 1;
        node
    }

    fn list(&mut self, indent: usize) -> Option<Node> {
        let start = self.peek()?.at + indent;
        let mut items = Vec::new();
        while let Some(line) = self.peek().filter(|l| l.indent() == indent) {
            let content = line.content();
            let Some(rest) = content.strip_prefix('-').filter(|r| r.is_empty() || r.starts_with(' ')) else { break };
            let inner = rest.trim_start_matches(' ');
            if inner.is_empty() || inner.starts_with('#') {
                self.next += 1;
                items.push(self.below(indent, line.at + indent)?);
            } else {
                // `- key: value`: the rest of the line is a line of its own, further in.
                let shift = indent + content.len() - inner.len();
                items.push(self.shifted(line, shift, inner)?);
            }
            self.skip_blank();
        }
        let end = self.end(start);
        Some(Node { span: Span::new(self.source, start, end), value: NodeValue::Array(items) })
    }

    /// An item that starts behind its dash, `shift` columns in.
    fn shifted(&mut self, line: Line<'a>, shift: usize, inner: &'a str) -> Option<Node> {
        let nested = inner == "-" || inner.starts_with("- ");
        if nested {
            return None;
        }
        match key_of(inner) {
            Some(_) => self.mapping_from(shift, Some((line.at + shift, inner))),
            None => {
                self.next += 1;
                self.scalar(line.at + shift, inner)
            }
        }
    }

    fn mapping(&mut self, indent: usize) -> Option<Node> {
        self.mapping_from(indent, None)
    }

    fn mapping_from(&mut self, indent: usize, mut first: Option<(usize, &'a str)>) -> Option<Node> {
        let start = first.map_or_else(|| self.peek().map_or(0, |l| l.at + indent), |(at, _)| at);
        let mut members = Vec::new();
        loop {
            let (at, content) = match first.take() {
                Some(first) => first,
                None => match self.peek().filter(|l| l.indent() == indent && !l.blank()) {
                    Some(line) => (line.at + indent, line.content()),
                    None => break,
                },
            };
            let Some((key, raw_length, after)) = key_of(content) else { break };
            let key_span = Span::new(self.source, at, at + raw_length);
            let value_at = at + after;
            let rest = content.get(after..).unwrap_or("");
            let value = rest.trim_start_matches(' ');
            let value_at = value_at + rest.len() - value.len();
            self.next += 1;
            let value = if value.is_empty() || value.starts_with('#') {
                self.below(indent, value_at)?
            } else if value.starts_with('|') || value.starts_with('>') {
                self.text_block(indent, value_at, value)
            } else {
                self.scalar(value_at, value)?
            };
            members.push(Member { key, key_span, value });
            self.skip_blank();
        }
        let end = self.end(start);
        Some(Node { span: Span::new(self.source, start, end), value: NodeValue::Object(members) })
    }

    /// The value on the lines below a key or dash; nothing there is null. A list may stand as far out as its key.
    fn below(&mut self, indent: usize, at: usize) -> Option<Node> {
        self.skip_blank();
        match self.peek() {
            Some(line) if line.indent() > indent => self.block(line.indent()),
            Some(line) if line.indent() == indent && (line.content() == "-" || line.content().starts_with("- ")) => {
                self.block(indent)
            }
            _ => Some(Node { span: Span::new(self.source, at, at), value: NodeValue::Null }),
        }
    }

    fn text_block(&mut self, indent: usize, at: usize, header: &str) -> Node {
        let mut lines = Vec::new();
        let mut inner = None;
        while let Some(line) = self.peek() {
            if !line.text.trim().is_empty() && line.indent() <= indent {
                break;
            }
            let inner = *inner.get_or_insert(line.indent());
            lines.push(line.text.get(inner..).unwrap_or(""));
            self.next += 1;
        }
        while lines.last().is_some_and(|l| l.is_empty()) {
            lines.pop();
        }
        let mut text = lines.join(if header.starts_with('>') { " " } else { "\n" });
        if !header.contains('-') && !text.is_empty() {
            text.push('\n');
        }
        Node { span: Span::new(self.source, at, at + header.len()), value: NodeValue::String(text) }
    }

    fn scalar(&self, at: usize, text: &str) -> Option<Node> {
        let mut flow = Flow { source: self.source, base: at, text, at: 0, depth: 0 };
        let node = flow.value(false)?;
        let rest = flow.rest().trim_start();
        (rest.is_empty() || rest.starts_with('#')).then_some(node)
    }

    fn end(&self, start: usize) -> usize {
        let last = self.lines.get(self.next.saturating_sub(1));
        last.map_or(start, |l| (l.at + l.text.trim_end().len()).max(start))
    }
}

/// The key of a `key: value` line: its text, the length it is written in, and where the rest starts.
fn key_of(content: &str) -> Option<(String, usize, usize)> {
    let quote = content.chars().next().filter(|c| matches!(c, '"' | '\''));
    if let Some(quote) = quote {
        let end = content.get(1..)?.find(quote)? + 2;
        let after = content.get(end..)?.strip_prefix(':')?;
        let fits = after.is_empty() || after.starts_with(' ');
        return fits.then(|| (content.get(1..end - 1).unwrap_or("").to_owned(), end, end + 1));
    }
    if content.starts_with(['[', '{', '#', '|', '>', '&', '*', '!']) {
        return None;
    }
    let mut from = 0;
    loop {
        let at = from + content.get(from..)?.find(':')?;
        let after = content.get(at + 1..).unwrap_or("");
        if after.is_empty() || after.starts_with(' ') {
            return Some((content.get(..at)?.trim_end().to_owned(), at, at + 1));
        }
        from = at + 1;
    }
}

/// Values within one line.
struct Flow<'a> {
    source: SourceId,
    base: usize,
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Flow<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blank(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches(' ').len();
    }

    /// `inside`: within brackets, where `,`, `]` and `}` end a plain text.
    fn value(&mut self, inside: bool) -> Option<Node> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let start = self.at;
        let value = match self.rest().chars().next()? {
            '[' => self.list()?,
            '{' => self.mapping()?,
            '"' => NodeValue::String(self.double_quoted()?),
            '\'' => NodeValue::String(self.single_quoted()?),
            '&' | '*' | '!' | '@' | '`' => return None,
            _ => plain(self.plain(inside)),
        };
        self.depth -= 1;
        Some(Node { span: Span::new(self.source, self.base + start, self.base + self.at), value })
    }

    fn list(&mut self) -> Option<NodeValue> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blank();
            if self.rest().starts_with(']') {
                self.at += 1;
                return Some(NodeValue::Array(items));
            }
            items.push(self.value(true)?);
            self.blank();
            if self.rest().starts_with(',') {
                self.at += 1;
            } else if !self.rest().starts_with(']') {
                return None;
            }
        }
    }

    fn mapping(&mut self) -> Option<NodeValue> {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.blank();
            if self.rest().starts_with('}') {
                self.at += 1;
                return Some(NodeValue::Object(members));
            }
            let (key, length, after) = key_of(self.rest())?;
            let key_span = Span::new(self.source, self.base + self.at, self.base + self.at + length);
            self.at += after;
            self.blank();
            let value = self.value(true)?;
            members.push(Member { key, key_span, value });
            self.blank();
            if self.rest().starts_with(',') {
                self.at += 1;
            } else if !self.rest().starts_with('}') {
                return None;
            }
        }
    }

    fn double_quoted(&mut self) -> Option<String> {
        let mut end = 1;
        let mut escaped = false;
        loop {
            let byte = *self.rest().as_bytes().get(end)?;
            end += 1;
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => break,
                _ => {}
            }
        }
        let text = self.rest().get(..end)?;
        self.at += end;
        match crate::core::text::parse_value(text).ok()? {
            serde_json::Value::String(text) => Some(text),
            _ => None,
        }
    }

    fn single_quoted(&mut self) -> Option<String> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let end = self.rest().find('\'')?;
            out.push_str(self.rest().get(..end)?);
            self.at += end + 1;
            if !self.rest().starts_with('\'') {
                return Some(out);
            }
            out.push('\'');
            self.at += 1;
        }
    }

    fn plain(&mut self, inside: bool) -> &'a str {
        let rest = self.rest();
        let comment = rest.find(" #").unwrap_or(rest.len());
        let stop = if inside { rest.find([',', ']', '}']).unwrap_or(rest.len()) } else { rest.len() };
        let text = rest.get(..comment.min(stop)).unwrap_or("");
        self.at += text.len();
        text.trim_end()
    }
}

fn plain(text: &str) -> NodeValue {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => NodeValue::Null,
        "true" | "True" | "TRUE" => NodeValue::Bool(true),
        "false" | "False" | "FALSE" => NodeValue::Bool(false),
        _ => {
            let number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+' || c == '.')
                && text.chars().all(|c| c.is_ascii_digit() || ".eE+-".contains(c));
            match text.parse::<f64>().ok().filter(|_| number) {
                Some(number) => NodeValue::Number(number),
                None => NodeValue::String(text.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn heads_are_read() {
        let text = "---\nname: 'it''s'   # note\nhooks:\n  PreToolUse:\n    - matcher: \"Bash|Edit\"\n      hooks:\n        - type: command\n          command: ./a.sh --x: y\n          timeout: 5\n        - {type: http, url: \"http://x\"}\n  Stop:\n  - hooks: []\nlist: [1, a b, true]\nlong: |\n  one\n    two\n\nempty:\n---\nbody: no\n";
        let node = frontmatter(SourceId(0), text).unwrap();
        assert_eq!(
            node.to_value(),
            json!({
                "name": "it's",
                "hooks": {
                    "PreToolUse": [{"matcher": "Bash|Edit", "hooks": [
                        {"type": "command", "command": "./a.sh --x: y", "timeout": 5},
                        {"type": "http", "url": "http://x"},
                    ]}],
                    "Stop": [{"hooks": []}],
                },
                "list": [1, "a b", true],
                "long": "one\n  two\n",
                "empty": null,
            })
        );
        let matcher = node.get("hooks").and_then(|h| h.get("PreToolUse")).and_then(|e| e.items()).unwrap();
        let span = matcher[0].get("matcher").unwrap().span;
        assert_eq!(text.get(span.start..span.end), Some("\"Bash|Edit\""));
    }

    #[test]
    fn what_is_no_head_is_none() {
        for text in ["", "x", "---\nname: x\n", "---\n- - a\n---\n", "---\na: &x 1\n---\n", "---\na: [1\n---\n"] {
            assert_eq!(frontmatter(SourceId(0), text), None, "{text:?}");
        }
        assert_eq!(frontmatter(SourceId(0), "---\n---\n").map(|n| n.to_value()), Some(json!({})));
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in "(?s)---\n.*") {
            let _ = frontmatter(SourceId(0), &text);
        }

        #[test]
        fn never_panics_on_yaml_like(parts in proptest::collection::vec(proptest::sample::select(
            &["a", ": ", "\n", "  ", "- ", "'", "\"", "[", "]", "{", "}", ",", "|", "#", "é", ":", "-", "\\"][..]), 0..40)) {
            let _ = frontmatter(SourceId(0), &format!("---\n{}\n---\n", parts.concat()));
        }
    }
}
