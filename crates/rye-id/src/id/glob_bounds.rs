//! Bounds of patterns that are compiled: the compilers of patterns take time, memory and stack for what they say.

/// The longest pattern, in bytes.
const MOST_BYTES: usize = 1024;
/// The most alternatives (`{a,b}`) in each other.
const DEEPEST: usize = 8;
/// The most wildcards and alternatives of one pattern.
const MOST_PARTS: usize = 128;

/// Says why a pattern is too much to be compiled.
#[must_use]
pub fn excess(pattern: &str) -> Option<&'static str> {
    if pattern.len() > MOST_BYTES {
        return Some("it is longer than 1,024 bytes");
    }
    let (mut depth, mut deepest) = (0_usize, 0_usize);
    for byte in pattern.bytes() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    if deepest > DEEPEST {
        return Some("it has braces in each other more than 8 deep");
    }
    let parts = pattern.bytes().filter(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{' | b',')).count();
    (parts > MOST_PARTS).then_some("it has more than 128 wildcards and alternatives")
}
