//! The corpus of the fuzz targets: each file in `tests/corpus/TARGET` keeps the law of its target.
//!
//! What a fuzzer finds is put there, so that it stays found where no fuzzer runs.

#[expect(unreachable_pub, reason = "a crate of its own where it is fuzzed")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::Path;

#[test]
fn the_corpus_keeps_the_laws() {
    let corpus = Path::new(crate::support::ROOT).join("tests/corpus");
    let mut run = 0;
    for (name, target) in targets::TARGETS {
        let mut paths: Vec<_> = fs::read_dir(corpus.join(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "`{name}` has no corpus");
        for path in paths {
            let data = fs::read(&path).unwrap();
            let kept = std::panic::catch_unwind(|| target(&data));
            assert!(kept.is_ok(), "`{}` breaks the law of `{name}`", path.display());
            run += 1;
        }
    }
    assert!(run >= 30, "{run}");
    let folders = fs::read_dir(&corpus).unwrap().count();
    assert_eq!(folders, targets::TARGETS.len(), "a folder without a target, or a target without a folder");
}
