//! Commands that run a script of another agent: `hookbench adapt --from AGENT -- SCRIPT`.

/// The parts of such a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdaptedCommand<'a> {
    /// The id of the agent that the script was written for.
    pub from: &'a str,
    /// The script with its arguments.
    pub command: &'a str,
}

/// The parts of a command that adapts a script. `None` for any other command.
pub fn adapted_command(command: &str) -> Option<AdaptedCommand<'_>> {
    let (options, script) = command.split_once(" -- ")?;
    let mut words = options.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    words.next().filter(|word| word.rsplit('/').next() == Some("hookbench"))?;
    words.next().filter(|word| *word == "adapt")?;
    let mut from = None;
    while let Some(word) = words.next() {
        match word.split_once('=') {
            Some(("--from", agent)) => from = Some(agent),
            None if word == "--from" => from = words.next(),
            None if matches!(word, "--agent" | "--event") => drop(words.next()),
            _ => {}
        }
    }
    Some(AdaptedCommand { from: from?, command: script.trim() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapted_commands_are_taken_apart() {
        let found = |command| adapted_command(command).map(|adapted| (adapted.from, adapted.command));
        for (command, want) in [
            ("hookbench adapt --from a -- ./guard.py", Some(("a", "./guard.py"))),
            ("/opt/hookbench adapt --agent b --from=a -- sh -c 'x -- y'", Some(("a", "sh -c 'x -- y'"))),
            ("hookbench adapt --from a --event preX --agent b -- ./g.sh", Some(("a", "./g.sh"))),
            ("hookbench adapt -- ./guard.py", None),
            ("hookbench forward --from a -- x", None),
            ("git checkout -- file", None),
            ("./guard.py", None),
        ] {
            assert_eq!(found(command), want, "{command}");
        }
    }
}
