//! Findings as diagnostics of the protocol.

use std::collections::{BTreeMap, HashMap};

use hookbench_app::lint::{Finding, FindingGroup, group_by_place};
use hookbench_core::config::is_argument;
use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::dialects;
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, Range,
};

use crate::code_pages::CodePages;
use crate::root::Root;
use crate::text::{Encoding, Lines};
use crate::uri::uri_of;

/// The codes of settings and lines that have no effect, which editors show faded.
const WITHOUT_EFFECT: [Code; 3] = [Code::HW109, Code::HW113, Code::HW107];

/// The diagnostics of every file of a folder, by path without links.
pub fn diagnostics(root: &Root, encoding: Encoding, pages: &CodePages) -> BTreeMap<String, Vec<Diagnostic>> {
    let mut groups: HashMap<String, Vec<FindingGroup>> = HashMap::new();
    for group in group_by_place(&root.report().findings) {
        if let Some(path) = group.finding.path.as_deref().filter(|path| !is_argument(path)) {
            groups.entry(root.overlay().real(path)).or_default().push(group);
        }
    }
    let of_file = |(path, groups): (String, Vec<FindingGroup>)| {
        let text = root.text(&path).unwrap_or_default();
        let lines = Lines::new(&text, encoding);
        let diagnostics = groups.iter().map(|group| diagnostic(root, group, &lines, encoding, pages)).collect();
        (path, diagnostics)
    };
    groups.into_iter().map(of_file).collect()
}

/// The diagnostic of a finding in a document with these lines.
pub fn diagnostic(
    root: &Root,
    group: &FindingGroup,
    lines: &Lines<'_>,
    encoding: Encoding,
    pages: &CodePages,
) -> Diagnostic {
    let finding = &group.finding;
    Diagnostic {
        range: lines.shown_range(finding.place),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.to_string())),
        code_description: pages.address(finding.code).map(|href| CodeDescription { href }),
        source: Some("hookbench".to_owned()),
        message: message(group),
        related_information: hook_of_script(root, finding, encoding).map(|related| vec![related]),
        tags: WITHOUT_EFFECT.contains(&finding.code).then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: None,
    }
}

/// The sentences of a finding, with the agents that it is about.
fn message(group: &FindingGroup) -> String {
    let is_named = |name: &&str| group.finding.message.contains(*name);
    let names: Vec<&str> = group.agents.iter().map(|agent| dialects::name_of(*agent)).collect();
    // A sentence that names its only agent does not name it twice.
    let names = if names.len() == 1 { names.into_iter().filter(|name| !is_named(name)).collect() } else { names };
    let agents = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let more = [&group.finding.note, &group.finding.help].into_iter().flatten().map(|text| format!("\n{text}"));
    format!("{}{agents}{}", group.finding.message, more.collect::<String>())
}

/// The hook that starts the script of a finding. `None` for a finding in settings.
fn hook_of_script(root: &Root, finding: &Finding, encoding: Encoding) -> Option<DiagnosticRelatedInformation> {
    let agent = root.session().agent(finding.agent?.as_str())?;
    let loaded = agent.loaded.as_ref()?;
    let hook = finding.hook.as_ref()?;
    let definition = loaded.definition(&hook.id)?;
    let span = definition.provenance.span;
    let path = loaded.sources.path(span.source);
    if path.is_empty() || finding.path.as_deref() == Some(path) {
        return None;
    }
    let range: Range = Lines::new(loaded.sources.text(span.source), encoding).range(span.start, span.end);
    let location = Location { uri: uri_of(&root.overlay().real(path))?, range };
    Some(DiagnosticRelatedInformation {
        location,
        message: format!("the hook {} of {} starts this script", hook.label, hook.event),
    })
}
