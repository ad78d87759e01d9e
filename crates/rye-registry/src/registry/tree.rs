//! The Merkle tree over a registry's lines (RFC 6962), and the tiles that hold it (C2SP tlog-tiles). Pure.
//!
//! The crates `tlog_tiles` 0.2 and `signed_note` 0.2 would bring second versions of the signature and digest crates
//! (ed25519-dalek 2, sha2 0.10) for a few functions here. A reader of a whole registry computes the root of all lines,
//! and that of an earlier size of the first of them; a reader of one item has proofs of the tiles (`proof`).

use crate::trust::ContentHash;

/// How many hashes a full tile holds.
pub(super) const WIDTH: usize = 256;

/// Returns the hash of a leaf.
#[must_use]
pub(super) fn leaf(bytes: &[u8]) -> ContentHash {
    ContentHash::of_parts(&[&[0], bytes])
}

fn node(left: &ContentHash, right: &ContentHash) -> ContentHash {
    ContentHash::of_parts(&[&[1], left.as_bytes(), right.as_bytes()])
}

/// Returns the root of a tree.
#[must_use]
pub(super) fn root(leaves: &[ContentHash]) -> ContentHash {
    match leaves {
        [] => ContentHash::of(b""),
        [leaf] => *leaf,
        _ => {
            // The largest power of two that is smaller than the number of leaves.
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            node(&root(left), &root(right))
        }
    }
}

/// Returns the root over subtrees of one size, which is a power of two, and over the smaller rest to the right of them.
#[must_use]
pub(super) fn joined(subtrees: &[ContentHash], right: Option<ContentHash>) -> ContentHash {
    let (mut rest, mut joined) = (subtrees, right);
    while !rest.is_empty() {
        let (left, last) = rest.split_at(rest.len() - (1 << rest.len().trailing_zeros()));
        let last = root(last);
        joined = Some(joined.map_or(last, |right| node(&last, &right)));
        rest = left;
    }
    joined.unwrap_or_else(|| root(&[]))
}

/// Returns every tile of a tree: its path, and the hashes in it.
#[must_use]
pub(super) fn tiles(leaves: &[ContentHash]) -> Vec<(String, Vec<u8>)> {
    let (mut found, mut hashes) = (Vec::new(), leaves.to_vec());
    for level in 0.. {
        if hashes.is_empty() {
            break;
        }
        for (number, tile) in (0..).zip(hashes.chunks(WIDTH)) {
            found.push((
                path(level, number, tile.len() as u64),
                tile.iter().flat_map(|hash| *hash.as_bytes()).collect(),
            ));
        }
        hashes = hashes.chunks_exact(WIDTH).map(root).collect();
    }
    found
}

/// `tile/<level>/<number>`, the number in groups of three digits, all but the last with an `x`; a partial tile has `.p/` and
/// its width.
pub(super) fn path(level: u32, number: u64, width: u64) -> String {
    let mut groups = vec![format!("{:03}", number % 1000)];
    let mut rest = number / 1000;
    while rest > 0 {
        groups.insert(0, format!("x{:03}", rest % 1000));
        rest /= 1000;
    }
    let partial = if width == WIDTH as u64 { String::new() } else { format!(".p/{width}") };
    format!("tile/{level}/{}{partial}", groups.join("/"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// The test vectors of the reference implementation of Certificate Transparency.
    #[test]
    fn roots_are_those_of_rfc_6962() {
        let inputs: [&[u8]; 8] = [
            b"",
            &[0],
            &[0x10],
            &[0x20, 0x21],
            &[0x30, 0x31],
            &[0x40, 0x41, 0x42, 0x43],
            &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
            &[0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
        ];
        let leaves: Vec<ContentHash> = inputs.iter().map(|input| leaf(input)).collect();
        let expected = [
            (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"),
            (2, "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"),
            (3, "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"),
            (8, "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"),
        ];
        for (size, hash) in expected {
            assert_eq!(root(&leaves[..size]).to_string(), hash, "{size}");
        }
    }

    #[test]
    fn tiles_hold_the_tree_in_the_layout_of_tlog_tiles() {
        let leaves: Vec<ContentHash> = (0_u32..600).map(|number| leaf(&number.to_be_bytes())).collect();
        let tiles = tiles(&leaves);
        let seen: Vec<(&str, usize)> = tiles.iter().map(|(path, bytes)| (path.as_str(), bytes.len() / 32)).collect();
        let expected = [("tile/0/000", 256), ("tile/0/001", 256), ("tile/0/002.p/88", 88), ("tile/1/000.p/2", 2)];
        assert_eq!(seen, expected);
        assert_eq!(tiles.last().unwrap().1[32..], *root(&leaves[256..512]).as_bytes());
        assert_eq!(path(1, 1_234_067, 256), "tile/1/x001/x234/067");
    }
}
