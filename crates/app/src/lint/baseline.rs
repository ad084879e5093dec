//! Findings that were there before: a file that says which. Each is told again by what it is about and not by its line,
//! so that it stays known when lines move.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Finding;

const SCHEMA: &str = "lint-baseline/1";

/// What was there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    schema: String,
    findings: Vec<Known>,
}

/// One finding; only the fingerprint counts, the rest is for who reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    fingerprint: String,
    #[serde(default)]
    code: String,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    file: Option<String>,
    #[serde(default)]
    says: String,
}

/// Why a baseline cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    #[error("it is no baseline of findings: {0}")]
    Shape(serde_json::Error),
    #[error("its schema is \"{0}\", and this program reads \"{SCHEMA}\"")]
    Schema(String),
}

/// What a finding is about: its code, its agent, its file and the text of its line; not where that line is.
pub fn fingerprint(finding: &Finding) -> String {
    // Numbers in a sentence may be those of lines.
    let says: String = match finding.place {
        Some(_) => finding.line.trim().to_owned(),
        None => finding.message.chars().filter(|c| !c.is_ascii_digit()).collect(),
    };
    let file = finding.file.as_deref().unwrap_or("");
    let whole = [finding.code, finding.agent, file, &says].join("\0");
    let digest = Sha256::digest(whole.as_bytes());
    digest.iter().take(12).fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Baseline {
    /// These findings.
    pub fn of(findings: &[Finding]) -> Baseline {
        let known = |finding: &Finding| Known {
            fingerprint: fingerprint(finding),
            code: finding.code.to_owned(),
            agent: finding.agent.to_owned(),
            file: finding.file.clone(),
            says: finding.message.clone(),
        };
        Baseline { schema: SCHEMA.to_owned(), findings: findings.iter().map(known).collect() }
    }

    /// Reads it.
    ///
    /// # Errors
    /// When it is no baseline.
    pub fn parse(text: &str) -> Result<Baseline, BaselineError> {
        let baseline: Baseline = serde_json::from_str(text).map_err(BaselineError::Shape)?;
        if baseline.schema != SCHEMA {
            return Err(BaselineError::Schema(baseline.schema));
        }
        Ok(baseline)
    }

    /// As it is written to a file: a line for each finding, so that changes of it can be read.
    pub fn text(&self) -> String {
        let lines: Vec<String> = self
            .findings
            .iter()
            .filter_map(|known| serde_json::to_string(known).ok())
            .map(|known| format!("    {known}"))
            .collect();
        let list = if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", lines.join(",\n")) };
        format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"findings\": {list}\n}}\n")
    }

    /// How many findings it holds.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Findings that are not in it; each that is in it counts once. And how many of it are not found any more.
    pub fn beyond(&self, findings: Vec<Finding>) -> (Vec<Finding>, usize) {
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
