//! The backend of the terminal with a bounded area. A terminal can claim 65535 × 65535 cells, for which no memory is
//! enough.

use std::io::{self, Write};

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// The limits of the drawn area, above those of any real screen: a row of 2000 cells has room for 8000 pixels.
const MAX_WIDTH: u16 = 2000;
const MAX_HEIGHT: u16 = 1000;
const MAX_CELLS: u32 = 250_000;

/// The part of a terminal that is drawn. It begins at the top left.
fn drawn_area(whole: Size) -> Size {
    let width = whole.width.min(MAX_WIDTH);
    let rows = MAX_CELLS / u32::from(width.max(1));
    Size { width, height: whole.height.min(MAX_HEIGHT).min(u16::try_from(rows).unwrap_or(u16::MAX)) }
}

/// The message about a terminal that is not drawn completely. `None` if it is.
fn bounds_message(whole: Size) -> Option<String> {
    let drawn = drawn_area(whole);
    (drawn != whole).then(|| {
        format!(
            "hookbench uses {} × {} cells of this terminal; it has {} × {}, and the rest stays empty",
            drawn.width, drawn.height, whole.width, whole.height
        )
    })
}

/// Draws at most the bounded area.
pub struct BoundedBackend<W: Write> {
    inner: CrosstermBackend<W>,
    /// The size of the whole terminal of which the user was told.
    told: Size,
}

impl<W: Write> BoundedBackend<W> {
    /// Draws to an output.
    pub fn new(output: W) -> BoundedBackend<W> {
        BoundedBackend { inner: CrosstermBackend::new(output), told: Size::ZERO }
    }

    /// The message about a terminal that is not drawn completely, once for each of its sizes.
    pub fn new_bounds(&mut self) -> io::Result<Option<String>> {
        let whole = self.inner.size()?;
        let is_new = std::mem::replace(&mut self.told, whole) != whole;
        Ok(bounds_message(whole).filter(|_| is_new))
    }
}

impl<W: Write> Write for BoundedBackend<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(&mut self.inner, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::flush(&mut self.inner)
    }
}

impl<W: Write> Backend for BoundedBackend<W> {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> io::Result<()> {
        self.inner.draw(content)
    }

    fn append_lines(&mut self, count: u16) -> io::Result<()> {
        self.inner.append_lines(count)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, part: ClearType) -> io::Result<()> {
        self.inner.clear_region(part)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size().map(drawn_area)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        let window = self.inner.window_size()?;
        Ok(WindowSize { columns_rows: drawn_area(window.columns_rows), ..window })
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_axes_and_their_product_are_bounded() {
        for (whole, drawn) in [
            ((0, 0), (0, 0)),
            ((0, 65535), (0, 1000)),
            ((65535, 0), (2000, 0)),
            ((120, 40), (120, 40)),
            ((768, 270), (768, 270)),
            ((65535, 40), (2000, 40)),
            ((80, 65535), (80, 1000)),
            ((65535, 65535), (2000, 125)),
        ] {
            let whole = Size::new(whole.0, whole.1);
            assert_eq!(drawn_area(whole), Size::new(drawn.0, drawn.1), "{whole}");
            assert_eq!(bounds_message(whole).is_some(), drawn_area(whole) != whole, "{whole}");
        }
    }
}
