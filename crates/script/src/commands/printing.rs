//! The output of `printf`, and the patterns of a shell.

use crate::value::{Piece, Value};

pub(super) fn is_echo_option(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| "neE".contains(c)))
}

/// The pieces that `printf` prints.
pub(super) fn formatted(format: &Value, arguments: &[Value]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut arguments = arguments.iter();
    for piece in format.clone().into_pieces() {
        let Piece::Is(text) = piece else {
            pieces.push(piece);
            continue;
        };
        let mut plain = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n') => plain.push('\n'),
                    Some('t') => plain.push('\t'),
                    Some('\\') => plain.push('\\'),
                    Some('"') => plain.push('"'),
                    Some(other) => plain.extend(['\\', other]),
                    None => plain.push('\\'),
                },
                '%' if chars.peek() == Some(&'%') => {
                    chars.next();
                    plain.push('%');
                }
                '%' => {
                    let mut conversion = None;
                    for c in chars.by_ref() {
                        if c.is_ascii_alphabetic() {
                            conversion = Some(c);
                            break;
                        }
                    }
                    pieces.push(Piece::Is(std::mem::take(&mut plain)));
                    let value = arguments.next().cloned().unwrap_or_else(|| Value::text(""));
                    match conversion {
                        Some('s') => pieces.extend(value.into_pieces()),
                        _ => pieces.push(Piece::Of(Value::Unknown)),
                    }
                }
                other => plain.push(other),
            }
        }
        pieces.push(Piece::Is(plain));
    }
    pieces.retain(|piece| !matches!(piece, Piece::Is(text) if text.is_empty()));
    pieces
}

/// Whether a text matches a pattern of a shell.
pub(crate) fn matches_glob(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some('?') => {
                p += 1;
                t += 1;
            }
            Some(c) if text.get(t) == Some(c) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((from, seen)) => {
                    star = Some((from, seen + 1));
                    (p, t) = (from + 1, seen + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}
