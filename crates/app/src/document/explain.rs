//! The document of `explain --format json`.

use serde::Serialize;

use crate::firing::record::FiringRecord;
use hookbench_core::guard::{GuardPage, RuleSeverity};
use hookbench_core::lint::RulePage;
use hookbench_core::run::{RunId, Stream};
use hookbench_core::trace::{Evidence, TraceStep};

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

/// One step of an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceDoc {
    pub rule: String,
    pub says: String,
    pub evidence: Vec<EvidenceDoc>,
    pub children: Vec<TraceDoc>,
}

/// The evidence for a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EvidenceDoc {
    Output { hook: String, run: u32, stream: &'static str, pointer: Option<String> },
    Exit { hook: String, run: u32 },
    Order { before: String, after: String },
    Source { file: String, line: u32, column: u32 },
    Hook { hook: String },
    Basis { text: String },
}

/// Builds the documents of trace steps.
pub fn trace_docs(steps: &[TraceStep], firing: &FiringRecord) -> Vec<TraceDoc> {
    steps
        .iter()
        .map(|step| TraceDoc {
            rule: step.rule.to_string(),
            says: step.message.clone(),
            evidence: step.evidence.iter().map(|e| evidence_doc(e, firing)).collect(),
            children: trace_docs(&step.children, firing),
        })
        .collect()
}

pub(super) fn evidence_doc(evidence: &Evidence, firing: &FiringRecord) -> EvidenceDoc {
    let hook = |run: RunId| firing.run(run).map(|r| r.hook.clone()).unwrap_or_default();
    match evidence {
        Evidence::Output { run, stream, pointer } => EvidenceDoc::Output {
            hook: hook(*run),
            run: run.0,
            stream: match stream {
                Stream::Stdin => "stdin",
                Stream::Stdout => "stdout",
                Stream::Stderr => "stderr",
            },
            pointer: pointer.clone(),
        },
        Evidence::Exit { run } => EvidenceDoc::Exit { hook: hook(*run), run: run.0 },
        Evidence::Order { before, after } => EvidenceDoc::Order { before: hook(*before), after: hook(*after) },
        Evidence::Source { file, line, column } => {
            EvidenceDoc::Source { file: file.clone(), line: *line, column: *column }
        }
        Evidence::Hook { hook } => EvidenceDoc::Hook { hook: hook.clone() },
        Evidence::Basis { text } => EvidenceDoc::Basis { text: (*text).to_owned() },
    }
}
