//! A parser for YAML, as used in front matter, that produces the same values with places as the JSON parser.

use saphyr::{LoadableYamlNode as _, MarkedYaml, Scalar, YamlData};

use super::json::JsonError;
use super::node::{Member, Node, NodeValue};
use super::source::{SourceId, Span};

/// The front matter of a Markdown file: the text between the two `---` lines, and its offset.
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

/// Parses one YAML document that starts at byte `offset` of its source.
///
/// # Errors
/// Returns the first syntax error, with its byte offset in the source.
pub fn parse_yaml(source: SourceId, text: &str, offset: usize) -> Result<Node, JsonError> {
    let places = YamlOffsets {
        source,
        offset,
        text,
        bytes: text.char_indices().map(|(at, _)| at).chain([text.len()]).collect(),
    };
    let documents = MarkedYaml::load_from_str(text).map_err(|why| JsonError {
        at: places.byte(why.marker().index()),
        message: why.info().to_owned(),
        help: None,
    })?;
    match documents.as_slice() {
        [] => Ok(Node { span: Span::new(source, offset, offset), value: NodeValue::Null }),
        [document] => node(document, &places),
        [_, second, ..] => Err(JsonError {
            at: places.byte(second.span.start.index()),
            message: "a second document starts here".to_owned(),
            help: Some("keep only one document".to_owned()),
        }),
    }
}

/// Converts the parser's character indexes to byte offsets.
struct YamlOffsets<'t> {
    source: SourceId,
    offset: usize,
    text: &'t str,
    bytes: Vec<usize>,
}

impl YamlOffsets<'_> {
    fn byte(&self, character: usize) -> usize {
        let end = self.bytes.last().copied().unwrap_or(0);
        self.offset + self.bytes.get(character).copied().unwrap_or(end)
    }

    fn span(&self, yaml: &MarkedYaml<'_>) -> Span {
        Span::new(self.source, self.byte(yaml.span.start.index()), self.byte(yaml.span.end.index()))
    }

    /// The span of a list or an object. The parser's span ends before the closing bracket.
    fn with_bracket(&self, span: Span) -> Span {
        let at = |place: usize| self.text.get(place - self.offset..).unwrap_or_default();
        let is_closed = at(span.start).starts_with(['{', '[']) && at(span.end).starts_with(['}', ']']);
        Span::new(span.source, span.start, span.end + usize::from(is_closed))
    }

    /// The span of a scalar. The parser's span extends over blanks and comments to the next value.
    fn value_span(&self, yaml: &MarkedYaml<'_>) -> Span {
        let span = self.span(yaml);
        let (start, end) = (span.start - self.offset, span.end - self.offset);
        if let Some(header) = self.block_header(start) {
            let length = self.text.get(start..end).map_or(end - start, |text| text.trim_end().len());
            return Span::new(self.source, self.offset + header, span.start + length);
        }
        let length = self.text.get(start..end).map_or(end - start, value_length);
        Span::new(self.source, span.start, span.start + length)
    }
}

impl YamlOffsets<'_> {
    /// The offset of the `|` or `>` before a block scalar.
    fn block_header(&self, start: usize) -> Option<usize> {
        let before = self.text.get(..start)?.trim_end_matches([' ', '\t']).strip_suffix('\n')?.trim_end();
        let at = before.rfind(['|', '>'])?;
        let (key, header) = before.split_at_checked(at)?;
        let marks = header.chars().skip(1).all(|c| matches!(c, '+' | '-' | '0'..='9'));
        (marks && key.ends_with([' ', '\t'])).then_some(at)
    }
}

/// The length in bytes of the scalar that begins a text.
fn value_length(text: &str) -> usize {
    let closing = |quote: char, escape: Option<char>| {
        let mut letters = text.char_indices().skip(1).peekable();
        while let Some((at, letter)) = letters.next() {
            let doubled = || escape.is_none() && letters.clone().peek().is_some_and(|(_, next)| *next == quote);
            if Some(letter) == escape || letter == quote && doubled() {
                letters.next();
            } else if letter == quote {
                return Some(at + quote.len_utf8());
            }
        }
        None
    };
    let whole = text.trim_end().len();
    match text.chars().next() {
        Some('"') => closing('"', Some('\\')).unwrap_or(whole),
        Some('\'') => closing('\'', None).unwrap_or(whole),
        _ => {
            let comment = [" #", "\t#"].iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
            text.get(..comment).unwrap_or(text).trim_end().len()
        }
    }
}

fn node(yaml: &MarkedYaml<'_>, places: &YamlOffsets<'_>) -> Result<Node, JsonError> {
    let single = matches!(yaml.data, YamlData::Value(_) | YamlData::Representation(..));
    let span = if single { places.value_span(yaml) } else { places.with_bracket(places.span(yaml)) };
    let refuse = |message: &str| JsonError { at: span.start, message: message.to_owned(), help: None };
    let value = match &yaml.data {
        YamlData::Value(scalar) => scalar_value(scalar),
        YamlData::Sequence(items) => NodeValue::Array(items.iter().map(|i| node(i, places)).collect::<Result<_, _>>()?),
        YamlData::Mapping(map) => {
            let mut members = Vec::new();
            for (key, value) in map {
                members.push(Member { key: key_text(key), key_span: places.span(key), value: node(value, places)? });
            }
            NodeValue::Object(members)
        }
        YamlData::Representation(text, ..) => NodeValue::String(text.to_string()),
        YamlData::Tagged(_, inner) => return node(inner, places),
        YamlData::Alias(_) => return Err(refuse("an alias (`*name`) is not supported here")),
        YamlData::BadValue => return Err(refuse("this value cannot be read")),
    };
    Ok(Node { span, value })
}

fn scalar_value(scalar: &Scalar<'_>) -> NodeValue {
    match scalar {
        Scalar::Null => NodeValue::Null,
        Scalar::Boolean(flag) => NodeValue::Bool(*flag),
        #[allow(clippy::cast_precision_loss, reason = "JavaScript holds doubles too")]
        Scalar::Integer(number) => NodeValue::Number(*number as f64),
        Scalar::FloatingPoint(number) => NodeValue::Number(number.into_inner()),
        Scalar::String(text) => NodeValue::String(text.to_string()),
    }
}

/// The text that JavaScript would use for a key.
fn key_text(key: &MarkedYaml<'_>) -> String {
    match &key.data {
        YamlData::Value(Scalar::Null) => "null".to_owned(),
        YamlData::Value(Scalar::Boolean(flag)) => flag.to_string(),
        YamlData::Value(Scalar::Integer(number)) => number.to_string(),
        YamlData::Value(Scalar::FloatingPoint(number)) => number.to_string(),
        YamlData::Value(Scalar::String(text)) => text.to_string(),
        YamlData::Representation(text, ..) => text.to_string(),
        _ => String::new(),
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
            ("name: x\ndescription: a b # c\n", json!({"name": "x", "description": "a b"})),
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

    #[test]
    fn a_place_is_the_value_alone() {
        for (value, want) in [
            ("x   # why", "x"),
            ("\"a # b\"\t# why", "\"a # b\""),
            ("\"a \\\" b\" # why", "\"a \\\" b\""),
            ("'it''s' # 'why'", "'it''s'"),
            ("a#b  ", "a#b"),
            ("|\n    one\n    two", "|\n    one\n    two"),
            ("5 # why", "5"),
            ("[a, [b]] # why", "[a, [b]]"),
            ("{a: {b: c}}", "{a: {b: c}}"),
        ] {
            let text = format!("k:\n  m: {value}\n# end\nlast: 1\n");
            let node = parse_yaml(SourceId(0), &text, 0).unwrap();
            let span = node.get("k").and_then(|k| k.get("m")).unwrap().span;
            assert_eq!(text.get(span.start..span.end), Some(want), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text(text in "[a-c:\\- \n\"'\\[\\]{},#|>\t0.]{0,60}") {
            let _ = parse_yaml(SourceId(0), &text, 0);
            let _ = front_matter(&text);
        }
    }
}
