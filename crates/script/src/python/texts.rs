//! Formats of Python.

use crate::steps::Expr;

/// A text with arguments in place of `%s` or `{}`.
pub(super) fn filled(format: &str, mark: &str, arguments: Vec<Expr>) -> Expr {
    let mut parts = Vec::new();
    let mut rest = format;
    let mut arguments = arguments.into_iter();
    while let Some(at) = rest.find(mark) {
        let (before, after) = rest.split_at(at);
        let length = match mark {
            "{" if after.starts_with("{{") => {
                parts.push(Expr::text(&format!("{before}{{")));
                rest = after.get(2..).unwrap_or("");
                continue;
            }
            "{" => after.find('}').map_or(after.len(), |end| end + 1),
            _ => after
                .get(1..)
                .and_then(|rest| rest.find(|c: char| c.is_ascii_alphabetic() || c == '%'))
                .map_or(after.len(), |end| end + 2),
        };
        parts.push(Expr::text(before));
        parts.push(arguments.next().unwrap_or(Expr::Unknown(Vec::new())));
        rest = after.get(length..).unwrap_or("");
    }
    parts.push(Expr::text(&rest.replace("}}", "}")));
    Expr::Join(parts)
}
