//! The names under which the agent knows models. Matchers of model switches are compared with these names, not with
//! `to_model`. Measured on 2.1.332 with 220 models.

/// The families with the version behind their name, and the versions that the agent knows.
const FAMILIES: [(&str, &[(u32, u32)]); 5] = [
    ("opus", &[(4, 0), (4, 1), (4, 5), (4, 6), (4, 7), (4, 8), (5, 0), (5, 5)]),
    ("sonnet", &[(4, 0), (4, 5), (4, 6), (5, 0), (5, 5)]),
    ("haiku", &[(4, 5), (5, 5)]),
    ("fable", &[(5, 0), (5, 1), (5, 2)]),
    ("mythos", &[(5, 0), (5, 1)]),
];

/// Models with the version before the family, or without one.
const OLDER: [&str; 7] = [
    "claude-3-7-sonnet",
    "claude-3-5-sonnet",
    "claude-3-5-haiku",
    "claude-3-opus",
    "claude-3-sonnet",
    "claude-3-haiku",
    "claude-mythos-preview",
];

/// The digits of a date behind a version, as in `claude-opus-4-20250514`.
const DATE_DIGITS: usize = 8;

/// Returns the name under which the agent knows a model: `claude-sonnet-4-5` for
/// `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. `None` if it does not know the model.
pub fn known_name(model: &str) -> Option<String> {
    let model = model.to_ascii_lowercase();
    FAMILIES.iter().find_map(|(family, versions)| newer(&model, family, versions)).or_else(|| older(&model))
}

fn newer(model: &str, family: &str, versions: &[(u32, u32)]) -> Option<String> {
    let (_, rest) = model.split_once(&format!("claude-{family}-"))?;
    let (major, rest) = digits(rest);
    let major: u32 = major.parse().ok()?;
    let (minor, _) = digits(rest.strip_prefix(['-', '.']).unwrap_or(""));
    let known = |minor: &str| minor.parse().ok().filter(|minor| versions.contains(&(major, *minor)));
    let minor = match minor.len() {
        0 => known("0"),
        1 | 2 => known(minor),
        length if length >= DATE_DIGITS => known("0"),
        // Neither a version nor a date: the longest known name that the text begins with.
        _ => [2, 1].into_iter().find_map(|length| minor.get(..length).and_then(known)).or_else(|| known("0")),
    }?;
    // The versions 4.0 are named with their zero, 5.0 without.
    let ending = if minor == 0 && major > 4 { String::new() } else { format!("-{minor}") };
    Some(format!("claude-{family}-{major}{ending}"))
}

fn older(model: &str) -> Option<String> {
    let model = model.replace("claude-3.", "claude-3-");
    let names = |name: &str| {
        let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
        model.split_once(name).is_some_and(|(_, rest)| ends(rest))
    };
    OLDER.into_iter().find(|name| names(name)).map(str::to_owned)
}

/// Splits a text behind its leading digits.
fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names that the program gave its hooks.
    #[test]
    fn measured_models() {
        for (model, want) in [
            ("claude-opus-4", "claude-opus-4-0"),
            ("claude-opus-4@20250514", "claude-opus-4-0"),
            ("claude-sonnet-4-20250514", "claude-sonnet-4-0"),
            ("claude-opus-4-12345678", "claude-opus-4-0"),
            ("claude-opus-4-1234567", "claude-opus-4-1"),
            ("claude-opus-4-100", "claude-opus-4-1"),
            ("claude-opus-4x", "claude-opus-4-0"),
            ("claude-opus-4--5", "claude-opus-4-0"),
            ("claude-opus-4.5", "claude-opus-4-5"),
            ("claude-opus-4-5-6", "claude-opus-4-5"),
            ("claude-opus-04-06", "claude-opus-4-6"),
            ("Claude-Opus-4-6", "claude-opus-4-6"),
            ("xclaude-opus-4-6x", "claude-opus-4-6"),
            ("anthropic/claude-opus-4-6", "claude-opus-4-6"),
            ("claude-sonnet-5 claude-opus-4-6", "claude-opus-4-6"),
            ("claude-opus-5-00", "claude-opus-5"),
            ("claude-opus-5-202", "claude-opus-5"),
            ("claude-opus-5:1", "claude-opus-5"),
            ("claude-sonnet-5-5[2m]", "claude-sonnet-5-5"),
            ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
            ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
            ("claude-fable-5-2", "claude-fable-5-2"),
            ("claude-mythos-5-0", "claude-mythos-5"),
            ("claude-mythos-preview-20260407", "claude-mythos-preview"),
            ("claude-3.7-sonnet", "claude-3-7-sonnet"),
            ("claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet"),
            ("claude-3-opus-20240229", "claude-3-opus"),
            ("claude-2-claude-opus-5", "claude-opus-5"),
        ] {
            assert_eq!(known_name(model).as_deref(), Some(want), "{model}");
        }
        for model in [
            "foo",
            "gpt-4",
            "claude-foo-1",
            "opus-4-6",
            "claude_opus_4_6",
            "claude--opus-4-5",
            "claude-opus-4-9",
            "claude-opus-4-10",
            "claude-opus-4-55",
            "claude-opus-45",
            "claude-opus-5-1-20260101",
            "claude-sonnet-50",
            "claude-haiku-3-5",
            "claude-fable-4",
            "claude-3-5-opus",
            "claude-35-sonnet",
            "claude-3-5-sonnetx",
            "claude-mythos-previewx",
            "claude-2-1",
            "arn:aws:bedrock:us-east-1:1:inference-profile/x",
        ] {
            assert_eq!(known_name(model), None, "{model}");
        }
    }
}
