//! The documentation of rules: a page for each, all with the same sections. The pages are in `assets/guards/rules.md`.

use std::sync::LazyLock;

use super::rule::{GuardRule, RULES};

/// The sections of every page, in order.
pub const GUARD_SECTIONS: [&str; 4] = ["What", "Refused", "Not refused", "If it is wrong"];

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardPage {
    pub rule: &'static GuardRule,
    pub title: &'static str,
    /// The texts of [`GUARD_SECTIONS`], in Markdown.
    pub sections: [&'static str; 4],
    /// The whole page.
    pub text: &'static str,
}

const TEXT: &str = include_str!("../../../../assets/guards/rules.md");

static PAGES: LazyLock<Vec<GuardPage>> = LazyLock::new(|| RULES.iter().filter_map(page_of).collect());

/// Returns all pages, in the order of the rules.
pub fn guard_pages() -> &'static [GuardPage] {
    &PAGES
}

/// Returns the page of a rule.
pub fn guard_page(id: &str) -> Option<&'static GuardPage> {
    PAGES.iter().find(|page| page.rule.id == id)
}

fn page_of(rule: &'static GuardRule) -> Option<GuardPage> {
    let pages = TEXT.split("\n## ").skip(1);
    let text = pages.into_iter().find(|page| page.strip_prefix(rule.id).is_some_and(|rest| rest.starts_with(':')))?;
    let (head, rest) = text.split_once('\n')?;
    let title = head.split_once(": ")?.1;
    let mut sections = [""; 4];
    for (slot, name) in sections.iter_mut().zip(GUARD_SECTIONS) {
        let (_, after) = rest.split_once(&format!("### {name}\n"))?;
        *slot = after.split("\n### ").next().unwrap_or_default().trim_matches('\n');
    }
    Some(GuardPage { rule, title, sections, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_page() {
        let missing: Vec<&str> =
            RULES.iter().filter(|rule| guard_page(rule.id).is_none()).map(|rule| rule.id).collect();
        assert_eq!(missing, Vec::<&str>::new());
        let empty = guard_pages().iter().filter(|page| page.sections.iter().any(|text| text.trim().is_empty()));
        assert_eq!(empty.map(|page| page.rule.id).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
