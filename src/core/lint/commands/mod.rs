//! HW4xx: commands, scripts and the processes that they become.

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

use super::Rule;
use crate::core::diagnostic::Diagnostic;
use crate::core::text::Span;

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

/// Why the name of a file comes out otherwise than meant.
const CAUSES: [&str; 5] = ["HW406", "HW407", "HW410", "HW411", "HW423"];

/// A file that is missing because its name came out wrong is no finding of its own: what it comes to is said beside the
/// cause.
pub(super) fn settle(found: &mut Vec<Diagnostic>) {
    let meets = |a: Option<Span>, b: Option<Span>| {
        a.zip(b).is_some_and(|(a, b)| a.source == b.source && a.start < b.end && b.start < a.end)
    };
    let missing: Vec<Diagnostic> = found.iter().filter(|d| d.code == "HW401").cloned().collect();
    for lost in missing {
        let same = |d: &&mut Diagnostic| CAUSES.contains(&d.code) && meets(d.span, lost.span);
        if let Some(cause) = found.iter_mut().find(same) {
            cause.note.get_or_insert_with(|| lost.message.clone());
            found.retain(|d| d.code != "HW401" || d.span != lost.span || d.message != lost.message);
        }
    }
}
