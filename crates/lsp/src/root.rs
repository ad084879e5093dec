//! One folder of the client: a session whose files are those of the editor, and its findings.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use hookbench_app::lint::{FileCache, FindingsReport, Overlay, configured_levels, find_problems};
use hookbench_app::{
    AgentState, Consent, DiskFiles, PlaceError, Session, SessionOptions, StateDir, agents_of_project,
    configured_run_log, find_installed, make_place, read_calibrations,
};
use hookbench_core::config::{Files, Place};
use hookbench_core::dialects;
use hookbench_core::hook::HookDefinition;
use hookbench_core::names::AgentId;

/// What has changed since the findings were computed.
enum Outdated {
    Nothing,
    /// The texts of these paths.
    Texts(BTreeSet<String>),
    /// Anything on the disk.
    Disk,
}

/// One folder.
pub struct Root {
    session: Session,
    overlay: Arc<Overlay>,
    report: FindingsReport,
    outdated: Outdated,
    /// What the report was computed from.
    files: Arc<FileCache<Arc<Overlay>>>,
    /// The files and directories on which it depends, without links; found when they are first needed.
    inputs: OnceCell<HashSet<String>>,
}

/// A hook with the agent that reads it.
#[derive(Clone, Copy)]
pub struct PlacedHook<'a> {
    pub agent: &'a AgentState,
    pub definition: &'a HookDefinition,
    /// Whether the hook is from an earlier text of its file, because the current one cannot be read.
    pub stale: bool,
}

/// Creates a session for a directory, with the files as the editor has them. Nothing is loaded yet.
pub fn open_session(directory: &Path, home: Option<&Path>, files: &Overlay) -> Result<Session, PlaceError> {
    let mut place = make_place(Some(directory), home)?;
    // The author of a plugin edits it without loading it.
    place.arguments = dialects::project_plugin_arguments(&place, &DiskFiles, None);
    let agent = agents_of_project(&place, &DiskFiles).first().map_or(dialects::DEFAULT.id(), |dialect| dialect.id());
    let installed: Vec<_> = dialects::released().map(|d| (d.id(), find_installed(&d.install(), &place))).collect();
    let mut options = SessionOptions {
        keep_firings: 1,
        calibrations: read_calibrations(&place),
        run_log: configured_run_log().0,
        ..SessionOptions::default()
    };
    // The client says what has changed.
    options.watch.enabled = false;
    let consent = Consent::read(&StateDir::of(&place));
    Ok(Session::new(options, place, Box::new(files.clone()), agent, &installed, consent))
}

impl Root {
    /// Opens a folder.
    pub fn open(directory: &Path, home: Option<&Path>) -> Result<Root, PlaceError> {
        let overlay = Arc::new(Overlay::new(Arc::new(DiskFiles)));
        let session = open_session(directory, home, &overlay)?;
        let files = Arc::new(FileCache::new(Arc::clone(&overlay)));
        Ok(Root {
            files,
            session,
            overlay,
            report: FindingsReport::default(),
            outdated: Outdated::Disk,
            inputs: OnceCell::new(),
        })
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    pub fn place(&self) -> &Place {
        self.session.place()
    }

    /// The files as the editor has them.
    pub fn overlay(&self) -> &Arc<Overlay> {
        &self.overlay
    }

    /// The findings at the last [`Root::update`].
    pub fn report(&self) -> &FindingsReport {
        &self.report
    }

    /// The text of a file as the editor has it. `None` if it cannot be read.
    pub fn text(&self, path: &str) -> Option<String> {
        self.overlay.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
    }

    /// Notes that the text of a path has changed in the editor.
    pub fn text_changed(&mut self, path: &str) {
        match &mut self.outdated {
            Outdated::Nothing => self.outdated = Outdated::Texts(BTreeSet::from([path.to_owned()])),
            Outdated::Texts(paths) => drop(paths.insert(path.to_owned())),
            Outdated::Disk => {}
        }
    }

    /// Notes that these files have changed on the disk. Returns whether the findings may be others now.
    pub fn files_changed(&mut self, paths: &[String]) -> bool {
        let is_about_hooks = paths.iter().any(|path| self.is_input(path));
        if is_about_hooks {
            self.disk_changed();
        }
        is_about_hooks
    }

    /// Notes that anything may have changed on the disk.
    pub fn disk_changed(&mut self) {
        self.outdated = Outdated::Disk;
    }

    /// Reads what has changed, and computes the findings. Does nothing if nothing has changed.
    pub fn update(&mut self, texts: &dyn Fn() -> Overlay) {
        let outdated = std::mem::replace(&mut self.outdated, Outdated::Nothing);
        if matches!(outdated, Outdated::Nothing) {
            return;
        }
        self.overlay = Arc::new(texts());
        if let Outdated::Texts(paths) = &outdated
            && !paths.iter().any(|path| self.is_input(path))
        {
            return;
        }
        // Every hook looks for its program and its script, so the same questions come again and again.
        self.files = Arc::new(FileCache::new(Arc::clone(&self.overlay)));
        self.inputs = OnceCell::new();
        self.session.use_files(Arc::clone(&self.files) as Arc<dyn Files + Send + Sync>);
        match &outdated {
            Outdated::Texts(paths) => {
                let readers: Vec<AgentId> = self
                    .session
                    .agents()
                    .iter()
                    .filter(|agent| self.reads_any(agent, paths))
                    .map(|agent| agent.dialect.id())
                    .collect();
                for agent in readers {
                    self.session.load(Some(agent));
                }
            }
            _ if self.has_new_agent() => {
                let (directory, home) = (self.place().project.clone(), self.place().home.clone());
                let home = self.place().home_given.then_some(Path::new(&home));
                if let Ok(session) = open_session(Path::new(&directory), home, &self.overlay) {
                    self.session = session;
                    self.session.use_files(Arc::clone(&self.files) as Arc<dyn Files + Send + Sync>);
                }
                self.session.load(None);
            }
            _ => drop(self.session.load(None)),
        }
        let (levels, _) = configured_levels();
        self.report = find_problems(&self.session.lint_input(), levels, &[]);
    }

    /// Whether the text of a file can change the findings: something has asked for it, or for its directory.
    fn is_input(&self, path: &str) -> bool {
        if self.files.has_read(path) {
            return true;
        }
        let inputs = self.inputs.get_or_init(|| {
            let mut paths = self.files.requested();
            let real: Vec<String> = paths.iter().filter_map(|path| self.overlay.below.canonical(path)).collect();
            paths.extend(real);
            paths
        });
        inputs.contains(path) || path.rsplit_once('/').is_some_and(|(parent, _)| inputs.contains(parent))
    }

    /// The files of the project and of the user whose text was read: settings and scripts.
    pub fn read_files(&self) -> Vec<String> {
        let place = self.place();
        let own = || [&place.project, &place.home].into_iter().filter(|directory| !directory.is_empty());
        let is_own = |path: &String| own().any(|directory| Path::new(path).starts_with(directory));
        self.files.read_paths().into_iter().filter(is_own).collect()
    }

    /// Whether an agent has looked for any of these files, or lists their directory.
    fn reads_any(&self, agent: &AgentState, paths: &BTreeSet<String>) -> bool {
        let Some(loaded) = &agent.loaded else { return true };
        let is_read = |path: &String| {
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            loaded.lookups.files.contains(path)
                || loaded.lookups.directories.contains(parent)
                || loaded.existing_layers().any(|layer| self.overlay.real(&layer.path) == *path)
        };
        paths.iter().any(is_read)
    }

    /// Whether an agent that was not in use here is in use now.
    fn has_new_agent(&self) -> bool {
        let is_known = |id: AgentId| self.session.agents().iter().any(|agent| agent.dialect.id() == id);
        dialects::released().any(|dialect| {
            !is_known(dialect.id()) && dialects::is_listed(dialect, false, self.place(), self.overlay.as_ref())
        })
    }

    /// The agents of whose settings a file is a part, whether it exists or not.
    pub fn readers_of(&self, path: &str) -> Vec<&AgentState> {
        let reads = |agent: &&AgentState| {
            let layers = agent.loaded.iter().flat_map(|loaded| &loaded.layers);
            layers.into_iter().any(|layer| layer.path == path || self.overlay.real(&layer.path) == path)
        };
        self.session.agents().iter().filter(reads).collect()
    }

    /// The hooks that start a script.
    pub fn hooks_of_script(&self, path: &str) -> Vec<PlacedHook<'_>> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut hooks = Vec::new();
        for agent in self.session.agents() {
            let definitions = agent.loaded.iter().flat_map(|loaded| &loaded.definitions);
            // Finding the script of a command takes longer than reading the command.
            let named = definitions.filter(|definition| definition.handler.text().contains(name));
            hooks.extend(named.map(|definition| PlacedHook { agent, definition, stale: false }).filter(|hook| {
                let script = self.session.resolve(hook.agent, hook.definition).and_then(|resolved| resolved.script);
                script.is_some_and(|script| script == path || self.overlay.real(&script) == path)
            }));
        }
        hooks
    }

    /// The hooks in a file, in the order of their places. A file that cannot be read now has the hooks of the last text that
    /// could be.
    pub fn hooks_in(&self, path: &str) -> Vec<PlacedHook<'_>> {
        let mut hooks: Vec<PlacedHook<'_>> = Vec::new();
        for agent in self.session.agents() {
            let Some(loaded) = &agent.loaded else { continue };
            let of_file: BTreeSet<&str> = loaded
                .layers
                .iter()
                .filter(|layer| layer.path == path || self.overlay.real(&layer.path) == path)
                .map(|layer| layer.file.as_str())
                .collect();
            let now = loaded.definitions.iter().map(|definition| PlacedHook { agent, definition, stale: false });
            let before = agent.stale.iter().map(|definition| PlacedHook { agent, definition, stale: true });
            hooks.extend(now.chain(before).filter(|hook| {
                let provenance = &hook.definition.provenance;
                of_file.contains(provenance.file.as_str()) || loaded.sources.path(provenance.span.source) == path
            }));
        }
        hooks.sort_by_key(|hook| hook.definition.provenance.span.start);
        hooks
    }
}
