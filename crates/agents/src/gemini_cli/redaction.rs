//! The environment variables that the agent hides from hooks (spec §5.1).

use std::sync::LazyLock;

use serde_json::Value;

const ALWAYS_KEPT: [&str; 32] = [
    "PATH",
    "SYSTEMROOT",
    "COMSPEC",
    "PATHEXT",
    "WINDIR",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "SYSTEMDRIVE",
    "HOME",
    "LANG",
    "SHELL",
    "TMPDIR",
    "USER",
    "LOGNAME",
    "TERM",
    "COLORTERM",
    "ADDITIONAL_CONTEXT",
    "AVAILABLE_LABELS",
    "BRANCH_NAME",
    "DESCRIPTION",
    "EVENT_NAME",
    "GITHUB_ENV",
    "IS_PULL_REQUEST",
    "ISSUES_TO_TRIAGE",
    "ISSUE_BODY",
    "ISSUE_NUMBER",
    "ISSUE_TITLE",
    "PULL_REQUEST_NUMBER",
    "REPOSITORY",
    "TITLE",
    "TRIGGERING_ACTOR",
];

const ALWAYS_HIDDEN: [&str; 12] = [
    "CLIENT_ID",
    "DB_URI",
    "CONNECTION_STRING",
    "AWS_DEFAULT_REGION",
    "AZURE_CLIENT_ID",
    "AZURE_TENANT_ID",
    "SLACK_WEBHOOK_URL",
    "TWILIO_ACCOUNT_SID",
    "DATABASE_URL",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_ACCOUNT",
    "FIREBASE_PROJECT_ID",
];

const SECRET_NAMES: [&str; 10] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "AUTH", "CREDENTIAL", "CREDS", "PRIVATE", "CERT"];

/// Values that look like secrets.
static SECRET_VALUES: LazyLock<Option<regex::RegexSet>> = LazyLock::new(|| {
    let patterns = [
        r"-----BEGIN (RSA|OPENSSH|EC|PGP) PRIVATE KEY-----",
        r"-----BEGIN CERTIFICATE-----",
        r"(https?|ftp|smtp)://[^:\s]{1,1024}:[^@\s]{1,1024}@",
        r"(ghp|gho|ghu|ghs|ghr|github_pat)_[a-zA-Z0-9_]{36,}",
        r"AIzaSy[a-zA-Z0-9_\\-]{33}",
        r"AKIA[A-Z0-9]{16}",
        r"eyJ[a-zA-Z0-9_-]{0,10240}\.[a-zA-Z0-9_-]{0,10240}\.[a-zA-Z0-9_-]{0,10240}",
        r"(s|r)k_(live|test)_[0-9a-zA-Z]{24}",
        r"xox[abpr]-[a-zA-Z0-9-]+",
    ];
    regex::RegexSetBuilder::new(patterns).case_insensitive(true).unicode(true).size_limit(64 << 20).build().ok()
});

/// Returns the names of the variables that hooks do not receive, of those in the agent's own environment. `settings` is
/// the resolved `environmentVariableRedaction`.
pub fn hidden_variables<'a>(
    environment: impl Iterator<Item = (&'a String, &'a String)>,
    settings: Option<&Value>,
) -> Vec<String> {
    let flag = |key: &str| settings.and_then(|s| s.get(key)).and_then(Value::as_bool) == Some(true);
    let strict = flag("strict");
    if !strict && !flag("active") {
        return Vec::new();
    }
    let list = |key: &str| -> Vec<String> {
        let items = settings.and_then(|s| s.get(key)).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str).map(str::to_uppercase).collect()
    };
    let (allowed, blocked) = (list("allowed"), list("blocked"));
    let dropped = |(name, value): &(&String, &String)| {
        let name = name.to_uppercase();
        if name.starts_with("GEMINI_CLI_") {
            return false;
        }
        let secret = SECRET_VALUES.as_ref().is_some_and(|patterns| patterns.is_match(value));
        if secret && !value.is_empty() {
            return true;
        }
        if name.starts_with("GIT_CONFIG_") || allowed.contains(&name) {
            return false;
        }
        if blocked.contains(&name) {
            return true;
        }
        if ALWAYS_KEPT.contains(&name.as_str()) {
            return false;
        }
        ALWAYS_HIDDEN.contains(&name.as_str()) || strict || SECRET_NAMES.iter().any(|part| name.contains(part))
    };
    environment.filter(dropped).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hookbench_base::config::Place;
    use serde_json::json;

    #[test]
    fn first_hit_decides() {
        let variables = [
            ("PLAIN", "p"),
            ("MY_TOKEN", "s"),
            ("monkey", "m"),
            ("URL", "https://u:p@example.com/"),
            ("GEMINI_CLI_X_TOKEN", "https://u:p@example.com/"),
            ("GIT_CONFIG_KEY_0", "c"),
            ("CLIENT_ID", "i"),
            ("PATH", "/bin"),
            ("EMPTY", ""),
        ];
        let mut place = Place::default();
        place.env.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        for (settings, want) in [
            (json!({"active": false, "strict": false, "blocked": ["PLAIN"]}), vec![]),
            (json!({"active": true}), vec!["CLIENT_ID", "MY_TOKEN", "URL", "monkey"]),
            (
                json!({"active": true, "allowed": ["my_token", "url", "client_id"], "blocked": ["plain", "PATH"]}),
                vec!["PATH", "PLAIN", "URL", "monkey"],
            ),
            (json!({"strict": true}), vec!["CLIENT_ID", "EMPTY", "MY_TOKEN", "PLAIN", "URL", "monkey"]),
        ] {
            assert_eq!(hidden_variables(place.env.iter(), Some(&settings)), want, "{settings}");
        }
        for (value, secret) in [
            ("ghp_0123456789012345678901234567890123456", true),
            ("AKIA0123456789ABCDEF", true),
            ("xoxb-1", true),
            ("-----BEGIN RSA PRIVATE KEY-----", true),
            ("http://localhost:8080/", false),
        ] {
            assert_eq!(SECRET_VALUES.as_ref().unwrap().is_match(value), secret, "{value}");
        }
    }
}
