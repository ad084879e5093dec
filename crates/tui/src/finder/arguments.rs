//! The commands of the palette that take an argument.

use std::path::PathBuf;

use super::entry::{FinderAction, FinderEntry};
use hookbench_app::{EventListCommand, ReplayOrder, ReplaySelection};
use hookbench_core::filter::parse;

/// A command that takes an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArgumentCommand {
    pub name: &'static str,
    /// The placeholder of the argument.
    pub form: &'static str,
    pub help: &'static str,
    /// The known values.
    pub values: Vec<FinderEntry>,
    /// The index of the value that is selected at first.
    pub current: usize,
    /// Reads a value that is not known; `None` if only known values are accepted.
    pub other: Option<OtherValue>,
}

/// How a value that is not known is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OtherValue {
    /// A path, relative to this directory, or to the home directory after `~/`.
    Path { directory: PathBuf, home: PathBuf },
    /// The number of a recorded event.
    Number,
    /// A filter for recorded events.
    Filter,
    /// A matcher.
    Matcher,
}

impl ArgumentCommand {
    /// Reads a value that is not known.
    pub(super) fn read(&self, text: &str) -> Option<FinderAction> {
        let wanted = match self.other.as_ref()? {
            OtherValue::Matcher => return Some(FinderAction::Matcher(text.to_owned())),
            OtherValue::Filter => EventListCommand::Filter(parse(text).ok().map(|_| text.to_owned())?),
            OtherValue::Path { directory, home } => {
                let path = text.strip_prefix("~/").map_or_else(|| directory.join(text), |rest| home.join(rest));
                EventListCommand::Import(path)
            }
            OtherValue::Number => {
                EventListCommand::Replay(ReplayOrder::planned(ReplaySelection::One(text.parse().ok()?)))
            }
        };
        Some(FinderAction::Events(Box::new(wanted)))
    }

    /// A sentence that lists the accepted values.
    pub(super) fn accepts(&self) -> String {
        let mut names: Vec<&str> = self.values.iter().map(|value| value.label.as_str()).collect();
        names.truncate(12);
        let other = match &self.other {
            Some(OtherValue::Path { .. }) => Some("a file"),
            Some(OtherValue::Number) => Some("a number"),
            Some(OtherValue::Filter) => Some("a filter, such as ~t Bash & rm"),
            Some(OtherValue::Matcher) => Some("a matcher"),
            None => None,
        };
        format!("{} accepts {}", self.name, names.into_iter().chain(other).collect::<Vec<_>>().join(", "))
    }
}
