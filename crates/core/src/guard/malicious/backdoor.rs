//! MB-R8: a command or file that lets foreign code run.

use hookbench_script::{ScriptSource, is_interpreter, is_shell};

use crate::guard::command_reader::CheckedCommand;
use crate::guard::event::GuardEvent;
use crate::guard::event::{ContentChange, absolute, base_name};
use crate::guard::hit::GuardFinding;
use crate::guard::pattern::Pattern;
use crate::guard::rule::Surroundings;

/// Start-up files of shells, relative to the home directory.
const STARTUP: [&str; 11] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".kshrc",
    ".bash_logout",
    ".config/fish/config.fish",
];

static PLACE: Pattern = Pattern::new(
    &[],
    r"(^|/)\.ssh/authorized_keys$|^/etc/(cron[^/]*|systemd|profile\.d|rc\.local)(/.*)?$|/\.config/systemd/user/|/Library/Launch(Agents|Daemons)/",
);

/// Checks a command.
pub fn check(command: &CheckedCommand, event: &GuardEvent<'_>, around: &dyn Surroundings) -> Option<GuardFinding> {
    let found = |what: String| Some(GuardFinding::new("MB-R8", "", what, &command.source));
    // A pipe shows only as a whole.
    let piped = |what: String| Some(GuardFinding::new("MB-R8", "", what, event.command().unwrap_or(&command.source)));
    let program = command.program.as_str();
    let evaluates = matches!(program, "eval" | "source" | ".") || is_shell(program);
    let runs_stdin = is_interpreter(program) && matches!(ScriptSource::of(&command.words()), ScriptSource::Stdin(_));
    if runs_stdin && let Some(source) = command.piped_from.iter().find(|from| is_download(from)) {
        return piped(format!("{program} runs what {source} downloads"));
    }
    if runs_stdin && is_shell(program) && command.piped_from.iter().any(|from| from == "base64") {
        return piped(format!("{program} runs a text that base64 hides"));
    }
    if evaluates && let Some(source) = command.substitutes.iter().find(|inner| is_download(inner)) {
        return found(format!("{program} runs what {source} downloads"));
    }
    let devices = command.writes.iter().chain(&command.reads);
    if let Some(device) =
        devices.into_iter().find(|path| path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/"))
    {
        return found(format!("the command connects to {device}"));
    }
    let executes = |arg: &String| {
        arg.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(['e', 'c']))
    };
    if matches!(program, "nc" | "ncat" | "netcat") && command.args.iter().any(executes) {
        return found(format!("{program} connects a program to the network"));
    }
    if program == "crontab" && !command.args.iter().any(|arg| arg == "-l") {
        return found("crontab changes what the system runs later".to_owned());
    }
    let last = command.args.last().filter(|_| matches!(program, "cp" | "mv" | "ln" | "install"));
    let tee = command.args.iter().filter(|_| program == "tee");
    let mut written = command.writes.iter().chain(last).chain(tee);
    let target = written.find_map(|text| {
        let path = absolute(text, &event.cwd, around.home());
        is_startup(&path, around.home()).then_some(path)
    })?;
    found(format!("{target} runs its content later"))
}

fn is_download(program: &str) -> bool {
    matches!(program, "curl" | "wget")
}

/// Whether the system or a shell runs the content of a file later.
fn is_startup(path: &str, home: &str) -> bool {
    let in_home = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/')).filter(|_| !home.is_empty());
    in_home.is_some_and(|rest| STARTUP.contains(&rest)) || PLACE.is_match(path)
}

/// Checks the change of a file.
pub fn check_change(
    change: &ContentChange,
    _event: &GuardEvent<'_>,
    around: &dyn Surroundings,
) -> Option<GuardFinding> {
    if change.old == change.new || !is_startup(&change.absolute, around.home()) {
        return None;
    }
    let what = format!("{} runs its content later", base_name(&change.absolute));
    Some(GuardFinding::new("MB-R8", &change.absolute, what, change.new.lines().next_back().unwrap_or_default()))
}
