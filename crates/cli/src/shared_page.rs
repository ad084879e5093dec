//! The pages that the screen copies as Markdown.

use indexmap::IndexMap;

use super::print::lines::{PageForm, PageStyle};
use super::print::text_page::TextPage;
use super::{lint, print, replay};
use hookbench_app::{ReplayResult, Session, SharedPage, document, start_line};

/// Renders a page as Markdown in which values that look like secrets are masked.
pub fn markdown(session: &Session, shared: SharedPage<'_>) -> String {
    let mut page = TextPage::styled(PageStyle { form: PageForm::Markdown, masks: true });
    match shared {
        SharedPage::Firing(firing) => print::firing(&mut page, firing, session),
        SharedPage::Ladder { definition, ladder, log } => {
            let entry = session.bench().plan.as_ref().and_then(|plan| plan.entry(&definition.id));
            let event = session.bench().payload.event.map(|event| event.name);
            let doc = document::why_doc(definition, entry, event, ladder, log);
            print::why(&mut page, &doc, ladder, log);
        }
        SharedPage::Replay(result) => replayed(&mut page, result),
        SharedPage::Findings(report) => {
            let files = session.lint_input().files;
            let read = |path: &str| String::from_utf8(files.read(path).ok()?).ok();
            let started_with = session.place().arguments.as_ref().map(start_line);
            lint::text::text(&mut page, report, started_with.as_deref(), None, &read);
        }
        SharedPage::Stats(doc) => print::stats(&mut page, doc),
    }
    page.finish()
}

fn replayed(page: &mut TextPage, result: &ReplayResult) {
    let mut flags: IndexMap<String, usize> = IndexMap::new();
    for flag in result.events.iter().flat_map(|one| &one.replayed.flags) {
        *flags.entry(flag.clone()).or_default() += 1;
    }
    let different = result.events.iter().filter(|one| !one.replayed.is_same());
    let all: Vec<_> = different.map(|one| (Some(one.seq), one.replayed.clone())).collect();
    replay::text::replay(&all, &flags, &result.summary, (result.order.run, None), page);
}
