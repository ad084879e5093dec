//! The documentation of findings: a page for each code, all with the same sections. The pages are under
//! `assets/docs`, because they mention agents by name; `explain` prints them.

use std::sync::LazyLock;

use crate::diagnostic::Code;

static PAGES: LazyLock<Vec<RulePage>> =
    LazyLock::new(|| Code::LINTS.iter().filter_map(|code| RulePage::of(*code).ok()).collect());

/// The sections of every page, in order.
pub const SECTIONS: [&str; 8] =
    ["What", "Why it matters", "Bad", "Good", "Fix", "Tested against", "Agents", "Evidence"];

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RulePage {
    pub code: Code,
    pub title: &'static str,
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

/// Returns the page of a lint code. `None` for a remark.
pub fn page(code: Code) -> Option<&'static RulePage> {
    PAGES.iter().find(|page| page.code == code)
}

impl RulePage {
    /// Parses the page of a code.
    ///
    /// # Errors
    /// Returns a message for the page's author if the page does not have the required structure.
    fn of(code: Code) -> Result<RulePage, String> {
        let (name, text) = (code.as_str(), code.page().unwrap_or_default());
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
        if severity != code.severity().word() {
            return Err(wrong("its severity differs from the table of codes"));
        }
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
        Ok(RulePage { code, title, found, fix, sections, text })
    }
}

#[cfg(test)]
mod tests {
    use super::RulePage;
    use crate::diagnostic::Code;

    #[test]
    fn every_page_can_be_read() {
        let wrong: Vec<String> = Code::LINTS.iter().filter_map(|code| RulePage::of(*code).err()).collect();
        assert_eq!(wrong, Vec::<String>::new());
    }
}
