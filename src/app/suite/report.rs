//! What came of all cases, as the document of the contract; several of them put together.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::run::CaseResult;

/// `test --format json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestDoc {
    /// `test/1`.
    pub schema: String,
    pub passed: usize,
    pub failed: usize,
    pub skipped: usize,
    pub cases: Vec<CaseDoc>,
}

/// One case for one agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseDoc {
    /// The file, as it was named.
    pub suite: String,
    pub case: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The line where the case begins.
    #[serde(default)]
    pub line: u32,
    /// True for what was skipped too.
    pub ok: bool,
    /// What is not as expected; of a skipped case why it was skipped.
    pub why: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    pub duration_ms: u64,
}

/// Why reports cannot be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    #[error("{0}: not a test report: {1}")]
    NotAReport(String, String),
    #[error("{case:?} of {suite} is in {first} and in {second}: these reports are not parts of one run")]
    Twice { suite: String, case: String, first: String, second: String },
}

/// The document of some results.
pub fn test_doc(results: &[CaseResult]) -> TestDoc {
    let cases = results
        .iter()
        .map(|result| CaseDoc {
            suite: result.case.suite.clone(),
            case: result.name.clone(),
            agent: result.agent.to_owned(),
            line: result.case.line,
            ok: result.misses.is_empty(),
            why: match &result.skipped {
                Some(why) => vec![why.clone()],
                None => result.misses.iter().map(|m| m.says.clone()).collect(),
            },
            skipped: result.skipped.is_some(),
            duration_ms: u64::try_from(result.duration.as_millis()).unwrap_or(u64::MAX),
        })
        .collect();
    counted(cases)
}

fn counted(cases: Vec<CaseDoc>) -> TestDoc {
    let failed = cases.iter().filter(|c| !c.ok).count();
    let skipped = cases.iter().filter(|c| c.skipped).count();
    TestDoc { schema: "test/1".to_owned(), passed: cases.len() - failed - skipped, failed, skipped, cases }
}

/// Reports of the parts of one run as the report of the whole, in the order of suites and lines. `parts` are names with
/// texts.
///
/// # Errors
/// When one is no report, or a case is in two of them.
pub fn merge(parts: &[(String, String)]) -> Result<TestDoc, MergeError> {
    let mut all: Vec<(CaseDoc, &String)> = Vec::new();
    for (name, text) in parts {
        let wrong = |why: String| MergeError::NotAReport(name.clone(), why);
        let doc: TestDoc = serde_json::from_str(text).map_err(|why| wrong(why.to_string()))?;
        if doc.schema != "test/1" {
            return Err(wrong(format!("its schema is {:?}", doc.schema)));
        }
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
