//! The environment variables that the text of a command or script names.

use std::collections::BTreeSet;

/// The character in front of the name of a variable.
const BEFORE: [&str; 9] =
    ["$", "${", "${!", "process.env.", "environ[", "environ.get(", "getenv(", "ENV[", "process.env["];

/// The variables that a text names as a shell, Python, JavaScript, Ruby or PHP reads them.
pub(crate) fn named_variables(text: &str) -> BTreeSet<&str> {
    let part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    let mut found = BTreeSet::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(start) = rest.find(part).map(|start| at + start) else { break };
        let length = text.get(start..).and_then(|rest| rest.find(|c| !part(c))).unwrap_or(text.len() - start);
        let (before, name) =
            (text.get(..start).unwrap_or_default(), text.get(start..start + length).unwrap_or_default());
        let before = before.strip_suffix(['"', '\'']).unwrap_or(before);
        if BEFORE.iter().any(|read| before.ends_with(read)) && !name.starts_with(|c: char| c.is_ascii_digit()) {
            found.insert(name);
        }
        at = start + length;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::named_variables;

    #[test]
    fn names_are_found_in_each_language() {
        for (text, want) in [
            ("echo \"$HOME/x ${TOKEN:-none}\" $1 '$LITERAL'", "HOME LITERAL TOKEN"),
            ("os.environ[\"A\"], os.environ.get('B', 'no'), os.getenv(\"C\"), environ", "A B C"),
            ("process.env.NODE_ENV || process.env['CI']; env.other", "CI NODE_ENV"),
            ("ENV['PATH'] é $é", "PATH"),
            ("plain words, FOO=bar", ""),
            ("", ""),
        ] {
            let names: Vec<&str> = named_variables(text).into_iter().collect();
            assert_eq!(names.join(" "), want, "{text}");
        }
    }
}
