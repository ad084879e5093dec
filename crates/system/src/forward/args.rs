//! The argument parser of `hookbench forward`. A parser that exits on errors would use status 2, which every agent
//! interprets as "block". This one accepts what it understands and reports the rest.

use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

use super::outcome::ForwardNote;
use hookbench_core::live::MAX_PAYLOAD;

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

/// The received payload.
#[derive(Debug, PartialEq, Eq)]
pub struct PayloadInput {
    /// The beginning, up to [`MAX_PAYLOAD`] bytes.
    pub kept: Vec<u8>,
    /// The total number of bytes.
    pub total: u64,
}

impl PayloadInput {
    /// Reads to the end. A read error counts as the end.
    pub fn read(stream: &mut impl Read) -> PayloadInput {
        let mut input = PayloadInput { kept: Vec::new(), total: 0 };
        let mut bytes = [0; 32 * 1024];
        loop {
            match stream.read(&mut bytes) {
                Ok(0) => return input,
                Ok(count) => {
                    let room = MAX_PAYLOAD.saturating_sub(input.kept.len());
                    input.kept.extend_from_slice(&bytes[..count.min(room)]);
                    input.total += count as u64;
                }
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(_) => return input,
            }
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

#[cfg(test)]
mod payload_input_tests {
    use super::*;

    #[test]
    fn the_rest_is_counted_and_not_kept() {
        for (length, kept) in [(0, 0), (MAX_PAYLOAD, MAX_PAYLOAD), (MAX_PAYLOAD + 1, MAX_PAYLOAD)] {
            let input = PayloadInput::read(&mut std::io::repeat(b'x').take(length as u64));
            assert_eq!((input.kept.len(), input.total), (kept, length as u64));
        }
    }
}
