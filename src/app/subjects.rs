//! For which of the known subjects of its event a hook fires.

use crate::core::hook::EventSpec;

/// The known subjects, sorted by what one hook does about them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subjects {
    pub fires: Vec<String>,
    /// The matcher lets them pass; the condition decides.
    pub depends: Vec<String>,
    pub not: Vec<String>,
    /// What the matcher was probably meant to be, when nothing passes.
    pub nearest: Option<String>,
}

/// Names that are listed before the rest is counted.
const LISTED: usize = 6;

impl Subjects {
    /// `fires for Bash, Edit; not for Write, Read …`, without the hook's name.
    pub fn words(&self, event: &EventSpec) -> String {
        let all = self.fires.len() + self.depends.len() + self.not.len();
        let what = match event.subject {
            Some("tool_name") => "tools".to_owned(),
            Some(key) => format!("values of {key}"),
            None => return "fires each time, since there is nothing to match".to_owned(),
        };
        if all == 0 {
            return format!("no {what} are known to try it on");
        }
        if self.fires.is_empty() && self.depends.is_empty() {
            let near = self.nearest.as_ref().map_or(String::new(), |n| format!("; nearest: {n}"));
            return format!("matches none of {all} known {what}{near}");
        }
        if self.not.is_empty() && self.depends.is_empty() {
            return format!("fires for all of {all} known {what}");
        }
        let mut parts = Vec::new();
        if !self.fires.is_empty() {
            parts.push(format!("fires for {}", listed(&self.fires)));
        }
        if !self.depends.is_empty() {
            parts.push(format!("fires for {} where its condition holds", listed(&self.depends)));
        }
        if !self.not.is_empty() {
            parts.push(format!("not for {}", listed(&self.not)));
        }
        parts.join("; ")
    }
}

fn listed(names: &[String]) -> String {
    let first = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
