//! The commands of code lenses and code actions.

use std::path::PathBuf;

use hookbench_app::lint::FileChange;
use hookbench_app::{LinkPolicy, write_all};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::explanations::explain_hook;
use crate::request_error::{RequestError, parse};
use crate::root::{PlacedHook, Root};
use crate::transport::Client;
use crate::uri::uri_of;

/// Fires the event of a hook, after consent.
pub const FIRE: &str = "hookbench.fire";
/// Runs a hook many times on variants of its event, after consent.
pub const STRESS: &str = "hookbench.stress";
/// Shows the ladder of a hook.
pub const WHY: &str = "hookbench.why";
/// Makes a script executable.
pub const MAKE_EXECUTABLE: &str = "hookbench.makeExecutable";

/// The hook that a command is about: the handler at a place of a file, as one agent reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookAddress {
    /// The directory of the folder.
    pub root: String,
    pub agent: String,
    pub event: String,
    /// The file as displayed.
    pub file: String,
    pub line: u32,
    pub column: u32,
}

impl HookAddress {
    /// The address of a hook.
    pub fn of(root: &Root, hook: &PlacedHook<'_>) -> HookAddress {
        let provenance = &hook.definition.provenance;
        HookAddress {
            root: root.place().project.clone(),
            agent: hook.agent.dialect.id().to_string(),
            event: hook.definition.event.clone(),
            file: provenance.file.clone(),
            line: provenance.line,
            column: provenance.column,
        }
    }

    /// Reads the argument of a command.
    pub fn parse(params: &Value) -> Result<HookAddress, RequestError> {
        parse(params.pointer("/arguments/0").cloned().unwrap_or_default())
    }

    /// The hook at this address. `None` if the text has changed.
    pub fn find<'a>(&self, session: &'a hookbench_app::Session) -> Option<PlacedHook<'a>> {
        let agent = session.agent(&self.agent)?;
        let is_meant = |place: &hookbench_core::hook::Provenance| {
            (place.file.as_str(), place.line, place.column) == (self.file.as_str(), self.line, self.column)
        };
        let mut definitions = agent.loaded.as_ref()?.definitions.iter();
        let definition = definitions.find(|one| one.event == self.event && is_meant(&one.provenance))?;
        Some(PlacedHook { agent, definition, stale: false })
    }
}

/// Texts that are shown as documents, in a directory of the server.
#[derive(Clone)]
pub struct ResultPages {
    pub directory: PathBuf,
    /// Whether the client can show a document.
    pub can_show: bool,
}

impl ResultPages {
    /// Shows a text: as a document if the client can, otherwise as a message.
    pub fn show(&self, client: &Client, name: &str, text: &str) {
        let file = self.directory.join(format!("{name}.md"));
        let uri = std::fs::write(&file, text).ok().and_then(|()| uri_of(&file.to_string_lossy()));
        match uri.filter(|_| self.can_show) {
            Some(uri) => drop(client.ask("window/showDocument", json!({ "uri": uri, "takeFocus": true }))),
            None => client.notify("window/showMessage", json!({ "type": 3, "message": text })),
        }
    }
}

/// Shows the ladder of a hook, and returns it.
pub fn why(client: &Client, roots: &[Root], params: &Value, pages: &ResultPages) -> Result<Value, RequestError> {
    let address = HookAddress::parse(params)?;
    let root = roots.iter().find(|root| root.place().project == address.root).ok_or_else(RequestError::moved)?;
    let hook = address.find(root.session()).ok_or_else(RequestError::moved)?;
    let text = explain_hook(root, &[hook]).ok_or_else(RequestError::moved)?;
    pages.show(client, "why", &text);
    Ok(json!(text))
}

/// Makes a script of the project or of the user executable. `hookbench undo` takes it back.
pub fn make_executable(roots: &[Root], params: &Value) -> Result<Value, RequestError> {
    let path: String = parse(params.pointer("/arguments/0/path").cloned().unwrap_or_default())?;
    let is_offered = |root: &&Root| {
        let fixes = root.report().findings.iter().filter_map(|finding| finding.fix.as_ref());
        fixes.flat_map(|fix| &fix.executable).any(|offered| *offered == path)
    };
    let root = roots
        .iter()
        .find(is_offered)
        .ok_or_else(|| RequestError::failed(format!("no finding offers this for {path}")))?;
    let place = root.place();
    let text = root.overlay().below.read(&path).map_err(|why| RequestError::failed(format!("{path}: {why}")))?;
    let change =
        FileChange { file: place.display_path(&path), path, before: Some(text.clone()), after: text, executable: true };
    let written = write_all(place, &[change], LinkPolicy::Refuse);
    written.map_err(|why| RequestError::failed(why.to_string()))?;
    Ok(Value::Null)
}
