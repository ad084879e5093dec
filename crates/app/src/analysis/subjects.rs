//! The subjects of an event that a hook fires for.

use hookbench_core::hook::EventSpec;

/// The known subjects, grouped by whether one hook fires for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubjectMatches {
    pub fires: Vec<String>,
    /// The matcher matches them and the condition decides.
    pub conditional: Vec<String>,
    pub skipped: Vec<String>,
    /// The matcher that was probably meant, if nothing matches.
    pub nearest: Option<String>,
}

/// The number of names listed before the rest is only counted.
const MAX_LISTED: usize = 6;

impl SubjectMatches {
    /// A phrase such as `fires for Bash, Edit; not for Write, Read …`, without the hook's name.
    pub fn words(&self, event: &EventSpec) -> String {
        let all = self.fires.len() + self.conditional.len() + self.skipped.len();
        let what = match event.subject {
            Some("tool_name") => "tools".to_owned(),
            Some(key) => format!("values of {key}"),
            None => return "always matches, because the event has nothing to compare".to_owned(),
        };
        if all == 0 {
            return format!("no {what} are known");
        }
        if self.fires.is_empty() && self.conditional.is_empty() {
            let near = self.nearest.as_ref().map_or(String::new(), |n| format!("; nearest: {n}"));
            return format!("matches none of the {all} known {what}{near}");
        }
        if self.skipped.is_empty() && self.conditional.is_empty() {
            return format!("matches all {all} known {what}");
        }
        let mut parts = Vec::new();
        if !self.fires.is_empty() {
            parts.push(format!("matches {}", listed(&self.fires)));
        }
        if !self.conditional.is_empty() {
            parts.push(format!("matches {} if its condition is true", listed(&self.conditional)));
        }
        if !self.skipped.is_empty() {
            parts.push(format!("does not match {}", listed(&self.skipped)));
        }
        parts.join("; ")
    }
}

fn listed(names: &[String]) -> String {
    let first = names.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_LISTED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_hook_fires_for_in_words() {
        let event = |subject| EventSpec {
            name: "E",
            about: "",
            subject,
            subjects: &[],
            fields: &[],
            honoured_output: &[],
            blockable_action: None,
            exit_2: "",
            exit_2_delivers: false,
        };
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        for (subject, fires, depends, not, want) in [
            (Some("tool_name"), "A B", "", "C", "matches A, B; does not match C"),
            (Some("tool_name"), "", "", "C D", "matches none of the 2 known tools; nearest: N"),
            (Some("tool_name"), "A", "", "", "matches all 1 known tools"),
            (Some("tool_name"), "", "A", "B", "matches A if its condition is true; does not match B"),
            (Some("source"), "A", "", "1 2 3 4 5 6 7 8", "matches A; does not match 1, 2, 3, 4, 5, 6 and 2 more"),
            (Some("source"), "", "", "", "no values of source are known"),
            (None, "", "", "", "always matches, because the event has nothing to compare"),
        ] {
            let nearest = Some("N".to_owned());
            let subjects =
                SubjectMatches { fires: names(fires), conditional: names(depends), skipped: names(not), nearest };
            assert_eq!(subjects.words(&event(subject)), want);
        }
    }
}
