//! `convert`: one agent's hooks as another's; and `undo`.

use super::args::{ConvertArgs, Format, UndoArgs};
use super::exit::Failure;
use super::look::print_json;
use super::print;
use crate::app::{self, ConvertError, ConvertRequest, StateDir, Status, WriteError, document, make_place};
use crate::core::dialects;

/// `convert`.
pub fn convert(args: &ConvertArgs) -> Result<Status, Failure> {
    let place = make_place(args.project.as_deref(), args.home.as_deref())?;
    let agent = |id| dialects::by_id(id).ok_or_else(|| Failure::Usage(format!("no agent is called {id}")));
    let request = ConvertRequest { from: agent(args.from)?, to: agent(args.to)?, layer: args.layer, write: args.write };
    let converted = app::convert(&place, &request).map_err(failure)?;
    let doc = document::convert_doc(&converted);
    match args.format {
        Format::Json => print_json(&doc)?,
        Format::Text => {
            let names = [request.from.name(), request.to.name()];
            print::convert(&doc, names);
            Status::Ok
        }
    };
    Ok(if converted.whole() { Status::Ok } else { Status::NotAsExpected })
}

fn failure(why: ConvertError) -> Failure {
    let says = why.to_string();
    match why {
        ConvertError::Same(_) => Failure::Usage(says),
        ConvertError::Refused(_) => Failure::BadInput(says),
        ConvertError::Write(why) => not_written(&why),
    }
}

fn not_written(why: &WriteError) -> Failure {
    match why {
        WriteError::Nothing => Failure::Usage(why.to_string()),
        _ => Failure::BadInput(why.to_string()),
    }
}

/// `undo`.
pub fn undo(args: &UndoArgs) -> Result<Status, Failure> {
    let undone = app::undo(&StateDir::here()).map_err(|why| not_written(&why))?;
    let doc = document::undo_doc(&undone);
    match args.format {
        Format::Json => print_json(&doc),
        Format::Text => {
            print::undo(&doc);
            Ok(Status::Ok)
        }
    }
}
