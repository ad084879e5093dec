//! HW4xx: commands, scripts and their processes.

mod arguments;
mod bash_in_sh;
mod blank;
pub(super) mod consequence;
pub(super) mod environment;
mod exec_form;
mod line_endings;
mod not_started;
mod programs;
mod python_brackets;
mod quoting;
mod relative_paths;
mod script_files;
mod shebang;
pub(super) mod shell_texts;
mod syntax;
mod unescaped_json;
mod variables;
mod windows;
mod windows_words;

pub use programs::OPTIONAL_PROGRAMS;

use std::collections::{BTreeMap, BTreeSet};

use super::LintRule;
use crate::config::Place;
use crate::diagnostic::{Code, Diagnostic};

pub(super) const RULES: &[LintRule] = &[
    LintRule::One(blank::check),
    LintRule::One(not_started::check),
    LintRule::One(shebang::check),
    LintRule::One(relative_paths::check),
    LintRule::One(script_files::check),
    LintRule::Many(quoting::check),
    LintRule::Many(variables::check),
    LintRule::One(arguments::check),
    LintRule::Many(programs::check),
    LintRule::Many(windows::check),
    LintRule::Many(windows_words::check),
    LintRule::Many(bash_in_sh::check),
    LintRule::One(line_endings::check),
    LintRule::Many(syntax::check),
    LintRule::Many(unescaped_json::check),
    LintRule::Many(exec_form::check),
];

/// Findings that explain why a file name is wrong.
const CAUSES: [Code; 6] = [Code::HW406, Code::HW407, Code::HW410, Code::HW411, Code::HW423, Code::HW426];

/// Removes findings about a missing file if another finding explains why its name is wrong. The explanation gets
/// the removed message as a note. Findings about PATH say which one was used.
pub(super) fn settle(found: &mut Vec<Diagnostic>, place: &Place) {
    for finding in found.iter_mut().filter(|finding| matches!(finding.code, Code::HW409 | Code::HW415)) {
        finding.note.get_or_insert_with(|| format!("true of this machine, with {}", place.env_source.description()));
    }
    let place = |d: &Diagnostic| d.span.map(|span| (span.source, span.start));
    let missing: BTreeMap<_, _> = found
        .iter()
        .filter(|d| matches!(d.code, Code::HW401 | Code::HW415))
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
    found.retain(|d| {
        !matches!(d.code, Code::HW401 | Code::HW415) || !place(d).is_some_and(|lost| explained.contains(&lost))
    });
}
