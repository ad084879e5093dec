//! The inputs for an answer or a breakpoint, and texts from the editor.

use super::choices::{effect_words, why_not};
use super::draft::{input_of, tool_of};
use super::input_kind::{InterceptInput, new_input};
use crate::model::Model;
use crate::popup::{InputPopup, InputPurpose, Popup};
use crate::update::{LoopRequest, command};
use crate::widgets::fit;
use hookbench_app::Command;
use hookbench_app::live::{BearerToken, FORM, LiveRequest, PendingEventView, PendingPayload, read_breakpoint};
use hookbench_core::live::{DecisionKind, NeededText, live_form, needed_text};

/// Maximum columns of a title.
const TITLE: usize = 70;
/// A longer input has to be edited in the editor.
const LONGEST: usize = 2000;

fn input(title: &str, hint: &str, text: String, form: &'static str, what: InterceptInput) -> Popup {
    let (title, hint) = (title.to_owned(), hint.to_owned());
    let (prefix, what) = (String::new(), InputPurpose::Live(what));
    Popup::Input(InputPopup { title, hint, prefix, text: text.into(), form, what, error: None })
}

/// The input for a breakpoint.
pub fn ask_breakpoint() -> Popup {
    Popup::Input(InputPopup {
        title: "Hold what? (for this session)".to_owned(),
        hint: "[AGENT] [EVENT] [TOOL] [path=] [timeout=deny] [command=]".to_owned(),
        prefix: "hold ".to_owned(),
        text: String::new().into(),
        form: FORM.trim_start_matches("hold "),
        what: InputPurpose::Live(InterceptInput::Breakpoint),
        error: None,
    })
}

/// The input for a token; `says` is the reason.
pub fn ask_token(says: &str) -> Popup {
    input("Token", says, String::new(), "as printed by serve --remote-decide", InterceptInput::Token)
}

/// Opens the line in which an answer gets its reason or its text. Enter sends the answer.
pub fn ask_answer(model: &mut Model, kind: DecisionKind) {
    let Some(held) = model.intercept.held(model) else { return };
    let arrived = &held.fact.arrived;
    let what = arrived.what.as_ref().map(|what| format!("  {what}")).unwrap_or_default();
    let draft = model.intercept.draft();
    let (word, effect) = (kind.word(), effect_words(kind, &arrived.wire));
    let title = format!("{word}: {}{what}", arrived.event);
    let (text, form) = match kind {
        DecisionKind::Replace => (draft.content, "the text for the model"),
        _ => (draft.reason, "why? (may be empty)"),
    };
    let id = arrived.id.clone();
    let popup = input(&fit(&title, TITLE, model.theme), effect, text, form, InterceptInput::Answer(kind));
    model.intercept.typing_for = Some(id);
    model.popups.push(popup);
}

/// Opens the input for the text of the chosen answer.
pub fn ask_text(model: &mut Model) {
    let Some(held) = model.intercept.held(model) else { return };
    let draft = model.intercept.draft();
    let Some(kind) = draft.kind else {
        model.toast = Some("choose an answer first, with the arrows".to_owned());
        return;
    };
    let popup = match kind {
        DecisionKind::Observe | DecisionKind::Raw => {
            model.toast = Some("this answer has no text".to_owned());
            return;
        }
        DecisionKind::Replace => input(
            "Text for the model",
            "the model receives this text",
            draft.content,
            "a text",
            InterceptInput::Content,
        ),
        DecisionKind::Modify => {
            if let Some(why) = why_not(held, kind) {
                model.toast = Some(why);
                return;
            }
            let PendingPayload::Available(payload) = &held.payload else {
                model.toast = Some("its payload has not arrived yet".to_owned());
                return;
            };
            let now = draft.input.or_else(|| input_of(payload)).unwrap_or_else(|| "{}".to_owned());
            if now.len() > LONGEST || now.contains('\n') {
                let key = model.key(crate::keymap::UiCommand::OpenEditor);
                model.toast = Some(format!("too long for one line; {key} edits it in $EDITOR"));
                return;
            }
            let line = InterceptInput::Object(required_field(held));
            input("New input", "a JSON object; nothing is sent yet", now, "{}", line)
        }
        _ => input("Why?", "the agent receives this reason", draft.reason, "a reason", InterceptInput::Reason),
    };
    model.intercept.typing_for = Some(held.fact.arrived.id.clone());
    model.popups.push(popup);
}

/// The field that a new input of the held event must have.
fn required_field(held: &PendingEventView) -> Option<NeededText> {
    let PendingPayload::Available(payload) = &held.payload else { return None };
    needed_text(live_form(&held.fact.arrived.agent)?, tool_of(payload).as_deref())
}

/// Applies an accepted line.
pub fn apply(model: &mut Model, what: InterceptInput, text: &str, asks: &mut Vec<LoopRequest>) {
    let wish = match what {
        InterceptInput::Breakpoint => read_breakpoint(text.trim()).ok().map(Box::new).map(LiveRequest::AddBreakpoint),
        InterceptInput::Token => Some(LiveRequest::Bearer(BearerToken(text.trim().to_owned()))),
        _ => None,
    };
    if let Some(wish) = wish {
        command(model, Command::Live(wish), asks);
        return;
    }
    let Some(id) = model.intercept.typing_for.take() else { return };
    let draft = model.intercept.drafts.entry(id.clone()).or_default();
    match what {
        InterceptInput::Answer(kind) => {
            match kind {
                DecisionKind::Replace => text.clone_into(&mut draft.content),
                _ => text.trim().clone_into(&mut draft.reason),
            }
            if let Ok(decision) = draft.decision(kind) {
                command(model, Command::Live(LiveRequest::Decide { id, decision }), asks);
            }
        }
        InterceptInput::Reason => text.trim().clone_into(&mut draft.reason),
        InterceptInput::Content => text.clone_into(&mut draft.content),
        InterceptInput::Object(_) => draft.input = Some(text.trim().to_owned()),
        InterceptInput::Breakpoint | InterceptInput::Token => {}
    }
}

/// Applies the text from the editor; returns `false` if the editor was not opened by this page.
pub fn on_edited(model: &mut Model, text: &str) -> bool {
    let Some(id) = model.intercept.editing.take() else { return false };
    let Some(held) = model.session.live().pending_event(&id) else {
        model.toast = Some("the event is no longer held; your edit was not sent".to_owned());
        return true;
    };
    match new_input(required_field(held), text) {
        Ok(()) => {
            let draft = model.intercept.drafts.entry(id).or_default();
            draft.kind = Some(DecisionKind::Modify);
            draft.input = Some(text.trim().to_owned());
        }
        Err(why) => model.toast = Some(format!("not taken: {}", why.lines().next().unwrap_or_default())),
    }
    true
}
