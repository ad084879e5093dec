//! Comments that allow a finding: `# hookbench: allow HW601 because …`. A comment after code applies to its own
//! line; one alone on a line applies to the next line of code; one before all code applies to the whole file.

use super::super::{Finding, normalize_code};
use super::own_finding;
use hookbench_core::diagnostic::Code;
use hookbench_core::text::Position;

/// The text with which these comments begin, after the comment marker.
const MARK: &str = "hookbench:";
/// Help text about the format.
const FORM: &str = "write: hookbench: allow CODE because REASON";

/// A comment that allows a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowComment {
    /// The path as opened.
    path: String,
    /// The path as displayed.
    file: String,
    place: (Position, Position),
    line: String,
    codes: Vec<String>,
    reason: String,
    /// The line to which the comment applies; `None` for the whole file.
    applies_to: Option<u32>,
}

impl AllowComment {
    /// Returns whether the comment applies to a finding.
    pub fn applies(&self, finding: &Finding) -> bool {
        let line = finding.place.map(|(start, _)| start.line);
        self.codes.iter().any(|code| code == finding.code.as_str())
            && finding.path.as_ref() == Some(&self.path)
            && self.applies_to.is_none_or(|about| line == Some(about))
    }

    /// A finding about a mistake in the comment, if it has one.
    pub fn mistake(&self) -> Option<Finding> {
        let unknown = self.codes.iter().find_map(|code| normalize_code(code).err());
        if self.codes.is_empty() {
            return Some(self.finding(
                Code::AllowBroken,
                "the code is missing, so this comment is ignored".to_owned(),
                FORM,
            ));
        }
        if let Some(unknown) = unknown {
            return Some(self.finding(Code::AllowBroken, unknown, FORM));
        }
        let says = format!("the reason is missing, so {} is not allowed", self.codes.join(", "));
        self.reason.is_empty().then(|| self.finding(Code::AllowNoReason, says, FORM))
    }

    /// A finding for a comment that matches no finding.
    pub fn unused(&self) -> Finding {
        let says = format!("this comment allows {}, which does not occur here", self.codes.join(", "));
        self.finding(Code::AllowUnused, says, "delete the comment")
    }

    /// The reason that the comment gives.
    pub fn reason(&self) -> Option<&str> {
        Some(self.reason.as_str()).filter(|reason| !reason.is_empty())
    }

    fn finding(&self, code: Code, message: String, help: &str) -> Finding {
        Finding {
            file: Some(self.file.clone()),
            path: Some(self.path.clone()),
            place: Some(self.place),
            line: self.line.clone(),
            help: Some(help.to_owned()),
            ..own_finding(code, message)
        }
    }
}

/// The allow comments in a file.
pub fn allow_comments(path: &str, file: &str, text: &str) -> Vec<AllowComment> {
    let mut found = Vec::new();
    if !text.contains(MARK) {
        return found;
    }
    let is_comment = |line: &str| line.starts_with('#') || line.starts_with("//");
    let lines: Vec<&str> = text.lines().collect();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    for (index, line) in lines.iter().enumerate() {
        let Some((before, rest)) = line.split_once(MARK) else { continue };
        let before = before.trim_end();
        let Some(before) = before.strip_suffix("//").or_else(|| before.strip_suffix('#')) else { continue };
        let Some(rest) = rest.trim_start().strip_prefix("allow").filter(|r| r.is_empty() || r.starts_with(' ')) else {
            continue;
        };
        let (codes, reason) = rest.split_once("because").unwrap_or((rest, ""));
        let alone = before.trim_matches(['#', '/', ' ', '\t']).is_empty();
        let head = alone && lines.iter().take(index).all(|l| l.trim().is_empty() || is_comment(l.trim()));
        let next = || lines.iter().skip(index + 1).position(|l| !l.trim().is_empty() && !is_comment(l.trim()));
        let about = match (head, alone) {
            (true, _) => None,
            (false, true) => Some(next().map_or(0, |more| number(index + 2 + more))),
            (false, false) => Some(number(index + 1)),
        };
        let column = |bytes: usize| number(line.get(..bytes).unwrap_or(line).chars().count() + 1);
        let at = |column| Position { line: number(index + 1), column };
        found.push(AllowComment {
            path: path.to_owned(),
            file: file.to_owned(),
            place: (at(column(before.len())), at(column(line.trim_end().len()))),
            line: (*line).to_owned(),
            codes: codes.split([',', ' ']).filter(|code| !code.is_empty()).map(str::to_owned).collect(),
            reason: reason.trim_matches([':', ' ', '\t', '"', ',']).to_owned(),
            applies_to: about,
        });
    }
    found
}
