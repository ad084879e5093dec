//! The argument parser of `hookbench adapt`. A parser that ends with status 2 on an error would refuse whatever the
//! agent is about to do.

use std::ffi::OsString;

use hookbench_core::dialects::{self, Agent};

/// The parsed arguments.
pub struct AdaptRequest {
    /// The agent that the script was written for.
    pub from: &'static Agent,
    /// The agent that runs the hook, if it is named.
    pub agent: Option<&'static Agent>,
    /// The event as the script expects it, where its agent has several spellings.
    pub event: Option<String>,
    /// The script with its arguments; never empty.
    pub command: Vec<OsString>,
}

impl AdaptRequest {
    /// Parses the arguments. The command begins after `--`.
    pub fn parse(args: impl Iterator<Item = OsString>) -> Result<AdaptRequest, String> {
        let (mut from, mut agent, mut event, mut command) = (None, None, None, Vec::new());
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            let text = arg.to_string_lossy().into_owned();
            let (name, joined) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (text.clone(), None),
            };
            match name.as_str() {
                "--" => {
                    command.extend(args);
                    break;
                }
                "--from" | "--agent" | "--event" => {
                    let mut next = || args.next_if(|next| !next.to_string_lossy().starts_with("--"));
                    let value = joined.or_else(|| next().map(|next| next.to_string_lossy().into_owned()));
                    let value = value.ok_or_else(|| format!("{name} needs a value"))?;
                    if name == "--event" {
                        event = Some(value);
                        continue;
                    }
                    let released = dialects::by_id(&value).filter(|dialect| dialect.is_released());
                    let found = released.ok_or_else(|| unknown_agent(&value))?;
                    if name == "--from" { from = Some(found) } else { agent = Some(found) }
                }
                _ if text.starts_with('-') => return Err(format!("unknown option {text}")),
                _ => return Err(format!("write -- before the script: hookbench adapt --from AGENT -- {text}")),
            }
        }
        let from = from.ok_or("--from AGENT is missing: the agent that the script was written for")?;
        if command.is_empty() {
            return Err("the script is missing: write it after --".to_owned());
        }
        Ok(AdaptRequest { from, agent, event, command })
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
        let parse = |line: &str| match AdaptRequest::parse(line.split_whitespace().map(OsString::from)) {
            Ok(args) => {
                let agent = args.agent.map_or("?", |agent| agent.id().as_str());
                let event = args.event.map(|event| format!(" on {event}")).unwrap_or_default();
                format!("{} in {agent}{event}: {:?}", args.from.id(), args.command)
            }
            Err(says) => says,
        };
        let [first, second] = [0, 1].map(|at| dialects::ALL[at].id().as_str());
        let known: Vec<&str> = dialects::released().map(|dialect| dialect.id().as_str()).collect();
        for (line, want) in [
            (format!("--from {first} -- ./a.py -x --from"), format!("{first} in ?: [\"./a.py\", \"-x\", \"--from\"]")),
            (format!("--from={first} --agent={second} -- a"), format!("{first} in {second}: [\"a\"]")),
            (format!("--from {first} --event preX -- a"), format!("{first} in ? on preX: [\"a\"]")),
            ("-- a".to_owned(), "--from AGENT is missing: the agent that the script was written for".to_owned()),
            (format!("--from {first}"), "the script is missing: write it after --".to_owned()),
            (format!("--from {first} --"), "the script is missing: write it after --".to_owned()),
            ("--from -- a".to_owned(), "--from needs a value".to_owned()),
            ("--from nobody -- a".to_owned(), format!("unknown agent nobody; the agents are {}", known.join(", "))),
            (
                format!("--from {first} a.py"),
                "write -- before the script: hookbench adapt --from AGENT -- a.py".to_owned(),
            ),
            ("--form x".to_owned(), "unknown option --form".to_owned()),
        ] {
            assert_eq!(parse(&line), want, "{line}");
        }
    }
}
