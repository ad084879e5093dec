//! Settings files in directories above the project, which an agent does not read.

use hookbench_base::config::{Files, IgnoredFile, LoadedConfig, Place, UnreadCure, read_settings};

/// Records the files with hooks in the directories above the project, the nearest first. `candidates` returns the paths
/// in a directory, and `why` is the agent's rule. Files that the agent reads and files of the home directory are left
/// out.
pub fn report_files_above(
    place: &Place,
    files: &dyn Files,
    candidates: impl Fn(&str) -> Vec<String>,
    why: &str,
    loaded: &mut LoadedConfig,
) {
    let mut directory = place.project.as_str();
    while let Some((above, _)) = directory.rsplit_once('/') {
        directory = above;
        if above == place.home {
            continue;
        }
        for path in candidates(above) {
            let is_read = loaded.layers.iter().any(|layer| layer.path == path);
            let has_hooks = || read_settings(files, &path).is_ok_and(|bytes| bytes.windows(5).any(|at| at == b"hooks"));
            if !is_read && has_hooks() {
                let above = if above.is_empty() { "/" } else { above };
                loaded.ignored_files.push(IgnoredFile {
                    file: place.display_path(&path),
                    message: why.to_owned(),
                    cure: Some(UnreadCure::StartAbove(above.to_owned())),
                });
            }
        }
    }
}
