//! Environment variables that the agent replaces in settings while it loads them (spec §1.2).

use std::collections::BTreeMap;

use crate::shared::dotenv::dotenv_values;
use hookbench_base::config::{Files, Place};
use hookbench_base::text::Node;

/// The values of variables: the environment, with the `.env` file of the home directory as fallback.
pub struct VariableValues<'a> {
    place: &'a Place,
    fallback: BTreeMap<String, String>,
}

impl<'a> VariableValues<'a> {
    /// Reads the fallback file of `directory` (`~/.qwen`), or of the home directory.
    pub fn read(place: &'a Place, files: &dyn Files, directory: &str) -> VariableValues<'a> {
        let text = [format!("{directory}/.env"), format!("{}/.env", place.home)]
            .iter()
            .find_map(|path| files.read(path).ok())
            .unwrap_or_default();
        VariableValues { place, fallback: dotenv_values(&text) }
    }

    fn get(&self, name: &str) -> Option<&str> {
        let never = name.eq_ignore_ascii_case("SESSION_ID") || name.eq_ignore_ascii_case("QWEN_CODE_SESSION_ID");
        if never || is_secret(name) {
            return None;
        }
        if name == "HOME" && self.place.home_given {
            return Some(&self.place.home);
        }
        self.place.var(name).or_else(|| self.fallback.get(name).map(String::as_str))
    }

    /// Replaces `$NAME` and `${…}` with their values; names without a value stay as written.
    pub fn expand_text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(rest.get(..at).unwrap_or(""));
            rest = rest.get(at..).unwrap_or("");
            let (name, length) = parse_reference(rest);
            match name.and_then(|name| self.get(name)) {
                Some(value) => out.push_str(value),
                None => out.push_str(rest.get(..length).unwrap_or("")),
            }
            rest = rest.get(length..).unwrap_or("");
        }
        out.push_str(rest);
        out
    }

    /// Replaces variables in every string below a value. Keys and positions stay.
    pub fn expand_node(&self, node: &mut Node) {
        node.map_strings(&mut |text| self.expand_text(text));
    }
}

/// Parses the variable at the start of a text: its name (`$NAME`, `${…}`) and its length. A lone `$` has no name.
fn parse_reference(text: &str) -> (Option<&str>, usize) {
    let after = text.get(1..).unwrap_or("");
    if let Some(inner) = after.strip_prefix('{') {
        // A name has at least one character before the first closing brace.
        return match inner.find('}') {
            Some(0) | None => (None, 1),
            Some(end) => (inner.get(..end), end + 3),
        };
    }
    let word = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    if word == 0 { (None, 1) } else { (after.get(..word), word + 1) }
}

/// The variables, as the agent spells them.
pub const SECRETS: [&str; 4] = [
    "QWEN_SERVER_TOKEN",
    "QWEN_DAEMON_TOKEN",
    "QWEN_CODE_EXTERNAL_TOOL_GUARD_TOKEN",
    "QWEN_CODE_PRIVATE_ACP_CAPABILITY",
];

/// Returns whether a variable is one of them, ignoring case.
pub fn is_secret(name: &str) -> bool {
    SECRETS.iter().any(|secret| secret.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_values() {
        let mut place = Place::default();
        for (name, value) in
            [("A", "va"), ("A B", "spaced"), ("SESSION_ID", "s"), ("QWEN_SERVER_TOKEN", "t"), ("EMPTY", "")]
        {
            place.env.insert(name.to_owned(), value.to_owned());
        }
        let values =
            VariableValues { place: &place, fallback: dotenv_values(b"B=vb\n# C=x\nexport D='d d' # note\nA=other\n") };
        for (text, want) in [
            ("'$A'", "'va'"),
            ("${A}x${A B}", "vaxspaced"),
            ("$NOPE ${NOPE} ${A:-x}", "$NOPE ${NOPE} ${A:-x}"),
            ("$SESSION_ID ${session_id} $QWEN_SERVER_TOKEN", "$SESSION_ID ${session_id} $QWEN_SERVER_TOKEN"),
            ("command$", "command$"),
            ("$$A ${} ${A", "$va ${} ${A"),
            ("[$EMPTY]", "[]"),
            ("$B $C $D", "vb $C d d"),
            ("$1 é$A", "$1 éva"),
        ] {
            assert_eq!(values.expand_text(text), want, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn text_without_names_stays(text in proptest::prelude::any::<String>()) {
            let place = Place::default();
            let values = VariableValues { place: &place, fallback: BTreeMap::new() };
            proptest::prop_assert_eq!(values.expand_text(&text), text);
        }
    }
}
