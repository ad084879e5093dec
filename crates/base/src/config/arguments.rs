//! The arguments with which a user starts an agent. Each agent has a table of the flags of its program; what hookbench
//! does not follow is named, never guessed.

use super::Place;
use crate::diagnostic::{Code, Diagnostic};
use crate::names::AgentId;
use crate::text::shell::{PartContent, Shell};

/// A flag of an agent's program.
#[derive(Debug, PartialEq, Eq)]
pub struct AgentFlag {
    /// Its spellings, with the dashes.
    pub names: &'static [&'static str],
    pub value: FlagValue,
    pub effect: FlagEffect,
}

/// The values that a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagValue {
    Nothing,
    One,
    /// One, unless the next word is a flag.
    Optional,
    /// All words up to the next flag.
    Several,
}

/// The effect of a flag on the hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagEffect {
    /// The rules of the agent follow it.
    Followed,
    /// Nothing.
    Nothing,
    /// It can change which hooks run, and hookbench does not follow it. The text is what to do or what is not known.
    NotFollowed(&'static str),
}

/// The words of a user's command line for one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentArguments {
    pub agent: AgentId,
    pub words: Vec<String>,
}

impl AgentArguments {
    /// Splits a text into words as a shell does.
    ///
    /// # Errors
    /// Returns an error if a quote is not closed, or if a shell would replace a part.
    pub fn split(text: &str) -> Result<Vec<String>, String> {
        let shell = Shell::parse(text);
        if let Some(error) = &shell.syntax_error {
            return Err(error.message.clone());
        }
        let [command] = shell.commands.as_slice() else {
            return if shell.commands.is_empty() {
                Ok(Vec::new())
            } else {
                Err("it is more than one command".to_owned())
            };
        };
        let literal = |part: &PartContent| match part {
            PartContent::Text(text) => Ok(text.clone()),
            _ => Err("a shell would replace a part of it; write its value".to_owned()),
        };
        command.words.iter().map(|word| word.parts.iter().map(|part| literal(&part.piece)).collect()).collect()
    }
}

/// One flag as the user gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenFlag {
    pub flag: &'static AgentFlag,
    pub values: Vec<String>,
    /// For messages: the flag with its value, shortened.
    pub shown: String,
}

impl GivenFlag {
    /// The value; empty if it has none.
    pub fn value(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }
}

/// The arguments of a place, read by the table of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenFlags {
    pub flags: Vec<GivenFlag>,
    /// Words that begin with a dash and that hookbench does not know as flags of the agent.
    pub unknown: Vec<String>,
    /// Flags without the value that they need.
    pub incomplete: Vec<String>,
}

impl GivenFlags {
    /// The flags of this agent in a place.
    pub fn of(place: &Place, agent: &str, table: &'static [AgentFlag]) -> GivenFlags {
        let own = place.arguments.as_ref().filter(|arguments| arguments.agent == agent);
        own.map(|arguments| GivenFlags::read(table, &arguments.words)).unwrap_or_default()
    }

    /// Reads words. Those that are neither flags nor their values, such as a prompt, are left out.
    pub fn read(table: &'static [AgentFlag], words: &[String]) -> GivenFlags {
        let mut given = GivenFlags::default();
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            if word == "--" {
                break;
            }
            if word.len() < 2 || !word.starts_with('-') {
                continue;
            }
            let Some((flag, name, attached)) = find(table, word) else {
                given.unknown.push(word.split('=').next().unwrap_or(word).to_owned());
                continue;
            };
            let mut values: Vec<String> = attached.map(str::to_owned).into_iter().collect();
            let is_value = |next: &&String| !next.starts_with('-') || next.len() < 2;
            match flag.value {
                FlagValue::One if values.is_empty() => values.extend(rest.next().cloned()),
                FlagValue::Optional if values.is_empty() => values.extend(rest.next_if(is_value).cloned()),
                FlagValue::Several => {
                    while let Some(next) = rest.next_if(is_value) {
                        values.push(next.clone());
                    }
                }
                _ => {}
            }
            if flag.value == FlagValue::One && values.is_empty() {
                given.incomplete.push(name.to_owned());
                continue;
            }
            let shown = [name].into_iter().chain(values.iter().map(String::as_str)).map(shorten);
            let shown = shown.collect::<Vec<_>>().join(" ");
            given.flags.push(GivenFlag { flag, values, shown });
        }
        given
    }

    /// The uses of a flag, by one of its names, in order.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a GivenFlag> {
        self.flags.iter().filter(move |given| given.flag.names.contains(&name))
    }

    /// The last use of a flag, which counts where a flag can be given once.
    pub fn last(&self, name: &str) -> Option<&GivenFlag> {
        self.flags.iter().rfind(|given| given.flag.names.contains(&name))
    }

    /// The arguments that hookbench does not follow, each as a sentence.
    pub fn problems(&self, agent: &str) -> Vec<String> {
        let unknown = self.unknown.iter().map(|word| {
            format!("the argument {word} of {agent} is unknown, so hookbench ignores it; it may change which hooks run")
        });
        let incomplete =
            self.incomplete.iter().map(|name| format!("the argument {name} needs a value, so hookbench ignores it"));
        let others = self.flags.iter().filter_map(|given| match given.flag.effect {
            FlagEffect::NotFollowed(why) => {
                Some(format!("the argument {} of {agent} is not followed: {why}", given.shown))
            }
            FlagEffect::Followed | FlagEffect::Nothing => None,
        });
        unknown.chain(incomplete).chain(others).collect()
    }

    /// The same as findings.
    pub fn findings(&self, agent: &str) -> impl Iterator<Item = Diagnostic> {
        self.problems(agent).into_iter().map(|message| {
            let help = "the verdicts hold for a start without it; delete it from --agent-args if it does not matter";
            Diagnostic::new(Code::HW715, message).in_file("--agent-args").with_help(help)
        })
    }
}

/// The row of a word, the name as written, and the value that is attached to it.
fn find<'w>(table: &'static [AgentFlag], word: &'w str) -> Option<(&'static AgentFlag, &'w str, Option<&'w str>)> {
    let by_name = |name: &str| table.iter().find(|flag| flag.names.contains(&name));
    if let Some(flag) = by_name(word) {
        return Some((flag, word, None));
    }
    if let Some((name, value)) = word.split_once('=')
        && let Some(flag) = by_name(name)
    {
        return Some((flag, name, Some(value)));
    }
    // A value may follow a short flag without a blank.
    let (name, value) = word.split_at_checked(2).filter(|_| !word.starts_with("--"))?;
    let flag = by_name(name).filter(|flag| flag.value != FlagValue::Nothing)?;
    Some((flag, name, Some(value)))
}

/// A long value, such as a document, is shortened.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// Whether a path is not that of a file: the text is in an argument, so nothing can change it.
pub fn is_argument(path: &str) -> bool {
    path.starts_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn flag(names: &'static [&'static str], value: FlagValue, effect: FlagEffect) -> AgentFlag {
        AgentFlag { names, value, effect }
    }

    static TABLE: &[AgentFlag] = &[
        flag(&["--settings"], FlagValue::One, FlagEffect::Followed),
        flag(&["-c", "--config"], FlagValue::One, FlagEffect::Followed),
        flag(&["--bare"], FlagValue::Nothing, FlagEffect::Followed),
        flag(&["-r", "--resume"], FlagValue::Optional, FlagEffect::Nothing),
        flag(&["--tools"], FlagValue::Several, FlagEffect::Nothing),
        flag(&["--cwd"], FlagValue::One, FlagEffect::NotFollowed("use --project")),
    ];

    #[test]
    fn words_are_split_as_a_shell_does() {
        for (text, want) in [
            ("", Ok(vec![])),
            ("--a b", Ok(vec!["--a", "b"])),
            (r#"--s '{"a": "b c"}' -x"#, Ok(vec!["--s", r#"{"a": "b c"}"#, "-x"])),
            (r#"-c "a=\"b\"" c\ d"#, Ok(vec!["-c", r#"a="b""#, "c d"])),
            ("--s $FILE", Err("a shell would replace a part of it; write its value")),
            ("a; b", Err("it is more than one command")),
        ] {
            let want = want.map(|words| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
            assert_eq!(AgentArguments::split(text), want.map_err(str::to_owned), "{text}");
        }
        assert!(AgentArguments::split("--s 'open").is_err());
    }

    #[test]
    fn flags_take_their_values() {
        for (line, want) in [
            ("--settings a", "--settings a"),
            ("--settings=a=b", "--settings a=b"),
            ("-ca=b", "-c a=b"),
            ("-c=a=b", "-c a=b"),
            ("--config a", "--config a"),
            ("run --bare text", "--bare"),
            ("-r id --bare", "-r id|--bare"),
            ("-r --bare", "-r|--bare"),
            ("--tools a b --bare", "--tools a b|--bare"),
            ("--settings -x", "--settings -x"),
            ("-- --bare", ""),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let given = GivenFlags::read(TABLE, &words);
            let shown: Vec<&str> = given.flags.iter().map(|flag| flag.shown.as_str()).collect();
            assert_eq!(shown.join("|"), want, "{line}");
            assert!(given.problems("A").is_empty(), "{line}");
        }
    }

    #[test]
    fn what_is_not_followed_is_named() {
        let words = ["--new=5", "--cwd", "d", "--settings"].map(str::to_owned);
        let given = GivenFlags::read(TABLE, &words);
        assert_eq!(
            given.problems("A"),
            [
                "the argument --new of A is unknown, so hookbench ignores it; it may change which hooks run",
                "the argument --settings needs a value, so hookbench ignores it",
                "the argument --cwd d of A is not followed: use --project",
            ]
        );
    }
}
