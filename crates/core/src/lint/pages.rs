//! The documentation of findings: a page for each code, all with the same sections. The pages are under
//! `assets/docs`, because they mention agents by name; `explain` prints them.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

use crate::diagnostic::Severity;

static FOLDER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../assets/docs");
static PAGES: LazyLock<Vec<RulePage>> = LazyLock::new(|| {
    let mut pages: Vec<RulePage> = FOLDER
        .files()
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
        .filter_map(|(name, text)| RulePage::parse(name, text).ok())
        .collect();
    pages.sort_by_key(|page| page.code);
    pages
});

/// The sections of every page, in order.
pub const SECTIONS: [&str; 8] =
    ["What", "Why it matters", "Bad", "Good", "Fix", "Tested against", "Agents", "Evidence"];

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePage {
    pub code: &'static str,
    pub title: &'static str,
    /// The highest severity. The rule may report less if it is less certain.
    pub severity: Severity,
    /// The ways in which it is found: `static`, `environment`, `after a firing`, `from recordings`, or several
    /// separated by commas.
    pub found: &'static str,
    /// `safe fix`, `proposed fix` or `no fix`.
    pub fix: &'static str,
    /// The texts of [`SECTIONS`], in Markdown.
    pub sections: [&'static str; 8],
    /// The whole page.
    pub text: &'static str,
}

/// Returns all pages, ordered by code.
pub fn pages() -> &'static [RulePage] {
    &PAGES
}

/// Returns the page of a code. Case does not matter.
pub fn page(code: &str) -> Option<&'static RulePage> {
    PAGES.iter().find(|page| page.code.eq_ignore_ascii_case(code.trim()))
}

impl RulePage {
    /// Parses the page with this file name.
    ///
    /// # Errors
    /// Returns a message for the page's author if the page does not have the required structure.
    pub fn parse(name: &'static str, text: &'static str) -> Result<RulePage, String> {
        let wrong = |what: &str| format!("{name}.md: {what}");
        let (head, rest) = text.split_once("\n## ").ok_or_else(|| wrong("it has no section"))?;
        let mut lines = head.lines().filter(|line| !line.trim().is_empty());
        let title = lines.next().unwrap_or("");
        let title = title.strip_prefix("# ").and_then(|line| line.strip_prefix(name)?.strip_prefix(": "));
        let title = title.ok_or_else(|| wrong("it begins with `# CODE: title`"))?;
        let facts: Vec<&str> = lines.next().unwrap_or("").split(" · ").map(str::trim).collect();
        let [severity, found, fix] = facts[..] else {
            return Err(wrong("its second line is `severity · how it is found · fix`"));
        };
        let all = [Severity::Error, Severity::Warning, Severity::Info];
        let severity =
            all.into_iter().find(|s| s.word() == severity).ok_or_else(|| wrong("its severity is not known"))?;
        if !["safe fix", "proposed fix", "no fix"].contains(&fix) {
            return Err(wrong("its fix is not known"));
        }
        let known = ["static", "environment", "after a firing", "from recordings"];
        if found.split(", ").any(|how| !known.contains(&how)) {
            return Err(wrong("the way in which it is found is not known"));
        }
        let mut sections = [""; 8];
        let parts: Vec<&str> = rest.split("\n## ").collect();
        if parts.len() != SECTIONS.len() {
            return Err(wrong(&format!("its sections are {}", SECTIONS.join(", "))));
        }
        for ((slot, want), part) in sections.iter_mut().zip(SECTIONS).zip(parts) {
            let (title, body) = part.split_once('\n').unwrap_or((part, ""));
            if title.trim() != want {
                return Err(wrong(&format!("the section {want} is missing or misplaced")));
            }
            *slot = body.trim_matches('\n');
            if slot.trim().is_empty() {
                return Err(wrong(&format!("the section {want} is empty")));
            }
        }
        Ok(RulePage { code: name, title, severity, found, fix, sections, text })
    }
}

#[cfg(test)]
mod tests {
    use super::{FOLDER, RulePage};

    #[test]
    fn every_page_can_be_read() {
        let all = FOLDER.files().filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)));
        let wrong: Vec<String> = all
            .filter(|(name, _)| name.starts_with("HW"))
            .filter_map(|(name, text)| RulePage::parse(name, text).err())
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
    }
}
