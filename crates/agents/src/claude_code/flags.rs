//! The flags that leave out the settings of a layer.

use hookbench_base::config::GivenFlags;
use hookbench_base::hook::Layer;

/// The layers that `--setting-sources` can name.
pub const SOURCES: [(&str, Layer); 3] = [("user", Layer::User), ("project", Layer::Project), ("local", Layer::Local)];

/// Why the agent does not read the files of a layer, or `None` if it does. The last `--setting-sources` counts.
pub fn left_out(given: &GivenFlags, layer: Layer) -> Option<String> {
    let (name, _) = SOURCES.iter().find(|(_, known)| *known == layer)?;
    if let Some(flag) = given.last("--restricted") {
        return Some(format!("`{}` excludes the files of the user and of the project", flag.shown));
    }
    let flag = given.last("--setting-sources")?;
    let is_named = flag.value().split(',').any(|source| source.trim() == *name);
    (!is_named).then(|| format!("`{}` excludes the {name} settings", flag.shown.trim_end()))
}
