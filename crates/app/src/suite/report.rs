//! The report of a test run as a JSON document, and merging several reports.

use serde::{Deserialize, Serialize};

use super::run::{CaseResult, Shard};

/// `test --format json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestDoc {
    /// `test/1`.
    pub schema: String,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    /// The part of the run, such as `2/4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    pub cases: Vec<CaseDoc>,
}

/// One case for one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CaseDoc {
    /// The path of the suite file as the user named it.
    pub suite: String,
    pub case: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The line where the case begins.
    #[serde(default)]
    pub line: u32,
    /// Also true if the case was skipped.
    pub ok: bool,
    /// The unmet expectations; for a skipped case, the reason for skipping it.
    pub why: Vec<String>,
    /// Warnings about the event, independent of the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    pub duration_ms: u64,
}

/// The reason why reports cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    #[error("{0}: not a test report, and not the rows of a replay: {1}")]
    NotAReport(String, String),
    #[error("{case:?} of {suite} is in {first} and in {second}: these reports are not parts of one run")]
    Twice { suite: String, case: String, first: String, second: String },
    #[error("{first} and {second} are both part {part}")]
    SamePart { part: String, first: String, second: String },
    #[error("these are not parts of one run: {first} is part {part}, {second} is {other}")]
    OtherRun { part: String, first: String, other: String, second: String },
    #[error(
        "part {part} of {of} is missing\n  help: the job that ran it may have failed; merge the reports of all parts"
    )]
    Missing { part: u64, of: u64 },
}

/// Creates the document for results.
pub fn test_doc(results: &[CaseResult]) -> TestDoc {
    let cases = results
        .iter()
        .map(|result| CaseDoc {
            suite: result.case.suite.clone(),
            case: result.name.clone(),
            agent: result.agent.map_or_else(String::new, |agent| agent.to_string()),
            line: result.case.line,
            ok: result.unmet.is_empty(),
            why: match &result.skipped {
                Some(why) => vec![why.clone()],
                None => result.unmet.iter().map(|m| m.message.clone()).collect(),
            },
            notes: result.notes.clone(),
            skipped: result.skipped.is_some(),
            duration_ms: u64::try_from(result.duration.as_millis()).unwrap_or(u64::MAX),
        })
        .collect();
    counted(cases)
}

/// Checks that reports of numbered parts are all parts of one run.
fn complete(found: &[(Option<Shard>, &String)]) -> Result<(), MergeError> {
    let word = |part: Option<Shard>| part.map_or_else(|| "the whole".to_owned(), |p| format!("{}/{}", p.index, p.of));
    let Some((Some(first), name)) = found.iter().find(|(part, _)| part.is_some()) else { return Ok(()) };
    for (index, (part, other)) in found.iter().enumerate() {
        if part.is_none_or(|part| part.of != first.of) {
            return Err(MergeError::OtherRun {
                part: word(Some(*first)),
                first: (*name).clone(),
                other: word(*part),
                second: (*other).clone(),
            });
        }
        if let Some((_, twice)) = found.iter().take(index).find(|(earlier, _)| earlier == part) {
            let (first, second) = ((*twice).clone(), (*other).clone());
            return Err(MergeError::SamePart { part: word(*part), first, second });
        }
    }
    let missing = (1..=first.of).find(|n| !found.iter().any(|(part, _)| part.is_some_and(|part| part.index == *n)));
    missing.map_or(Ok(()), |part| Err(MergeError::Missing { part, of: first.of }))
}

fn counted(cases: Vec<CaseDoc>) -> TestDoc {
    let failed = cases.iter().filter(|c| !c.ok).count();
    let skipped = cases.iter().filter(|c| c.skipped).count();
    TestDoc { schema: "test/1".to_owned(), passed: cases.len() - failed - skipped, failed, skipped, part: None, cases }
}

/// Merges the reports of the parts of one run, sorted by suite and line. `parts` holds names and texts.
///
/// # Errors
/// Returns an error if a text is not a report, or if two reports have the same case.
pub fn merge(parts: &[(String, String)]) -> Result<TestDoc, MergeError> {
    let mut all: Vec<(CaseDoc, &String)> = Vec::new();
    let mut found: Vec<(Option<Shard>, &String)> = Vec::new();
    let mut docs: Vec<(TestDoc, &String)> = Vec::new();
    for (name, text) in parts {
        let wrong = |why: String| MergeError::NotAReport(name.clone(), why);
        let doc: TestDoc = serde_json::from_str(text).map_err(|why| wrong(why.to_string()))?;
        if doc.schema != "test/1" {
            return Err(wrong(format!("its schema is {:?}", doc.schema)));
        }
        found.push((doc.part.as_deref().and_then(Shard::parse), name));
        docs.push((doc, name));
    }
    complete(&found)?;
    for (doc, name) in docs {
        for case in doc.cases {
            if let Some((_, first)) = all.iter().find(|(c, _)| c.suite == case.suite && c.case == case.case) {
                return Err(MergeError::Twice {
                    suite: case.suite,
                    case: case.case,
                    first: (*first).clone(),
                    second: name.clone(),
                });
            }
            all.push((case, name));
        }
    }
    all.sort_by(|(a, _), (b, _)| (&a.suite, a.line, &a.case).cmp(&(&b.suite, b.line, &b.case)));
    Ok(counted(all.into_iter().map(|(case, _)| case).collect()))
}
