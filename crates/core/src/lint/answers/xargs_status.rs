//! HW630: a script that denies with exit 2, and that xargs starts.

use hookbench_script::{Given, Piece, Value};

use super::printed_answers::COMPUTED;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialects::RuleContext;
use crate::lint::commands::consequence::blocks_event;
use crate::lint::commands::environment;
use crate::lint::script_context::model_of_file;

/// Checks the scripts that xargs starts in a command line: it replaces each status of them by 123.
pub(super) fn check(at: &RuleContext<'_>) -> Option<Diagnostic> {
    at.event.blockable_action?;
    let line = at.written?.shell_line.as_ref()?;
    let walked = line.model.as_ref()?.walk(&Given::default());
    let starts = walked.started.iter().filter(|one| one.program.rsplit('/').next() == Some("xargs"));
    let denying = |word: &Value| path_of(at, word).filter(|path| denies(at, path));
    let (path, place) =
        starts.into_iter().find_map(|one| Some((one.arguments.iter().find_map(denying)?, one.at.clone())))?;
    let name = path.rsplit('/').next()?;
    let says = format!("xargs replaces the exit status of {name} by 123, so its exit 2 does not block");
    let help = format!("start {name} without xargs, and let it read the event from stdin");
    let found = Diagnostic::new(Code::HW630, says).at(line.literal.place(place)).with_help(help);
    blocks_event(at, 2).then_some(found)
}

/// The path that a word names, with the values of the variables that the hook gets.
fn path_of(at: &RuleContext<'_>, word: &Value) -> Option<String> {
    let Value::Text(pieces) = word else { return None };
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Is(text) => Some(text.clone()),
        Piece::Of(Value::Environment(name)) => environment::value(at, name),
        Piece::Of(_) | Piece::Json(_) => None,
    });
    let path = texts.collect::<Option<String>>()?;
    let cwd = at.start.map_or(at.agent.place.project.as_str(), |start| start.cwd.as_str());
    path.contains('.').then(|| at.agent.place.absolute(cwd, &path))
}

/// Whether a script can end with status 2 and prints no answer.
fn denies(at: &RuleContext<'_>, path: &str) -> bool {
    let text = at.agent.files.read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(model) = text.and_then(|text| model_of_file(path, &text)) else { return false };
    let walked = model.walk(&Given::default());
    let answers = walked.runs.iter().any(|run| run.answer(COMPUTED).is_some());
    !answers && walked.runs.iter().any(|run| run.status == Some(2))
}
