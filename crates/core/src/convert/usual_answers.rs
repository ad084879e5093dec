//! The answers with which hooks refuse in practice, each of them right in some agent.

use std::time::Duration;

use crate::run::{Exit, RunId, RunReport};

/// One way to refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsualAnswer {
    pub title: &'static str,
    end: End,
    stdout: &'static str,
    stderr: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Status(i32),
    Signal(i32),
    TimeOut,
}

/// The word in the texts for the name of the event.
const EVENT: &str = "EVENT";

const fn status(title: &'static str, status: i32, stderr: &'static str) -> UsualAnswer {
    UsualAnswer { title, end: End::Status(status), stdout: "", stderr }
}

const fn json(title: &'static str, stdout: &'static str) -> UsualAnswer {
    UsualAnswer { title, end: End::Status(0), stdout, stderr: "" }
}

/// The usual answers: statuses, then JSON with status 0, then both together, then ends that nobody chose.
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
        end: End::Status(2),
        stdout: r#"{"decision":"deny","reason":"no"}"#,
        stderr: "no",
    },
    UsualAnswer { title: "killed by a signal", end: End::Signal(9), stdout: "", stderr: "" },
    UsualAnswer { title: "over its time limit", end: End::TimeOut, stdout: "", stderr: "" },
];

impl UsualAnswer {
    /// The end of a hook on an event.
    pub fn report(&self, event: &str) -> RunReport {
        let exit = match self.end {
            End::Status(status) => Exit::Code(status),
            End::Signal(signal) => Exit::Signal(signal),
            End::TimeOut => Exit::TimedOut { after: Duration::from_secs(60) },
        };
        RunReport::new(RunId(0), exit, self.stdout.replace(EVENT, event), self.stderr)
    }
}
