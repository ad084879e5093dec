//! HW631: an answer that is printed but lost, because the program ends without flushing its buffers.

use std::sync::LazyLock;

use regex::Regex;

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::text::ascii_regex;

/// The number of lines before the exit that are searched for output.
const BEFORE: usize = 6;

static PRINTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"^\s*(?:print\(|sys\.stdout\.write\(|json\.dump\([^#]*sys\.stdout)"));

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let script = at.script.filter(|script| script.interpreter == "python")?;
    let text = HookText::of(at)?;
    let line = lost_output_line(&script.text)?;
    let says = "`os._exit` ends the program before its output is written: the agent gets nothing";
    Some(
        Diagnostic::new(Code::HW631, says)
            .at(text.line_span(line))
            .with_help("use `sys.exit`, or call `sys.stdout.flush()` first"),
    )
}

/// Returns the line (counted from 0) that ends the program too early.
fn lost_output_line(text: &str) -> Option<usize> {
    let lines: Vec<&str> = text.lines().collect();
    let prints = PRINTS.as_ref()?;
    lines.iter().enumerate().find_map(|(index, line)| {
        let ends = line.trim_start().starts_with("os._exit(");
        let near = lines.get(index.saturating_sub(BEFORE)..index).unwrap_or_default();
        let printed = near
            .iter()
            .rev()
            .take_while(|line| !line.trim_start().starts_with("def "))
            .any(|line| prints.is_match(line) && !line.contains("stderr") && !line.contains("flush"));
        let flushed = near.iter().any(|line| line.contains("flush"));
        (ends && printed && !flushed).then_some(index)
    })
}

#[cfg(test)]
mod tests {
    use super::lost_output_line;

    #[test]
    fn lost_output() {
        for (text, want) in [
            ("print(json.dumps(answer))\nos._exit(0)", Some(1)),
            ("sys.stdout.write(x)\nos._exit(0)", Some(1)),
            ("print(x, flush=True)\nos._exit(0)", None),
            ("print(x)\nsys.stdout.flush()\nos._exit(0)", None),
            ("print(x, file=sys.stderr)\nos._exit(2)", None),
            ("print(x)\nsys.exit(0)", None),
        ] {
            assert_eq!(lost_output_line(text), want, "{text}");
        }
    }
}
