//! Profiles: directories with settings of their own, of which a flag, a variable or a file chooses one.

use super::settings::user_directory;
use hookbench_base::config::{Files, GivenFlags, Place};
use hookbench_base::run::HookVariable;

/// How an agent finds the directory of its settings.
pub struct ProfileRules {
    /// The variable with the directory of the settings, which may be that of a profile.
    pub variable: &'static str,
    /// The usual directory, below the home directory.
    pub usual: &'static str,
    /// The directory of the profiles, below the usual one.
    pub folder: &'static str,
    /// The file beside it that names the chosen profile.
    pub chosen: &'static str,
    /// The flag that names one.
    pub flag: &'static str,
}

/// The name for the directory above the profiles.
const NO_PROFILE: &str = "default";

impl ProfileRules {
    /// The root of a directory that is a profile.
    fn root_above<'d>(&self, directory: &'d str) -> Option<&'d str> {
        let (above, _) = directory.rsplit_once('/')?;
        above.strip_suffix(self.folder)?.strip_suffix('/')
    }

    /// The directory of a profile with this name.
    fn named(&self, place: &Place, name: &str) -> String {
        let usual = format!("{}/{}", place.home, self.usual);
        let directory = user_directory(place, self.variable, self.usual);
        let is_below = directory.strip_prefix(&usual).is_some_and(|rest| rest.starts_with('/'));
        let root = if is_below { &usual } else { self.root_above(&directory).unwrap_or(&directory) };
        match name.trim().to_lowercase() {
            name if name == NO_PROFILE => root.to_owned(),
            name => format!("{root}/{}/{name}", self.folder),
        }
    }

    /// The directory of the profile that a flag names, or else the file.
    fn of_profile(&self, place: &Place, given: &GivenFlags) -> Option<String> {
        let flag = given.last(self.flag).map(|flag| self.named(place, flag.value()));
        flag.or_else(|| place.profiles.get(self.variable).cloned())
    }

    /// The directory of the settings.
    pub fn directory(&self, place: &Place, given: &GivenFlags) -> String {
        self.of_profile(place, given).unwrap_or_else(|| user_directory(place, self.variable, self.usual))
    }

    /// The reason that the chosen profile cannot be used. `None` if it exists, or if none is chosen.
    pub fn missing(&self, place: &Place, files: &dyn Files, given: &GivenFlags) -> Option<String> {
        let profile = self.of_profile(place, given).filter(|directory| self.root_above(directory).is_some())?;
        let is_there = files.exists(&profile) || !files.list(&profile).is_empty();
        (!is_there).then(|| format!("the profile {} does not exist", place.display_path(&profile)))
    }

    /// The variable that the agent sets for its hooks.
    pub fn hook_variable(&self, place: &Place, given: &GivenFlags) -> Option<HookVariable> {
        Some(HookVariable::of_agent(self.variable, self.of_profile(place, given)?))
    }

    /// The directory of the profile that the file names, with the variable that the agent sets to it. `None` if the file counts
    /// for nothing.
    pub fn chosen(&self, place: &Place, files: &dyn Files) -> Option<(&'static str, String)> {
        if self.root_above(&user_directory(place, self.variable, self.usual)).is_some() {
            return None;
        }
        let file = format!("{}/{}", self.named(place, NO_PROFILE), self.chosen);
        let name = String::from_utf8(files.read(&file).ok()?).ok()?;
        let is_one = !name.trim().is_empty() && name.trim() != NO_PROFILE;
        is_one.then(|| (self.variable, self.named(place, &name)))
    }
}
