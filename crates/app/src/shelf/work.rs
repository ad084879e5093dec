//! Answers one request about recorded events. It blocks, so it is called on its own thread.

use std::sync::Arc;

use super::asks::{Edge, ShelfAsk, ShelfNews};
use super::counts::counts;
use crate::matching::Kinds;
use crate::recordings::{Direction, Mode, Store, StoreFault, Trouble, now_ms, open_store};
use crate::{StateDir, sessions_of};
use hookbench_core::config::Place;
use hookbench_core::filter::Filter;

/// The store, opened at the first request.
pub struct ShelfWork {
    place: Arc<Place>,
    state: StateDir,
    store: Option<Store>,
    /// Whether the store can be written.
    pub(super) writes: bool,
    /// The version of the store's data when the list was last loaded.
    seen: Option<i64>,
}

impl ShelfWork {
    /// Creates it for the user of a place.
    pub fn new(place: Arc<Place>) -> ShelfWork {
        let state = StateDir::of(&place);
        ShelfWork { place, state, store: None, writes: true, seen: None }
    }

    /// The open store.
    ///
    /// # Errors
    /// Returns an error if the store is missing or cannot be used.
    pub(super) fn store(&mut self) -> Result<&mut Store, StoreFault> {
        let store = match self.store.take() {
            Some(store) => store,
            None => self.open()?,
        };
        Ok(self.store.insert(store))
    }

    /// Opens the store. It is not created for reading, and a read-only store can still be read.
    fn open(&mut self) -> Result<Store, StoreFault> {
        let reading = match open_store(&self.state, Mode::Read) {
            Err(fault) if matches!(fault.trouble, Trouble::Missing) => return Err(fault),
            reading => reading,
        };
        let writing = open_store(&self.state, Mode::Write);
        self.writes = writing.is_ok();
        writing.or_else(|fault| reading.map_err(|_| fault))
    }

    /// The store, if it is open and can be written.
    pub(super) fn opened(&mut self) -> Option<&mut Store> {
        self.store.as_mut().filter(|_| self.writes)
    }

    /// Answers a request. Returns `None` if it has no response.
    pub fn answer(&mut self, ask: ShelfAsk) -> Option<ShelfNews> {
        if ask == ShelfAsk::Own {
            return Some(ShelfNews::Own(sessions_of(&self.place, None)));
        }
        if ask == ShelfAsk::Changed {
            return self.changed();
        }
        if ask == ShelfAsk::Kinds {
            // Without a store nothing was recorded; errors are reported with the list of events.
            let kinds = self.store().and_then(|store| Kinds::of(store)).unwrap_or_default();
            return Some(ShelfNews::Kinds(Arc::new(kinds)));
        }
        let looks = matches!(ask, ShelfAsk::Page { .. } | ShelfAsk::Count { .. } | ShelfAsk::Sessions { .. });
        Some(self.ask_store(ask).transpose()?.unwrap_or_else(|fault| {
            let usable =
                matches!(fault.trouble, Trouble::Stopped | Trouble::Busy | Trouble::Full | Trouble::ReadOnly(_));
            let cure = fault.trouble.cure();
            if looks && !usable {
                self.store = None;
                let missing = matches!(fault.trouble, Trouble::Missing);
                return ShelfNews::Fault { missing, says: fault.to_string(), cure };
            }
            let cure = cure.map(|cure| format!(" {cure}")).unwrap_or_default();
            ShelfNews::Trouble(format!("{fault}.{cure}"))
        }))
    }

    /// Returns `Changed` if another process has written since the list was last loaded, or may have created the store.
    fn changed(&mut self) -> Option<ShelfNews> {
        let Some(store) = &self.store else { return Some(ShelfNews::Changed) };
        if !store.path().exists() {
            self.store = None;
            return Some(ShelfNews::Changed);
        }
        (store.written().ok() != self.seen).then_some(ShelfNews::Changed)
    }

    fn ask_store(&mut self, ask: ShelfAsk) -> Result<Option<ShelfNews>, StoreFault> {
        let seen = self.store()?.written()?;
        if matches!(ask, ShelfAsk::Page { .. } | ShelfAsk::GoTo { .. }) {
            self.seen = Some(seen);
        }
        let store = self.store()?;
        Ok(Some(match ask {
            ShelfAsk::Page { number, filter, edge, limit } => {
                let (direction, from) = match edge {
                    Edge::Oldest => (Direction::Forward, None),
                    Edge::Newest => (Direction::Backward, None),
                    Edge::Before(place) => (Direction::Backward, Some(place)),
                    Edge::After(place) | Edge::Again(place) | Edge::From(place) => (Direction::Forward, Some(place)),
                };
                let rows = store.page(&filter, now_ms(), direction, from, limit)?;
                ShelfNews::Page { number, edge, rows, limit }
            }
            ShelfAsk::GoTo { number, seq, limit } => {
                let Some(event) = store.event(seq)? else {
                    return Ok(Some(ShelfNews::Trouble(format!("#{seq} is no longer in the store"))));
                };
                let place = hookbench_system::store::Place::before(event.at, seq);
                let rows = store.page(&Filter::everything(), now_ms(), Direction::Forward, Some(place), limit)?;
                ShelfNews::Page { number, edge: Edge::From(place), rows, limit }
            }
            ShelfAsk::Count { number, filter } => {
                let now = now_ms();
                let passing = store.count(&filter, now)?;
                let all = store.count(&Filter::everything(), now)?;
                ShelfNews::Count { number, passing, all, indexed: store.indexed()? }
            }
            ShelfAsk::Whole { number, seq } => ShelfNews::Whole { number, seq, event: store.event(seq)?.map(Arc::new) },
            ShelfAsk::Mark { seq, marked } => {
                store.mark(seq, marked)?;
                ShelfNews::Noted { seq, marked: Some(marked), comment: None }
            }
            ShelfAsk::Comment { seq, text } => {
                store.comment(seq, text.as_deref())?;
                ShelfNews::Noted { seq, marked: None, comment: Some(text) }
            }
            ShelfAsk::Sessions { filter } => ShelfNews::Sessions(store.sessions(&filter, now_ms())?),
            ShelfAsk::Counts => ShelfNews::Counts(counts(store)?),
            ShelfAsk::Own
            | ShelfAsk::Kinds
            | ShelfAsk::Changed
            | ShelfAsk::Import(_)
            | ShelfAsk::Replay { .. }
            | ShelfAsk::Stop => return Ok(None),
        }))
    }
}
