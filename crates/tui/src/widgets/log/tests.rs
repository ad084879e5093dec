use super::*;

const THEME: Theme = Theme { colour: true, unicode: true };

fn pane(rows: usize, columns: usize) -> LogArea {
    LogArea { rows, columns, theme: THEME }
}

fn shown(view: &LogView, stream: &StreamBuffer, pane: LogArea) -> Vec<String> {
    view.rows(stream, pane).iter().map(|r| r.iter().map(|(_, t)| t.as_str()).collect()).collect()
}

fn numbered(count: usize) -> StreamBuffer {
    let lines: Vec<String> = (1..=count).map(|n| format!("line {n}\n")).collect();
    StreamBuffer { head: lines.concat().into_bytes(), ..StreamBuffer::default() }
}

const KEY: (u64, u32, u8) = (1, 0, 0);

fn viewed(stream: &StreamBuffer, pane: LogArea) -> LogView {
    let mut view = LogView::default();
    view.update(KEY, stream, pane.columns, false);
    view
}

#[test]
fn the_end_is_followed_until_somebody_scrolls() {
    let pane = pane(3, 20);
    let mut stream = numbered(10);
    let mut view = viewed(&stream, pane);
    assert_eq!(shown(&view, &stream, pane), ["line 8", "line 9", "line 10"]);
    stream.append(b"line 11\n", 0);
    view.update(KEY, &stream, 20, false);
    assert_eq!(shown(&view, &stream, pane), ["line 9", "line 10", "line 11"]);
    view.scroll(-1, &stream, pane);
    assert!(view.position().is_some());
    stream.append(b"line 12\n", 0);
    view.update(KEY, &stream, 20, false);
    assert_eq!(shown(&view, &stream, pane), ["line 8", "line 9", "line 10"]);
    assert_eq!(view.position().unwrap(), "line 8 of 12");
    view.scroll(2, &stream, pane);
    assert!(view.position().is_none(), "at the end it follows again");
    view.scroll(isize::MIN / 2, &stream, pane);
    assert_eq!(shown(&view, &stream, pane), ["line 1", "line 2", "line 3"]);
    view.scroll(isize::MAX / 2, &stream, pane);
    assert!(view.position().is_none());
}

#[test]
fn long_lines_are_wrapped_sliced_and_scrolled_row_by_row() {
    let pane = pane(3, 4);
    let stream = StreamBuffer { head: b"first\nabcdefghij\n".to_vec(), ..StreamBuffer::default() };
    let mut view = viewed(&stream, pane);
    assert_eq!(shown(&view, &stream, pane), ["abcd", "efgh", "ij"]);
    view.scroll(-1, &stream, pane);
    assert_eq!(shown(&view, &stream, pane), ["t", "abcd", "efgh"]);
    view.scroll(1, &stream, pane);
    assert!(view.position().is_none());
    view.cycle();
    view.update(KEY, &stream, 4, false);
    assert_eq!(shown(&view, &stream, pane), ["first", "abcdefghij"]);
    assert!(view.scroll_side(true) && shown(&view, &stream, pane) == ["", "ij"]);
    assert!(view.scroll_side(false) && !view.scroll_side(false));
}

#[test]
fn ten_megabytes_without_an_end_cost_what_is_on_the_screen() {
    let pane = pane(40, 72);
    let mut stream = StreamBuffer::default();
    let mut view = LogView::default();
    for _ in 0..160 {
        stream.append(&[b'x'; 64 << 10], 0);
        view.update(KEY, &stream, 72, false);
    }
    assert!(view.index.scanned_bytes <= 10 << 20, "every byte once");
    let rows = shown(&view, &stream, pane);
    assert_eq!(rows.len(), 40);
    assert!(rows.iter().take(39).all(|r| r.len() == 72), "no ragged rows: {rows:?}");
    view.scroll(isize::MIN / 2, &stream, pane);
    let mut seen = false;
    for _ in 0..200 {
        view.scroll(39, &stream, pane);
        seen |= shown(&view, &stream, pane).iter().any(|r| r.contains("bytes are not kept here"));
    }
    assert!(seen, "the gap is a line that can be scrolled to");
}

#[test]
fn hex_shows_bytes_where_they_are() {
    let stream = StreamBuffer { head: b"hello\n\xff\x1b[31m and more text".to_vec(), gap: 5, tail: b"end".to_vec() };
    let mut view = viewed(&stream, pane(9, 80));
    view.cycle();
    view.cycle();
    view.update(KEY, &stream, 80, false);
    let rows = shown(&view, &stream, pane(9, 80));
    assert_eq!(rows.first().unwrap(), "000000  68 65 6c 6c 6f 0a ff 1b  5b 33 31 6d 20 61 6e 64  hello...[31m and");
    assert_eq!(rows.get(1).unwrap(), "000010  20 6d 6f 72 65 20 74 65  78 74                     more text");
    assert_eq!(rows.get(2).unwrap(), "⋯ 5 bytes are not kept here ⋯");
    assert!(rows.get(3).unwrap().starts_with("00001f  65 6e 64"));
    assert_eq!(shown(&view, &stream, pane(1, 36)), ["00001f  end"]);
}

#[test]
fn searching_goes_to_hits_and_marks_them() {
    let pane = pane(3, 20);
    let mut stream = numbered(30);
    let mut view = viewed(&stream, pane);
    view.scroll(isize::MIN / 2, &stream, pane);
    view.begin_search();
    for text in ["L", "LI", "", "l", "line 2"] {
        view.search_for(text.to_owned(), &stream, pane);
    }
    assert_eq!(view.search().unwrap().position_words(), "1 of 11");
    view.end_typing();
    view.step(true, &stream, pane);
    assert_eq!(shown(&view, &stream, pane), ["line 19", "line 20", "line 21"]);
    let rows = view.rows(&stream, pane);
    let styles: Vec<Style> = rows.get(1).unwrap().iter().map(|(s, _)| *s).collect();
    assert_eq!(styles, [current_style(THEME), Style::new()]);
    view.step(false, &stream, pane);
    view.step(false, &stream, pane);
    assert_eq!(view.search().unwrap().position_words(), "11 of 11");
    stream.append(b"another line 2", 0);
    view.update(KEY, &stream, 20, false);
    stream.append(b"2\nline 2\n", 0);
    view.update(KEY, &stream, 20, false);
    assert_eq!(view.search().unwrap().position_words(), "11 of 13", "what comes later is found too");
    assert!(view.clear_search() && !view.clear_search());
}

#[test]
fn only_what_is_on_the_screen_is_decoded() {
    let pane = pane(40, 72);
    let mut stream = StreamBuffer::default();
    let mut view = LogView::default();
    let text = |n: usize| format!("\x1b[31mline {n}\x1b[0m {}\n", "word ".repeat(n % 400));
    for n in 0..2000 {
        stream.append(text(n).as_bytes(), 0);
    }
    view.update(KEY, &stream, 72, false);
    assert!(stream.total() > 1 << 20);
    for n in 0..100 {
        stream.append(text(n).as_bytes(), 0);
        decode::DECODED.set(0);
        view.update(KEY, &stream, 72, false);
        assert_eq!(shown(&view, &stream, pane).len(), 40);
        let bytes = decode::DECODED.get();
        // Twice: once to find the first row, once to draw. The longest line here is 2 KiB.
        assert!(bytes < 2 * (40 * 72 + 2 * 2048), "{bytes} bytes for a frame of 40 rows");
    }
}
