//! Baselines: files that list known findings. A finding is identified by its subject and not by its line number, so
//! that it stays known when lines move.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Finding;

const SCHEMA: &str = "lint-baseline/1";

/// The findings that were known when the baseline was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LintBaseline {
    schema: String,
    findings: Vec<KnownFinding>,
}

/// One known finding. Only the fingerprint is compared; the other fields are for human readers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct KnownFinding {
    fingerprint: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    #[serde(rename = "says")]
    message: String,
}

/// The reason why a baseline cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LintBaselineError {
    #[error("this is not a baseline of findings: {0}")]
    Shape(serde_json::Error),
    #[error("its schema is \"{0}\", but this program reads \"{SCHEMA}\"")]
    Schema(String),
}

/// Identifies a finding by its code, agent, file and the text of its line, but not by its line number.
pub fn fingerprint(finding: &Finding) -> String {
    // Digits in the message may be line numbers.
    let says: String = match finding.place {
        Some(_) => finding.line.trim().to_owned(),
        None => finding.message.chars().filter(|c| !c.is_ascii_digit()).collect(),
    };
    let file = finding.file.as_deref().unwrap_or("");
    let whole = [finding.code.as_str(), finding.agent_word(), file, &says].join("\0");
    let digest = Sha256::digest(whole.as_bytes());
    digest.iter().take(12).fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl LintBaseline {
    /// Creates a baseline from these findings.
    pub fn from_findings(findings: &[Finding]) -> LintBaseline {
        let known = |finding: &Finding| KnownFinding {
            fingerprint: fingerprint(finding),
            code: finding.code.to_string(),
            agent: finding.agent_word().to_owned(),
            file: finding.file.clone(),
            message: finding.message.clone(),
        };
        LintBaseline { schema: SCHEMA.to_owned(), findings: findings.iter().map(known).collect() }
    }

    /// Parses a baseline.
    ///
    /// # Errors
    /// Returns an error if the text is not a baseline of this schema.
    pub fn parse(text: &str) -> Result<LintBaseline, LintBaselineError> {
        let baseline: LintBaseline = serde_json::from_str(text).map_err(LintBaselineError::Shape)?;
        if baseline.schema != SCHEMA {
            return Err(LintBaselineError::Schema(baseline.schema));
        }
        Ok(baseline)
    }

    /// Formats the baseline with one finding per line, so that diffs of the file are readable.
    pub fn to_text(&self) -> String {
        let lines: Vec<String> = self
            .findings
            .iter()
            .filter_map(|known| serde_json::to_string(known).ok())
            .map(|known| format!("    {known}"))
            .collect();
        let list = if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", lines.join(",\n")) };
        format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"findings\": {list}\n}}\n")
    }

    /// The number of findings in the baseline.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Returns whether the baseline has no findings.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns the findings that are not in the baseline (each entry covers one finding), and the number of entries
    /// that no longer match a finding.
    pub fn new_findings(&self, findings: Vec<Finding>) -> (Vec<Finding>, usize) {
        let mut left: HashMap<&str, usize> = HashMap::new();
        for known in &self.findings {
            *left.entry(known.fingerprint.as_str()).or_default() += 1;
        }
        let mut new = Vec::new();
        for finding in findings {
            match left.get_mut(fingerprint(&finding).as_str()).filter(|count| **count > 0) {
                Some(count) => *count -= 1,
                None => new.push(finding),
            }
        }
        (new, left.values().sum())
    }
}
