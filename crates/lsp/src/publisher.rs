//! The diagnostics that the client has.

use std::collections::{BTreeMap, BTreeSet};

use lsp_types::{Diagnostic, Uri};
use serde::Serialize;

use crate::code_pages::CodePages;
use crate::diagnostics::diagnostics;
use crate::documents::Documents;
use crate::root::Root;
use crate::text::Encoding;
use crate::transport::Client;
use crate::uri::uri_of;

/// The parameters of `textDocument/publishDiagnostics`.
#[derive(Serialize)]
struct PublishedDiagnostics<'a> {
    uri: Uri,
    diagnostics: &'a [Diagnostic],
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<i32>,
}

/// Sends diagnostics where they have changed.
#[derive(Default)]
pub struct Publisher {
    /// The diagnostics that the client has, by path.
    published: BTreeMap<String, Vec<Diagnostic>>,
    /// Documents whose diagnostics have to be sent even if they are the same, for their new version.
    edited: BTreeSet<String>,
}

impl Publisher {
    /// Notes that a document has another text.
    pub fn note_edit(&mut self, path: String) {
        self.edited.insert(path);
    }

    /// Sends the diagnostics that have changed, and those of edited documents.
    pub fn publish(
        &mut self,
        client: &Client,
        roots: &[Root],
        documents: &Documents,
        encoding: Encoding,
        pages: &CodePages,
    ) {
        let mut current: BTreeMap<String, Vec<Diagnostic>> = BTreeMap::new();
        for (path, found) in roots.iter().flat_map(|root| diagnostics(root, encoding, pages)) {
            let known = current.entry(path).or_default();
            if known.is_empty() {
                *known = found;
                continue;
            }
            // Two folders share the settings of the user.
            let new: Vec<Diagnostic> = found.into_iter().filter(|one| !known.contains(one)).collect();
            known.extend(new);
        }
        let edited = std::mem::take(&mut self.edited);
        let paths: BTreeSet<&String> = current.keys().chain(self.published.keys()).chain(&edited).collect();
        for path in paths {
            let (now, document) = (current.get(path), documents.get(path));
            let is_awaited = edited.contains(path) && document.is_some();
            if now == self.published.get(path) && !is_awaited {
                continue;
            }
            let Some(uri) = document.map(|open| open.uri.clone()).or_else(|| uri_of(path)) else { continue };
            let params = PublishedDiagnostics {
                uri,
                diagnostics: now.map_or(&[], Vec::as_slice),
                version: document.map(|open| open.version),
            };
            client.notify("textDocument/publishDiagnostics", params);
        }
        self.published = current;
    }
}
