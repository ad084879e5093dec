//! `.env` files.

use std::collections::BTreeMap;

/// Parses the `NAME=value` lines of a `.env` file.
pub fn parse_dotenv(text: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for line in text.lines() {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=') else { continue };
        if line.starts_with('#') {
            continue;
        }
        let value = value.trim();
        let quoted =
            ['"', '\'', '`'].iter().find_map(|q| value.strip_prefix(*q)?.split_once(*q).map(|(inner, _)| inner));
        let plain = || value.split(" #").next().unwrap_or(value).trim();
        out.insert(name.trim().to_owned(), quoted.map_or_else(|| plain().to_owned(), str::to_owned));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::parse_dotenv;

    #[test]
    fn lines_as_they_are_written() {
        let found = parse_dotenv("A=1\n# B=2\nexport C='d d' # note\nD = \"x#y\"\nE=e # note\nF=\nnothing\n");
        let pairs: Vec<(&str, &str)> = found.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(pairs, [("A", "1"), ("C", "d d"), ("D", "x#y"), ("E", "e"), ("F", "")]);
    }
}
