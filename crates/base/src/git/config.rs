//! git's configuration: sections, keys, values. Included files are not followed.

/// Values by section, subsection and key, in file order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitConfig(Vec<(String, String, String, String)>);

impl GitConfig {
    /// Parses what it can, and skips invalid lines.
    pub fn parse(text: &str) -> GitConfig {
        let mut config = GitConfig::default();
        let (mut section, mut sub) = (String::new(), String::new());
        for line in text.lines().map(str::trim) {
            if let Some(head) = line.strip_prefix('[') {
                let head = head.split(']').next().unwrap_or(head);
                let (name, rest) = head.split_once(' ').unwrap_or((head, ""));
                section = name.trim().to_ascii_lowercase();
                sub = rest.trim().trim_matches('"').replace("\\\"", "\"").replace("\\\\", "\\");
                continue;
            }
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            let value = unquoted(value.trim());
            config.0.push((section.clone(), sub.clone(), key.trim().to_ascii_lowercase(), value));
        }
        config
    }

    /// The last value of a key. Names of sections and keys are in lower case.
    pub fn get(&self, section: &str, sub: &str, key: &str) -> Option<&str> {
        let of = |(a, b, c, _): &&(String, String, String, String)| a == section && b == sub && c == key;
        self.0.iter().rev().find(of).map(|(.., value)| value.as_str())
    }
}

/// A value without quotes and without a trailing comment.
fn unquoted(value: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' => out.extend(letters.next()),
            '#' | ';' if !quoted => break,
            _ => out.push(letter),
        }
    }
    out.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::GitConfig;

    #[test]
    fn the_last_value_counts() {
        let config = GitConfig::parse(
            "# x\n[core]\n\tbare = false\n\tfileMode = true ; why\n[branch \"a \\\"b\"]\nremote=\"o # r\"\n[core]\nfilemode=false\n\
             lone\n[Extensions] \nobjectFormat = sha256",
        );
        assert_eq!(config.get("core", "", "filemode"), Some("false"));
        assert_eq!(config.get("core", "", "lone"), Some("true"));
        assert_eq!(config.get("branch", "a \"b", "remote"), Some("o # r"));
        assert_eq!(config.get("extensions", "", "objectformat"), Some("sha256"));
        assert_eq!(config.get("core", "", "none"), None);
    }
}
