//! Number parsing as in JavaScript.

use super::js_whitespace::trim;

/// `Number(text)`. Returns `None` for NaN.
pub fn js_number(text: &str) -> Option<f64> {
    let text = trim(text);
    if text.is_empty() {
        return Some(0.0);
    }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let add = |value: f64, c: char| Some(value * f64::from(radix) + f64::from(c.to_digit(radix)?));
            return digits.chars().try_fold(0.0, add).filter(|_| !digits.is_empty());
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    // Rust also parses `inf`, `nan` and `infinity`; JavaScript does not.
    if unsigned.chars().any(|c| !matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-')) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::js_number;

    #[test]
    fn as_javascript_reads_numbers() {
        for (text, want) in [
            ("1_0", None),
            ("inf", None),
            ("-0x1", None),
            ("5.", Some(5.0)),
            (".5", Some(0.5)),
            ("0b11", Some(3.0)),
            ("0x", None),
            ("0x+1", None),
            ("0x10000000000000000", Some(18_446_744_073_709_551_616.0)),
        ] {
            assert_eq!(js_number(text), want, "{text}");
        }
    }
}
