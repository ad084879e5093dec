//! How the panes share the space: the sizes chosen by the user, the movable edges, and the limits of the edges.

use ratatui::layout::{Position, Rect};

use super::layout::Layout;

/// Minimum sizes: columns of list and detail side by side; rows of list and detail (with its rule) one above the
/// other; rows of the event and of the panes above it.
const LIST_COLUMNS: u16 = 30;
const DETAIL_COLUMNS: u16 = 40;
const LIST_ROWS: u16 = 3;
const DETAIL_ROWS: u16 = 4;
const EVENT_ROWS: u16 = 3;
const UPPER_ROWS: u16 = 5;

/// The sizes chosen by the user, in thousandths of the shared space, so that they also fit another screen size.
/// `None`: the contents decide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Split {
    /// Columns of the list beside the detail.
    pub beside: Option<u16>,
    /// Rows of the list above the detail.
    pub above: Option<u16>,
    /// Rows of the event.
    pub event: Option<u16>,
}

/// A movable edge between two panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// The bar between list and detail, side by side.
    Bar,
    /// The rule between the list and the detail below it.
    Rule,
    /// The rule above the event.
    Event,
}

impl Edge {
    /// Limits the size of the pane at this edge (the list or the event) to what leaves the minimum for the others.
    fn hold(self, size: u16, whole: u16) -> u16 {
        let (least, rest) = match self {
            Edge::Bar => (LIST_COLUMNS, DETAIL_COLUMNS + 2),
            Edge::Rule => (LIST_ROWS, DETAIL_ROWS),
            Edge::Event => (EVENT_ROWS, UPPER_ROWS + 1),
        };
        size.min(whole.saturating_sub(rest)).max(least).min(whole)
    }

    /// The size of the pane at this edge: the user's choice, otherwise `asked`.
    pub fn size(self, split: Split, whole: u16, asked: u16) -> u16 {
        let chosen = match self {
            Edge::Bar => split.beside,
            Edge::Rule => split.above,
            Edge::Event => split.event,
        };
        chosen.map_or(asked, |share| self.hold(part(share, whole), whole))
    }
}

impl Split {
    /// Stores the size at an edge, within the limits of the other panes.
    pub fn set(&mut self, edge: Edge, size: u16, whole: u16) {
        let share = share(edge.hold(size, whole), whole);
        match edge {
            Edge::Bar => self.beside = Some(share),
            Edge::Rule => self.above = Some(share),
            Edge::Event => self.event = Some(share),
        }
    }
}

/// Converts a size to thousandths of the whole. [`part`] is the inverse, without rounding loss.
fn share(part: u16, whole: u16) -> u16 {
    let (part, whole) = (u32::from(part), u32::from(whole.max(1)));
    u16::try_from((part * 1000 + whole / 2) / whole).unwrap_or(1000)
}

fn part(share: u16, whole: u16) -> u16 {
    u16::try_from((u32::from(share.min(1000)) * u32::from(whole) + 500) / 1000).unwrap_or(whole)
}

impl Layout {
    /// The movable edges and their places.
    pub fn edges(&self) -> Vec<(Edge, Rect)> {
        let mut edges = Vec::new();
        if self.bar.height > 0 {
            // The empty column beside the bar can be dragged too.
            edges.push((Edge::Bar, Rect { width: self.bar.width + 1, ..self.bar }));
        }
        if self.between.height > 0 {
            edges.push((Edge::Rule, self.between));
        }
        if self.event.height > 0 {
            edges.push((Edge::Event, self.rules[3]));
        }
        edges
    }

    /// The size of the pane at an edge, and the size of the shared area.
    pub fn at_edge(&self, edge: Edge) -> (u16, u16) {
        match edge {
            Edge::Bar => (self.hooks.width, self.shared.width),
            Edge::Rule => (self.hooks.height, self.shared.height),
            Edge::Event => (self.event.height, self.shared.height),
        }
    }

    /// The size that the pane would have with the edge at `at`.
    pub fn size_up_to(&self, edge: Edge, at: Position) -> u16 {
        match edge {
            Edge::Bar => at.x.saturating_sub(self.shared.x),
            Edge::Rule => at.y.saturating_sub(self.shared.y),
            Edge::Event => self.shared.bottom().saturating_sub(at.y + 1),
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
                assert_eq!(part(share(size, whole), whole), size, "{size} of {whole}");
            }
        }
    }

    #[test]
    fn no_pane_falls_under_what_it_is_of_use_with() {
        for (edge, size, whole, want) in [
            (Edge::Bar, 5, 120, 30),
            (Edge::Bar, 119, 120, 78),
            (Edge::Bar, 50, 120, 50),
            (Edge::Rule, 0, 16, 3),
            (Edge::Rule, 16, 16, 12),
            (Edge::Event, 1, 30, 3),
            (Edge::Event, 30, 30, 24),
            // If the space is too small for both minimums, a pane never exceeds the whole.
            (Edge::Event, 30, 4, 3),
            (Edge::Rule, 9, 2, 2),
        ] {
            let mut split = Split::default();
            split.set(edge, size, whole);
            assert_eq!(edge.size(split, whole, 0), want, "{edge:?} {size} of {whole}");
        }
        assert_eq!(Edge::Bar.size(Split::default(), 120, 44), 44, "nothing chosen: what is asked for");
    }
}
