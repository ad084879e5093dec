//! The log of the terminal program: `RUST_LOG=codex_hooks=trace codex -c log_dir=DIR` writes `DIR/codex-tui.log` (measured
//! on 0.169.0). Each run of a hook is a span with its position among all hooks, counted from 0; the exit status is not in
//! it. Without `log_dir` and that level, Codex writes nothing about hooks to the session file or `logs_2.sqlite`, and
//! `codex exec` prints only names of events.

use crate::shared::debug_log::log_lines;
use hookbench_base::debug_log::{DebugLogFormat, LogDuration, LogEnd, LogHook, LogRecord, LogStatement};

pub static DEBUG_LOG: DebugLogFormat = DebugLogFormat {
    kind: "codex-log",
    names_hooks: true,
    detect,
    parse,
    session_file: |_, _| None,
    shared_files: |place| vec![format!("{}/log/codex-tui.log", super::layers::user_dir(place))],
};

/// The span of a run.
const SPAN: &str = "codex.hooks.command{";

fn detect(head: &str) -> bool {
    let own = |message: &str| {
        let target = message.rsplit_once("}: ").map_or(message, |(_, target)| target);
        message.contains(SPAN) || target.starts_with("codex_")
    };
    log_lines(head).any(|line| own(line.message))
}

fn parse(text: &str) -> Vec<LogRecord> {
    log_lines(text).filter_map(|line| Some(line.record(statement(line.message)?))).collect()
}

/// `codex.hooks.command{hook.event_name="PreToolUse" hook.display_order=0 …}: codex_hooks::…: new`, or `close` and the
/// outcome.
fn statement(message: &str) -> Option<LogStatement> {
    let (fields, step) = message.split_once(SPAN)?.1.rsplit_once("}: codex_hooks::")?;
    let field = |name: &str| {
        let value = fields.split(' ').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        value.map(|value| value.trim_matches('"'))
    };
    let event = field("hook.event_name")?.to_owned();
    let hook = LogHook::Position(field("hook.display_order")?.parse().ok()?);
    let (_, step) = step.rsplit_once(": ")?;
    if step == "new" {
        return Some(LogStatement::Started { event, hook });
    }
    let end = match field("hook.command_outcome") {
        Some("timeout") => LogEnd::TimedOut,
        Some("completed") => LogEnd::Completed,
        _ => LogEnd::Failed,
    };
    step.starts_with("close ").then_some(LogStatement::Ended {
        event,
        subject: None,
        hook,
        end,
        took: LogDuration::BetweenLines,
    })
}
