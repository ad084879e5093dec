//! The output of `printf`, and the pattern of `grep`.

use crate::comparisons::ANY_CASE;
use crate::value::{Piece, Value};

pub(super) fn is_echo_option(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| "neE".contains(c)))
}

/// The pattern of `grep`, with the letters that make it ignore case.
pub(super) fn searched_pattern(arguments: &[Value]) -> Option<Value> {
    let mut any_case = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let pattern = match word.known_text().as_deref() {
            Some("-e" | "--regexp") => words.next()?,
            Some("-m" | "-A" | "-B" | "-C") => {
                words.next();
                continue;
            }
            Some(option) if option.starts_with('-') => {
                any_case |= option == "--ignore-case" || !option.starts_with("--") && option.contains('i');
                continue;
            }
            _ => word,
        };
        return match pattern.known_text() {
            Some(text) if any_case => Some(Value::text(format!("{ANY_CASE}{text}"))),
            _ => Some(pattern.clone()),
        };
    }
    None
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
