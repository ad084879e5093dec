//! The documentation of rules and of the other reasons of a refusal: a page for each, all with the same sections. The pages are in `assets/guards/rules.md`.

use std::sync::LazyLock;

use super::rule::{GuardRule, OTHER_REASONS, RULES, find, instead};

/// The sections of every page, in order.
pub const GUARD_SECTIONS: [&str; 4] = ["What", "Refused", "Not refused", "If it is wrong"];

/// One page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardPage {
    /// The id in the reason of a refusal.
    pub id: &'static str,
    /// `None` if the reason is not a rule.
    pub rule: Option<&'static GuardRule>,
    /// The guards that can refuse for this reason.
    pub guards: &'static str,
    /// The better action for the agent.
    pub instead: &'static str,
    pub title: &'static str,
    /// The texts of [`GUARD_SECTIONS`], in Markdown.
    pub sections: [&'static str; 4],
    /// The whole page.
    pub text: &'static str,
}

const TEXT: &str = include_str!("../../../../assets/guards/rules.md");

static PAGES: LazyLock<Vec<GuardPage>> = LazyLock::new(|| {
    let rules = RULES.iter().map(|rule| (rule.id, rule.guard.word()));
    let others = OTHER_REASONS.iter().map(|reason| (reason.id, reason.guards));
    rules.chain(others).filter_map(|(id, guards)| page_of(id, guards)).collect()
});

/// Returns all pages, in the order of the rules, and then those of the other reasons.
pub fn guard_pages() -> &'static [GuardPage] {
    &PAGES
}

/// Returns the page of a rule or of another reason.
pub fn guard_page(id: &str) -> Option<&'static GuardPage> {
    PAGES.iter().find(|page| page.id == id)
}

fn page_of(id: &'static str, guards: &'static str) -> Option<GuardPage> {
    let pages = TEXT.split("\n## ").skip(1);
    let text = pages.into_iter().find(|page| page.strip_prefix(id).is_some_and(|rest| rest.starts_with(':')))?;
    let (head, rest) = text.split_once('\n')?;
    let title = head.split_once(": ")?.1;
    let mut sections = [""; 4];
    for (slot, name) in sections.iter_mut().zip(GUARD_SECTIONS) {
        let (_, after) = rest.split_once(&format!("### {name}\n"))?;
        *slot = after.split("\n### ").next().unwrap_or_default().trim_matches('\n');
    }
    Some(GuardPage { id, rule: find(id), guards, instead: instead(id)?, title, sections, text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_page() {
        let ids = RULES.iter().map(|rule| rule.id).chain(OTHER_REASONS.iter().map(|reason| reason.id));
        let missing: Vec<&str> = ids.filter(|id| guard_page(id).is_none()).collect();
        assert_eq!(missing, Vec::<&str>::new());
        let empty = guard_pages().iter().filter(|page| page.sections.iter().any(|text| text.trim().is_empty()));
        assert_eq!(empty.map(|page| page.id).collect::<Vec<_>>(), Vec::<&str>::new());
    }
}
