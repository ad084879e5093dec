//! How the panes share the space: the sizes chosen by the user, the movable edges, and the limits of the edges.

use ratatui::layout::{Position, Rect};

use super::layout::FrameLayout;

/// Minimum sizes with their borders: columns of list and detail side by side; rows of list and detail one above the
/// other; rows of the event and of the panes above it.
const LIST_COLUMNS: u16 = 32;
const DETAIL_COLUMNS: u16 = 42;
const LIST_ROWS: u16 = 4;
const DETAIL_ROWS: u16 = 5;
const EVENT_ROWS: u16 = 4;
const UPPER_ROWS: u16 = 6;

/// The sizes chosen by the user, in thousandths of the shared space, so that they also fit another screen size.
/// `None`: the contents decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PaneSizes {
    /// Columns of the list beside the detail.
    pub beside: Option<u16>,
    /// Rows of the list above the detail.
    pub above: Option<u16>,
    /// Rows of the event.
    pub event: Option<u16>,
}

/// A movable edge between two panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneEdge {
    /// The bar between list and detail, side by side.
    Bar,
    /// The rule between the list and the detail below it.
    Rule,
    /// The rule above the event.
    Event,
}

impl PaneEdge {
    /// Limits the size of the pane at this edge (the list or the event) to what leaves the minimum for the others.
    fn limited(self, size: u16, whole: u16) -> u16 {
        let (least, rest) = match self {
            PaneEdge::Bar => (LIST_COLUMNS, DETAIL_COLUMNS),
            PaneEdge::Rule => (LIST_ROWS, DETAIL_ROWS),
            PaneEdge::Event => (EVENT_ROWS, UPPER_ROWS),
        };
        size.min(whole.saturating_sub(rest)).max(least).min(whole)
    }

    /// The size of the pane at this edge: the user's choice, otherwise `asked`.
    pub fn size(self, split: PaneSizes, whole: u16, asked: u16) -> u16 {
        let chosen = match self {
            PaneEdge::Bar => split.beside,
            PaneEdge::Rule => split.above,
            PaneEdge::Event => split.event,
        };
        chosen.map_or(asked, |share| self.limited(from_share(share, whole), whole))
    }
}

impl PaneSizes {
    /// Stores the size at an edge, within the limits of the other panes.
    pub fn set(&mut self, edge: PaneEdge, size: u16, whole: u16) {
        let share = to_share(edge.limited(size, whole), whole);
        match edge {
            PaneEdge::Bar => self.beside = Some(share),
            PaneEdge::Rule => self.above = Some(share),
            PaneEdge::Event => self.event = Some(share),
        }
    }
}

/// Converts a size to thousandths of the whole. [`from_share`] is the inverse, without rounding loss.
fn to_share(part: u16, whole: u16) -> u16 {
    let (part, whole) = (u32::from(part), u32::from(whole.max(1)));
    u16::try_from((part * 1000 + whole / 2) / whole).unwrap_or(1000)
}

fn from_share(share: u16, whole: u16) -> u16 {
    u16::try_from((u32::from(share.min(1000)) * u32::from(whole) + 500) / 1000).unwrap_or(whole)
}

impl FrameLayout {
    /// The movable edges and their places.
    pub fn edges(&self) -> Vec<(PaneEdge, Rect)> {
        let mut edges = Vec::new();
        let (hooks, detail) = (self.hooks.frame, self.detail.frame);
        if hooks.height > 0 && detail.height > 0 && hooks.y == detail.y {
            // The borders of both panes are the edge.
            edges.push((PaneEdge::Bar, Rect { x: detail.x.saturating_sub(1), width: 2, ..detail }));
        } else if hooks.height > 0 && detail.height > 0 {
            edges.push((PaneEdge::Rule, Rect { height: 1, ..detail }));
        }
        if self.event.frame.height > 0 {
            edges.push((PaneEdge::Event, Rect { height: 1, ..self.event.frame }));
        }
        edges
    }

    /// The size of the pane at an edge, and the size of the shared area.
    pub fn size_and_total(&self, edge: PaneEdge) -> (u16, u16) {
        match edge {
            PaneEdge::Bar => (self.hooks.frame.width, self.shared.width),
            PaneEdge::Rule => (self.hooks.frame.height, self.shared.height),
            PaneEdge::Event => (self.event.frame.height, self.shared.height),
        }
    }

    /// The size that the pane would have with the edge at `at`.
    pub fn size_with_edge_at(&self, edge: PaneEdge, at: Position) -> u16 {
        match edge {
            PaneEdge::Bar => at.x.saturating_sub(self.shared.x),
            PaneEdge::Rule => at.y.saturating_sub(self.shared.y),
            PaneEdge::Event => self.shared.bottom().saturating_sub(at.y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_back_as_they_went() {
        for whole in 1..=500 {
            for size in 0..=whole {
                assert_eq!(from_share(to_share(size, whole), whole), size, "{size} of {whole}");
            }
        }
    }

    #[test]
    fn no_pane_falls_under_what_it_is_of_use_with() {
        for (edge, size, whole, want) in [
            (PaneEdge::Bar, 5, 120, 32),
            (PaneEdge::Bar, 119, 120, 78),
            (PaneEdge::Bar, 50, 120, 50),
            (PaneEdge::Rule, 0, 16, 4),
            (PaneEdge::Rule, 16, 16, 11),
            (PaneEdge::Event, 1, 30, 4),
            (PaneEdge::Event, 30, 30, 24),
            // If the space is too small for both minimums, a pane never exceeds the whole.
            (PaneEdge::Event, 30, 4, 4),
            (PaneEdge::Rule, 9, 2, 2),
        ] {
            let mut split = PaneSizes::default();
            split.set(edge, size, whole);
            assert_eq!(edge.size(split, whole, 0), want, "{edge:?} {size} of {whole}");
        }
        assert_eq!(PaneEdge::Bar.size(PaneSizes::default(), 120, 44), 44, "nothing chosen: what is asked for");
    }
}
