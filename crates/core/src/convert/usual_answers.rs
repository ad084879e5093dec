//! The answers with which hooks refuse in practice, each of them right in some agent.

use std::time::Duration;

use crate::run::{Exit, RunId, RunReport};

/// One way to refuse.
#[derive(Debug, Clone, PartialEq)]
pub struct UsualAnswer {
    pub title: &'static str,
    exit: Exit,
    stdout: &'static str,
    stderr: &'static str,
}

/// The word in the texts for the name of the event.
const EVENT: &str = "EVENT";

const fn status(title: &'static str, status: i32, stderr: &'static str) -> UsualAnswer {
    UsualAnswer { title, exit: Exit::Code(status), stdout: "", stderr }
}

const fn json(title: &'static str, stdout: &'static str) -> UsualAnswer {
    UsualAnswer { title, exit: Exit::Code(0), stdout, stderr: "" }
}

/// The usual answers: statuses, then JSON with status 0, then both together, then a signal and a time limit.
pub const USUAL_ANSWERS: [UsualAnswer; 12] = [
    status("exit 2, the reason on stderr", 2, "no"),
    status("exit 2, nothing on stderr", 2, ""),
    status("exit 1, the reason on stderr", 1, "no"),
    json(r#"{"decision": "block", "reason": R}"#, r#"{"decision":"block","reason":"no"}"#),
    json(r#"{"decision": "deny", "reason": R}"#, r#"{"decision":"deny","reason":"no"}"#),
    json(
        r#"{"hookSpecificOutput": {"permissionDecision": "deny", …}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
    ),
    json(r#"{"permissionDecision": "deny", …}"#, r#"{"permissionDecision":"deny","permissionDecisionReason":"no"}"#),
    json(r#"{"continue": false, "stopReason": R}"#, r#"{"continue":false,"stopReason":"no"}"#),
    json(r#"{"cancel": true, "errorMessage": R}"#, r#"{"cancel":true,"errorMessage":"no"}"#),
    UsualAnswer {
        title: r#"exit 2 and {"decision": "deny"}, R on stderr"#,
        exit: Exit::Code(2),
        stdout: r#"{"decision":"deny","reason":"no"}"#,
        stderr: "no",
    },
    UsualAnswer { title: "killed by a signal", exit: Exit::Signal(9), stdout: "", stderr: "" },
    UsualAnswer {
        title: "over its time limit",
        exit: Exit::TimedOut { after: Duration::from_secs(60) },
        stdout: "",
        stderr: "",
    },
];

impl UsualAnswer {
    /// The end of a hook on an event.
    pub fn report(&self, event: &str) -> RunReport {
        RunReport::new(RunId(0), self.exit.clone(), self.stdout.replace(EVENT, event), self.stderr)
    }
}
