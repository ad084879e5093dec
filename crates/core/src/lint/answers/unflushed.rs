//! HW631: an answer that is printed but lost, because the program ends without flushing its buffers.

use hookbench_script::{ByteRange, ScriptStream, Walked};

use super::hook_text::HookText;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    at.script.filter(|script| script.interpreter == "python")?;
    let text = HookText::of(at)?;
    let end = lost_output(&text.text, &*text.walk(at)?)?;
    let says = "`os._exit` ends the program before its output is written: the agent gets nothing";
    Some(
        Diagnostic::new(Code::HW631, says)
            .at(text.span_of(end))
            .with_help("use `sys.exit`, or call `sys.stdout.flush()` first"),
    )
}

/// Returns the call that ends the program before its output is written.
fn lost_output(text: &str, walked: &Walked) -> Option<ByteRange> {
    let prints = walked.runs.iter().filter(|run| !run.printed_on(ScriptStream::Stdout).is_empty());
    let mut ends = prints.filter_map(|run| run.end.clone());
    let is_early = |end: &ByteRange| text.get(end.clone()).is_some_and(|call| call.starts_with("os._exit("));
    ends.find(is_early).filter(|_| !text.contains("flush"))
}

#[cfg(test)]
mod tests {
    use hookbench_script::{Given, Grammar, ScriptModel};

    use super::lost_output;

    #[test]
    fn output_that_is_lost() {
        for (text, want) in [
            ("print(json.dumps(answer))\nos._exit(0)", Some(1)),
            ("sys.stdout.write(x)\nos._exit(0)", Some(1)),
            ("print(x, flush=True)\nos._exit(0)", None),
            ("print(x)\nsys.stdout.flush()\nos._exit(0)", None),
            ("print(x, file=sys.stderr)\nos._exit(2)", None),
            ("print(x)\nsys.exit(0)", None),
            ("def done():\n    os._exit(0)\nprint(x)\ndone()", Some(1)),
        ] {
            let walked = ScriptModel::parse(text, Grammar::Python).unwrap().walk(&Given::default());
            let line = lost_output(text, &walked).map(|end| text[..end.start].matches('\n').count());
            assert_eq!(line, want, "{text}");
        }
    }
}
