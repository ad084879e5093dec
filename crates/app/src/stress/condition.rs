//! The conditions of the world under which a hook is run.

use serde_json::Value;

/// A change of the payload.
#[derive(Debug, Clone, PartialEq)]
pub enum PayloadFault {
    /// A key, as a JSON pointer, is missing.
    Missing(String),
    /// A key has another value.
    Value(String, Value),
    /// The object has no keys.
    Empty,
    NotJson,
    /// A text contains the character NUL.
    Nul,
    /// A text contains bytes that are not UTF-8.
    InvalidUtf8,
}

/// One condition.
#[derive(Debug, Clone, PartialEq)]
pub enum WorldCondition {
    Repeated,
    StdinClosed,
    StdinEmpty,
    StdinHeldOpen,
    /// The payload has this size in MB.
    LargePayload(usize),
    Payload(PayloadFault),
    NoHome,
    NoTerminal,
    EmptyPath,
    WithoutProgram(String),
    OtherDirectory,
    /// The event names another directory, as after `cd`.
    OtherEventDirectory,
    OddProjectPath,
    SigtermIgnored,
    ChildKeepsStdout,
    TwentyAtOnce,
    SlowDisk,
    /// The hook takes this percentage of its time limit.
    TimeLimit(u32),
}

impl WorldCondition {
    /// The conditions, in the order of their runs. `keys` are JSON pointers to the part of the payload that a guard
    /// reads, from the outside to the inside.
    pub fn all(keys: &[String], programs: &[String]) -> Vec<WorldCondition> {
        use PayloadFault as P;
        use WorldCondition as W;
        let mut all = vec![W::Repeated, W::StdinClosed, W::StdinEmpty, W::StdinHeldOpen];
        all.extend([W::LargePayload(1), W::LargePayload(10)]);
        for key in keys {
            all.push(W::Payload(P::Missing(key.clone())));
            all.push(W::Payload(P::Value(key.clone(), Value::Null)));
        }
        if let Some(key) = keys.last() {
            all.push(W::Payload(P::Value(key.clone(), Value::from(7))));
            all.push(W::Payload(P::Value(key.clone(), Value::Array(Vec::new()))));
        }
        all.extend([P::Empty, P::NotJson, P::Nul, P::InvalidUtf8].map(W::Payload));
        all.extend([W::NoHome, W::NoTerminal, W::EmptyPath]);
        all.extend(programs.iter().cloned().map(W::WithoutProgram));
        all.extend([
            W::OtherDirectory,
            W::OtherEventDirectory,
            W::OddProjectPath,
            W::SigtermIgnored,
            W::ChildKeepsStdout,
            W::TwentyAtOnce,
        ]);
        all.push(W::SlowDisk);
        all.extend([50, 90, 110].map(W::TimeLimit));
        all
    }

    /// The name in documents and lists.
    pub fn name(&self) -> String {
        let last = |key: &str| key.rsplit('/').next().unwrap_or(key).to_owned();
        match self {
            WorldCondition::Repeated => "run again".to_owned(),
            WorldCondition::StdinClosed => "stdin closed".to_owned(),
            WorldCondition::StdinEmpty => "stdin empty".to_owned(),
            WorldCondition::StdinHeldOpen => "stdin held open".to_owned(),
            WorldCondition::LargePayload(size) => format!("{size} MB payload"),
            WorldCondition::Payload(change) => match change {
                PayloadFault::Missing(key) => format!("without {}", last(key)),
                PayloadFault::Value(key, value) => format!("{} is {value}", last(key)),
                PayloadFault::Empty => "empty object".to_owned(),
                PayloadFault::NotJson => "payload is not JSON".to_owned(),
                PayloadFault::Nul => "NUL in a text".to_owned(),
                PayloadFault::InvalidUtf8 => "invalid UTF-8".to_owned(),
            },
            WorldCondition::NoHome => "no HOME".to_owned(),
            WorldCondition::NoTerminal => "no terminal".to_owned(),
            WorldCondition::EmptyPath => "empty PATH".to_owned(),
            WorldCondition::WithoutProgram(program) => format!("without {program}"),
            WorldCondition::OtherDirectory => "another directory".to_owned(),
            WorldCondition::OtherEventDirectory => "another cwd in the event".to_owned(),
            WorldCondition::OddProjectPath => "blank and quote in the path".to_owned(),
            WorldCondition::SigtermIgnored => "SIGTERM at the time limit".to_owned(),
            WorldCondition::ChildKeepsStdout => "child keeps stdout".to_owned(),
            WorldCondition::TwentyAtOnce => "20 at once".to_owned(),
            WorldCondition::SlowDisk => "slow disk".to_owned(),
            WorldCondition::TimeLimit(percent) => {
                format!("{}.{} of the time limit", percent / 100, percent % 100 / 10)
            }
        }
    }

    /// Whether the condition occurs when an agent runs the hook. The others show what another caller has to do: every
    /// agent sends complete JSON and closes stdin.
    pub fn occurs(&self) -> bool {
        use WorldCondition as W;
        match self {
            W::StdinClosed | W::StdinEmpty | W::StdinHeldOpen | W::EmptyPath => false,
            W::Payload(fault) => *fault == PayloadFault::Nul,
            _ => true,
        }
    }

    /// Whether the headline names the condition. All hooks that exceed their time limit have the same result, so it
    /// tells hooks apart as little as a condition that never occurs.
    pub fn is_in_headline(&self) -> bool {
        self.occurs() && !matches!(self, WorldCondition::TimeLimit(percent) if *percent > 100)
    }

    /// The words after a result in a headline, as in "fails open without jq".
    pub fn phrase(&self) -> String {
        let last = |key: &str| key.rsplit('/').next().unwrap_or(key).to_owned();
        match self {
            WorldCondition::Repeated => "when run again".to_owned(),
            WorldCondition::StdinClosed => "with a closed stdin".to_owned(),
            WorldCondition::StdinEmpty => "with an empty stdin".to_owned(),
            WorldCondition::StdinHeldOpen => "while stdin stays open".to_owned(),
            WorldCondition::LargePayload(size) => format!("with a payload of {size} MB"),
            WorldCondition::Payload(change) => match change {
                PayloadFault::Missing(key) => format!("without the key {}", last(key)),
                PayloadFault::Value(key, value) => format!("if {} is {value}", last(key)),
                PayloadFault::Empty => "with an empty payload".to_owned(),
                PayloadFault::NotJson => "if the payload is not JSON".to_owned(),
                PayloadFault::Nul => "with NUL in a text".to_owned(),
                PayloadFault::InvalidUtf8 => "with invalid UTF-8".to_owned(),
            },
            WorldCondition::NoHome => "without HOME".to_owned(),
            WorldCondition::NoTerminal => "without a terminal".to_owned(),
            WorldCondition::EmptyPath => "with an empty PATH".to_owned(),
            WorldCondition::WithoutProgram(program) => format!("without {program}"),
            WorldCondition::OtherDirectory => "in another directory".to_owned(),
            WorldCondition::OtherEventDirectory => "after cd to another directory".to_owned(),
            WorldCondition::OddProjectPath => "with a blank and a quote in the path".to_owned(),
            WorldCondition::SigtermIgnored => "after SIGTERM at the time limit".to_owned(),
            WorldCondition::ChildKeepsStdout => "while a child keeps stdout open".to_owned(),
            WorldCondition::TwentyAtOnce => "with 20 runs at once".to_owned(),
            WorldCondition::SlowDisk => "on a slow disk".to_owned(),
            WorldCondition::TimeLimit(_) => format!("at {}", self.name()),
        }
    }

    /// One sentence that describes the change.
    pub fn description(&self) -> String {
        match self {
            WorldCondition::Repeated => "the same event is fired three times".to_owned(),
            WorldCondition::StdinClosed => "the hook starts with a closed stdin".to_owned(),
            WorldCondition::StdinEmpty => "the hook receives no bytes on stdin".to_owned(),
            WorldCondition::StdinHeldOpen => "stdin stays open for 3 seconds after the payload".to_owned(),
            WorldCondition::LargePayload(size) => format!("a text of the payload has {size} MB"),
            WorldCondition::Payload(change) => match change {
                PayloadFault::Missing(key) => format!("the payload has no {key}"),
                PayloadFault::Value(key, value) => format!("{key} of the payload is {value}"),
                PayloadFault::Empty => "the payload is {}".to_owned(),
                PayloadFault::NotJson => "stdin contains a text that is not JSON".to_owned(),
                PayloadFault::Nul => "a text of the payload contains \\u0000".to_owned(),
                PayloadFault::InvalidUtf8 => "a text of the payload contains the byte 0xFF".to_owned(),
            },
            WorldCondition::NoHome => "HOME is not set".to_owned(),
            WorldCondition::NoTerminal => "the hook runs in a session without a terminal".to_owned(),
            WorldCondition::EmptyPath => "PATH names an empty directory".to_owned(),
            WorldCondition::WithoutProgram(program) => format!("PATH has every program except {program}"),
            WorldCondition::OtherDirectory => "the hook starts in another directory".to_owned(),
            WorldCondition::OtherEventDirectory => {
                "cwd of the event is another directory, which is the case after cd".to_owned()
            }
            WorldCondition::OddProjectPath => "the project's path contains a blank and a quote".to_owned(),
            WorldCondition::SigtermIgnored => "the hook reaches its time limit and receives SIGTERM".to_owned(),
            WorldCondition::ChildKeepsStdout => "another process keeps stdout open for 3 seconds".to_owned(),
            WorldCondition::TwentyAtOnce => "twenty runs start at the same time".to_owned(),
            WorldCondition::SlowDisk => {
                "each access to a file by its name takes 1 ms longer, as on a network drive".to_owned()
            }
            WorldCondition::TimeLimit(percent) => format!("the hook takes {percent} % of its time limit"),
        }
    }
}
