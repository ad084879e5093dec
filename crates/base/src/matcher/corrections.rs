//! Corrects differences between the parser (`regress`) and JavaScript for patterns without flags: rejects what only
//! the parser accepts, and rewrites what it interprets differently. The differences were found by comparing both on
//! several hundred thousand patterns.

use super::ecma::PatternError;
use super::scan::{CaptureGroups, capture_groups, class_end, hex, is_quantifier, opens_named};

/// The pattern as UTF-16 units for the parser. JavaScript without the `u` flag works on units: `.` matches half of
/// an emoji.
///
/// # Errors
/// Returns an error if JavaScript rejects the pattern but the parser would accept it.
pub(super) fn to_units(pattern: &str) -> Result<Vec<u32>, PatternError> {
    let chars: Vec<char> = pattern.chars().collect();
    let CaptureGroups { named, .. } = capture_groups(&chars);
    let mut out = Vec::with_capacity(chars.len());
    let mut at = 0;
    // The end of the current class.
    let mut class = 0;
    // The open groups; capturing groups have a number.
    let mut open: Vec<Option<u32>> = Vec::new();
    let mut captured = 0;
    while let Some(&c) = chars.get(at) {
        let in_class = at < class;
        match (c, chars.get(at + 1)) {
            ('\\', Some('b' | 'B')) if !in_class && is_quantifier(&chars, at + 2) => {
                return Err(refused("nothing to repeat after \\b or \\B"));
            }
            ('\\', Some('k')) if in_class && named => {
                return Err(refused("\\k in a class, together with a named group"));
            }
            ('\\', Some('k')) if named => at = name(&chars, at, &mut out),
            ('\\', Some('u')) => {
                match hex(&chars, at + 2, 4) {
                    // Half of a surrogate pair is kept as a separate unit, whatever follows.
                    Some(unit) if (0xD800..0xE000).contains(&unit) => {
                        out.push(unit);
                        at += 6;
                    }
                    Some(_) => copy(&chars, &mut at, 6, &mut out),
                    // Without four digits, `\u` is the letter u: `\u{41}` is that letter 41 times.
                    None => {
                        out.push(u32::from('u'));
                        at += 2;
                    }
                }
            }
            ('\\', Some('1'..='9')) if !in_class && refers_to(&chars, at + 1, &open) => {
                // A reference to an open group matches the empty string. The parser's engine gets this wrong after
                // backtracking.
                out.extend("(?:)".chars().map(u32::from));
                at += 2 + chars.iter().skip(at + 2).take_while(|c| c.is_ascii_digit()).count();
            }
            ('\\', _) => copy(&chars, &mut at, 2, &mut out),
            ('(', next) if !in_class => {
                let named = opens_named(&chars, at);
                let captures = named || next != Some(&'?');
                captured += u32::from(captures);
                open.push(captures.then_some(captured));
                if named {
                    at = name(&chars, at, &mut out);
                } else {
                    copy(&chars, &mut at, 1, &mut out);
                }
            }
            (')', _) if !in_class => {
                open.pop();
                copy(&chars, &mut at, 1, &mut out);
            }
            ('[', _) if !in_class => {
                class = class_end(&chars, at + 1);
                copy(&chars, &mut at, 1, &mut out);
            }
            _ => copy(&chars, &mut at, 1, &mut out),
        }
    }
    Ok(out)
}

/// Whether the number at `at` refers to an open group.
fn refers_to(chars: &[char], at: usize, open: &[Option<u32>]) -> bool {
    let digits = chars.iter().skip(at).map_while(|c| c.to_digit(10));
    let number = digits.fold(0_u32, |value, digit| value.saturating_mul(10).saturating_add(digit));
    open.contains(&Some(number))
}

fn refused(message: &str) -> PatternError {
    PatternError { message: message.to_owned() }
}

fn copy(chars: &[char], at: &mut usize, count: usize, out: &mut Vec<u32>) {
    let end = chars.len().min(*at + count);
    for c in chars.get(*at..end).unwrap_or(&[]) {
        out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| u32::from(*unit)));
    }
    *at = end;
}

/// Copies everything through the `>` of a group's name. Names are parsed by characters and may contain `\u{…}`.
fn name(chars: &[char], at: usize, out: &mut Vec<u32>) -> usize {
    let rest = chars.get(at..).unwrap_or(&[]);
    let length = rest.iter().position(|c| *c == '>').map_or(rest.len(), |close| close + 1);
    out.extend(rest.iter().take(length).map(|c| u32::from(*c)));
    at + length
}
