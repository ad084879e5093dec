//! Detects patterns that could run for an unacceptably long time.

/// The risk of running a pattern on a backtracking engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hazard {
    /// Whether unbounded repetitions are nested, adjacent, or over alternatives. These shapes need exponential
    /// time. May be true for a harmless pattern.
    pub exponential: bool,
    /// Whether there are nested repetitions of something that can match the empty string. `regress` never returns
    /// from some of them.
    may_hang: bool,
    /// An upper bound for the number of ways to continue at one character.
    ways: u32,
    /// A lower bound for the number of repetitions, for any length of the subject.
    rounds: u64,
}

impl Hazard {
    /// Analyses a pattern.
    pub fn analyze(pattern: &str) -> Hazard {
        let chars: Vec<char> = pattern.chars().collect();
        let mut hazard = Hazard { exponential: false, may_hang: false, ways: 1, rounds: 1 };
        let mut groups: Vec<GroupState> = vec![GroupState::default()];
        let mut at = 0;
        while at < chars.len() {
            let Some(inner) = atom(&chars, &mut at, &mut groups) else { continue };
            let repetition = repetition(&chars, at);
            let Some(group) = groups.last_mut() else { break };
            if let Some(repetition) = repetition {
                at = repetition.next;
                hazard.add(repetition, inner, group);
            }
            group.append(inner, repetition);
        }
        let bars = groups.first().map_or(0, |group| group.bars);
        Hazard { ways: hazard.ways.saturating_add(bars), ..hazard }
    }

    fn add(&mut self, repetition: Repetition, inner: AtomTraits, group: &GroupState) {
        let unbounded = repetition.unbounded();
        self.exponential |= unbounded && (inner.repeats || inner.alternates || group.competes);
        self.may_hang |= inner.may_hang && repetition.high != Some(1);
        self.ways += u32::from(unbounded);
        self.rounds = self.rounds.saturating_mul(repetition.low.max(1));
    }

    /// Whether a backtracking engine surely finishes soon for a subject of `length` UTF-16 units.
    pub fn is_harmless_for(self, length: usize) -> bool {
        const ROUNDS: u64 = 100_000;
        const STEPS: u64 = 1 << 22;
        // A mandatory repetition can fork without consuming a character.
        let forks = (length as u64).saturating_add(self.rounds - 1);
        let steps = u32::try_from(forks).ok().and_then(|forks| u64::from(self.ways).checked_pow(forks));
        !self.may_hang && self.rounds <= ROUNDS && (!self.exponential || steps.is_some_and(|steps| steps <= STEPS))
    }
}

/// The state of a group while it is parsed.
#[derive(Default)]
struct GroupState {
    /// Whether the group is a look-around, which consumes no character.
    is_lookaround: bool,
    repeats: bool,
    alternates: bool,
    may_hang: bool,
    /// Whether the text so far ends in a repetition that competes with a following one.
    competes: bool,
    /// Whether the current alternative must consume a character.
    consumes: bool,
    /// Whether an earlier alternative can match the empty string.
    can_be_empty: bool,
    bars: u32,
}

impl GroupState {
    fn append(&mut self, inner: AtomTraits, repetition: Option<Repetition>) {
        let unbounded = repetition.is_some_and(Repetition::unbounded);
        self.repeats |= unbounded || inner.repeats;
        // Two repetitions without a fixed part between them compete for the same characters.
        self.competes = unbounded || (self.competes && (inner.repeats || inner.can_be_empty));
        self.may_hang |= inner.may_hang || (repetition.is_some() && inner.can_be_empty);
        self.consumes |= !inner.can_be_empty && repetition.is_none_or(|r| r.low > 0);
    }

    fn close(&self) -> AtomTraits {
        AtomTraits {
            repeats: self.repeats,
            alternates: self.alternates,
            may_hang: self.may_hang,
            can_be_empty: self.is_lookaround || self.can_be_empty || !self.consumes,
        }
    }
}

/// The properties of one atom.
#[derive(Debug, Clone, Copy, Default)]
struct AtomTraits {
    repeats: bool,
    alternates: bool,
    may_hang: bool,
    /// Whether it can match without consuming a character.
    can_be_empty: bool,
}

/// Parses one atom. `None` if no atom ends here, because a group opens or an alternative begins.
fn atom(chars: &[char], at: &mut usize, groups: &mut Vec<GroupState>) -> Option<AtomTraits> {
    let nothing = AtomTraits { can_be_empty: true, ..AtomTraits::default() };
    let c = *chars.get(*at)?;
    *at += 1;
    match c {
        '\\' => {
            *at += 1;
            // Word boundaries, and references to groups that may be empty.
            let empty = matches!(chars.get(*at - 1), Some('b' | 'B' | 'k' | '1'..='9'));
            Some(if empty { nothing } else { AtomTraits::default() })
        }
        '[' => {
            *at = class_end(chars, *at);
            Some(AtomTraits::default())
        }
        '^' | '$' => Some(nothing),
        '(' => {
            let looks = opening(chars, at);
            groups.push(GroupState { is_lookaround: looks, ..GroupState::default() });
            None
        }
        ')' => {
            let group = groups.pop()?;
            match groups.last_mut() {
                Some(outer) => outer.bars += group.bars,
                None => groups.push(GroupState::default()),
            }
            Some(group.close())
        }
        '|' => {
            let group = groups.last_mut()?;
            group.bars += 1;
            group.alternates = true;
            group.competes = false;
            group.can_be_empty |= !group.consumes;
            group.consumes = false;
            None
        }
        _ => Some(AtomTraits::default()),
    }
}

/// Skips the prefix of a group after `(`, and returns whether the group is a look-around.
fn opening(chars: &[char], at: &mut usize) -> bool {
    if opens_named(chars, *at - 1) {
        *at += chars.get(*at..).and_then(|rest| rest.iter().position(|c| *c == '>')).map_or(0, |close| close + 1);
        return false;
    }
    let (length, looks) = match chars.get(*at..).unwrap_or(&[]) {
        ['?', '=' | '!', ..] => (2, true),
        ['?', '<', '=' | '!', ..] => (3, true),
        ['?', rest @ ..] => (rest.iter().position(|c| *c == ':').map_or(0, |colon| colon + 2), false),
        _ => (0, false),
    };
    *at += length;
    looks
}

/// A repetition: its bounds, and the offset after it.
#[derive(Debug, Clone, Copy)]
struct Repetition {
    low: u64,
    high: Option<u64>,
    next: usize,
}

impl Repetition {
    /// Whether there are so many rounds that they count as unbounded.
    fn unbounded(self) -> bool {
        self.high.is_none_or(|high| high > 16)
    }
}

fn repetition(chars: &[char], at: usize) -> Option<Repetition> {
    let (low, high, next) = match chars.get(at) {
        Some('*') => (0, None, at + 1),
        Some('+') => (1, None, at + 1),
        Some('?') => (0, Some(1), at + 1),
        _ => counted_quantifier(chars, at).map(|count| (count.low, count.high, count.next))?,
    };
    let lazy = chars.get(next) == Some(&'?');
    Some(Repetition { low, high, next: next + usize::from(lazy) })
}

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
    use super::Hazard;

    #[test]
    fn shapes() {
        for pattern in ["(a+)+$", "(a|a)*$", "a*a*$", "(.*)*", "(a{1,})*", ".*.*=", "(x+x+)+y", "([a-z]+)*"] {
            assert!(Hazard::analyze(pattern).exponential, "{pattern}");
        }
        for pattern in
            ["Edit.*", "mcp__.*__get", "^(Edit|Write)$", "(?!Bash)x+", "a+b+", "[a*]+", r"\w+_\w+", "a+{b}", "a{x}+"]
        {
            assert_eq!(Hazard::analyze(pattern).exponential, pattern == "a+b+", "{pattern}");
        }
    }

    #[test]
    fn short_subjects_are_no_licence() {
        for (pattern, length, want) in [
            ("(?=a)(a+)+$", 12, true),
            ("(?=a)(a+)+$", 16, false),
            ("(?=a)(a|a|a|a|a)*b", 12, false),
            ("(?=a)x{2,5}", 1000, true),
            ("(.|){500}(?<!a)", 3, false),
            ("(?:(?:.|)?)*(?=b)", 1, false),
            ("(?:(?:x|.*)*)*(?=b)", 1, false),
            ("(?:(?:a|(?=c))?)+", 1, false),
            ("(?:(?:a|bc)?d)*(?=b)", 4, true),
            ("(?:(?<n>a|b)?)?(?=b)", 1000, true),
            ("(?=a){1000000000}", 0, false),
            ("(?:(?:(?=a){999}){999}){999}", 0, false),
        ] {
            assert_eq!(Hazard::analyze(pattern).is_harmless_for(length), want, "{pattern} {length}");
        }
    }
}

#[cfg(test)]
mod scan_tests {
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
