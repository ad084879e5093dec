//! Finds the files that a script in Python or JavaScript reads by a literal name.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

static READS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let python = r#"(?:^|[^.\w])open\s*\(\s*["']([^"'{}$\\\n]+)["']\s*(?:\)|,\s*["']r[bt]?["']|,\s*encoding)"#;
    let javascript = r#"\breadFileSync\s*\(\s*["'`]([^"'`$\\\n]+)["'`]"#;
    Regex::new(&format!("(?m){python}|{javascript}")).ok()
});

/// The names of files that a script reads, with their places.
pub fn read_files(text: &str) -> Vec<(String, Range<usize>)> {
    let Some(regex) = READS.as_ref() else { return Vec::new() };
    let names = regex.captures_iter(text).filter_map(|found| found.get(1).or_else(|| found.get(2)));
    names.map(|name| (name.as_str().to_owned(), name.range())).collect()
}

#[cfg(test)]
mod tests {
    use super::read_files;

    #[test]
    fn only_literal_names_of_read_files_are_found() {
        for (text, want) in [
            ("rules = open(\"rules.txt\").read()", "rules.txt"),
            ("with open('a/b.json', encoding='utf-8') as f: pass", "a/b.json"),
            ("open('log.txt', 'a'); open(name); open(f'{x}.txt'); Image.open('x.png')", ""),
            ("fs.readFileSync('./rules.json', 'utf8'); readFileSync(0); readFileSync(`${x}`)", "./rules.json"),
        ] {
            let names: Vec<String> = read_files(text).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names.join(" "), want, "{text}");
        }
    }
}
