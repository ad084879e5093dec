//! The document of `explain --format json`.

use serde::Serialize;

use hookbench_core::guard::{GuardPage, RuleSeverity};
use hookbench_core::lint::RulePage;

/// Pages of the catalogue of findings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainDoc {
    /// `explain/1`.
    pub schema: &'static str,
    pub pages: Vec<PageDoc>,
    /// Rules of guards, if they were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guard_rules: Vec<GuardRuleDoc>,
}

/// One rule of a guard.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GuardRuleDoc {
    pub rule: &'static str,
    pub guard: &'static str,
    pub title: &'static str,
    /// `medium`, `high` or `critical`.
    pub severity: &'static str,
    /// Whether it is on by default.
    pub recommended: bool,
    pub what: &'static str,
    pub refused: &'static str,
    pub not_refused: &'static str,
    pub if_wrong: &'static str,
    pub instead: &'static str,
}

/// One page of the catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageDoc {
    pub code: &'static str,
    pub title: &'static str,
    /// The highest severity of the finding: `error`, `warning` or `info`.
    pub severity: &'static str,
    /// The sources of the finding: `static`, `environment`, `after a firing`, `from recordings`.
    pub found: Vec<&'static str>,
    /// `safe`, `proposed` or `no`.
    pub fix: &'static str,
    pub sections: SectionsDoc,
}

/// The sections of a page, in Markdown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SectionsDoc {
    pub what: &'static str,
    pub why_it_bites: &'static str,
    pub bad: &'static str,
    pub good: &'static str,
    pub fix: &'static str,
    pub measured_on: &'static str,
    pub agents: &'static str,
    pub evidence: &'static str,
}

/// Builds the document of some pages.
pub fn explain_doc(pages: &[&'static RulePage]) -> ExplainDoc {
    ExplainDoc {
        schema: "explain/1",
        pages: pages.iter().map(|page| page_doc(page)).collect(),
        guard_rules: Vec::new(),
    }
}

/// Builds the document of some rules of guards.
pub fn guard_rules_doc(pages: &[&'static GuardPage]) -> ExplainDoc {
    let rule_doc = |page: &&'static GuardPage| {
        let [what, refused, not_refused, if_wrong] = page.sections;
        GuardRuleDoc {
            rule: page.id,
            guard: page.guards,
            title: page.title,
            severity: page.rule.map_or(RuleSeverity::Critical, |rule| rule.severity).word(),
            recommended: page.rule.is_none_or(|rule| rule.recommended),
            what,
            refused,
            not_refused,
            if_wrong,
            instead: page.instead,
        }
    };
    ExplainDoc { schema: "explain/1", pages: Vec::new(), guard_rules: pages.iter().map(rule_doc).collect() }
}

fn page_doc(page: &'static RulePage) -> PageDoc {
    let [what, why_it_bites, bad, good, fix, measured_on, agents, evidence] = page.sections;
    PageDoc {
        code: page.code.as_str(),
        title: page.title,
        severity: page.code.severity().word(),
        found: page.found.split(", ").collect(),
        fix: page.fix.strip_suffix(" fix").unwrap_or(page.fix),
        sections: SectionsDoc { what, why_it_bites, bad, good, fix, measured_on, agents, evidence },
    }
}
