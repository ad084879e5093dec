//! HW403: a script that is executed directly and has no `#!` line.

use hookbench_script::bare_name;

use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::dialects::RuleContext;

/// Checks the first line.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let (script, start) = (at.script?, at.start?);
    let text = script.text.trim_start_matches('\u{feff}');
    // A script that is not executable is checked too: once it is executable, the wrong interpreter reads it.
    let gone = start.fails && start.status != Some(126);
    if script.interpreted || gone || text.starts_with("#!") || text.trim().is_empty() {
        return None;
    }
    let extension = script.path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, after)| after);
    if extension.is_some_and(|e| ["exe", "cmd", "bat", "ps1", "com"].contains(&e.to_ascii_lowercase().as_str())) {
        return None;
    }
    let reader = match bare_name(&script.interpreter) {
        "sh" => "#!/bin/sh\n".to_owned(),
        "python" => "#!/usr/bin/env python3\n".to_owned(),
        other => format!("#!/usr/bin/env {other}\n"),
    };
    let shell = bare_name(&start.first);
    let found = if start.direct {
        let says = "this script has no `#!` line, and the agent starts it without a shell: the system cannot run it";
        Diagnostic::new(Code::HW403, says)
    } else if script.interpreter == "sh" {
        let says = format!("this script has no `#!` line: the calling shell runs it, here {shell}");
        Diagnostic::lowered(Code::HW403, Severity::Warning, says)
    } else {
        let says = format!("this script has no `#!` line: {shell} runs it instead of {}", script.interpreter);
        Diagnostic::new(Code::HW403, says)
    };
    let found = found.at(script.line_span(0)).with_help(format!("make its first line {}", reader.trim_end()));
    Some(found.with_fix(Fix::proposal(script.span(0, 0), reader)))
}
