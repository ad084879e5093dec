//! Consent: a model is asked only after the user has agreed, once for each endpoint, model and project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookbench_core::model_client::ModelSettings;
use serde_json::{Value, json};

use super::call;
use crate::disk::canonical;
use crate::owner_only::create_directory;

const FILE: &str = "consent.json";
/// The number of directories above a hook's directory that can have the consent.
const MAX_PARENTS: usize = 64;

/// Why the model may not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConsentRefusal {
    /// The user was not asked yet, or has said no.
    NotGiven,
    /// The stored consent does not count, for this reason.
    Ignored(String),
}

impl ConsentRefusal {
    /// The reason with its remedy.
    pub fn message(&self) -> String {
        match self {
            ConsentRefusal::NotGiven => {
                "the user has not allowed it in this project; hookbench doctor --allow-model allows it".to_owned()
            }
            ConsentRefusal::Ignored(why) => format!("the saved consent is ignored: {why}"),
        }
    }
}

/// Checks whether the user allows to send text of a project to a model. Consent for a directory includes those below it.
pub fn check_consent(directory: &Path, settings: &ModelSettings, project: &Path) -> Result<(), ConsentRefusal> {
    if let Some(why) = crate::disk::tampering_reason(directory, FILE, Some(project)) {
        return Err(ConsentRefusal::Ignored(why));
    }
    let given = read(directory);
    let project = real_path(project);
    let agreed = project.ancestors().take(MAX_PARENTS).any(|above| given.contains_key(&key(settings, above)));
    if agreed { Ok(()) } else { Err(ConsentRefusal::NotGiven) }
}

/// Stores that the user allows to send text of a project to a model.
pub fn give_consent(directory: &Path, settings: &ModelSettings, project: &Path) -> std::io::Result<()> {
    create_directory(directory)?;
    let project = real_path(project);
    let mut given = read(directory);
    given.insert(key(settings, &project), format!("{} in {}", settings.shown(), project.display()));
    let document = json!({ "schema": "consent/1", "given": given });
    call::replace_file(directory, FILE, &format!("{document:#}\n"))
}

/// The given consents, by key. The values are for people.
fn read(directory: &Path) -> BTreeMap<String, String> {
    let text = crate::disk::read_text(directory.join(FILE)).unwrap_or_default();
    let value: Value = serde_json::from_str(&text).unwrap_or_default();
    let entries = value.get("given").and_then(Value::as_object).into_iter().flatten();
    entries.map(|(key, shown)| (key.clone(), shown.as_str().unwrap_or_default().to_owned())).collect()
}

fn key(settings: &ModelSettings, project: &Path) -> String {
    settings.endpoint.identity(&settings.name, Some(&project.to_string_lossy()))
}

fn real_path(path: &Path) -> PathBuf {
    canonical(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use hookbench_core::model_client::ModelEndpoint;

    use super::*;

    #[test]
    fn consent_is_for_one_model_and_one_project() {
        let scratch = tempfile::tempdir().unwrap();
        let state = scratch.path().join("state/model");
        let project = scratch.path().join("p");
        std::fs::create_dir_all(project.join("sub")).unwrap();
        let settings = |url: &str, name: &str| ModelSettings::new(ModelEndpoint::from_url(url).unwrap(), name);
        let (local, other) = (settings("http://127.0.0.1:1/v1", "m"), settings("https://a/v1", "m"));
        let not_given = Err(ConsentRefusal::NotGiven);
        assert_eq!(check_consent(&state, &local, &project), not_given);
        give_consent(&state, &local, &project).unwrap();
        give_consent(&state, &other, &scratch.path().join("q")).unwrap();
        assert_eq!(check_consent(&state, &local, &project), Ok(()));
        assert_eq!(check_consent(&state, &local, &project.join("sub")), Ok(()));
        assert_eq!(check_consent(&state, &local, &scratch.path().join("r")), not_given);
        assert_eq!(check_consent(&state, &other, &project), not_given);
        assert_eq!(check_consent(&state, &settings("http://127.0.0.1:1/v1", "n"), &project), not_given);
        // A directory around the state could have brought the consent.
        assert!(matches!(check_consent(&state, &local, scratch.path()), Err(ConsentRefusal::Ignored(_))));
        let file = state.join(FILE);
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(&state)), (0o600, 0o700));
        // A file that others can write does not count.
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o666)).unwrap();
        assert!(matches!(check_consent(&state, &local, &project), Err(ConsentRefusal::Ignored(_))));
    }
}
