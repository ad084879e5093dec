//! The time that the client of a request waits, from a request header.

use std::fmt;
use std::time::Duration;

/// The header `ack=1500, hold=290000`, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientBudget {
    pub ack: Duration,
    pub hold: Duration,
}

impl ClientBudget {
    /// Parses the header. `None` if a value is missing or not a number.
    pub fn parse(text: &str) -> Option<ClientBudget> {
        let of = |name: &str| {
            let mut pairs = text.split(',').filter_map(|pair| pair.trim().split_once('='));
            let (_, value) = pairs.find(|(key, _)| *key == name)?;
            value.parse().ok().map(Duration::from_millis)
        };
        Some(ClientBudget { ack: of("ack")?, hold: of("hold")? })
    }
}

impl fmt::Display for ClientBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ack={}, hold={}", self.ack.as_millis(), self.hold.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_is_written() {
        let budget = ClientBudget { ack: Duration::from_millis(1_500), hold: Duration::from_secs(290) };
        assert_eq!(ClientBudget::parse(&budget.to_string()), Some(budget));
        assert_eq!(
            ClientBudget::parse("hold=1,ack=2,later=3").map(|b| b.to_string()).as_deref(),
            Some("ack=2, hold=1")
        );
        for text in ["", "ack=1", "ack=x, hold=1", "ack=-1, hold=1"] {
            assert_eq!(ClientBudget::parse(text), None, "{text}");
        }
    }
}
