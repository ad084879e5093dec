//! The authorization to decide over the socket: a number that is shown once. Agents' tools run as the same user and
//! could approve their own calls, but they cannot read the user's terminal.

use std::io::Read as _;

use hookbench_core::recorded::digest;

/// The number of wrong tokens after which decisions are disabled until the next start.
const MOST_WRONG: u8 = 5;

/// The token, of which only the hash is kept.
#[derive(Debug)]
pub struct Token {
    digest: String,
    wrong: u8,
}

/// The result of checking a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenCheck {
    Yes,
    /// The token is wrong or missing.
    No,
    /// There were too many wrong tokens.
    Off,
}

impl Token {
    /// Creates a token, and returns it with the text to show.
    ///
    /// # Errors
    /// Returns an error if the system provides no random numbers.
    pub fn generate() -> std::io::Result<(Token, String)> {
        let mut bytes = [0; 16];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let text = format!("{:032x}", u128::from_be_bytes(bytes));
        Ok((Token::of(&text), text))
    }

    fn of(text: &str) -> Token {
        Token { digest: digest(text.as_bytes()), wrong: 0 }
    }

    /// Checks a token. Hashes are compared, so the timing reveals nothing.
    pub fn check(&mut self, said: Option<&str>) -> TokenCheck {
        if self.wrong >= MOST_WRONG {
            return TokenCheck::Off;
        }
        if said.is_some_and(|said| digest(said.as_bytes()) == self.digest) {
            return TokenCheck::Yes;
        }
        self.wrong += 1;
        TokenCheck::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_wrong_ones_and_it_is_off() {
        let mut token = Token::of("right");
        for said in [Some("right"), None, Some("wrong"), Some(""), Some("rightt"), Some("right"), Some("righ")] {
            let expected = if said == Some("right") { TokenCheck::Yes } else { TokenCheck::No };
            assert_eq!(token.check(said), expected, "{said:?}");
        }
        assert_eq!(token.check(Some("right")), TokenCheck::Off);
        let (_, first) = Token::generate().unwrap();
        let (_, second) = Token::generate().unwrap();
        assert_eq!(first.len(), 32);
        assert_ne!(first, second);
    }
}
