//! Ids and names by which other types refer to things: rules, rungs, definitions, runs and streams.
//!
//! They are in the lowest module, so that a trace can refer to a run, and a definition to a rung, without circular
//! dependencies between modules. Most code uses the re-exports: `run::RunId`, `plan::RungName`.

use std::fmt;

use serde::Serialize;

/// The id of a supported agent, as in `--agent` and in documents. Text from outside becomes an id by
/// looking up its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct AgentId(&'static str);

impl AgentId {
    /// The id with this text. Only dialects declare ids.
    pub const fn new(text: &'static str) -> AgentId {
        AgentId(text)
    }

    /// The text in documents.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl PartialEq<str> for AgentId {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for AgentId {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl PartialEq<String> for AgentId {
    fn eq(&self, other: &String) -> bool {
        self.0 == other
    }
}

impl PartialEq<AgentId> for &str {
    fn eq(&self, other: &AgentId) -> bool {
        *self == other.0
    }
}

impl PartialEq<AgentId> for String {
    fn eq(&self, other: &AgentId) -> bool {
        self == other.0
    }
}

/// The id of a rule of an agent's behaviour, such as `decide.any-deny`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RuleId(&'static str);

impl RuleId {
    /// The id with this text. The agents declare their ids in tables, with [`rules!`](crate::rules).
    pub const fn new(text: &'static str) -> RuleId {
        RuleId(text)
    }

    /// The text in JSON documents.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

/// Declares rules as constants, and a list of them.
#[macro_export]
macro_rules! rules {
    ($(#[$list_doc:meta])* $list:ident: $($(#[$doc:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$doc])* pub const $name: $crate::names::RuleId = $crate::names::RuleId::new($id);)*
        $(#[$list_doc])*
        pub const $list: &[$crate::names::RuleId] = &[$($name),*];
    };
}

/// Declares an enum whose values have a text each, or two, and the functions that return them; if they are named, also the
/// list of all values, and the function that finds the value of a text.
#[macro_export]
macro_rules! words {
    (
        $(#[$meta:meta])* $visibility:vis enum $name:ident {
            $($(#[$value_meta:meta])* $value:ident = $text:literal | $other_text:literal,)*
        }
        $(#[$doc:meta])* fn $word:ident;
        $(#[$other_doc:meta])* fn $other:ident;
        $($rest:tt)*
    ) => {
        $crate::words! {
            $(#[$meta])* $visibility enum $name { $($(#[$value_meta])* $value = $text,)* }
            $(#[$doc])* fn $word; $($rest)*
        }
        impl $name {
            $(#[$other_doc])*
            $visibility const fn $other(self) -> &'static str {
                match self {
                    $($name::$value => $other_text,)*
                }
            }
        }
    };
    (
        $(#[$meta:meta])* $visibility:vis enum $name:ident $values:tt
        $(#[$doc:meta])* fn $word:ident; const $all:ident; fn $parse:ident;
    ) => {
        $crate::words! { $(#[$meta])* $visibility enum $name $values $(#[$doc])* fn $word; const $all; }
        impl $name {
            /// The value with this text.
            $visibility fn $parse(text: &str) -> Option<$name> {
                $name::$all.into_iter().find(|value| value.$word() == text)
            }
        }
    };
    (
        $(#[$meta:meta])* $visibility:vis enum $name:ident { $($(#[$value_meta:meta])* $value:ident = $text:literal,)* }
        $(#[$doc:meta])* fn $word:ident; const $all:ident;
    ) => {
        $crate::words! {
            $(#[$meta])* $visibility enum $name { $($(#[$value_meta])* $value = $text,)* }
            $(#[$doc])* fn $word;
        }
        impl $name {
            /// All values, in order.
            $visibility const $all: [$name; [$(stringify!($value)),*].len()] = [$($name::$value),*];
        }
    };
    (
        $(#[$meta:meta])* $visibility:vis enum $name:ident { $($(#[$value_meta:meta])* $value:ident = $text:literal,)* }
        $(#[$doc:meta])* fn $word:ident;
    ) => {
        $(#[$meta])*
        $visibility enum $name { $($(#[$value_meta])* $value,)* }
        impl $name {
            $(#[$doc])*
            $visibility const fn $word(self) -> &'static str {
                match self {
                    $($name::$value => $text,)*
                }
            }
        }
    };
}

/// The id of a definition (`h1`, `h2`, …). Unique within one load, and stable while the configuration is unchanged.
pub type DefinitionId = String;

/// The id of a run in a firing, counted from 0 in the order of starting. A definition that runs twice has two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RunId(pub u32);

/// The streams of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    Stdin,
    Stdout,
    Stderr,
}

crate::words! {
    /// The ten steps of the ladder from a settings file to a running process.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum RungName {
        FileFound = "file found",
        Parsed = "parsed",
        LayerActive = "layer active",
        EventKnown = "event known",
        Surface = "surface",
        Trusted = "trusted",
        Matcher = "matcher",
        Condition = "if",
        Command = "command",
        Started = "started",
    }
    /// The words on the screen.
    fn title; const ALL;
}
