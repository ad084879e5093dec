//! HW506: a hook that needs more time than the event allows.

use std::ops::Range;
use std::sync::LazyLock;
use std::time::Duration;

use hookbench_script::Value;
use regex::Regex;

use super::timeout_unit::looks_like_milliseconds;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::answers::HookText;
use crate::lint::handler_spans;
use crate::text::ascii_regex;

/// An event with a shorter default has its own time limit.
const SHORT_DEFAULT: Duration = Duration::from_secs(4);

/// Programs that use the network or build.
const SLOW_PROGRAMS: [&str; 20] = [
    "curl", "wget", "ssh", "scp", "rsync", "docker", "gh", "aws", "gcloud", "kubectl", "npm", "npx", "pnpm", "yarn",
    "pip", "pip3", "cargo", "mvn", "gradle", "make",
];
/// Programs that do so with some of their commands.
const SLOW_COMMANDS: [(&str, &[&str]); 2] = [("go", &["build", "test"]), ("git", &["push", "pull", "fetch", "clone"])];

/// Calls of libraries for the network.
static SLOW_CALL: LazyLock<Option<Regex>> =
    LazyLock::new(|| ascii_regex(r"(?m)^(?:[^#/*\n]|/[^/*])*?(\b(?:(?:requests|httpx|urllib\.request)\.\w+|fetch)\()"));

pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    let form = at.agent.dialect.settings_format();
    let event = at.event.name;
    let written = at.definition.raw.get("timeout").filter(|value| !value.is_null());
    if let Some(most) = (form.max_timeout)(event) {
        let own = at.definition.timeout.filter(|_| written.is_some());
        // A number of milliseconds is a different mistake and reported by another rule.
        let meant_less = written.and_then(serde_json::Value::as_u64).is_some_and(looks_like_milliseconds);
        // The agent does not wait for a hook in the background at all.
        if own.is_some_and(|own| own > most) && !meant_less && !at.definition.detached {
            let says = format!(
                "{} waits for hooks of {event} at most {}, even if a longer timeout is set",
                at.agent_name(),
                words(most)
            );
            let place = handler_spans::value_span(at, "timeout");
            return Some(
                Diagnostic::new(Code::HW506, says).at(place).with_help(format!("finish within {}", words(most))),
            );
        }
    }
    let kind = at.definition.handler.kind();
    let default = (form.default_timeout)(kind, event);
    if written.is_some() || default >= SHORT_DEFAULT || at.definition.detached {
        return None;
    }
    let text = HookText::of(at)?;
    let place = text.span_of(slow_part(at, &text)?);
    let says =
        format!("hooks of {event} have {} in {}, and this command can take longer", words(default), at.agent_name());
    let most = (form.max_timeout)(event).map(|most| format!(" (up to {})", words(most))).unwrap_or_default();
    let help = format!("add a `timeout`{most}, or do the work in a background process");
    Some(Diagnostic::new(Code::HW506, says).at(place).with_help(help))
}

/// The part of a hook that may take long: network access, builds, sleeping.
fn slow_part(at: &RuleContext<'_>, text: &HookText<'_>) -> Option<Range<usize>> {
    let walked = text.walk(at)?;
    let started = walked.started.iter().find(|one| {
        let first = one.arguments.first().and_then(Value::known_text);
        is_slow(one.program.rsplit('/').next().unwrap_or_default(), first.as_deref())
    });
    let line = || {
        walked.lines.iter().find(|one| {
            let line = one.line.known_text().unwrap_or_default();
            let mut words = line.split_whitespace();
            words.next().is_some_and(|program| is_slow(program, words.next()))
        })
    };
    let call =
        || SLOW_CALL.as_ref()?.captures(&text.text)?.get(1).map(|call| call.range()).filter(|_| !text.is_shell());
    started.map(|one| one.at.clone()).or_else(|| line().map(|one| one.at.clone())).or_else(call)
}

fn is_slow(program: &str, first: Option<&str>) -> bool {
    let sleeps =
        || program == "sleep" && first.and_then(|time| time.parse::<f64>().ok()).is_some_and(|time| time >= 2.0);
    let is_command =
        |(name, commands): &(&str, &[&str])| *name == program && first.is_some_and(|one| commands.contains(&one));
    SLOW_PROGRAMS.contains(&program) || SLOW_COMMANDS.iter().any(is_command) || sleeps()
}

fn words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if time.as_millis().is_multiple_of(1000) { format!("{seconds:.0} s") } else { format!("{seconds:.1} s") }
}
