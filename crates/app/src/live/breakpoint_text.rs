//! The one-line format of breakpoints: for input on the screen, and for display.

use regex::Regex;

use hookbench_core::live::intercept::{
    Breakpoint, BreakpointAction, PathPattern, TimeoutAction, can_be_held, check_tool, event_named, known_event,
};
use hookbench_core::live::{agents, is_blocking};
use hookbench_core::names::AgentId;
use hookbench_core::text::diff_lines;

/// An example for help texts.
pub const FORM: &str = "hold PreToolUse Bash   command=REGEX uses the rest of the line";

/// Parses `hold [AGENT] [EVENT] [TOOL] [path=PATTERN] [session=ID] [timeout=pass|deny|ask] [command=REGEX]`.
///
/// # Errors
/// Returns an error that says what is wrong and what is expected.
pub fn read_breakpoint(text: &str) -> Result<Breakpoint, String> {
    let (text, command) = match text.split_once("command=") {
        Some((before, pattern)) => (before, Some(pattern.trim())),
        None => (text, None),
    };
    let mut words = text.split_whitespace();
    if words.next() != Some("hold") {
        return Err(format!("a breakpoint starts with hold, for example: {FORM}"));
    }
    let mut point = Breakpoint::holding("");
    let rest: Vec<&str> = words.collect();
    if rest.is_empty() && command.is_none() {
        return Err(format!("name what to hold, for example: {FORM}; hold everything holds each event"));
    }
    if rest == ["everything"] {
        point.name = conditions(&point);
        return Ok(point);
    }
    let known: Vec<&str> = agents().map(AgentId::as_str).collect();
    point.agent = rest.iter().find(|word| known.contains(*word)).map(|word| (*word).to_owned());
    for word in &rest {
        if let Some((key, value)) = word.split_once('=') {
            match (key, value) {
                ("path", value) => point.path = Some(PathPattern::new(value).map_err(|why| why.to_string())?),
                ("session", value) => point.session = Some(value.to_owned()),
                ("timeout", value) => point.on_timeout = on_timeout(value)?,
                _ => return Err(format!("unknown key {key}=; known are path=, session=, timeout=, command=")),
            }
            continue;
        }
        if Some(*word) == point.agent.as_deref() {
            continue;
        }
        match event_named(point.agent.as_deref(), word).filter(|event| is_blocking(event)) {
            Some(event) if point.event.is_none() && can_be_held(&event) => {
                point.event = Some(known_event(point.agent.as_deref(), word)?);
                point.event_name = Some((*word).to_owned());
            }
            Some(_) if point.event.is_none() => {
                return Err(format!("{word} cannot be held: the agent waits there only for handlers"));
            }
            _ if point.tool.is_none() => {
                check_tool(word)?;
                point.tool = Some((*word).to_owned());
            }
            _ => return Err(format!("unexpected {word}: a breakpoint has one event and one tool")),
        }
    }
    if let Some(pattern) = command {
        point.command = Some(Regex::new(pattern).map_err(|_| {
            "this is not a valid pattern; write a regular expression without look-around and back references".to_owned()
        })?);
    }
    point.name = conditions(&point);
    Ok(point)
}

fn on_timeout(word: &str) -> Result<TimeoutAction, String> {
    TimeoutAction::from_word(word).ok_or_else(|| "timeout= must be pass, deny or ask".to_owned())
}

/// The conditions of a breakpoint, in one line; `everything` if it has none.
pub fn conditions(point: &Breakpoint) -> String {
    let named = |name: &str, value: Option<&str>| value.map(|value| format!("{name}={value}"));
    let parts = [
        point.agent.clone(),
        point.event_name.as_ref().or(point.event.as_ref()).cloned(),
        point.tool.clone(),
        named("path", point.path.as_ref().map(PathPattern::text)),
        named("session", point.session.as_deref()),
        named("command", point.command.as_ref().map(Regex::as_str)),
    ];
    let words: Vec<String> = parts.into_iter().flatten().collect();
    if words.is_empty() { "everything".to_owned() } else { words.join(" ") }
}

/// The action of a breakpoint, as a word of the settings.
pub fn action_word(point: &Breakpoint) -> &'static str {
    match &point.action {
        BreakpointAction::Hold => "hold",
        BreakpointAction::Fixed(decision) => decision.kind().word(),
    }
}

/// All lines of both texts, each with a prefix: `-` removed, `+` added, a space if unchanged.
pub fn line_diff(before: &str, after: &str) -> Vec<String> {
    let lines = diff_lines(before, after);
    lines.iter().map(|line| format!("{} {}", line.sign.mark(), line.text.trim_end_matches('\n'))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_one_breakpoint() {
        for (text, want) in [
            ("hold", Err("name what to hold, for example: hold PreToolUse Bash")),
            ("hold everything", Ok("everything, pass")),
            ("hold PreToolUse Bash", Ok("PreToolUse Bash, pass")),
            ("hold pre_tool_use timeout=deny command=^git push .*$", Ok("pre_tool_use command=^git push .*$, deny")),
            ("hold path=src/** Stop", Ok("Stop path=src/**, pass")),
            ("PreToolUse", Err("a breakpoint starts with hold, for example: hold PreToolUse Bash")),
            ("hold SessionStart", Err("SessionStart cannot be held: the agent waits there only for handlers")),
            ("hold Bash Edit", Err("unexpected Edit: a breakpoint has one event and one tool")),
            ("hold PreToolUze Bsh", Err("no agent has an event or a tool PreToolUze; did you mean PreToolUse?")),
            ("hold PreToolUse Bsh", Err("no agent has an event or a tool Bsh; did you mean Bash?")),
            ("hold nonsense", Err("no agent has an event or a tool nonsense; `hookbench events`")),
            ("hold BeforeTool mcp__git__push", Ok("BeforeTool mcp__git__push, pass")),
            ("hold copilot PreToolUse", Ok("copilot PreToolUse, pass")),
            ("hold command=(", Err("this is not a valid pattern")),
            ("hold timeout=later", Err("timeout= must be pass, deny or ask")),
            ("hold colour=red", Err("unknown key colour=")),
        ] {
            let read =
                read_breakpoint(text).map(|point| format!("{}, {}", conditions(&point), point.on_timeout.word()));
            match (read, want) {
                (Ok(read), Ok(want)) => assert_eq!(read, want, "{text}"),
                (Err(read), Err(want)) => assert!(read.starts_with(want), "{text}: {read}"),
                (read, want) => panic!("{text}: {read:?}, not {want:?}"),
            }
        }
    }
}
