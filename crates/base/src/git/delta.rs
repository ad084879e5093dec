//! Deltas: objects that a pack stores as changes to another object.

/// Applies a delta to its base. `None` if the delta is damaged, or if the result would be larger than `most`.
pub fn apply(base: &[u8], delta: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut at = 0;
    if size(delta, &mut at)? != base.len() {
        return None;
    }
    let whole = size(delta, &mut at).filter(|whole| *whole <= most)?;
    let mut out = Vec::with_capacity(whole.min(1 << 20));
    while let Some(order) = delta.get(at).copied() {
        at += 1;
        if order & 0x80 == 0 {
            // An insert: the number of bytes that follow. 0 is reserved.
            let end = at.checked_add(usize::from(order)).filter(|end| *end > at)?;
            out.extend_from_slice(delta.get(at..end)?);
            at = end;
        } else {
            let mut number = |bits: std::ops::Range<u8>| {
                let first = bits.start;
                bits.filter(|bit| order & (1 << bit) != 0).try_fold(0_usize, |sum, bit| {
                    let byte = *delta.get(at)?;
                    at += 1;
                    Some(sum | usize::from(byte) << (8 * u32::from(bit - first)))
                })
            };
            let from = number(0..4)?;
            let length = number(4..7)?;
            let length = if length == 0 { 0x10000 } else { length };
            out.extend_from_slice(base.get(from..from.checked_add(length)?)?);
        }
        if out.len() > whole {
            return None;
        }
    }
    (out.len() == whole).then_some(out)
}

fn size(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0_usize;
    for shift in (0..56).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn copies_and_inserts() {
        // Copies three bytes from offset 2, then inserts two.
        let delta = [5, 5, 0x80 | 0x01 | 0x10, 2, 3, 2, b'x', b'y'];
        assert_eq!(apply(b"abcde", &delta, 10), Some(b"cdexy".to_vec()));
        assert_eq!(apply(b"abcde", &delta, 4), None);
        assert_eq!(apply(b"abcd", &delta, 10), None);
        assert_eq!(apply(b"abcde", &delta[..7], 10), None);
        assert_eq!(apply(b"abcde", &[5, 1, 0], 10), None);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(base: Vec<u8>, delta: Vec<u8>) {
            let _ = apply(&base, &delta, 1 << 16);
            let fitting = [&[u8::try_from(base.len() & 0x7f).unwrap(), 9], &delta[..]].concat();
            let _ = apply(&base[..base.len() & 0x7f], &fitting, 1 << 16);
        }
    }
}
