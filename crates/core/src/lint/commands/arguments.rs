//! HW408: an argument that is read for data of the event.

use std::sync::LazyLock;

use regex::Regex;

use super::variables::{how_to_read, payload_key};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::answers::hook_text::HookText;
use crate::text::ascii_regex;

/// The first argument, where it is more than an option that is compared: the name of the variable that gets it, and the
/// argument.
static ARGUMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    ascii_regex(r#"(?:\b([A-Za-z_]\w*)[ \t]*=[ \t]*)?["']?(\$1\b|\$\{1\}|\bsys\.argv\[1\]|\bprocess\.argv\[2\])"#)
});

/// Checks for a hook that reads `$1` and not stdin, and gets no argument.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let hook = HookText::of(at)?;
    let walked = hook.walk(at)?;
    let text = hook.text.as_ref();
    if !walked.lacks_argument || walked.reads_stdin || !walked.reads.is_empty() || !walked.complete {
        return None;
    }
    let counts = ["$#", "len(sys.argv)", "argv.length"].iter().any(|count| text.contains(count));
    let is_compared = |line: &str| {
        let line = line.trim_start();
        ["case ", "[ ", "[[ ", "if [ ", "if [[ ", "test ", "#"].iter().any(|start| line.starts_with(start))
    };
    let found = ARGUMENT.as_ref()?.captures_iter(text).find(|found| {
        let start = found.get(0).map_or(0, |all| all.start());
        let from = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        !counts && !is_compared(text.get(from..).unwrap_or(""))
    })?;
    let argument = found.get(2)?;
    let key = found.get(1).and_then(|name| payload_key(at, &name.as_str().to_uppercase()));
    let (agent, shown) = (at.agent_name(), argument.as_str());
    let says = format!("{agent} passes no arguments, so {shown} is empty: the event arrives on stdin, as JSON");
    let help = match key {
        Some(key) => how_to_read(at.script.map_or("sh", |script| &script.interpreter), &key),
        None => "read the event from stdin".to_owned(),
    };
    Some(Diagnostic::new(Code::HW408, says).at(hook.span_of(argument.range())).with_help(help))
}
