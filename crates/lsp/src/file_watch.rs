//! Files that other programs change. A client watches its folders at most, and the settings of the user are in none.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::Sender;

use hookbench_app::{WatchOptions, WatchReport, Watcher, watch};
use hookbench_core::config::Watchlist;

use crate::root::Root;
use crate::transport::Incoming;

/// A watcher of the files that findings depend on.
pub struct FileWatch {
    watcher: Watcher,
    list: Watchlist,
}

impl FileWatch {
    /// Starts a watcher that sends changes between the messages of the client.
    pub fn start(sender: Sender<Incoming>) -> FileWatch {
        let list = Watchlist { quiet: WatchOptions::default().quiet, ..Watchlist::default() };
        let watcher = watch(list.clone(), move |report| {
            if let WatchReport::Changed { paths, .. } = report {
                let paths = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
                // The receiver is gone only while the program ends.
                let _ = sender.send(Incoming::FilesChanged(paths));
            }
        });
        FileWatch { watcher, list }
    }

    /// Watches the settings of these folders and of the user, and the scripts of their hooks.
    pub fn follow(&mut self, roots: &[Root]) {
        let (mut files, mut directories) = (BTreeSet::new(), BTreeSet::new());
        for root in roots {
            files.extend(root.read_files().into_iter().map(PathBuf::from));
            for loaded in root.session().agents().iter().filter_map(|agent| agent.loaded.as_ref()) {
                files.extend(loaded.lookups.files.iter().map(PathBuf::from));
                directories.extend(loaded.lookups.directories.iter().map(PathBuf::from));
            }
        }
        let (files, directories) = (files.into_iter().collect(), directories.into_iter().collect());
        let list = Watchlist { files, directories, ..self.list.clone() };
        if list != self.list {
            self.list = list.clone();
            self.watcher.set(list);
        }
    }
}
