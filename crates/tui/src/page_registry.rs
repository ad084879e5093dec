//! The behaviour of each page. Everything that asks the open page for something is above the pages and finds it here.

use crate::bench::BenchScreen;
use crate::compare::CompareScreen;
use crate::events::EventsScreen;
use crate::files::FilesScreen;
use crate::guards::GuardsScreen;
use crate::intercept::InterceptScreen;
use crate::matching::MatchScreen;
use crate::model::Model;
use crate::page::Page;
use crate::problems::ProblemsScreen;
use crate::screen::Screen;

/// The behaviour of a page.
pub fn screen_of(page: Page) -> &'static dyn Screen {
    match page {
        Page::Bench => &BenchScreen,
        Page::Match => &MatchScreen,
        Page::Events => &EventsScreen,
        Page::Problems => &ProblemsScreen,
        Page::Compare => &CompareScreen,
        Page::Files => &FilesScreen,
        Page::Guards => &GuardsScreen,
        Page::Intercept => &InterceptScreen,
    }
}

/// Updates everything that is derived: what all pages share, then the open page. Called after every message, never while
/// drawing.
pub fn refresh(model: &mut Model) {
    model.refresh_shared();
    for page in Page::ALL {
        let screen = screen_of(*page);
        if *page == model.page || screen.always_fresh() {
            screen.refresh(model);
        }
    }
}

/// Applies a new screen size.
pub fn resize(model: &mut Model, size: (u16, u16)) {
    if model.size != size {
        model.size = size;
        refresh(model);
    }
}
