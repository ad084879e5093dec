//! The server: its lifecycle, the documents, and the dispatch of messages.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use hookbench_app::lint::Overlay;
use hookbench_app::{DiskFiles, ExitStatus};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId};
use lsp_types::{DidChangeTextDocumentParams, DidOpenTextDocumentParams};
use serde_json::{Value, json};

use crate::actions::code_actions;
use crate::code_pages::CodePages;
use crate::commands::{FIRE, HookAddress, MAKE_EXECUTABLE, ResultPages, STRESS, WHY, make_executable, why};
use crate::completion::completion;
use crate::document_view::DocumentView;
use crate::documents::{Document, Documents};
use crate::file_watch::FileWatch;
use crate::hook_execution::HookExecution;
use crate::places::{definition, hover, inlay_hints, lenses, symbols};
use crate::publisher::Publisher;
use crate::request_error::{RequestError, parse};
use crate::root::Root;
use crate::text::{Encoding, Lines};
use crate::transport::{CancelledRequests, Client, Incoming, parse_message};
use crate::uri::path_of;

/// The phases of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Starting,
    Running,
    ShutDown,
}

/// The server.
pub struct Server {
    client: Client,
    cancelled: CancelledRequests,
    watch: FileWatch,
    home: Option<PathBuf>,
    phase: Phase,
    encoding: Encoding,
    documents: Documents,
    roots: Vec<Root>,
    /// Whether the client has named folders. Otherwise each document brings its own.
    has_folders: bool,
    pages: CodePages,
    results: ResultPages,
    /// Whether the client reports changed files if it is asked to.
    can_watch: bool,
    publisher: Publisher,
    /// Whether something has changed since diagnostics were sent.
    outdated: bool,
}

impl Server {
    /// A server that writes pages and results to `directory`.
    pub fn new(
        client: Client,
        cancelled: CancelledRequests,
        watch: FileWatch,
        home: Option<PathBuf>,
        directory: PathBuf,
    ) -> Server {
        Server {
            client,
            cancelled,
            watch,
            home,
            phase: Phase::Starting,
            encoding: Encoding::default(),
            documents: Documents::new(),
            roots: Vec::new(),
            has_folders: false,
            pages: CodePages::new(directory.clone()),
            results: ResultPages { directory, can_show: false },
            can_watch: false,
            publisher: Publisher::default(),
            outdated: false,
        }
    }

    /// Handles messages until the client ends the connection. All waiting messages are handled before diagnostics are
    /// computed, so an edit supersedes those before it.
    pub fn run(&mut self, messages: &Receiver<Incoming>) -> ExitStatus {
        while let Ok(first) = messages.recv() {
            let mut next = Some(first);
            while let Some(message) = next {
                if let Some(status) = self.handle(message) {
                    return status;
                }
                next = messages.try_recv().ok();
            }
            if self.phase == Phase::Running {
                self.publish();
            }
        }
        ExitStatus::NotAsExpected
    }

    fn handle(&mut self, incoming: Incoming) -> Option<ExitStatus> {
        let message = match incoming {
            Incoming::Message(body) => match parse_message(&body) {
                Ok(message) => message,
                Err(error) => {
                    self.client.respond(None, Err(error));
                    return None;
                }
            },
            Incoming::FilesChanged(mut paths) => {
                // The text of an open document is that of the editor.
                paths.retain(|path| !self.documents.contains_key(path));
                self.files_changed(&paths);
                return None;
            }
            Incoming::End => return Some(ExitStatus::NotAsExpected),
        };
        match message {
            Message::Request(request) => self.answer(request),
            Message::Response(response) => self.client.absorb_response(response),
            Message::Notification(Notification { method, .. }) if method == "exit" => {
                let orderly = self.phase == Phase::ShutDown;
                return Some(if orderly { ExitStatus::Ok } else { ExitStatus::NotAsExpected });
            }
            Message::Notification(notification) if self.phase == Phase::Running => {
                // A notification has no answer, so wrong parameters are ignored.
                let _ = self.take_notification(notification);
            }
            Message::Notification(_) => {}
        }
        None
    }

    fn answer(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let result = if self.cancelled.take(&id) {
            Err(RequestError::cancelled())
        } else {
            match (self.phase, method.as_str()) {
                (Phase::Starting, "initialize") => Ok(self.initialize(&params)),
                (Phase::Starting, _) => {
                    let message = "the first request must be initialize".to_owned();
                    Err(RequestError { code: ErrorCode::ServerNotInitialized, message })
                }
                (Phase::ShutDown, _) | (Phase::Running, "initialize") => Err(RequestError {
                    code: ErrorCode::InvalidRequest,
                    message: format!("{method} is not possible now"),
                }),
                (Phase::Running, "shutdown") => {
                    self.phase = Phase::ShutDown;
                    Ok(Value::Null)
                }
                (Phase::Running, "workspace/executeCommand") => match self.execute(&id, &params) {
                    Some(result) => result,
                    // A thread answers.
                    None => return,
                },
                (Phase::Running, method) => self.answer_about_document(method, &params),
            }
        };
        self.client.respond(Some(id), result);
    }

    /// Executes a command. `None` if a thread executes it and answers.
    fn execute(&mut self, id: &RequestId, params: &Value) -> Option<Result<Value, RequestError>> {
        let command = params.get("command").and_then(Value::as_str).unwrap_or_default();
        self.update();
        match command {
            WHY => Some(why(&self.client, &self.roots, params, &self.results)),
            MAKE_EXECUTABLE => {
                let made = make_executable(&self.roots, params);
                self.disk_changed();
                Some(made)
            }
            FIRE | STRESS => {
                let address = match HookAddress::parse(params) {
                    Ok(address) => address,
                    Err(why) => return Some(Err(why)),
                };
                let run = HookExecution {
                    id: id.clone(),
                    address,
                    stresses: command == STRESS,
                    home: self.home.clone(),
                    files: texts_over_disk(&self.documents),
                    client: self.client.clone(),
                    cancelled: self.cancelled.clone(),
                };
                let results = self.results.clone();
                std::thread::spawn(move || {
                    let result = run.run();
                    if let Ok(text) = &result {
                        results.show(&run.client, if run.stresses { "stress" } else { "fire" }, text);
                    }
                    run.client.respond(Some(run.id.clone()), result.map(Value::from));
                });
                None
            }
            _ => Some(Err(RequestError::of_params(format!("hookbench has no command {command}")))),
        }
    }

    /// Answers a request about a document. The result is null if no folder has the document.
    fn answer_about_document(&mut self, method: &str, params: &Value) -> Result<Value, RequestError> {
        const METHODS: [&str; 7] = [
            "textDocument/codeAction",
            "textDocument/hover",
            "textDocument/documentSymbol",
            "textDocument/definition",
            "textDocument/codeLens",
            "textDocument/inlayHint",
            "textDocument/completion",
        ];
        if !METHODS.contains(&method) {
            return Err(RequestError {
                code: ErrorCode::MethodNotFound,
                message: format!("hookbench has no method {method}"),
            });
        }
        self.update();
        let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let uri = uri.ok_or_else(|| RequestError::of_params("textDocument.uri is missing"))?;
        let Some(path) = path_of(uri) else { return Ok(Value::Null) };
        let Some(root) = self.root_of(&path) else { return Ok(Value::Null) };
        let Some(text) = root.text(&path) else { return Ok(Value::Null) };
        let lines = Lines::new(&text, self.encoding);
        let view = DocumentView { root, path: &path, text: &text, lines, encoding: self.encoding };
        match method {
            "textDocument/codeAction" => code_actions(&view, params, &self.pages),
            "textDocument/hover" => hover(&view, params),
            "textDocument/documentSymbol" => Ok(symbols(&view)),
            "textDocument/definition" => definition(&view, params),
            "textDocument/codeLens" => Ok(lenses(&view)),
            "textDocument/inlayHint" => inlay_hints(&view, params),
            _ => completion(&view, params),
        }
    }

    /// The innermost folder around a path; for a path outside of all, the first one that reads it.
    fn root_of(&self, path: &str) -> Option<&Root> {
        let is_around = |root: &&Root| Path::new(path).starts_with(&root.place().project);
        let innermost = self.roots.iter().filter(is_around).max_by_key(|root| root.place().project.len());
        innermost.or_else(|| self.roots.iter().find(|root| !root.readers_of(path).is_empty()))
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let text = |pointer: &str| params.pointer(pointer).and_then(Value::as_str);
        let list = |pointer: &str| params.pointer(pointer).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let offered = list("/capabilities/general/positionEncodings");
        self.encoding = Encoding::negotiate(offered.iter().filter_map(Value::as_str));
        let can = |pointer: &str| params.pointer(pointer) == Some(&Value::Bool(true));
        self.results.can_show = can("/capabilities/window/showDocument/support");
        self.can_watch = can("/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration");
        let mut folders: Vec<String> = list("/workspaceFolders").iter().filter_map(folder_path).collect();
        if folders.is_empty() {
            folders.extend(text("/rootUri").and_then(path_of).or_else(|| text("/rootPath").map(str::to_owned)));
        }
        self.has_folders = !folders.is_empty();
        for folder in &folders {
            self.open_root(folder);
        }
        self.phase = Phase::Running;
        json!({
            "capabilities": {
                "positionEncoding": self.encoding.word(),
                "textDocumentSync": { "openClose": true, "change": 2, "save": {} },
                "codeActionProvider": { "codeActionKinds": ["quickfix"] },
                "hoverProvider": true,
                "documentSymbolProvider": true,
                "definitionProvider": true,
                "completionProvider": { "triggerCharacters": ["\"", "|", "$", "/", "."] },
                "codeLensProvider": {},
                "inlayHintProvider": true,
                "executeCommandProvider": { "commands": [FIRE, STRESS, WHY, MAKE_EXECUTABLE] },
                "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
            },
            "serverInfo": { "name": "hookbench", "version": env!("CARGO_PKG_VERSION") },
        })
    }

    /// Opens a folder. The client is told if that is not possible.
    fn open_root(&mut self, directory: &str) {
        match Root::open(Path::new(directory), self.home.as_deref()) {
            Ok(root) => self.roots.push(root),
            Err(why) => self.client.notify("window/showMessage", json!({ "type": 2, "message": why.to_string() })),
        }
        self.outdated = true;
    }

    /// Applies a notification. `None` if its parameters are wrong or it is about no file.
    fn take_notification(&mut self, notification: Notification) -> Option<()> {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let opened = parse::<DidOpenTextDocumentParams>(params).ok()?.text_document;
                let path = path_of(opened.uri.as_str())?;
                let is_inside = self.roots.iter().any(|root| Path::new(&path).starts_with(&root.place().project));
                if !self.has_folders && !is_inside {
                    self.open_root(&project_of(&path)?);
                }
                let document = Document { uri: opened.uri, version: opened.version, text: opened.text };
                self.documents.insert(path.clone(), document);
                self.text_changed(path);
            }
            "textDocument/didChange" => {
                let changed = parse::<DidChangeTextDocumentParams>(params).ok()?;
                let path = path_of(changed.text_document.uri.as_str())?;
                let document = self.documents.get_mut(&path)?;
                document.apply(changed.text_document.version, changed.content_changes, self.encoding);
                self.text_changed(path);
            }
            "textDocument/didClose" => {
                self.documents.remove(&path_of(params.pointer("/textDocument/uri")?.as_str()?)?);
                self.disk_changed();
            }
            "textDocument/didSave" => self.files_changed(&[path_of(params.pointer("/textDocument/uri")?.as_str()?)?]),
            "workspace/didChangeWatchedFiles" => {
                let changes = params.get("changes")?.as_array()?.iter();
                let paths = changes.filter_map(|change| path_of(change.get("uri")?.as_str()?));
                self.files_changed(&paths.collect::<Vec<_>>());
            }
            "workspace/didChangeConfiguration" => self.disk_changed(),
            "initialized" if self.can_watch => {
                let watchers = json!({ "watchers": [{ "globPattern": "**/*" }] });
                let method = "workspace/didChangeWatchedFiles";
                let registration = json!({ "id": "files", "method": method, "registerOptions": watchers });
                drop(self.client.ask("client/registerCapability", json!({ "registrations": [registration] })));
            }
            "workspace/didChangeWorkspaceFolders" => {
                let folders = |pointer: &str| -> Vec<String> {
                    let listed = params.pointer(pointer).and_then(Value::as_array);
                    listed.into_iter().flatten().filter_map(folder_path).collect()
                };
                let (added, removed) = (folders("/event/added"), folders("/event/removed"));
                self.has_folders = true;
                self.roots.retain(|root| !removed.contains(&root.place().project));
                for folder in &added {
                    self.open_root(folder);
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn text_changed(&mut self, path: String) {
        self.roots.iter_mut().for_each(|root| root.text_changed(&path));
        self.publisher.note_edit(path);
        self.outdated = true;
    }

    /// Notes that files have changed on the disk. Most files of a project are about no hook.
    fn files_changed(&mut self, paths: &[String]) {
        for root in &mut self.roots {
            self.outdated |= root.files_changed(paths);
        }
    }

    fn disk_changed(&mut self) {
        self.roots.iter_mut().for_each(Root::disk_changed);
        self.outdated = true;
    }

    /// Computes the findings for the current texts.
    fn update(&mut self) {
        let documents = &self.documents;
        self.roots.iter_mut().for_each(|root| root.update(&|| texts_over_disk(documents)));
    }

    /// Sends what has changed since the last time.
    fn publish(&mut self) {
        if std::mem::take(&mut self.outdated) {
            self.update();
            // What is changed after its diagnostics have arrived is noticed.
            self.watch.follow(&self.roots);
            self.publisher.publish(&self.client, &self.roots, &self.documents, self.encoding, &self.pages);
        }
    }
}

/// The files as the editor has them.
fn texts_over_disk(documents: &Documents) -> Overlay {
    let text = |(path, open): (&String, &Document)| (path.clone(), open.text.clone().into_bytes());
    Overlay { texts: documents.iter().map(text).collect(), ..Overlay::new(Arc::new(DiskFiles)) }
}

fn folder_path(folder: &Value) -> Option<String> {
    path_of(folder.get("uri")?.as_str()?)
}

/// The project of a file that is opened without a folder: the repository around it, or else its directory.
fn project_of(path: &str) -> Option<String> {
    let parents = || Path::new(path).ancestors().skip(1);
    let project = parents().find(|directory| directory.join(".git").exists()).or_else(|| parents().next())?;
    Some(project.to_string_lossy().into_owned())
}
