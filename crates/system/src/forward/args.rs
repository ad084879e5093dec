//! The argument parser of `hookbench forward`. A parser that exits on errors would use status 2, which every agent
//! interprets as "block". This one accepts what it understands and reports the rest.

use std::ffi::OsString;
use std::path::PathBuf;

use super::outcome::ForwardNote;

/// The parsed arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForwardArgs {
    pub agent: Option<String>,
    /// The name as spelled on the command line.
    pub event: Option<String>,
    pub socket: Option<PathBuf>,
    pub help: bool,
    /// The arguments that were not understood.
    pub notes: Vec<ForwardNote>,
}

impl ForwardArgs {
    /// Parses `--name value` and `--name=value`.
    pub fn parse(args: impl Iterator<Item = OsString>) -> ForwardArgs {
        let mut asked = ForwardArgs::default();
        let mut args = args.peekable();
        while let Some(arg) = args.next() {
            let text = arg.to_string_lossy().into_owned();
            let (name, joined) = match text.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(OsString::from(value))),
                _ => (text.clone(), None),
            };
            let wrong = match name.as_str() {
                "--help" | "-h" => {
                    asked.help = true;
                    None
                }
                "--agent" | "--event" | "--socket" => {
                    let is_value = |next: &OsString| !next.to_string_lossy().starts_with("--");
                    match joined.or_else(|| args.next_if(is_value)).filter(|value| !value.is_empty()) {
                        Some(value) => {
                            asked.take(&name, value);
                            None
                        }
                        None => Some(format!("{name} needs a value")),
                    }
                }
                _ => Some(format!("unknown argument {text}")),
            };
            asked.notes.extend(wrong.map(|says| ForwardNote::new("arguments", says)));
        }
        asked
    }

    fn take(&mut self, name: &str, value: OsString) {
        let text = || Some(value.to_string_lossy().into_owned());
        match name {
            "--agent" => self.agent = text(),
            "--event" => self.event = text(),
            _ => self.socket = Some(value.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_understood_is_taken() {
        let parse = |line: &str| ForwardArgs::parse(line.split_whitespace().map(OsString::from));
        let some = |text: &str| Some(text.to_owned());
        let full =
            ForwardArgs { agent: some("a"), event: some("Stop"), socket: Some("/s".into()), ..ForwardArgs::default() };
        assert_eq!(parse("--agent a --event Stop --socket /s"), full);
        assert_eq!(parse("--agent=a --event=Stop --socket=/s"), full);
        for (line, agent, says) in [
            ("--bogus --agent a", some("a"), vec!["unknown argument --bogus"]),
            ("a", None, vec!["unknown argument a"]),
            ("--agent", None, vec!["--agent needs a value"]),
            ("--agent --event", None, vec!["--agent needs a value", "--event needs a value"]),
            ("--agent=", None, vec!["--agent needs a value"]),
        ] {
            let notes = says.into_iter().map(|says| ForwardNote::new("arguments", says)).collect();
            assert_eq!(parse(line), ForwardArgs { agent, notes, ..ForwardArgs::default() }, "{line}");
        }
    }
}
