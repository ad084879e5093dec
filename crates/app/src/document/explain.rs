//! The document of `explain --format json`.

use serde::Serialize;

use hookbench_core::lint::RulePage;

/// Pages of the catalogue of findings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainDoc {
    /// `explain/1`.
    pub schema: &'static str,
    pub pages: Vec<PageDoc>,
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
    ExplainDoc { schema: "explain/1", pages: pages.iter().map(|page| page_doc(page)).collect() }
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
