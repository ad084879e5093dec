//! Whether the directory is trusted.

use super::layers::{FileNames, SettingsFile};
use crate::kernel::settings::{BrokenCause, BrokenEffect, BrokenFile, read_object};
use hookbench_base::config::{Files, LoadedConfig, Place};
use hookbench_base::diagnostic::{Code, Diagnostic, Severity};
use hookbench_base::hook::Layer;
use hookbench_base::text::{JsonError, Node, SourceId};

/// The trust of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// Folder trust is switched off: every directory is trusted.
    Off,
    /// An environment variable decides.
    Variable {
        name: &'static str,
        trusted: bool,
    },
    Trusted {
        by: String,
    },
    Untrusted {
        by: String,
    },
    /// The user wants to see what would run if the directory were trusted.
    Assumed,
    /// No rule covers the directory, which counts as untrusted.
    Unknown {
        message: &'static str,
    },
}

impl Trust {
    /// Returns whether hooks that need trust may run.
    pub fn is_trusted(&self) -> bool {
        matches!(self, Trust::Off | Trust::Assumed | Trust::Trusted { .. } | Trust::Variable { trusted: true, .. })
    }

    /// Describes the trust in one sentence.
    pub fn describe(&self) -> String {
        match self {
            Trust::Off => "folder trust is off, so every directory is trusted".to_owned(),
            Trust::Assumed => Place::TRUST_ASSUMED.to_owned(),
            Trust::Variable { name, trusted: true } => format!("{name} marks the directory as trusted"),
            Trust::Variable { name, trusted: false } => format!("{name} marks the directory as untrusted"),
            Trust::Trusted { by } => format!("the rule for {by} trusts the directory"),
            Trust::Untrusted { by } => format!("the directory is not trusted: the rule for {by} is DO_NOT_TRUST"),
            Trust::Unknown { message } => (*message).to_owned(),
        }
    }
}

/// The trust of the project, and the settings that apply under it.
pub struct TrustedSettings<M> {
    pub trust: Trust,
    pub files: Vec<SettingsFile>,
    pub merged: M,
}

/// Decides trust without the project's settings; if they then apply, decides it again with them. `look_up` returns
/// the trust under some merged settings.
pub fn decide_trust<M>(
    names: &FileNames,
    place: &Place,
    settings: &[SettingsFile],
    loaded: &mut LoadedConfig,
    merge: impl Fn(&[SettingsFile]) -> M,
    look_up: impl Fn(&M, &mut LoadedConfig) -> Trust,
) -> TrustedSettings<M> {
    let others: Vec<SettingsFile> = settings.iter().filter(|s| s.layer != Layer::Project).cloned().collect();
    let mut trust = look_up(&merge(&others), loaded);
    let files = if trust.is_trusted() { settings.to_vec() } else { others };
    let merged = merge(&files);
    if trust == Trust::Off {
        trust = look_up(&merged, loaded);
        if !trust.is_trusted() {
            let note = Diagnostic::lowered(
                Code::HW207,
                Severity::Warning,
                "the project switches folder trust on, so it becomes untrusted itself",
            );
            let file = place.display_path(&names.project_path(place));
            loaded.notes.push(note.in_file(file).with_help("move security.folderTrust to the user's settings"));
        }
    }
    TrustedSettings { trust, files, merged }
}

/// Reads `trustedFolders.json`. Returns `None` if there are no rules. `effect` is that of a broken file.
pub fn read_rules(
    names: &FileNames,
    place: &Place,
    files: &dyn Files,
    user_dir: &str,
    parse: impl Fn(SourceId, &str) -> Result<Node, JsonError>,
    effect: impl FnOnce(&str, BrokenFile) -> BrokenEffect,
    loaded: &mut LoadedConfig,
) -> Option<Node> {
    let path = match names.path_in(place, "TRUSTED_FOLDERS_PATH") {
        Some(path) => path.to_owned(),
        None => format!("{user_dir}/trustedFolders.json"),
    };
    let effect = |mut broken: BrokenFile| {
        if broken.cause != BrokenCause::Unreadable {
            broken.help = Some("fix the file, or delete it".to_owned());
        }
        effect(&path, broken)
    };
    read_object(place, &path, files.read(&path), parse, effect, loaded).ok().flatten()
}
