//! Whether a tree is a merge: stock git makes the merges, of texts that grow by chance.

use rye::git::{CommitId, TreeId};

use super::*;

/// How many merges are made.
const ROUNDS: usize = 60;

/// The words that lines are made of; a few, so that lines repeat.
const WORDS: [&str; 5] = ["{\n", "}\n", "\n", "a = 1;\n", "b();\n"];

struct Chance(u64);

impl Chance {
    fn below(&mut self, of: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(of).unwrap()).unwrap()
    }

    fn line(&mut self) -> String {
        match self.below(WORDS.len() * 2) {
            word if word < WORDS.len() => WORDS[word].to_owned(),
            _ => format!("line {};\n", self.below(1000)),
        }
    }

    fn text(&mut self, lines: usize) -> Vec<String> {
        (0..lines).map(|_| self.line()).collect()
    }

    /// Changes, adds or removes a few lines next to each other.
    fn edit(&mut self, lines: &mut Vec<String>) {
        let at = self.below(lines.len());
        let to = (at + self.below(4)).min(lines.len());
        let more = self.below(4);
        let more = self.text(more);
        lines.splice(at..to, more);
    }
}

#[test]
fn a_clean_merge_of_git_is_a_merge_and_nothing_else_is() {
    let sandbox = Sandbox::with_commit(&[]);
    let mut chance = Chance(0x2545_f491_4f6c_dd1d);
    let (mut clean, mut conflicts) = (0, 0);
    let id = |name: &str| CommitId::parse(&sandbox.git(["rev-parse", name])).unwrap();
    for round in 0..ROUNDS {
        sandbox.git(["checkout", "-q", "-B", "base", "main"]);
        let base = chance.text(40);
        let commit = |branch: &str, lines: &[String]| {
            sandbox.git(["checkout", "-q", "-B", branch, "base"]);
            sandbox.write("repo/src/a.txt", &lines.concat());
            sandbox.git(["commit", "-q", "--allow-empty", "-a", "-m", branch]);
        };
        commit("base", &base);
        for branch in ["ours", "theirs"] {
            let mut lines = base.clone();
            for _ in 0..=chance.below(3) {
                chance.edit(&mut lines);
            }
            commit(branch, &lines);
        }
        let merged = sandbox.try_git_in("repo", ["merge-tree", "--write-tree", "ours", "theirs"]);
        let tree = String::from_utf8(merged.stdout).unwrap();
        let tree = TreeId::parse(tree.lines().next().unwrap()).unwrap();
        let repository = sandbox.open();
        let is_merge = |tree: &TreeId| repository.is_merge_of(tree, &id("ours"), &id("theirs")).unwrap();
        assert_eq!(is_merge(&tree), merged.status.success(), "round {round}");
        if merged.status.success() {
            clean += 1
        } else {
            conflicts += 1
        }
        let base = repository.tree_of(&id("base")).unwrap();
        assert!(base == tree || !is_merge(&base), "round {round}");
    }
    assert!(clean > 20 && conflicts > 5, "{clean} {conflicts}");
}
