//! Variables that the agent replaces in settings, extension files and commands (spec §1.1, §1.8, §5).

use hookbench_base::config::Place;
use hookbench_base::text::Node;

/// Replaces `$NAME`, `${NAME}` and `${NAME:-default}` in a text of a settings file; unset variables stay as
/// written.
pub fn expand_environment(place: &Place, text: &str) -> String {
    let get = |name: &str| match name {
        "HOME" if place.home_given => Some(place.home.as_str()),
        name => place.var(name),
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at..).unwrap_or("");
        let reference = parse_reference(rest);
        match get(reference.name).or(reference.default).filter(|_| !reference.name.is_empty()) {
            Some(value) => out.push_str(value),
            None => out.push_str(rest.get(..reference.length).unwrap_or("")),
        }
        rest = rest.get(reference.length..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// Replaces variables in every string below a value. Keys and positions stay.
pub fn expand_settings(place: &Place, root: &mut Node) {
    root.map_strings(&mut |text| expand_environment(place, text));
}

/// The variable reference at the start of a text. An empty name is a literal dollar sign.
struct SettingsVariable<'a> {
    name: &'a str,
    default: Option<&'a str>,
    length: usize,
}

fn parse_reference(text: &str) -> SettingsVariable<'_> {
    let nothing = SettingsVariable { name: "", default: None, length: 1 };
    let after = text.get(1..).unwrap_or("");
    if let Some(inner) = after.strip_prefix('{') {
        let Some(end) = inner.find('}').filter(|end| *end > 0) else { return nothing };
        let whole = inner.get(..end).unwrap_or("");
        // A name has at least one character, so `${:-x}` has no default.
        let first = whole.chars().next().map_or(0, char::len_utf8);
        let split = whole.get(first..).and_then(|tail| tail.find(":-")).map(|at| at + first);
        let name = whole.get(..split.unwrap_or(end)).unwrap_or("");
        return SettingsVariable { name, default: split.and_then(|at| whole.get(at + 2..)), length: end + 3 };
    }
    let word = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    match after.get(..word).filter(|name| !name.is_empty()) {
        Some(name) => SettingsVariable { name, default: None, length: word + 1 },
        None => nothing,
    }
}

/// Replaces known `${…}` names in a text of an extension's file; others stay.
pub fn expand_extension(text: &str, known: &[(String, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at..).unwrap_or("");
        let end = rest
            .find(['}', '\n', '\r', '\u{2028}', '\u{2029}'])
            .filter(|end| rest.get(*end..).is_some_and(|tail| tail.starts_with('}')));
        let length = end.map_or(2, |end| end + 1);
        let whole = rest.get(..length).unwrap_or("");
        let key = end.and_then(|end| rest.get(2..end));
        let value = key.and_then(|key| known.iter().rev().find(|(name, _)| name == key));
        out.push_str(value.map_or(whole, |(_, value)| value));
        rest = rest.get(length..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// Quotes a text as one word of a POSIX shell, as the `shell-quote` package does.
pub fn shell_quote(text: &str) -> String {
    let blank = |c: char| crate::shared::javascript::is_space(c);
    let quote = text.contains('\'');
    if text.is_empty() {
        return String::new();
    }
    if !quote && text.chars().any(|c| c == '"' || c == '\\' || blank(c)) {
        return format!("'{text}'");
    }
    if text.chars().any(|c| c == '"' || c == '\'' || blank(c)) {
        return format!("\"{}\"", escape(text, "\"\\$`!", false));
    }
    escape(text, "#!\"$&'()*,:;<=>?@[\\]^`{|}", true)
}

/// Puts a backslash before each of `special`. With `drives`, the colon of a drive letter is not escaped.
fn escape(text: &str, special: &str, drives: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    let mut pending = false;
    for c in text.chars() {
        // `C:` is handled together with a special character that follows it.
        let drive = drives && c == ':' && before.is_ascii_alphabetic() && !pending;
        if drive {
            pending = true;
            before = c;
            continue;
        }
        if std::mem::take(&mut pending) {
            out.push_str(if special.contains(c) { ":" } else { "\\:" });
        }
        if special.contains(c) {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    if pending {
        out.push_str("\\:");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_values() {
        let mut place = Place::default();
        for (name, value) in [("FOO", "one"), ("EMPTY", ""), ("A-B", "odd"), ("DEEP", "$FOO")] {
            place.env.insert(name.to_owned(), value.to_owned());
        }
        for (text, want) in [
            ("'$FOO'", "'one'"),
            ("${FOO}x${A-B}", "onexodd"),
            ("${FOO:-x} ${NOPE:-x y} ${NOPE:-} ${NOPE}", "one x y  ${NOPE}"),
            ("[${EMPTY:-x}] [$EMPTY]", "[] []"),
            ("$NOPE $? $éFOO $ ${} ${FOO", "$NOPE $? $éFOO $ ${} ${FOO"),
            ("$$FOO $FOOX", "$one $FOOX"),
            ("$DEEP", "$FOO"),
            ("${:-x} ${NOPE:x} ${é:-d}", "${:-x} ${NOPE:x} d"),
        ] {
            assert_eq!(expand_environment(&place, text), want, "{text}");
        }
    }

    #[test]
    fn extension_variables() {
        let known = [("extensionPath".to_owned(), "/e".to_owned()), ("/".to_owned(), "/".to_owned())];
        for (text, want) in [
            ("${extensionPath}${/}run", "/e/run"),
            ("${nope} $extensionPath ${", "${nope} $extensionPath ${"),
            ("${a ${/}}", "${a ${/}}"),
            ("${\n} ${/}", "${\n} /"),
        ] {
            assert_eq!(expand_extension(text, &known), want, "{text}");
        }
    }

    /// Results of `shell-quote` 1.8.
    #[test]
    fn words_of_a_shell() {
        for (text, want) in [
            ("/a/b-c_1.x", "/a/b-c_1.x"),
            ("/a b", "'/a b'"),
            ("/a'b c", "\"/a'b c\""),
            ("/a'b$", "\"/a'b\\$\""),
            ("/a$b(c)", "/a\\$b\\(c\\)"),
            ("x:y", "x\\:y"),
            ("C:$x", "C:\\$x"),
            ("", ""),
        ] {
            assert_eq!(shell_quote(text), want, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn text_without_names_stays(text in proptest::prelude::any::<String>()) {
            proptest::prop_assume!(!text.contains(":-"));
            proptest::prop_assert_eq!(expand_environment(&Place::default(), &text), text.clone());
            proptest::prop_assert_eq!(expand_extension(&text, &[]), text);
        }
    }
}
