//! Recognition of a file's format by its first 64 KiB.

use super::formats;
use crate::recorded::{FileHead, FormatFit, HEAD_BYTES, TranscriptFormat};

/// The format of a file.
pub enum FileKind {
    Format(&'static dyn TranscriptFormat),
    /// Text in an unsupported encoding.
    UnsupportedEncoding(&'static str),
    Unknown,
}

/// Recognizes the format of a file by its first bytes. Of formats that are equally certain, the first is used.
pub fn recognise(path: &str, bytes: &[u8]) -> FileKind {
    let bytes = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    if let Some(encoding) = other_encoding(bytes) {
        return FileKind::UnsupportedEncoding(encoding);
    }
    // The text may end inside a character, and single lines may have another encoding.
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let records = text.lines().filter_map(|line| serde_json::from_str(line.trim_matches('\0')).ok()).collect();
    let head = FileHead { path, text, records };
    let mut best: Option<(&'static dyn TranscriptFormat, FormatFit)> = None;
    for format in formats() {
        let fit = format.detect(&head);
        if fit > best.map_or(FormatFit::No, |(_, fit)| fit) {
            best = Some((format, fit));
        }
    }
    best.map_or(FileKind::Unknown, |(format, _)| FileKind::Format(format))
}

/// Returns the encoding of a text that does not begin as UTF-8.
fn other_encoding(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'{' | b'[', 0, ..] | [0, b'{' | b'[', ..] => Some("UTF-16"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &[u8]) -> String {
        match recognise("/x/file", text) {
            FileKind::Format(format) => format.kind().to_owned(),
            FileKind::UnsupportedEncoding(encoding) => encoding.to_owned(),
            FileKind::Unknown => "nothing".to_owned(),
        }
    }

    #[test]
    fn unknown_files() {
        for text in [
            &b""[..],
            b"hello\n",
            b"{}\n",
            b"[1,2]\n",
            b"{\"matcher\":\"Bash\"}\n",
            b"{\n  \"mcpServers\": {}\n}\n",
            b"\xff\xd8\xff\xe0",
            b"\0\0\0\0",
        ] {
            assert_eq!(kind(text), "nothing", "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn encodings_are_reported() {
        let wide: Vec<u8> = "{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(kind(&wide), "UTF-16");
        assert_eq!(kind(&[&[0xff, 0xfe][..], &wide].concat()), "UTF-16");
        assert_eq!(kind(b"\0\0\xfe\xff\0\0\0{"), "UTF-32");
    }

    #[test]
    fn a_mark_and_zeros_do_not_matter() {
        let line = br#"{"hook_event_name":"Stop","transcript_path":"/h/s.jsonl"}"#;
        assert_eq!(kind(line), "payloads");
        assert_eq!(kind(&[b"\xef\xbb\xbf".as_slice(), line].concat()), "payloads");
        assert_eq!(kind(&[b"\0\0\0".as_slice(), line].concat()), "payloads");
        assert_eq!(kind(&[line.as_slice(), b"\r\n\xe9t\xe9\r\n"].concat()), "payloads");
    }
}
