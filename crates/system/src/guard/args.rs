//! The argument parser of `hookbench guard NAME`.

use std::ffi::OsString;
use std::time::Duration;

use hookbench_core::dialects::{self, Agent};
use hookbench_core::guard::{GuardMode, GuardName};

/// The parsed arguments.
pub struct GuardArgs {
    pub guard: GuardName,
    /// The agent that runs the guard, if it is named.
    pub agent: Option<&'static Agent>,
    pub mode: Option<GuardMode>,
    pub all_rules: bool,
    /// The time limit that the agent has for this hook, if it is named.
    pub limit: Option<Duration>,
}

impl GuardArgs {
    /// Parses the arguments after `guard`.
    pub fn parse(args: impl Iterator<Item = OsString>) -> Result<GuardArgs, String> {
        let (mut guard, mut agent, mut mode, mut all_rules, mut limit) = (None, None, None, false, None);
        let mut args = args.map(|arg| arg.to_string_lossy().into_owned());
        while let Some(arg) = args.next() {
            let (name, joined) = match arg.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (arg.clone(), None),
            };
            if !name.starts_with('-') {
                if guard.is_some() {
                    return Err(format!("one guard at a time: {arg} is too much"));
                }
                let known: Vec<&str> = GuardName::ALL.iter().map(|guard| guard.word()).collect();
                let unknown = || format!("unknown guard {arg}; the guards are {}", known.join(", "));
                guard = Some(GuardName::from_word(&arg).ok_or_else(unknown)?);
                continue;
            }
            let value = joined.or_else(|| args.next()).ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--agent" => agent = Some(dialects::by_id(&value).ok_or_else(|| unknown_agent(&value))?),
                "--mode" => {
                    let unknown = || format!("unknown mode {value}; the modes are shadow, warn, deny");
                    mode =
                        Some(GuardMode::from_word(&value).filter(|mode| *mode != GuardMode::Off).ok_or_else(unknown)?);
                }
                "--rules" => match value.as_str() {
                    "all" => all_rules = true,
                    "recommended" => all_rules = false,
                    _ => return Err(format!("--rules is recommended or all, and not {value}")),
                },
                "--limit" => {
                    let seconds = value.parse::<f64>().ok().and_then(|number| Duration::try_from_secs_f64(number).ok());
                    let wrong = || format!("--limit is the number of seconds of the hook's timeout, and not {value}");
                    limit = Some(seconds.filter(|limit| !limit.is_zero()).ok_or_else(wrong)?);
                }
                _ => return Err(format!("unknown option {name}")),
            }
        }
        Ok(GuardArgs { guard: guard.ok_or("name a guard")?, agent, mode, all_rules, limit })
    }
}

fn unknown_agent(value: &str) -> String {
    let known: Vec<&str> = dialects::released().map(|dialect| dialect.id().as_str()).collect();
    format!("unknown agent {value}; the agents are {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_mistakes() {
        let parse = |line: &str| match GuardArgs::parse(line.split_whitespace().map(OsString::from)) {
            Ok(args) => format!(
                "{} {} {} {}",
                args.guard.word(),
                args.agent.map_or("?", |agent| agent.id().as_str()),
                args.mode.map_or("?", GuardMode::word),
                args.all_rules
            ),
            Err(says) => says,
        };
        let first = dialects::ALL[0].id();
        for (line, want) in [
            ("malicious".to_owned(), "malicious ? ? false".to_owned()),
            ("MaliciousBehaviorValidator --mode deny".to_owned(), "malicious ? deny false".to_owned()),
            (format!("--agent={first} todo --rules all --mode=warn"), format!("todo {first} warn true")),
            ("todo --mode off".to_owned(), "unknown mode off; the modes are shadow, warn, deny".to_owned()),
            ("todo quality".to_owned(), "one guard at a time: quality is too much".to_owned()),
            (
                "tod".to_owned(),
                "unknown guard tod; the guards are response, todo, malicious, quality, research".to_owned(),
            ),
            (
                "todo --limit soon".to_owned(),
                "--limit is the number of seconds of the hook's timeout, and not soon".to_owned(),
            ),
            ("todo --mode".to_owned(), "--mode needs a value".to_owned()),
            ("todo --verbose 1".to_owned(), "unknown option --verbose".to_owned()),
            (String::new(), "name a guard".to_owned()),
        ] {
            assert_eq!(parse(&line), want, "{line}");
        }
    }
}
