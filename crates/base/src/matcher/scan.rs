//! Helpers for parsing patterns: counted quantifiers, the end of a class, groups.

/// `{n}`, `{n,}` or `{n,m}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CountedQuantifier {
    pub low: u64,
    /// `None` if there is no upper bound.
    pub high: Option<u64>,
    /// The offset after the quantifier.
    pub next: usize,
}

/// Parses the counted quantifier whose brace is at `at`. `None` if the brace is a literal.
pub(super) fn counted_quantifier(chars: &[char], at: usize) -> Option<CountedQuantifier> {
    if chars.get(at) != Some(&'{') {
        return None;
    }
    let (low, at) = number(chars, at + 1)?;
    let (high, at) = match chars.get(at) {
        Some(',') => match number(chars, at + 1) {
            Some((high, at)) => (Some(high), at),
            None => (None, at + 1),
        },
        _ => (Some(low), at),
    };
    (chars.get(at) == Some(&'}')).then_some(CountedQuantifier { low, high, next: at + 1 })
}

fn number(chars: &[char], at: usize) -> Option<(u64, usize)> {
    let digits = chars.get(at..)?.iter().map_while(|c| c.to_digit(10));
    let (value, length) = digits.fold((0_u64, 0), |(value, length), digit| {
        (value.saturating_mul(10).saturating_add(u64::from(digit)), length + 1)
    });
    (length > 0).then_some((value, at + length))
}

/// Whether a quantifier follows at `at`.
pub(super) fn is_quantifier(chars: &[char], at: usize) -> bool {
    matches!(chars.get(at), Some('*' | '+' | '?')) || counted_quantifier(chars, at).is_some()
}

/// Parses a fixed number of hexadecimal digits.
pub(super) fn hex(chars: &[char], at: usize, digits: usize) -> Option<u32> {
    let digits = chars.get(at..at + digits)?;
    digits.iter().try_fold(0, |value, c| Some(value * 16 + c.to_digit(16)?))
}

/// The offset after the bracket that closes a class. `at` is the first offset inside the class.
pub(super) fn class_end(chars: &[char], mut at: usize) -> usize {
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '\\' => at += 1,
            ']' => break,
            _ => {}
        }
    }
    at
}

/// Whether the parenthesis at `at` opens a named group (and not a look-behind).
pub(super) fn opens_named(chars: &[char], at: usize) -> bool {
    matches!(chars.get(at..), Some(['(', '?', '<', c, ..]) if !matches!(c, '=' | '!'))
}

/// The capturing groups of a pattern: their number, and whether any has a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CaptureGroups {
    pub count: u32,
    pub named: bool,
}

/// Counts the capturing groups of a whole pattern.
pub(super) fn capture_groups(chars: &[char]) -> CaptureGroups {
    let mut out = CaptureGroups::default();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '\\' => at += 1,
            '[' => at = class_end(chars, at),
            '(' if opens_named(chars, at - 1) => out = CaptureGroups { count: out.count + 1, named: true },
            '(' if chars.get(at) != Some(&'?') => out.count += 1,
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_and_groups() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (text, want) in [
            ("{2}", Some((2, Some(2), 3))),
            ("{2,}", Some((2, None, 4))),
            ("{2,3}x", Some((2, Some(3), 5))),
            ("{99999999999999999999}", Some((u64::MAX, Some(u64::MAX), 22))),
            ("{,3}", None),
            ("{a}", None),
            ("{2", None),
            ("{}", None),
        ] {
            assert_eq!(counted_quantifier(&chars(text), 0).map(|c| (c.low, c.high, c.next)), want, "{text}");
        }
        for (text, count, named) in
            [("(a)(?:b)(?=c)(?<=d)", 1, false), (r"(?<n>a)[(]\((b)", 2, true), (r"[\](](x)", 1, false)]
        {
            assert_eq!(capture_groups(&chars(text)), CaptureGroups { count, named }, "{text}");
        }
    }
}
