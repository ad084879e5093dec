//! The ways to the clipboard: a desktop tool, or the terminal itself (OSC 52), which also works over ssh. The
//! toast names the way used, because only a tool confirms that the text arrived.

use std::io::Write;
use std::process::{Command, Stdio};

use base64::Engine as _;
use hookbench_app::{DiskFiles, find_on_path};

/// The `clipboard` setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ClipboardChoice {
    #[default]
    Auto,
    Osc52,
    /// A command line that reads the text from stdin.
    Command(String),
    Off,
}

impl ClipboardChoice {
    /// Parses the setting's value.
    pub fn from_name(name: &str) -> Option<ClipboardChoice> {
        match name {
            "auto" => Some(ClipboardChoice::Auto),
            "osc52" => Some(ClipboardChoice::Osc52),
            "off" => Some(ClipboardChoice::Off),
            _ => name
                .strip_prefix("command:")
                .map(str::trim)
                .filter(|c| !c.is_empty())
                .map(|c| ClipboardChoice::Command(c.to_owned())),
        }
    }
}

/// The way that a text takes to the clipboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClipboardRoute {
    Terminal { tmux: bool },
    Tool(String),
    Off,
}

/// The desktop's variable, the program, and the command line of each tool.
const TOOLS: [(&str, &str, &str); 3] = [
    ("WAYLAND_DISPLAY", "wl-copy", "wl-copy"),
    ("DISPLAY", "xclip", "xclip -selection clipboard"),
    ("", "pbcopy", "pbcopy"),
];

/// Chooses the way for this environment. Over ssh a tool would fill the clipboard of the wrong machine.
pub fn route(
    wanted: &ClipboardChoice,
    var: &dyn Fn(&str) -> Option<String>,
    installed: &dyn Fn(&str) -> bool,
) -> ClipboardRoute {
    let set = |name: &str| name.is_empty() || var(name).is_some_and(|v| !v.is_empty());
    let terminal = ClipboardRoute::Terminal { tmux: set("TMUX") };
    match wanted {
        ClipboardChoice::Off => ClipboardRoute::Off,
        ClipboardChoice::Osc52 => terminal,
        ClipboardChoice::Command(line) => ClipboardRoute::Tool(line.clone()),
        ClipboardChoice::Auto if ["SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"].iter().any(|name| set(name)) => terminal,
        ClipboardChoice::Auto => {
            let tool = TOOLS.iter().find(|(desktop, program, _)| set(desktop) && installed(program));
            tool.map_or(terminal, |(_, _, line)| ClipboardRoute::Tool((*line).to_owned()))
        }
    }
}

/// Whether a program is on the PATH.
pub fn installed(program: &str) -> bool {
    std::env::var("PATH").is_ok_and(|path| find_on_path(program, &path, &DiskFiles).is_some())
}

/// Length that all terminals accept; some silently drop a longer text.
const OSC52_LIMIT: usize = 74_994;

/// Sends a text through the terminal and returns the message for the user.
pub fn through_terminal(text: &str, tmux: bool, out: &mut dyn Write) -> std::io::Result<String> {
    let encoded = base64::engine::general_purpose::STANDARD.encode(text);
    let sequence = format!("\u{1b}]52;c;{encoded}\u{7}");
    if tmux {
        // tmux forwards a wrapped sequence if its configuration allows it, and stores the plain one in its own
        // clipboard.
        write!(out, "\u{1b}Ptmux;{}\u{1b}\\", sequence.replace('\u{1b}', "\u{1b}\u{1b}"))?;
    }
    write!(out, "{sequence}")?;
    out.flush()?;
    let through = if tmux { "tmux and the terminal" } else { "the terminal" };
    let long = if encoded.len() > OSC52_LIMIT { " (long: some terminals drop it)" } else { "" };
    Ok(format!("copied through {through} (OSC 52){long}: {}", preview(text)))
}

/// Passes a text to a tool, waits for it, and returns the message for the user.
pub fn through_tool(text: &str, line: &str) -> String {
    let program = line.split_whitespace().next().unwrap_or(line);
    let started = Command::new("sh")
        .args(["-c", line])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .and_then(|mut child| {
            // A tool that does not read all of its input reports it through its exit status.
            let _ = child.stdin.take().map(|mut stdin| stdin.write_all(text.as_bytes()));
            child.wait()
        });
    match started {
        Ok(status) if status.success() => format!("copied with {program}: {}", preview(text)),
        Ok(status) => format!("not copied: {program} ended with {status}"),
        Err(why) => format!("not copied: {program} did not start: {why}"),
    }
}

fn preview(text: &str) -> String {
    let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default().trim();
    match text.trim().lines().count() {
        0 | 1 => first.to_owned(),
        2 => format!("{first} and one more line"),
        lines => format!("{first} and {} more lines", lines - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_depends_on_where_the_user_sits() {
        let go = |wanted: &str, set: &[&str], tools: &[&str]| {
            let var = |name: &str| set.contains(&name).then(|| "x".to_owned());
            route(&ClipboardChoice::from_name(wanted).unwrap(), &var, &|program| tools.contains(&program))
        };
        let terminal = |tmux| ClipboardRoute::Terminal { tmux };
        let tool = |line: &str| ClipboardRoute::Tool(line.to_owned());
        for (wanted, set, tools, want) in [
            ("auto", &["WAYLAND_DISPLAY"][..], &["wl-copy"][..], tool("wl-copy")),
            ("auto", &["DISPLAY"], &["wl-copy", "xclip"], tool("xclip -selection clipboard")),
            ("auto", &[], &["pbcopy"], tool("pbcopy")),
            ("auto", &[], &["wl-copy", "xclip"], terminal(false)),
            ("auto", &["DISPLAY", "SSH_TTY"], &["xclip"], terminal(false)),
            ("auto", &["SSH_CONNECTION", "TMUX"], &[], terminal(true)),
            ("osc52", &["DISPLAY"], &["xclip"], terminal(false)),
            ("command: tee x", &["SSH_TTY"], &[], tool("tee x")),
            ("off", &[], &[], ClipboardRoute::Off),
        ] {
            assert_eq!(go(wanted, set, tools), want, "{wanted} {set:?} {tools:?}");
        }
        for wrong in ["", "command:", "command: ", "clip"] {
            assert_eq!(ClipboardChoice::from_name(wrong), None);
        }
    }

    #[test]
    fn what_was_done_is_said() {
        let mut out = Vec::new();
        let says = through_terminal("a\nb", true, &mut out).unwrap();
        assert_eq!(says, "copied through tmux and the terminal (OSC 52): a and one more line");
        let raw = String::from_utf8(out).unwrap();
        assert_eq!(raw, "\u{1b}Ptmux;\u{1b}\u{1b}]52;c;YQpi\u{7}\u{1b}\\\u{1b}]52;c;YQpi\u{7}");
        assert_eq!(through_tool("text", "cat"), "copied with cat: text");
        assert!(through_tool("text", "exit 3").starts_with("not copied: exit ended with exit status: 3"));
    }
}
