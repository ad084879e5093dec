//! Translation of matchers, by the names that they match and not by their text. Candidate texts are tested on
//! every known name with the other agent's own rule, and the shortest one that matches exactly the same names is
//! used. If none does, a narrower one is used and reported. A matcher never becomes wider without a note.

use serde_json::Value;

use super::ConversionPair;
use super::name_map::{self, NameKind, NameLink, NameMap, ambiguous, matches_name, mcp_name, server_of, tokens};
use super::note::{ConversionNote, NoteCode};
use crate::catalogue::catalogue;
use crate::hook::EventSpec;
use crate::port::mapping;

/// The translation of a matcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConvertedMatcher {
    /// No matcher is needed.
    Everything,
    /// One definition for each of these matchers.
    Matchers(Vec<String>),
    /// The other agent has none of the names that it matches, or cannot express it.
    Nothing,
}

/// Translates the matcher of a definition on the event `here` for the event `there`.
pub fn convert_matcher(
    pair: &ConversionPair<'_>,
    here: &EventSpec,
    there: &EventSpec,
    matcher: Option<&Value>,
) -> (ConvertedMatcher, Vec<ConversionNote>) {
    // A matcher that is not a string matches everything in agents that accept it.
    let text = matcher.and_then(Value::as_str).unwrap_or_default().to_owned();
    let everything = text.is_empty() || text == "*";
    let from = pair.from.dialect.name();
    let port = |text: &str| {
        let port = MatcherConverter { pair, here, there, text, names: name_map::names(pair, here, there, text) };
        if there.subject.is_none() { port.without_subject() } else { port.with_subject() }
    };
    if here.subject.is_none() {
        let says = format!("{from} ignores matchers on {}: \"{text}\" is omitted", here.name);
        let ignored = (!everything).then(|| ConversionNote::changed(NoteCode::MatcherIgnored, says));
        // The other agent may send its event for more kinds than this one does.
        let Some(kinds) = kinds(here, there) else {
            return (ConvertedMatcher::Everything, ignored.into_iter().collect());
        };
        let says = format!("{from} sends {} for {} only", here.name, kinds.join(", "));
        let (ported, notes) = port("");
        let before = ignored.into_iter().chain([ConversionNote::changed(NoteCode::MatcherKinds, says)]);
        return (ported, before.chain(notes).collect());
    }
    if there.subject.is_some() && !same_subject(pair, here, there) && !everything {
        let key = |event: &EventSpec| event.subject.unwrap_or_default().to_owned();
        let to = pair.to.dialect.name();
        let says = format!("{from} compares \"{text}\" with {}, {to} would compare it with {}", key(here), key(there));
        return (ConvertedMatcher::Nothing, vec![ConversionNote::dropped(NoteCode::MatcherOtherSubject, says)]);
    }
    if matcher.is_none() { (ConvertedMatcher::Everything, Vec::new()) } else { port(&text) }
}

/// Returns the values of the field that the other agent matches on, for an event that has no matcher in this
/// agent.
fn kinds(here: &EventSpec, there: &EventSpec) -> Option<&'static [&'static str]> {
    let field = here.fields.iter().find(|field| Some(field.name) == there.subject)?;
    (!field.values.is_empty()).then_some(field.values)
}

/// Whether both agents match the events on the same payload key.
fn same_subject(pair: &ConversionPair<'_>, here: &EventSpec, there: &EventSpec) -> bool {
    let (Some(key), Some(other)) = (here.subject, there.subject) else { return false };
    let row = mapping().row_of(pair.from.dialect.id().as_str(), here.name);
    let named = row.and_then(|row| mapping().key_row(pair.from.dialect.id().as_str(), row.canonical, key));
    key == other
        || named.and_then(|row| row.keys.get(pair.to.dialect.id().as_str())).is_some_and(|there| there == other)
}

struct MatcherConverter<'a> {
    pair: &'a ConversionPair<'a>,
    here: &'a EventSpec,
    there: &'a EventSpec,
    text: &'a str,
    names: NameMap,
}

/// The names that a matcher matches, in the other agent's words.
struct MatchedNames<'a> {
    /// Every name of the other agent and whether it must match, in the order of the matcher.
    there: Vec<(&'a str, bool, NameKind)>,
    /// Matching names that the other agent does not have.
    lost: Vec<&'a str>,
    /// Pairs of a name in the other agent and a non-matching name here that shares it.
    wider: Vec<(&'a str, &'a str)>,
    /// Whether every name matches.
    all: bool,
}

impl MatcherConverter<'_> {
    fn matches_here(&self, name: &str) -> bool {
        matches_name(self.pair.from, self.here, Some(self.text), name) == Some(true)
    }

    /// Whether the agent's own rule gives no answer.
    fn is_unknown_here(&self, name: &str) -> bool {
        matches_name(self.pair.from, self.here, Some(self.text), name).is_none()
    }

    fn matches_there(&self, matcher: &str, name: &str) -> bool {
        matches_name(self.pair.to, self.there, Some(matcher), name) == Some(true)
    }

    fn matched_names(&self) -> MatchedNames<'_> {
        let links = &self.names.links;
        // A tool that only the other agent has is treated like an unknown name.
        let tools = self.here.subject == Some("tool_name");
        let strangers = links.iter().filter(|link| link.kind == NameKind::Unknown);
        let strangers = strangers.filter_map(|link| link.here.as_deref()).all(|name| self.matches_here(name));
        let passes = |link: &NameLink| match (&link.here, &link.there) {
            (Some(name), _) => self.matches_here(name),
            (None, Some(_)) if self.here.subject.is_none() => false,
            (None, Some(name)) => {
                if tools {
                    strangers
                } else {
                    self.matches_here(name)
                }
            }
            (None, None) => false,
        };
        let judged: Vec<(&NameLink, bool)> = links.iter().map(|link| (link, passes(link))).collect();
        let mut found = MatchedNames {
            there: Vec::new(),
            lost: Vec::new(),
            wider: Vec::new(),
            all: judged.iter().all(|(_, passes)| *passes),
        };
        for (link, passes) in &judged {
            match (&link.there, passes) {
                (None, true) => found.lost.extend(link.here.as_deref()),
                (None, false) => {}
                (Some(name), passes) => match found.there.iter_mut().find(|(known, ..)| known == name) {
                    Some((_, wanted, _)) => *wanted |= passes,
                    None => found.there.push((name, *passes, link.kind)),
                },
            }
        }
        for (link, _) in judged.iter().filter(|(_, passes)| !passes) {
            let wanted = |name: &&str| found.there.iter().any(|(known, wanted, _)| known == name && *wanted);
            // A known value that is never sent cannot make the match wider.
            let sent = |here: &&str| tools || self.here.subjects.is_empty() || self.here.subjects.contains(here);
            let here = link.here.as_deref().filter(sent);
            if let (Some(there), Some(here)) = (link.there.as_deref().filter(wanted), here) {
                found.wider.push((there, here));
            }
        }
        // Sort into the order in which the matcher names them.
        let place = |name: &str| {
            let words = &self.names.words;
            words.iter().position(|(_, there)| there.iter().any(|t| t == name)).unwrap_or(usize::MAX)
        };
        found.there.sort_by_key(|(name, ..)| place(name));
        found
    }

    /// Notes about the names that the matcher spells out, as opposed to names that its pattern happens to match.
    fn name_notes(&self, found: &MatchedNames<'_>) -> Vec<ConversionNote> {
        let [from, to] = [self.pair.from, self.pair.to].map(|side| side.dialect.name());
        let mut notes = Vec::new();
        let words = tokens(self.text);
        let strangers = found.there.iter().any(|(_, passes, what)| *passes && *what == NameKind::Unknown);
        for name in found.lost.iter().filter(|name| !found.all && (!strangers || words.contains(&(**name).to_owned())))
        {
            let says = match self.here.subject {
                Some("tool_name") => self.no_tool(name),
                key => format!("{to} never sends {} with {} {name}", self.there.name, key.unwrap_or_default()),
            };
            notes.push(ConversionNote::dropped(NoteCode::MatcherNoEqual, says));
        }
        for (there, here) in &found.wider {
            let says = match self.here.subject {
                Some("tool_name") => {
                    format!("the tool {there} of {to} also does what {here} does in {from}: the hook runs for both")
                }
                _ => format!("{to} also sends {there} where {from} sends {here}: the hook runs for both"),
            };
            notes.push(ConversionNote::worse(NoteCode::MatcherWider, says));
        }
        let alternatives: Vec<&str> = self.text.split('|').map(str::trim).collect();
        let written =
            found.there.iter().filter(|(name, _, what)| *what == NameKind::Unverified && alternatives.contains(name));
        for (name, ..) in written.clone() {
            let says = format!("\"{name}\" is not known in any agent: the name is kept");
            notes.push(ConversionNote::kept(NoteCode::MatcherUnknownName, says));
        }
        let known = found.there.iter().filter(|(_, passes, what)| *passes && *what == NameKind::Known);
        let open = self.here.subject != Some("tool_name") && !self.there.subjects.is_empty();
        for (name, ..) in known
            .filter(|(name, ..)| open && words.contains(&(*name).to_owned()) && !self.there.subjects.contains(name))
        {
            let says = format!("{to} is not known to have \"{name}\": the name is kept");
            notes.push(ConversionNote::kept(NoteCode::MatcherUnknownName, says));
        }
        if let Some(agent) = catalogue().agent(self.pair.from.dialect.id().as_str())
            && agent.mcp.split.is_none()
            && catalogue().agent(self.pair.to.dialect.id().as_str()).is_some_and(|to| to.mcp.split.is_some())
        {
            for word in words.iter().filter(|word| ambiguous(word, agent)) {
                let (server, call) = server_of(word, agent).unwrap_or_default();
                let says = format!(
                    "{word} is read as {call} of the server {server}; the name does not show where the server's name ends"
                );
                notes.push(ConversionNote::worse(NoteCode::MatcherServer, says));
            }
        }
        notes
    }

    fn no_tool(&self, name: &str) -> String {
        let said = catalogue().agent(self.pair.to.dialect.id().as_str()).map(|to| {
            let found = catalogue().resolve(name, to);
            catalogue().describe(name, to, &found)
        });
        format!("{name}: {}", said.unwrap_or_default())
    }

    /// Translates a matcher for an event on which the other agent reads no matcher.
    fn without_subject(&self) -> (ConvertedMatcher, Vec<ConversionNote>) {
        let found = self.matched_names();
        if found.all {
            return (ConvertedMatcher::Everything, Vec::new());
        }
        let mut notes = self.name_notes(&found);
        let known = || found.there.iter().filter(|(.., what)| *what == NameKind::Known);
        let to = self.pair.to.dialect.name();
        if known().count() > 0 && known().all(|(_, passes, _)| *passes) {
            let says = format!("{to} sends {} only for these: \"{}\" is not needed", self.there.name, self.text);
            notes.push(ConversionNote::changed(NoteCode::MatcherNotNeeded, says));
            return (ConvertedMatcher::Everything, notes);
        }
        let says = format!("{to} ignores matchers on {}, so \"{}\" would match every time", self.there.name, self.text);
        notes.push(ConversionNote::dropped(NoteCode::MatcherNoSubject, says));
        (ConvertedMatcher::Nothing, notes)
    }

    fn with_subject(&self) -> (ConvertedMatcher, Vec<ConversionNote>) {
        if let Some(name) =
            self.names.links.iter().filter_map(|link| link.here.as_deref()).find(|name| self.is_unknown_here(name))
        {
            let says = format!(
                "hookbench cannot check whether \"{}\" matches {name}: the pattern could run for a very long time",
                self.text
            );
            return (ConvertedMatcher::Nothing, vec![ConversionNote::dropped(NoteCode::MatcherTooExpensive, says)]);
        }
        let found = self.matched_names();
        let mut notes = self.name_notes(&found);
        let wanted: Vec<&(&str, bool, NameKind)> = found.there.iter().filter(|(_, wanted, _)| *wanted).collect();
        if wanted.iter().all(|(.., what)| *what == NameKind::McpNamesake) {
            self.note_impossible_names("", &mut notes);
            let to = self.pair.to.dialect.name();
            let says = if found.lost.is_empty() && self.names.impossible.is_empty() {
                format!("\"{}\" matches nothing that hookbench knows", self.text)
            } else {
                format!("no part of \"{}\" exists in {to}", self.text)
            };
            notes.push(ConversionNote::dropped(NoteCode::MatcherNothingLeft, says));
            return (ConvertedMatcher::Nothing, notes);
        }
        let mut candidates = self.candidates(&found);
        candidates.sort_by_key(|text| (text != self.text, text.chars().count()));
        if let Some(text) = candidates.iter().find(|text| self.exact(text, &found)) {
            self.note_lost_matches(text, &found, &mut notes);
            self.note_impossible_names(text, &mut notes);
            return (ConvertedMatcher::Matchers(vec![text.clone()]), notes);
        }
        self.note_impossible_names("", &mut notes);
        if found.all {
            return (ConvertedMatcher::Everything, notes);
        }
        if let Some(each) = self.one_by_one(&found) {
            let says = format!(
                "{} does not support lists of names on {}: the hook is written once for each name",
                self.pair.to.dialect.name(),
                self.there.name
            );
            notes.push(ConversionNote::changed(NoteCode::MatcherSplit, says));
            return (ConvertedMatcher::Matchers(each), notes);
        }
        self.narrower_matcher(&found, notes)
    }

    /// Whether a text matches exactly the same names. Accidental matches inside the names of MCP tools may be lost
    /// but not added.
    fn exact(&self, matcher: &str, found: &MatchedNames<'_>) -> bool {
        found.there.iter().all(|(name, wanted, what)| {
            let chance = *wanted && *what == NameKind::McpNamesake;
            chance || self.matches_there(matcher, name) == *wanted
        })
    }

    /// Notes accidental matches inside other names that are lost.
    fn note_lost_matches(&self, matcher: &str, found: &MatchedNames<'_>, notes: &mut Vec<ConversionNote>) {
        let lost = found.there.iter().find(|(name, wanted, what)| {
            *wanted && *what == NameKind::McpNamesake && !self.matches_there(matcher, name)
        });
        if let Some((name, ..)) = lost {
            let says = format!(
                "{} also finds \"{}\" inside other names, such as {name}; the converted matcher matches only the tool",
                self.pair.from.dialect.name(),
                self.text
            );
            notes.push(ConversionNote::warned(NoteCode::MatcherInside, says));
        }
    }

    /// Notes names in the matcher that never occur. `matcher` is the translated matcher.
    fn note_impossible_names(&self, matcher: &str, notes: &mut Vec<ConversionNote>) {
        let stays = tokens(matcher);
        for (name, why) in &self.names.impossible {
            let says = format!("\"{name}\" {why}");
            notes.insert(
                0,
                if stays.contains(name) {
                    ConversionNote::warned(NoteCode::MatcherNoSuchName, format!("{says}; it is kept unchanged"))
                } else {
                    ConversionNote::dropped(NoteCode::MatcherNoSuchName, format!("{says}; it is omitted"))
                },
            );
        }
    }

    fn candidates(&self, found: &MatchedNames<'_>) -> Vec<String> {
        let mut out = vec![self.text.to_owned(), self.with_translated_words(|_| true)];
        if let Some(from) = catalogue().agent(self.pair.from.dialect.id().as_str()) {
            out.extend(
                name_map::mcp_prefix(from).map(|prefix| self.with_translated_words(|word| word.starts_with(prefix))),
            );
        }
        let parts = self.parts(found);
        let joined = parts.join("|");
        out.push(joined.clone());
        match parts.as_slice() {
            [one] if one.ends_with(".*") => out.push(format!("^{one}")),
            [one] => out.push(format!("^{one}$")),
            _ => out.push(format!("^({joined})$")),
        }
        let prefix = self.pair.to.dialect.settings_format().pattern_prefix;
        out.extend(prefix.map(|prefix| format!("{prefix}{joined}")));
        out
    }

    /// Returns the names that match, and a pattern for each server whose tools all match.
    fn parts(&self, found: &MatchedNames<'_>) -> Vec<String> {
        let plain = |what: NameKind| matches!(what, NameKind::Known | NameKind::Unverified);
        let named = found.there.iter().filter(|(_, wanted, what)| *wanted && plain(*what));
        let mut parts: Vec<String> = named.map(|(name, ..)| (*name).to_owned()).collect();
        let agents = catalogue()
            .agent(self.pair.from.dialect.id().as_str())
            .zip(catalogue().agent(self.pair.to.dialect.id().as_str()));
        let Some((from, to)) = agents.filter(|_| self.here.subject == Some("tool_name")) else { return parts };
        let of = |start: &str| -> Vec<(&str, bool)> {
            let mcp = found.there.iter().filter(|(.., what)| *what == NameKind::Mcp);
            mcp.filter(|(name, ..)| name.starts_with(start)).map(|(name, wanted, _)| (*name, *wanted)).collect()
        };
        let whole = |start: &str| of(start).iter().all(|(_, wanted)| *wanted);
        if let Some(prefix) = name_map::mcp_prefix(to).filter(|prefix| whole(prefix)) {
            parts.push(format!("{prefix}.*"));
            return parts;
        }
        for (server, call) in tokens(self.text).iter().filter_map(|word| server_of(word, from)) {
            let (start, name) = (mcp_name(to, &server, ""), mcp_name(to, &server, &call));
            if whole(&start) {
                parts.push(format!("{start}.*"));
            } else if of(&name).iter().any(|(one, wanted)| *one == name && *wanted) {
                parts.push(name);
            }
        }
        parts.dedup();
        parts
    }

    /// Returns the text with the other agent's names in it.
    fn with_translated_words(&self, which: impl Fn(&str) -> bool) -> String {
        let mut out = String::new();
        let mut rest = self.text;
        while let Some(c) = rest.chars().next() {
            let length =
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(rest.len());
            let word = rest.get(..length).unwrap_or("");
            let known = self.names.words.iter().find(|(known, there)| known == word && !there.is_empty());
            match known.filter(|_| !word.is_empty() && which(word)).map(|(_, there)| there.as_slice()) {
                Some([one]) => out.push_str(one),
                Some(several) => out.push_str(&format!("({})", several.join("|"))),
                None if word.is_empty() => {
                    out.push(c);
                    rest = rest.get(c.len_utf8()..).unwrap_or("");
                    // Skip an escaped character: it is not part of a name.
                    if c == '\\'
                        && let Some(next) = rest.chars().next()
                    {
                        out.push(next);
                        rest = rest.get(next.len_utf8()..).unwrap_or("");
                    }
                    continue;
                }
                None => out.push_str(word),
            }
            rest = rest.get(length..).unwrap_or("");
        }
        out
    }

    /// Returns one matcher for each name, if each of them matches that name alone.
    fn one_by_one(&self, found: &MatchedNames<'_>) -> Option<Vec<String>> {
        let wanted = found.there.iter().filter(|(_, wanted, _)| *wanted);
        let only = |matcher: &String, own: &str| {
            found.there.iter().all(|(name, ..)| self.matches_there(matcher, name) == (*name == own))
        };
        wanted
            .map(|(name, _, what)| {
                let texts = [(*name).to_owned(), format!("^{name}$")];
                texts
                    .into_iter()
                    .find(|text| matches!(what, NameKind::Known | NameKind::Unverified) && only(text, name))
            })
            .collect()
    }

    /// Returns the matcher that covers as much as possible without matching any other name.
    fn narrower_matcher(
        &self,
        found: &MatchedNames<'_>,
        mut notes: Vec<ConversionNote>,
    ) -> (ConvertedMatcher, Vec<ConversionNote>) {
        let inside =
            |text: &str| found.there.iter().all(|(name, wanted, _)| *wanted || !self.matches_there(text, name));
        let some = |text: &str| found.there.iter().any(|(name, wanted, _)| *wanted && self.matches_there(text, name));
        let parts = self.parts(found);
        let joined = parts.join("|");
        let to = self.pair.to.dialect;
        let prefix = to.settings_format().pattern_prefix.unwrap_or_default();
        let texts = [format!("{prefix}{joined}"), format!("^({joined})$")];
        let found = texts.into_iter().find(|text| !parts.is_empty() && inside(text) && some(text));
        match found {
            Some(text) => {
                let says = format!(
                    "{} has no {} pattern for all of \"{}\": \"{text}\" covers the known names",
                    to.name(),
                    to.settings_format().pattern_dialect,
                    self.text
                );
                notes.push(ConversionNote::worse(NoteCode::MatcherNarrower, says));
                (ConvertedMatcher::Matchers(vec![text]), notes)
            }
            None => {
                let says = format!("no matcher of {} matches the same names as \"{}\"", to.name(), self.text);
                notes.push(ConversionNote::dropped(NoteCode::MatcherNotSayable, says));
                (ConvertedMatcher::Nothing, notes)
            }
        }
    }
}
