//! How long a search of many items takes, whole process: found, indexed anew after a change, indexed for the first time.
//!
//! Run with `cargo bench --bench searching`; the questions and recorded runs are in README.md of this folder.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench measures and prints"
)]

mod common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{RYE, Workspace, head, measure, row};

const ITEMS: usize = 10_000;
/// How many of them are the person's own; the rest are the project's, plus those that are compiled in.
const OWN: usize = 3_000;
const ITEM_WORDS: usize = 300;
const RUNS: usize = 101;
const FIRST_RUNS: usize = 5;

const BEGINNINGS: [&str; 20] = [
    "de", "re", "con", "pro", "in", "ex", "per", "sub", "trans", "inter", "over", "un", "dis", "mis", "out", "fore",
    "pre", "anti", "auto", "co",
];
const MIDDLES: [&str; 20] = [
    "ploy", "stag", "sign", "form", "port", "tract", "serv", "struct", "vert", "mand", "pend", "scrib", "spect",
    "ject", "duc", "fer", "mit", "pos", "quir", "cept",
];
const ENDINGS: [&str; 10] = ["", "ing", "ed", "er", "ion", "able", "ment", "al", "ive", "ness"];

/// Words by numbers that never repeat soon: the bench is the same on every machine.
struct Words(u64);

impl Words {
    fn number(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    /// Returns a word; some are far more frequent than others, as in any language.
    fn word(&mut self) -> String {
        let rank = |words: &mut Self, many: usize| {
            let most = words.number(many) + 1;
            words.number(most)
        };
        let (beginning, middle) = (rank(self, BEGINNINGS.len()), rank(self, MIDDLES.len()));
        let ending = rank(self, ENDINGS.len());
        format!("{}{}{}", BEGINNINGS[beginning], MIDDLES[middle], ENDINGS[ending])
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

fn main() {
    let workspace = Workspace::new();
    for number in 0..ITEMS {
        put(&workspace, number, 0);
    }
    let beside = put_corpus(&workspace);
    head(&format!("`rye search`, {ITEMS} items of about {ITEM_WORDS} words and {beside} of another project"));
    let rye = installed(&workspace);
    let search = |query: &str| workspace.command(&rye, &["search", query]);
    // The baseline for a search through every file: git, on both cores.
    workspace.git(&["add", "--all"]);
    let status = ["status", "--porcelain", "--untracked-files=no"];
    // Each runs next to a search, so that both have the same load.
    let mut words = Vec::new();
    let beside = |_| words.extend(measure(1, |_| {}, |_| search("deploying")));
    let status =
        row("`git status` of the project's files", measure(RUNS, beside, |_| workspace.command("git", &status)));
    let word = row("a word: `deploying`, each beside a `git status`", words);
    row("looking at every item, in a running process", looks(&workspace));
    row("`rye --version`", measure(RUNS, |_| {}, |_| workspace.command(&rye, &["--version"])));
    let forget = |_| drop(fs::remove_dir_all(workspace.home().join(".cache")));
    row("the first search, which makes the index", measure(FIRST_RUNS, forget, |_| search("deploying")));
    for (what, query) in [
        ("a rare name", "entry-4711"),
        ("three words", "deploying service conversion"),
        ("a phrase", "\"deploying service\""),
        ("a beginning", "interve*"),
        ("a word with a slip in it", "deplyoing"),
        ("a field and a word", "type:knowledge title:deploying"),
        ("nothing", "xyzzyxyzzy"),
    ] {
        row(&format!("{what}: `{query}`"), measure(RUNS, |_| {}, |_| search(query)));
    }
    let change = |round: usize| put(&workspace, round * 7 % (ITEMS - OWN), round + 1);
    row("a word, one item changed since", measure(RUNS, change, |_| search("deploying")));
    println!("\nA word takes {:.2} times as long as `git status`.", word.as_secs_f64() / status.as_secs_f64());
}

/// Copies the program, as installing it does: what a linker writes lies about in memory in small pieces, and starts slower.
fn installed(workspace: &Workspace) -> String {
    let program = workspace.home().join("rye");
    fs::copy(RYE, &program).unwrap();
    program.into_os_string().into_string().unwrap()
}

/// Measures what every search has to do, and nothing else of it.
fn looks(workspace: &Workspace) -> Vec<Duration> {
    let spaces = rye::workspace::Workspace::new(Some(workspace.project()), workspace.home());
    let look = || {
        let begun = Instant::now();
        assert!(spaces.survey().unwrap().items.len() > ITEMS);
        begun.elapsed()
    };
    (0..RUNS).map(|_| look()).collect()
}

/// Writes an item of the project or the person.
fn put(workspace: &Workspace, number: usize, round: usize) {
    let mut words = Words(u64::try_from(number * 1_000 + round).unwrap());
    let (category, name) = (format!("notes/n{}", number / 100), format!("entry-{number}"));
    let (title, body) =
        (words.words(4), (0..10).map(|_| words.words(ITEM_WORDS / 10)).collect::<Vec<_>>().join(".\n\n"));
    let text = format!(
        "```yaml\nname: {name}\ntitle: {title}\ncategory: {category}\nversion: \"1.0.0\"\ntags: [{}]\n```\n\n# {title}\n\n{body}.\n",
        words.word()
    );
    let path = format!(".ai/knowledge/{category}/{name}.md");
    let root = if number < ITEMS - OWN { workspace.project() } else { workspace.home() };
    fs::create_dir_all(root.join(&path).parent().unwrap()).unwrap();
    fs::write(root.join(path), text).unwrap();
}

/// Copies another project's items, if they are next to this one; returns how many.
fn put_corpus(workspace: &Workspace) -> usize {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors/corpus/.ai");
    if beside.is_dir() { copy(&beside, &workspace.project().join(".ai")) } else { 0 }
}

fn copy(from: &Path, to: &Path) -> usize {
    fs::create_dir_all(to).unwrap();
    let each = fs::read_dir(from).unwrap().map(Result::unwrap).map(|found| {
        let target = to.join(found.file_name());
        if found.file_type().unwrap().is_dir() {
            return copy(&found.path(), &target);
        }
        fs::copy(found.path(), target).unwrap();
        1
    });
    each.sum()
}
