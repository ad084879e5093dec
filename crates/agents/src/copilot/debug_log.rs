//! The log of a process: `copilot --log-level debug` writes `<user>/logs/process-….log` (measured on 1.0.102). It names the
//! files and hooks that the agent ignores, but not the hooks that it starts; the session file has the events.

use crate::shared::debug_log::log_lines;
use hookbench_base::debug_log::{DebugLogFormat, LogRecord, LogStatement};

pub static DEBUG_LOG: DebugLogFormat = DebugLogFormat {
    kind: "copilot-log",
    names_hooks: true,
    detect,
    parse,
    session_file: |_, _| None,
    // Their names contain the time and the number of the process.
    shared_files: |_| Vec::new(),
};

fn detect(head: &str) -> bool {
    log_lines(head)
        .any(|line| line.message.starts_with("[nativeRuntime]") || line.message.starts_with("[rust:copilot_"))
}

fn parse(text: &str) -> Vec<LogRecord> {
    log_lines(text)
        .filter(|line| matches!(line.level, "WARNING" | "ERROR"))
        .filter_map(|line| Some(line.record(LogStatement::Ignored { message: ignored(line.message)? })))
        .collect()
}

/// A message about a file or a hook that the agent ignores, without the source and the frame around it.
fn ignored(message: &str) -> Option<String> {
    let message =
        message.strip_prefix("[rust:").and_then(|rest| rest.split_once("] ")).map_or(message, |(_, rest)| rest);
    if let Some((_, fields)) = message.split_once("Ignored invalid repository settings ") {
        let fields: serde_json::Value = serde_json::from_str(fields).ok()?;
        return fields.get("warning")?.as_str().map(str::to_owned);
    }
    let about_hooks = message.contains("hook") && (message.contains("skipped") || message.contains("ignored"));
    about_hooks.then(|| message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_files_and_hooks() {
        let text = "2026-11-24T14:42:34.241Z [DEBUG] [nativeRuntime] in-process mode: loading the native runtime .node addon\n\
                    2026-11-24T14:42:34.270Z [WARNING] [rust:copilot_runtime::config::effective_plugins_workspace] Ignored invalid \
                    repository settings {\"warning\":\"Repository settings file '/p/.claude/settings.json' could not be loaded: \
                    Settings config error: hooks.preToolUse[0].matcher: matcher cannot be empty\"}\n\
                    2026-11-24T14:42:34.323Z [ERROR] [rust:hooks] Invalid matcher regex in preToolUse hook: '*' \u{2014} hook will be skipped\n\
                    2026-11-24T14:42:34.944Z [ERROR] [rust:hooks] Error in postToolUse hook from \".github/hooks/a.json\": Error: \
                    Hook command failed with code 1\n";
        assert!(detect(text));
        let found: Vec<(u64, LogStatement)> =
            parse(text).into_iter().map(|record| (record.line, record.statement)).collect();
        let ignored = |message: &str| LogStatement::Ignored { message: message.to_owned() };
        assert_eq!(
            found,
            [
                (
                    2,
                    ignored(
                        "Repository settings file '/p/.claude/settings.json' could not be loaded: Settings config error: \
                         hooks.preToolUse[0].matcher: matcher cannot be empty"
                    )
                ),
                (3, ignored("Invalid matcher regex in preToolUse hook: '*' \u{2014} hook will be skipped")),
            ]
        );
    }
}
