//! Translates JavaScript patterns for Rust's linear-time engine. Supports the whole language except look-around,
//! references to groups, and modifiers.

use super::hazard::{CaptureGroups, capture_groups, class_end, counted_quantifier, hex};

/// The highest supported repetition count; larger counts cost too much memory and are left to the backtracking
/// engine.
const MAX_REPETITIONS: u64 = 1000;

type UnitRange = (u32, u32);

const DIGIT: &[UnitRange] = &[(0x30, 0x39)];
const WORD: &[UnitRange] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const SPACE: &[UnitRange] = &[
    (0x9, 0xD),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];
const LINE_END: &[UnitRange] = &[(0xA, 0xA), (0xD, 0xD), (0x2028, 0x2029)];

/// Translates a valid JavaScript pattern to the syntax of the `regex` crate. `None` if it uses features that the
/// crate lacks. The result is equivalent for subjects in which every character is one UTF-16 unit.
pub(super) fn translate(pattern: &str) -> Option<String> {
    let chars: Vec<char> = pattern.chars().collect();
    if chars.iter().any(|c| c.len_utf16() > 1) {
        return None;
    }
    let groups = capture_groups(&chars);
    let mut reader = PatternTranslator { chars: &chars, at: 0, out: String::with_capacity(pattern.len() + 16), groups };
    while let Some(c) = reader.next() {
        reader.term(c)?;
    }
    Some(reader.out)
}

/// An escape, or one item of a class.
enum PatternAtom {
    Unit(u32),
    Set(Vec<UnitRange>),
}

struct PatternTranslator<'a> {
    chars: &'a [char],
    at: usize,
    out: String,
    groups: CaptureGroups,
}

impl PatternTranslator<'_> {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn term(&mut self, c: char) -> Option<()> {
        match c {
            // JavaScript's `$` without the `m` flag matches only at the end, like Rust's default.
            '^' | '$' | '|' | ')' | '*' | '+' | '?' => self.out.push(c),
            '.' => self.set(&complement(LINE_END)),
            '(' => self.group()?,
            '[' => self.class()?,
            '{' => match counted_quantifier(self.chars, self.at - 1) {
                Some(count)
                    if count.low <= MAX_REPETITIONS && count.high.is_none_or(|high| high <= MAX_REPETITIONS) =>
                {
                    self.out.extend(self.chars.get(self.at - 1..count.next)?);
                    self.at = count.next;
                }
                Some(_) => return None,
                None => self.unit('{'.into()),
            },
            '\\' => match self.peek()? {
                'b' | 'B' => {
                    let boundary = if self.next() == Some('b') { r"(?-u:\b)" } else { r"(?-u:\B)" };
                    self.out.push_str(boundary);
                }
                _ => match self.escape(false)? {
                    PatternAtom::Unit(unit) => self.unit(unit),
                    PatternAtom::Set(set) => self.set(&set),
                },
            },
            c => self.unit(c.into()),
        }
        Some(())
    }

    fn group(&mut self) -> Option<()> {
        self.out.push('(');
        match self.chars.get(self.at..)? {
            ['?', ':', ..] => {
                self.out.push_str("?:");
                self.at += 2;
            }
            // Group names are dropped, because nothing refers to them.
            ['?', '<', first, ..] if !matches!(first, '=' | '!') => while self.next()? != '>' {},
            ['?', ..] => return None,
            _ => {}
        }
        Some(())
    }

    fn unit(&mut self, unit: u32) {
        match char::from_u32(unit) {
            Some(c) if c.is_ascii_alphanumeric() => self.out.push(c),
            Some(_) => self.out.push_str(&format!(r"\x{{{unit:X}}}")),
            // Half of a surrogate pair: no subject contains it.
            None => self.set(&[]),
        }
    }

    fn set(&mut self, ranges: &[UnitRange]) {
        // Rust has no surrogate code points.
        let halves = |&(low, high): &UnitRange| [(low, high.min(0xD7FF)), (low.max(0xE000), high)];
        let ranges: Vec<UnitRange> = ranges.iter().flat_map(halves).filter(|(low, high)| low <= high).collect();
        self.out.push_str(if ranges.is_empty() { r"[^\x{0}-\x{10FFFF}" } else { "[" });
        for (low, high) in ranges {
            self.out.push_str(&format!(r"\x{{{low:X}}}-\x{{{high:X}}}"));
        }
        self.out.push(']');
    }

    fn class(&mut self) -> Option<()> {
        let end = class_end(self.chars, self.at);
        let inverted = self.peek() == Some('^');
        self.at += usize::from(inverted);
        let mut ranges = Vec::new();
        while self.at + 1 < end {
            let first = self.class_atom()?;
            if self.peek() != Some('-') || self.at + 2 >= end {
                ranges.extend(first.ranges());
                continue;
            }
            self.at += 1;
            match (first, self.class_atom()?) {
                (PatternAtom::Unit(low), PatternAtom::Unit(high)) => ranges.push((low, high)),
                // A dash next to a set such as `\d` is a literal dash.
                (first, second) => {
                    ranges.extend(first.ranges());
                    ranges.push(('-'.into(), '-'.into()));
                    ranges.extend(second.ranges());
                }
            }
        }
        self.at = end;
        self.set(&if inverted { complement(&ranges) } else { ranges });
        Some(())
    }

    fn class_atom(&mut self) -> Option<PatternAtom> {
        match self.next()? {
            '\\' => self.escape(true),
            c => Some(PatternAtom::Unit(c.into())),
        }
    }

    /// Parses the rest of an escape after the backslash.
    fn escape(&mut self, in_class: bool) -> Option<PatternAtom> {
        let c = self.next()?;
        Some(PatternAtom::Unit(match c {
            'd' => return Some(PatternAtom::Set(DIGIT.to_vec())),
            'D' => return Some(PatternAtom::Set(complement(DIGIT))),
            'w' => return Some(PatternAtom::Set(WORD.to_vec())),
            'W' => return Some(PatternAtom::Set(complement(WORD))),
            's' => return Some(PatternAtom::Set(SPACE.to_vec())),
            'S' => return Some(PatternAtom::Set(complement(SPACE))),
            't' => 0x9,
            'n' => 0xA,
            'v' => 0xB,
            'f' => 0xC,
            'r' => 0xD,
            'b' if in_class => 0x8,
            'c' => match self.peek() {
                Some(letter) if letter.is_ascii_alphabetic() || (in_class && is_word(letter)) => {
                    self.at += 1;
                    u32::from(letter) % 32
                }
                // An invalid control escape: the backslash and the `c` are literals.
                _ => {
                    self.at -= 1;
                    '\\'.into()
                }
            },
            'x' => self.digits(2).unwrap_or('x'.into()),
            'u' => self.digits(4).unwrap_or('u'.into()),
            'k' if self.groups.named => return None,
            '0'..='9' => return self.number(c, in_class).map(PatternAtom::Unit),
            c => c.into(),
        }))
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let value = hex(self.chars, self.at, count)?;
        self.at += count;
        Some(value)
    }

    /// Parses a number after a backslash: a reference to a group if it exists, otherwise an octal character,
    /// otherwise (8 and 9) the digit.
    fn number(&mut self, first: char, in_class: bool) -> Option<u32> {
        let digits = self.chars.get(self.at - 1..)?.iter().map_while(|c| c.to_digit(10));
        let number = digits.fold(0_u32, |value, digit| value.saturating_mul(10).saturating_add(digit));
        if !in_class && first != '0' && number <= self.groups.count {
            return None;
        }
        let Some(mut value) = first.to_digit(8) else { return Some(first.into()) };
        for _ in 0..2 {
            match self.peek().and_then(|c| c.to_digit(8)) {
                Some(digit) if value * 8 + digit <= 0o377 => value = value * 8 + digit,
                _ => break,
            }
            self.at += 1;
        }
        Some(value)
    }
}

impl PatternAtom {
    fn ranges(self) -> Vec<UnitRange> {
        match self {
            PatternAtom::Unit(unit) => vec![(unit, unit)],
            PatternAtom::Set(set) => set,
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn complement(ranges: &[UnitRange]) -> Vec<UnitRange> {
    let mut sorted = ranges.to_vec();
    sorted.sort_unstable();
    let mut out = Vec::new();
    let mut from = 0;
    for (low, high) in sorted {
        if low > from {
            out.push((from, low - 1));
        }
        from = from.max(high + 1);
    }
    if from <= 0x0010_FFFF {
        out.push((from, 0x0010_FFFF));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn all_but_what_needs_memory_or_sight() {
        for pattern in [
            "Edit.*",
            "^(Edit|Bash)$",
            r"\w+",
            "(?:x)",
            r"[\w.-]+",
            "[]",
            "[^]",
            "[[a]]",
            "a{,3}",
            "{",
            "é",
            r"\p{L}",
            r"\x41",
            "[a--b]",
            r"\cA",
            r"\c",
            r"\k",
            r"\1",
            "(?<n>a)",
            r"[\1]",
            r"\uD83D",
        ] {
            let translated = translate(pattern);
            assert!(translated.is_some_and(|t| regex::Regex::new(&t).is_ok()), "{pattern}");
        }
        for pattern in ["(?=a)", "(?<=a)", "(?<!a)", r"(a)\1", r"(?<n>a)\k<n>", "(?i:a)", "a{1001}", "😀"] {
            assert!(translate(pattern).is_none(), "{pattern}");
        }
    }
}
