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
