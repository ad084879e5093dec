//! The pages of lint codes as files, so that an editor can open the link of a diagnostic without a network.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use hookbench_core::diagnostic::Code;
use lsp_types::Uri;

use crate::uri::uri_of;

/// The pages that were written to a directory.
pub struct CodePages {
    directory: PathBuf,
    written: RefCell<HashMap<Code, Option<Uri>>>,
}

impl CodePages {
    /// Pages in a directory, each written when its address is first needed.
    pub fn new(directory: PathBuf) -> CodePages {
        CodePages { directory, written: RefCell::default() }
    }

    /// The address of the page of a code. `None` without a page, or if it cannot be written.
    pub fn address(&self, code: Code) -> Option<Uri> {
        let write = || {
            let file = self.directory.join(format!("{code}.md"));
            std::fs::write(&file, code.page()?).ok()?;
            uri_of(&file.to_string_lossy())
        };
        self.written.borrow_mut().entry(code).or_insert_with(write).clone()
    }
}
