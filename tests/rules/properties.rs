//! Properties across modules that hold for every input. Properties of one module are tested beside its code.

use hookbench::app::StreamBuffer;
use hookbench::core::text::{
    JsonSyntax, NodeValue, SourceId, escape_for_terminal, parse_json, parse_value, replace_surrogates, stringify,
    stringify_pretty, utf16_len, utf16_prefix,
};
use proptest::prelude::*;
use serde_json::{Map, Value};

const LOOSE: JsonSyntax = JsonSyntax { comments: true, trailing_commas: true, bom: true };

/// Values as JavaScript holds them: numbers are doubles, and whole numbers are integers up to 2^53.
fn value() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
        any::<f64>().prop_filter_map("finite, and no whole number", |n| {
            (n.is_finite() && n.fract() != 0.0).then(|| Value::from(n))
        }),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        any::<String>().prop_map(Value::from),
        "[a-z\"\\\\\u{0}-\u{1f}\u{2028}😀]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Text that is nearly JSON: relevant tokens in any order.
fn nearly_json() -> impl Strategy<Value = String> {
    const PIECES: [&str; 34] = [
        "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "'", "\\", "\\u", "\\ud83d", "\\ude00", "\\n", "1", "-", "0", ".",
        "e", "+", "1e999", "true", "fals", "null", "//", "/*", "*/", "\n", "\r", "\t", " ", "\u{feff}", "é", "😀",
    ];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24).prop_map(|pieces| pieces.concat())
}

/// Compares two values. serde_json may differ in the last bit of a double (without its feature `float_roundtrip`),
/// and keeps whole numbers beyond 2^53 that JavaScript does not have.
fn alike(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(a), Value::Number(b)) => {
            let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else { return false };
            (a - b).abs() <= b.abs() * 1e-15 + f64::from_bits(2)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && alike(a, b))
        }
        // The number is too large for a double, which JavaScript writes as null.
        (Value::Null, Value::Number(number)) => number.as_f64().is_none(),
        (a, b) => a == b,
    }
}

/// Checks that every span is within the text and its parent's span, on character boundaries.
fn spans_fit(node: &hookbench::core::text::Node, text: &str, outer: (usize, usize)) -> bool {
    let (start, end) = (node.span.start, node.span.end);
    let inside = outer.0 <= start && start < end && end <= outer.1 && text.get(start..end).is_some();
    inside
        && match &node.value {
            NodeValue::Array(items) => items.iter().all(|item| spans_fit(item, text, (start, end))),
            NodeValue::Object(members) => members.iter().all(|member| {
                text.get(member.key_span.start..member.key_span.end).is_some_and(|key| key.starts_with('"'))
                    && spans_fit(&member.value, text, (start, end))
            }),
            _ => true,
        }
}

proptest! {
    // Failing inputs are added as tests beside the code, so seed files are not needed.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// For any input, parsing returns a value or an error that points into the text.
    #[test]
    fn reading_never_panics(text in prop_oneof![any::<String>(), nearly_json()], loose in any::<bool>()) {
        let syntax = if loose { LOOSE } else { JsonSyntax::default() };
        match parse_json(SourceId(0), &text, syntax) {
            Ok(node) => prop_assert!(spans_fit(&node, &text, (0, text.len()))),
            Err(why) => {
                prop_assert!(why.at <= text.len());
                prop_assert!(!why.message.is_empty());
            }
        }
    }

    /// If both parsers accept a text, they return the same value. serde_json refuses three things that JavaScript
    /// accepts: numbers too large for a double, lone surrogates, and nesting beyond 128.
    #[test]
    fn reading_agrees_with_serde(text in prop_oneof![nearly_json(), value().prop_map(|v| v.to_string())]) {
        let (ours, theirs) = (parse_value(&text), serde_json::from_str::<Value>(&text));
        match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => prop_assert!(alike(&ours, &theirs), "{ours} and {theirs}"),
            (Err(_), Err(_)) => {}
            (Ok(_), Err(why)) => {
                let why = why.to_string();
                let known = ["number out of range", "surrogate", "unexpected end of hex escape", "recursion limit"];
                prop_assert!(known.iter().any(|k| why.contains(k)), "we took {text:?}; serde_json: {why}");
            }
            (Err(why), Ok(_)) => prop_assert!(false, "we refused {text:?}: {why:?}"),
        }
    }

    /// Writing and parsing returns the same value, in both formats; keys may be reordered, as in JavaScript.
    #[test]
    fn writing_can_be_read_again(value in value()) {
        for text in [stringify(&value), stringify_pretty(&value)] {
            let ours = parse_value(&text);
            prop_assert_eq!(ours.as_ref(), Ok(&value));
            let theirs = serde_json::from_str::<Value>(&text);
            let same = ours.is_ok_and(|ours| theirs.as_ref().is_ok_and(|theirs| alike(&ours, theirs)));
            prop_assert!(same, "{text}: {theirs:?}");
        }
    }

    /// A text that the strict parser accepts has the same value in the loose parser.
    #[test]
    fn strict_text_means_the_same_to_a_loose_reader(text in nearly_json()) {
        if let Ok(strict) = parse_json(SourceId(0), &text, JsonSyntax::default()) {
            prop_assert_eq!(parse_json(SourceId(0), &text, LOOSE), Ok(strict));
        }
    }

    /// A hook's output cannot control a terminal or hide text in a line, and harmless text does not change.
    #[test]
    fn what_is_shown_has_no_control_characters(text in any::<String>(), raw in "[\u{0}-\u{ff}\u{200b}-\u{206f}\u{feff}\u{e0000}-\u{e007f}]{0,40}") {
        for line in [&text, &raw] {
            let shown = escape_for_terminal(line);
            let steers = |c: char| {
                c.is_control()
                    || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}')
                    || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
                    || matches!(c, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
            };
            prop_assert!(!shown.contains(steers), "{shown:?}");
            if !line.contains(steers) {
                prop_assert_eq!(&shown, line);
            }
            // Text that is already escaped does not change.
            prop_assert_eq!(escape_for_terminal(&shown), shown);
        }
    }

    /// A prefix has the requested length in UTF-16 units.
    #[test]
    fn prefixes_count_as_javascript_counts(text in any::<String>(), units in 0_usize..40) {
        let prefix = utf16_prefix(&text, units);
        prop_assert_eq!(utf16_len(&text), text.encode_utf16().count());
        let wanted = units.min(utf16_len(&text));
        prop_assert_eq!(utf16_len(&prefix), wanted);
        let given: Vec<u16> = text.encode_utf16().take(wanted).collect();
        prop_assert_eq!(replace_surrogates(&prefix), String::from_utf16_lossy(&given));
    }

    /// A live stream counts every byte, and keeps its beginning and its end exactly.
    #[test]
    fn a_live_stream_adds_up(pieces in prop::collection::vec((0_usize..400_000, 0_u64..3), 0..16)) {
        let mut stream = StreamBuffer::default();
        let mut came: u64 = 0;
        let mut unbroken: Vec<u8> = Vec::new();
        let mut broken = false;
        for (index, (length, skipped)) in pieces.into_iter().enumerate() {
            // Most pieces follow without a gap.
            let skipped = if skipped == 2 { 1000 } else { 0 };
            let fill = u8::try_from(index).unwrap_or(0);
            let bytes = vec![fill; length];
            stream.append(&bytes, skipped);
            came += length as u64 + skipped;
            broken |= skipped > 0;
            if !broken {
                unbroken.extend_from_slice(&bytes);
            }
            prop_assert_eq!(stream.total(), came);
            prop_assert!(unbroken.starts_with(&stream.head) || stream.head.starts_with(&unbroken));
            let end = if stream.tail.is_empty() { &stream.head } else { &stream.tail };
            let kept = length.min(end.len());
            prop_assert!(end.ends_with(&bytes[length - kept..]));
            prop_assert!(stream.head.len() <= 256 << 10 && stream.tail.len() <= 2 << 20);
        }
    }
}

/// Settings that are too large are reported with their size and the limit, and nothing in them is read.
#[test]
fn settings_have_an_end() {
    use hookbench::core::config::{MAX_SETTINGS_BYTES, MemoryFiles, Place};
    use hookbench::core::dialects;
    for dialect in dialects::ALL {
        let place = Place { project: "/p".to_owned(), home: "/h".to_owned(), ..Place::default() };
        let version = dialects::default_version(dialect);
        let empty = dialect.load(&place, &MemoryFiles::default(), &version);
        let path = empty.layers.iter().map(|layer| &layer.path).find(|path| path.starts_with("/h/")).unwrap();
        let mut files = MemoryFiles::default();
        files.put(path.clone(), vec![b' '; MAX_SETTINGS_BYTES + 1]);
        let loaded = dialect.load(&place, &files, &version);
        let says: Vec<&str> = loaded.broken_layers().filter_map(|layer| layer.message.as_deref()).collect();
        assert!(
            says.iter().any(|says| says.contains("17 MiB, but hookbench reads at most 16 MiB")),
            "{path}: {says:?}"
        );
        assert!(loaded.sources.texts().all(|(_, text)| text.len() < MAX_SETTINGS_BYTES), "{path}");
    }
}
