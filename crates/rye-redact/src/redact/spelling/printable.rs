//! Quoted-printable: `=3D`, and lines that go on behind a `=` at their end.
//!
//! Other texts have `=` too. What is undone is a run of lines in which each `=` is followed by two digits or by the end of the line.

use super::view::{Draft, View};

/// Views each run of lines that may be quoted-printable with that undone.
pub(super) fn undone<'p>(view: &'p View<'p>, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let mut next = memchr::memchr(b'=', bytes);
    while let Some(at) = next {
        let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |before| before + 1);
        let (mut draft, mut end) = (Draft::default(), start);
        while let Some(goes_on) = line(bytes, &mut end, &mut draft) {
            if !goes_on {
                break;
            }
        }
        let from = if end > at {
            each(draft.part(view, end == bytes.len()));
            end
        } else {
            line_end(bytes, at)
        };
        next = memchr::memchr(b'=', &bytes[from..]).map(|more| from + more);
    }
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |end| from + end)
}

/// Undoes the line at a place and moves behind it. Returns whether the next line goes on with it; none if it is not of this form.
fn line(bytes: &[u8], at: &mut usize, draft: &mut Draft) -> Option<bool> {
    let (start, end) = (*at, line_end(bytes, *at));
    let text = bytes[start..end].trim_ascii_end();
    let signs = || memchr::memchr_iter(b'=', text);
    let is_spelled = |sign: usize| {
        sign + 1 == text.len() || text[sign + 1..].iter().take(2).filter(|byte| byte.is_ascii_hexdigit()).count() == 2
    };
    if start == bytes.len() || !signs().all(is_spelled) {
        return None;
    }
    let mut copied = start;
    for sign in signs().map(|sign| start + sign) {
        draft.copy(bytes, copied, sign);
        copied = sign + 1;
        if let Some(byte) = bytes.get(sign + 1..sign + 3).and_then(byte) {
            draft.put(&[byte], sign, 3);
            copied = sign + 3;
        }
    }
    let goes_on = text.last() == Some(&b'=');
    draft.copy(bytes, copied, start + text.len());
    *at = bytes.len().min(end + 1);
    Some(goes_on)
}

fn byte(digits: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u8::from_str_radix(text, 16).ok()
}
