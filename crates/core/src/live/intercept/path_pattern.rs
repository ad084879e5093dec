//! Path patterns of breakpoints.

use regex::Regex;

use super::breakpoint::event_named;
use crate::catalogue::catalogue;
use crate::dialects::{self, default_version};
use crate::live::{agents, live_form, wire_event};
use crate::text::{is_absolute_path, nearest, normalize_path};

/// A path pattern: `*` and `?` match within a directory, `**` across directories. A pattern that does not begin with
/// `/` is matched against the path relative to the project directory.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    regex: Regex,
}

/// The error for an invalid path pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is not a path pattern; write one like src/**/*.rs")]
pub struct PathPatternError;

impl PathPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// Returns an error if the pattern is empty or longer than any path.
    pub fn new(text: &str) -> Result<PathPattern, PathPatternError> {
        if text.is_empty() || text.len() > 4_096 {
            return Err(PathPatternError);
        }
        let mut regex = String::from("(?s)^");
        let mut rest = text.strip_prefix("./").unwrap_or(text);
        while let Some(first) = rest.chars().next() {
            let (written, length) = if rest.starts_with("**/") {
                ("(?:.*/)?".to_owned(), 3)
            } else if rest.starts_with("**") {
                (".*".to_owned(), 2)
            } else {
                let one = match first {
                    '*' => "[^/]*".to_owned(),
                    '?' => "[^/]".to_owned(),
                    other => regex::escape(other.encode_utf8(&mut [0; 4])),
                };
                (one, first.len_utf8())
            };
            regex.push_str(&written);
            rest = &rest[length..];
        }
        regex.push('$');
        let regex = Regex::new(&regex).map_err(|_| PathPatternError)?;
        Ok(PathPattern { text: text.to_owned(), regex })
    }

    /// Returns the original text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a path of an event in this project matches.
    pub fn matches(&self, project: &str, path: &str) -> bool {
        let whole =
            if is_absolute_path(path) { normalize_path(path) } else { normalize_path(&format!("{project}/{path}")) };
        if self.text.starts_with('/') {
            return self.regex.is_match(&whole);
        }
        let project = normalize_path(project);
        let inside = whole
            .strip_prefix(&project)
            .and_then(|rest| if project == "/" { Some(rest) } else { rest.strip_prefix('/') });
        inside.is_some_and(|inside| self.regex.is_match(inside))
    }
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &PathPattern) -> bool {
        self.text == other.text
    }
}

impl Eq for PathPattern {}

/// Returns the wire name of an event in any spelling, of this agent or of any.
///
/// # Errors
/// Returns a message with a suggestion if no agent has the event.
pub fn known_event(agent: Option<&str>, spelled: &str) -> Result<String, String> {
    let whose = agent.and_then(dialects::by_id).map_or("no agent", |dialect| dialect.name());
    let names = event_names(agent);
    if let Some(event) = event_named(agent, spelled).filter(|event| names.iter().any(|(_, wire)| wire == event)) {
        return Ok(event);
    }
    let own: Vec<&str> = names.iter().flat_map(|(own, wire)| [own.as_str(), wire.as_str()]).collect();
    let help = nearest(spelled, &own)
        .map_or_else(|| "`hookbench events` lists all events".to_owned(), |near| format!("did you mean {near}?"));
    let has = if agent.is_some() { "has no event" } else { "has an event" };
    Err(format!("{whose} {has} {spelled}; {help}"))
}

/// Checks the name of a tool, in the words of any agent. Tools of MCP servers have any names.
///
/// # Errors
/// Returns a message with a suggestion if no agent has an event or a tool with this name.
pub fn check_tool(spelled: &str) -> Result<(), String> {
    let known = || catalogue().every_agent().flat_map(|agent| agent.tools).flat_map(|tool| tool.names());
    let rows = || catalogue().rows.iter().flat_map(|row| row.spellings.iter().copied().chain([row.canonical]));
    let is_known = || known().chain(rows()).any(|name| name == spelled);
    let resolves = || catalogue().every_agent().any(|agent| catalogue().resolve(spelled, agent).id.is_some());
    if spelled.contains("__") || is_known() || resolves() {
        return Ok(());
    }
    let events = event_names(None);
    let words: Vec<&str> = events.iter().flat_map(|(own, wire)| [own.as_str(), wire.as_str()]).collect();
    let tools: Vec<&str> = known().collect();
    match nearest(spelled, &words).or_else(|| nearest(spelled, &tools)) {
        Some(near) => Err(format!("no agent has an event or a tool {spelled}; did you mean {near}?")),
        // The tool of a server in an agent that writes `server-tool` or `server_tool`.
        None if spelled.contains(['-', '_']) => Ok(()),
        None => Err(format!(
            "no agent has an event or a tool {spelled}; `hookbench events` and `hookbench tools` list them"
        )),
    }
}

/// Every event: the agent's name, and the name on the wire.
fn event_names(agent: Option<&str>) -> Vec<(String, String)> {
    let asked = agents().filter(|id| agent.is_none_or(|agent| *id == agent));
    let dialects = asked.filter_map(|id| Some((dialects::by_id(id.as_str())?, live_form(id.as_str())?)));
    let events = dialects.flat_map(|(dialect, form)| {
        let of_agent = dialect.events(&default_version(dialect)).into_iter();
        of_agent.map(move |event| (event.name.to_owned(), wire_event(Some(form), event.name)))
    });
    events.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_within_directories_and_across_them() {
        for (pattern, path, matches) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "src/a.rs", false),
            ("**/*.rs", "a.rs", true),
            ("**/*.rs", "/p/src/deep/a.rs", true),
            ("src/**", "/p/src/a/b", true),
            ("src/**", "/p/src2/a", false),
            ("src/?.rs", "src/a.rs", true),
            ("src/?.rs", "src/ab.rs", false),
            ("./src/a", "src/a", true),
            ("a.rs", "axrs", false),
            ("[a].rs", "[a].rs", true),
            ("**", "/etc/passwd", false),
            ("**", "../q/a", false),
            ("**", "/p2/a", false),
            ("/etc/*", "/etc/passwd", true),
            ("/etc/*", "src/../../etc/passwd", true),
            ("/p/**/.env*", ".env.local", true),
            ("**/.env", "/p//deep/.//.env", true),
            // On Windows, the first name would be a drive's, or a server's.
            #[cfg(unix)]
            ("**/.env", "a:/../.env", true),
            #[cfg(unix)]
            ("**/.env", "//p//deep/.//.env", true),
        ] {
            assert_eq!(PathPattern::new(pattern).unwrap().matches("/p/", path), matches, "{pattern} {path}");
        }
        assert!(PathPattern::new("**/a").unwrap().matches("/", "/x/a"));
        assert_eq!(PathPattern::new(""), Err(PathPatternError));
    }
}
