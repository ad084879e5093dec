//! The language server of hookbench: what the session knows about hooks, in an editor.
//!
//! One thread reads messages, one writes them, and one answers them in order. Only a request to fire or stress a hook has a
//! thread of its own, because hooks take long.

#![allow(clippy::disallowed_methods, reason = "the outer layers are where the world is touched")]

mod actions;
mod code_pages;
mod commands;
mod completion;
mod cursor;
mod diagnostics;
mod document_view;
mod documents;
mod explanations;
mod file_watch;
mod hook_execution;
mod markdown;
mod places;
mod publisher;
mod request_error;
mod root;
mod server;
mod text;
mod transport;
mod uri;

use std::io::{BufReader, IsTerminal as _};
use std::path::PathBuf;
use std::sync::mpsc::{channel, sync_channel};
use std::thread;

use hookbench_app::{ExitStatus, create_owned_directory, kill_every_group, write_stderr};

use file_watch::FileWatch;
use server::Server;
use transport::{CancelledRequests, Client, QUEUE, read_messages, write_messages};

/// Serves the client on stdin and stdout until it ends the connection. `home` is the home directory for user-level settings;
/// `None` for the real one.
pub fn serve(home: Option<PathBuf>) -> ExitStatus {
    let directory = match create_owned_directory() {
        Ok(directory) => directory,
        Err(why) => {
            write_stderr(format!("cannot create a directory for results: {why}"));
            return ExitStatus::Internal;
        }
    };
    if std::io::stdin().is_terminal() {
        write_stderr("an editor starts this command and speaks LSP on stdin; see docs/editors.md; Ctrl-D ends it");
    }
    let cancelled = CancelledRequests::default();
    // Not bounded: a client that only writes for a while must not wait for a server that waits for it.
    let (incoming, messages) = channel();
    let (outgoing, responses) = sync_channel(QUEUE);
    let writer = thread::spawn(move || write_messages(std::io::stdout(), &responses));
    let of_reader = cancelled.clone();
    let watch = FileWatch::start(incoming.clone());
    thread::spawn(move || read_messages(BufReader::new(std::io::stdin()), &incoming, &of_reader));
    let client = Client::new(outgoing);
    let status = Server::new(client.clone(), cancelled, watch, home, directory.path().to_owned()).run(&messages);
    kill_every_group();
    // Every answer is written before the program ends.
    client.close();
    let _ = writer.join();
    status
}
