//! Findings that the user accepts, with a reason: entries of a file in the project (which also work for settings
//! files that cannot hold comments), and comments in scripts. An entry without a reason has no effect.

mod comments;

use std::ops::Range;

use toml_edit::{Document, Item, Table};

use super::{Finding, normalize_code};
use hookbench_core::config::{FileError, Files, Place};
use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::text::{SourceMap, quote_literal};

pub use comments::{AllowComment, allow_comments};

/// The project file that lists the allowed findings.
pub const ALLOW_FILE: &str = ".hookbench.toml";
/// The name of its list.
const LIST: &str = "allow";
/// The keys of an entry.
const KEYS: [&str; 5] = ["code", "file", "hook", "matcher", "reason"];

/// An allowed finding, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedFinding {
    pub finding: Finding,
    pub reason: String,
}

/// The valid entries of the project's file, and findings about the others.
#[derive(Debug, Clone, Default)]
pub struct AllowList {
    entries: Vec<AllowEntry>,
    mistakes: Vec<Finding>,
}

#[derive(Debug, Clone)]
struct AllowEntry {
    code: String,
    /// The path as opened.
    path: String,
    /// The path as written.
    file: String,
    hook: Option<String>,
    matcher: Option<String>,
    reason: String,
    /// The place of the entry, as a template for findings about it.
    template: Finding,
}

impl AllowEntry {
    fn applies(&self, finding: &Finding) -> bool {
        let hook = finding.hook.as_ref();
        let is = |wanted: &Option<String>, found: Option<&String>| wanted.is_none() || wanted.as_ref() == found;
        self.code == finding.code.as_str()
            && (finding.path.as_ref() == Some(&self.path) || finding.file.as_ref() == Some(&self.file))
            && is(&self.hook, hook.map(|h| &h.label))
            && is(&self.matcher, hook.map(|h| &h.matcher))
    }

    fn unused(&self) -> Finding {
        Finding {
            code: Code::AllowUnused,
            message: format!("this entry allows {} in {}, which does not occur there", self.code, self.file),
            help: Some("delete the entry".to_owned()),
            ..self.template.clone()
        }
    }
}

/// A finding about hookbench's own files, which belongs to no agent.
fn own_finding(code: Code, message: String) -> Finding {
    Finding { severity: Severity::Warning, ..Finding::new(None, code, message) }
}

impl AllowList {
    /// Reads the file of a project. If it does not exist, nothing is allowed.
    pub fn read(place: &Place, files: &dyn Files) -> AllowList {
        let path = place.absolute(&place.project, ALLOW_FILE);
        let broken = |says: String| {
            let wrong = Finding {
                file: Some(ALLOW_FILE.to_owned()),
                path: Some(path.clone()),
                severity: Severity::Error,
                ..own_finding(Code::AllowBroken, says)
            };
            AllowList { entries: Vec::new(), mistakes: vec![wrong] }
        };
        match files.read(&path) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => AllowList::parse(&path, &text, place),
                Err(_) => broken("it is not UTF-8 text, so the whole file is ignored".to_owned()),
            },
            Err(FileError::Missing) => AllowList::default(),
            Err(FileError::Unreadable { why, .. }) => broken(format!("it cannot be read ({why}), so it is ignored")),
        }
    }

    fn parse(path: &str, text: &str, place: &Place) -> AllowList {
        let mut sources = SourceMap::default();
        let source = sources.add(ALLOW_FILE, path, text);
        let at = |span: Option<Range<usize>>, finding: Finding| {
            let span = span.unwrap_or(0..0);
            let start = sources.position(source, span.start);
            // A range over several lines is displayed as its first line.
            let first = text.get(span.clone()).map_or(0, |text| text.lines().next().unwrap_or("").len());
            let end = sources.position(source, span.start + first);
            Finding {
                file: Some(ALLOW_FILE.to_owned()),
                path: Some(path.to_owned()),
                place: Some((start, end)),
                line: sources.line(source, start.line).to_owned(),
                ..finding
            }
        };
        let mut allows = AllowList::default();
        let document = match Document::parse(text) {
            Ok(document) => document,
            Err(why) => {
                let says = why.message().lines().collect::<Vec<_>>().join(", ");
                let says = format!("this is not valid TOML, so the whole file is ignored: {says}");
                let broken = Finding { severity: Severity::Error, ..own_finding(Code::AllowBroken, says) };
                allows.mistakes.push(at(why.span(), broken));
                return allows;
            }
        };
        let mut wrong = Vec::new();
        for (name, item) in document.iter() {
            let span = document.as_table().get_key_value(name).and_then(|(key, _)| key.span());
            match item.as_array_of_tables().filter(|_| name == LIST) {
                Some(list) => {
                    for table in list {
                        match parse_entry(table, place) {
                            Ok(entry) => {
                                let own = at(table.span(), own_finding(Code::AllowUnused, String::new()));
                                allows.entries.push(AllowEntry { template: own, ..entry });
                            }
                            Err((span, finding)) => wrong.push(at(span.or_else(|| table.span()), *finding)),
                        }
                    }
                }
                None => {
                    let says = format!("\"{name}\" is not a known key");
                    let help = "this file contains [[allow]] entries, each with code, file and reason".to_owned();
                    wrong.push(at(span, Finding { help: Some(help), ..own_finding(Code::AllowBroken, says) }));
                }
            }
        }
        allows.mistakes = wrong;
        allows
    }

    /// Splits findings into those to report and those that are allowed. `whole` says that everything was linted, so
    /// that unused entries can be reported. Findings about the entries and comments themselves are among those to
    /// report.
    pub fn split(
        &self,
        findings: Vec<Finding>,
        comments: &[AllowComment],
        whole: bool,
    ) -> (Vec<Finding>, Vec<AllowedFinding>) {
        let (mut stay, mut allowed) = (Vec::new(), Vec::new());
        let mut used = vec![false; self.entries.len()];
        let mut used_comments = vec![false; comments.len()];
        for finding in findings {
            let mut reason = None;
            for (entry, used) in self.entries.iter().zip(&mut used).filter(|(entry, _)| entry.applies(&finding)) {
                *used = true;
                reason.get_or_insert_with(|| entry.reason.clone());
            }
            let marks = comments.iter().zip(&mut used_comments);
            for (comment, used) in marks.filter(|(comment, _)| comment.applies(&finding)) {
                *used = true;
                if let Some(why) = comment.reason() {
                    reason.get_or_insert_with(|| why.to_owned());
                }
            }
            match reason {
                Some(reason) => allowed.push(AllowedFinding { finding, reason }),
                None => stay.push(finding),
            }
        }
        stay.extend(self.mistakes.iter().cloned());
        stay.extend(comments.iter().filter_map(AllowComment::mistake));
        if whole {
            let idle = self.entries.iter().zip(used).filter(|(_, used)| !used).map(|(entry, _)| entry.unused());
            stay.extend(idle);
            let idle =
                comments.iter().zip(used_comments).filter(|(comment, used)| !used && comment.mistake().is_none());
            stay.extend(idle.map(|(comment, _)| comment.unused()));
        }
        (stay, allowed)
    }
}

/// An invalid entry: its place, and the finding about it.
type InvalidEntry = (Option<Range<usize>>, Box<Finding>);

fn parse_entry(table: &Table, place: &Place) -> Result<AllowEntry, InvalidEntry> {
    let fail = |span, code, says: String| -> InvalidEntry {
        let help =
            "an entry has code, file and reason, and optionally hook or matcher to select one of several".to_owned();
        (span, Box::new(Finding { help: Some(help), ..own_finding(code, says) }))
    };
    if let Some((name, _)) = table.iter().find(|(name, _)| !KEYS.contains(name)) {
        let span = table.get_key_value(name).and_then(|(key, _)| key.span());
        return Err(fail(
            span,
            Code::AllowBroken,
            format!("\"{name}\" is not a key of an entry, so the entry is ignored"),
        ));
    }
    let text = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(item) => match item.as_str() {
            Some(text) => Ok(Some(text.to_owned()).filter(|text| !text.trim().is_empty())),
            None => {
                Err(fail(item.span(), Code::AllowBroken, format!("{key} is not a string, so the entry is ignored")))
            }
        },
    };
    let missing = |key: &str| fail(None, Code::AllowBroken, format!("`{key}` is missing, so this entry is ignored"));
    let code = text("code")?.ok_or_else(|| missing("code"))?;
    let whole = normalize_code(&code).ok().filter(|known| known.len() == "HW101".len() || known.contains('/'));
    let code = whole.ok_or_else(|| {
        let span = table.get("code").and_then(Item::span);
        fail(span, Code::AllowBroken, format!("\"{code}\" is not a code, so the entry is ignored"))
    })?;
    let file = text("file")?.ok_or_else(|| missing("file"))?;
    let (hook, matcher) = (text("hook")?, text("matcher")?);
    let reason = text("reason")?.ok_or_else(|| {
        fail(None, Code::AllowNoReason, format!("the reason is missing, so {code} in {file} is not allowed"))
    })?;
    let path = place.absolute(&place.project, &file);
    Ok(AllowEntry { code, path, file, hook, matcher, reason, template: own_finding(Code::AllowUnused, String::new()) })
}

/// Formats an entry for a finding. Returns `None` if the finding is not about a file.
pub fn format_entry(finding: &Finding, reason: &str) -> Option<String> {
    let mut text = format!(
        "[[{LIST}]]\ncode = {}\nfile = {}\n",
        quote_literal(finding.code.as_str()),
        quote_literal(finding.file.as_ref()?)
    );
    if let Some(hook) = &finding.hook {
        text.push_str(&format!("hook = {}\n", quote_literal(&hook.label)));
    }
    text.push_str(&format!("reason = {}\n", quote_literal(reason.trim())));
    Some(text)
}

/// The text of the project's file with one more entry.
pub fn with_entry(before: Option<&str>, entry: &str) -> String {
    match before.filter(|text| !text.trim().is_empty()) {
        None => format!("# Findings that hookbench lint ignores in this project, and the reasons.\n\n{entry}"),
        Some(text) => format!("{}\n\n{entry}", text.trim_end_matches('\n')),
    }
}
