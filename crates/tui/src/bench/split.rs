//! How the panes share their space: what the user has made of it, the lines between them, and how far those go.

use ratatui::layout::{Position, Rect};

use super::layout::Layout;

/// The least that a pane is of use with: columns of the list and of the detail side by side, rows of both one above the
/// other (the detail with its rule), rows of the event and of what stands above it.
const LIST_COLUMNS: u16 = 30;
const DETAIL_COLUMNS: u16 = 40;
const LIST_ROWS: u16 = 3;
const DETAIL_ROWS: u16 = 4;
const EVENT_ROWS: u16 = 3;
const UPPER_ROWS: u16 = 5;

/// What the user has made of the sizes, in thousandths of what is shared, so that they mean something on another screen
/// too. None: as the contents ask.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Split {
    /// Columns of the list beside the detail.
    pub beside: Option<u16>,
    /// Rows of the list above the detail.
    pub above: Option<u16>,
    /// Rows of the event.
    pub event: Option<u16>,
}

/// A line between two panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Between list and detail, side by side.
    Bar,
    /// Between the list and the detail below it.
    Rule,
    /// Above the event.
    Event,
}

impl Edge {
    /// How much of the whole the pane may have that is measured there: the list, or the event.
    fn hold(self, size: u16, whole: u16) -> u16 {
        let (least, rest) = match self {
            Edge::Bar => (LIST_COLUMNS, DETAIL_COLUMNS + 2),
            Edge::Rule => (LIST_ROWS, DETAIL_ROWS),
            Edge::Event => (EVENT_ROWS, UPPER_ROWS + 1),
        };
        size.min(whole.saturating_sub(rest)).max(least).min(whole)
    }

    /// The size of the pane that is measured there: what the user chose, else what the contents ask for.
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
    /// Takes a size at an edge, as far as the other panes allow.
    pub fn set(&mut self, edge: Edge, size: u16, whole: u16) {
        let share = share(edge.hold(size, whole), whole);
        match edge {
            Edge::Bar => self.beside = Some(share),
            Edge::Rule => self.above = Some(share),
            Edge::Event => self.event = Some(share),
        }
    }
}

/// A size as thousandths of the whole, and back; what goes one way comes back the same.
fn share(part: u16, whole: u16) -> u16 {
    let (part, whole) = (u32::from(part), u32::from(whole.max(1)));
    u16::try_from((part * 1000 + whole / 2) / whole).unwrap_or(1000)
}

fn part(share: u16, whole: u16) -> u16 {
    u16::try_from((u32::from(share.min(1000)) * u32::from(whole) + 500) / 1000).unwrap_or(whole)
}

impl Layout {
    /// The lines that can be moved, and where they stand.
    pub fn edges(&self) -> Vec<(Edge, Rect)> {
        let mut edges = Vec::new();
        if self.bar.height > 0 {
            // The column of air beside the bar is as good.
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

    /// How large the pane is that is measured at an edge, and what it shares.
    pub fn at_edge(&self, edge: Edge) -> (u16, u16) {
        match edge {
            Edge::Bar => (self.hooks.width, self.shared.width),
            Edge::Rule => (self.hooks.height, self.shared.height),
            Edge::Event => (self.event.height, self.shared.height),
        }
    }

    /// The size that the pane would have if the edge stood there.
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
            // Where there is too little for both, nothing is larger than the whole.
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
