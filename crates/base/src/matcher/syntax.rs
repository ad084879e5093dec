//! Where the parser (`regress`) and JavaScript read a pattern without flags differently: what it takes and must not, and
//! what has to be spelt otherwise. Found by asking both about some hundred thousand patterns.

use super::ecma::PatternError;
use super::scan::{Groups, class_end, groups, hex, opens_named, quantified};

/// The UTF-16 units that the parser is to be given. JavaScript without the `u` flag knows nothing but units: `.` is half
/// of an emoji there.
///
/// # Errors
/// When JavaScript refuses what the parser would take.
pub(super) fn units(pattern: &str) -> Result<Vec<u32>, PatternError> {
    let chars: Vec<char> = pattern.chars().collect();
    let Groups { named, .. } = groups(&chars);
    let mut out = Vec::with_capacity(chars.len());
    let mut at = 0;
    // Where the class that we are in ends.
    let mut class = 0;
    // The groups that are open, those that capture by their number.
    let mut open: Vec<Option<u32>> = Vec::new();
    let mut captured = 0;
    while let Some(&c) = chars.get(at) {
        let in_class = at < class;
        match (c, chars.get(at + 1)) {
            ('\\', Some('b' | 'B')) if !in_class && quantified(&chars, at + 2) => {
                return Err(refused("nothing to repeat after \\b or \\B"));
            }
            ('\\', Some('k')) if in_class && named => {
                return Err(refused("\\k in a class, beside a group with a name"));
            }
            ('\\', Some('k')) if named => at = name(&chars, at, &mut out),
            ('\\', Some('u')) => {
                match hex(&chars, at + 2, 4) {
                    // Half of a pair stays half of a pair, whatever follows.
                    Some(unit) if (0xD800..0xE000).contains(&unit) => {
                        out.push(unit);
                        at += 6;
                    }
                    Some(_) => copy(&chars, &mut at, 6, &mut out),
                    // Without four digits it is the letter; `\u{41}` is that letter 41 times.
                    None => {
                        out.push(u32::from('u'));
                        at += 2;
                    }
                }
            }
            ('\\', Some('1'..='9')) if !in_class && refers_to(&chars, at + 1, &open) => {
                // A group that is open has captured nothing yet. The parser's engine forgets that when it goes back.
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

/// Whether the number at `at` is that of an open group.
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

/// Everything through the `>` of a group's name. Names alone are read by characters, and may have `\u{…}`.
fn name(chars: &[char], at: usize, out: &mut Vec<u32>) -> usize {
    let rest = chars.get(at..).unwrap_or(&[]);
    let length = rest.iter().position(|c| *c == '>').map_or(rest.len(), |close| close + 1);
    out.extend(rest.iter().take(length).map(|c| u32::from(*c)));
    at + length
}
