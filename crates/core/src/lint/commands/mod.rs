//! HW4xx: commands, scripts and their processes.

pub(super) mod consequence;
mod dash;
pub(super) mod environment;
mod exec_form;
mod line_ends;
pub(super) mod lines;
mod not_started;
mod pasted;
mod programs;
mod python;
mod quoting;
mod relative;
mod shebang;
mod syntax;
mod variables;
mod windows;

use std::collections::{BTreeMap, BTreeSet};

use super::Rule;
use crate::diagnostic::Diagnostic;

pub(super) const RULES: &[Rule] = &[
    Rule::One(not_started::look),
    Rule::One(shebang::look),
    Rule::One(relative::look),
    Rule::Many(quoting::look),
    Rule::Many(variables::look),
    Rule::Many(programs::look),
    Rule::Many(windows::look),
    Rule::Many(dash::look),
    Rule::One(line_ends::look),
    Rule::Many(syntax::look),
    Rule::Many(pasted::look),
    Rule::Many(exec_form::look),
];

/// Findings that explain why a file name is wrong.
const CAUSES: [&str; 5] = ["HW406", "HW407", "HW410", "HW411", "HW423"];

/// Removes findings about a missing file if another finding explains why its name is wrong. The explanation gets
/// the removed message as a note.
pub(super) fn settle(found: &mut Vec<Diagnostic>) {
    let place = |d: &Diagnostic| d.span.map(|span| (span.source, span.start));
    let missing: BTreeMap<_, _> = found
        .iter()
        .filter(|d| d.code == "HW401")
        .filter_map(|d| Some((place(d)?, (d.span?.end, d.message.clone()))))
        .collect();
    let mut explained = BTreeSet::new();
    for cause in found.iter_mut().filter(|d| CAUSES.contains(&d.code)) {
        let Some(span) = cause.span else { continue };
        let before = missing.range((span.source, 0)..(span.source, span.end)).rev();
        for (lost, (_, message)) in before.take_while(|(_, (end, _))| *end > span.start) {
            if explained.insert(*lost) {
                cause.note.get_or_insert_with(|| message.clone());
            }
        }
    }
    found.retain(|d| d.code != "HW401" || !place(d).is_some_and(|lost| explained.contains(&lost)));
}
