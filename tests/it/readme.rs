//! The pages people read, held to what the program does: their examples are run, and no command line they name is
//! invented.
//!
//! `page` takes a page apart, `tour` runs its examples, `words` finds the command lines. The examples of docs/reference/cli.md
//! are only parsed: they name items that do not exist.

mod first_screen;
mod library;
mod page;
mod plugins;
mod providers;
mod tour;
mod words;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use page::Page;
use tour::Sandbox;

const FENCE: &str = "```";

fn read(path: &Path) -> Page {
    let root = Path::new(crate::support::ROOT);
    page::read(&path.strip_prefix(root).unwrap().display().to_string(), &fs::read_to_string(path).unwrap())
}

/// Every page of the repository: in its root, in `docs/` and in `benches/`.
fn pages() -> Vec<Page> {
    let root = Path::new(crate::support::ROOT);
    let folders = ["", "docs", "docs/reference", "benches"].map(|folder| root.join(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

/// Asks the program for help on each command line of `page`: it gives that only where verb and flags exist.
fn check_words(page: &Page) -> Result<usize, String> {
    let named = words::named(page);
    for found in &named {
        let output = Command::new(crate::support::RYE).args(&found.words).arg("--help").output().unwrap();
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{}:{}: `rye {}`\n{told}", page.name, found.line, found.words.join(" ")));
        }
    }
    Ok(named.len())
}

#[test]
fn the_tour_of_the_readme_works_as_shown() {
    let page = read(&Path::new(crate::support::ROOT).join("README.md"));
    let played = tour::play(&page, &Sandbox::new()).unwrap_or_else(|broken| panic!("{broken}"));
    assert!(played >= 15, "only {played} commands were found");
}

#[test]
fn the_examples_of_the_other_pages_work_as_shown() {
    for page in pages().iter().filter(|page| !matches!(page.name.as_str(), "README.md" | "docs/reference/cli.md")) {
        tour::play(page, &Sandbox::new()).unwrap_or_else(|broken| panic!("{broken}"));
    }
}

#[test]
fn no_page_names_a_verb_or_flag_that_does_not_exist() {
    let counted: Vec<usize> =
        pages().iter().map(|page| check_words(page).unwrap_or_else(|wrong| panic!("{wrong}"))).collect();
    assert!(counted.iter().sum::<usize>() >= 30, "only {counted:?} command lines were found");
}

/// Plays a page of one console block.
fn play(block: &str) -> Result<usize, String> {
    let text = format!("# A page\n\n{FENCE}console\n{block}\n{FENCE}\n");
    tour::play(&page::read("page.md", &text), &Sandbox::new())
}

#[test]
fn an_example_that_breaks_is_found_with_its_line() {
    assert_eq!(play("$ echo one\none\n$ printf 'a\\nb\\n'\na\nb"), Ok(2));
    assert_eq!(
        play("$ echo one\none\n$ echo two\nthree"),
        Err("page.md:6: `echo two` wrote\ntwo\n\nand the page shows\nthree".to_owned())
    );
    assert_eq!(
        play("$ echo sorry >&2; exit 3"),
        Err("page.md:4: `echo sorry >&2; exit 3` failed\nexit status: 3: sorry\n".to_owned())
    );
    assert_eq!(play("$ echo more than is shown"), {
        Err("page.md:4: `echo more than is shown` wrote\nmore than is shown\n\nand the page shows\n".to_owned())
    });
    assert_eq!(play("one\n$ echo one"), Err("page.md:4: the block does not begin with a command".to_owned()));
}

#[test]
fn dots_stand_for_lines_and_for_text_and_blanks_are_even() {
    assert_eq!(play("$ printf 'a\\nb\\nc\\n'\n...\nc"), Ok(1));
    assert_eq!(play("$ printf 'a\\nb\\nc\\n'\na\n..."), Ok(1));
    assert_eq!(play("$ true\n..."), Ok(1));
    assert_eq!(play("$ echo key 1234 yours\nkey ... yours"), Ok(1));
    assert_eq!(play("$ printf 'a\\tb   c\\n'\na  b c"), Ok(1));
    assert!(play("$ printf 'a\\nb\\n'\n...\na").is_err());
    assert!(play("$ printf '  a\\n'\na").is_err());
    assert!(play("$ echo key 1234 mine\nkey ... yours").is_err());
}

#[test]
fn a_file_to_save_is_saved_for_the_blocks_after_it() {
    let text = format!(
        "Save this as `a/b.md`:\n\n````markdown\n{FENCE}xml\n<x/>\n{FENCE}\n````\n\n\
         {FENCE}console\n$ cat a/b.md\n{FENCE}\n"
    );
    let told = tour::play(&page::read("page.md", &text), &Sandbox::new()).unwrap_err();
    assert_eq!(told, "page.md:10: `cat a/b.md` wrote\n```xml\n<x/>\n```\n\nand the page shows\n");
}

#[test]
fn the_program_of_this_build_is_the_one_that_is_played() {
    assert_eq!(play(&format!("$ rye --version\nrye {}", env!("CARGO_PKG_VERSION"))), Ok(1));
}

#[test]
fn an_invented_verb_or_flag_is_found_with_its_line() {
    let check =
        |text: &str| check_words(&page::read("page.md", text)).map_err(|told| told.lines().next().map(str::to_owned));
    let invented = |line: &str| Err(Some(line.to_owned()));
    assert_eq!(check("Try `rye list tool`, or `rye`, or `ryegrass cut`."), Ok(2));
    assert_eq!(check("Say\n`rye teleport home`."), invented("page.md:2: `rye teleport home`"));
    assert_eq!(check("Say `rye list --sideways`."), invented("page.md:1: `rye list --sideways`"));
    let block = |line: &str| format!("{FENCE}sh\n{line}\n{FENCE}\n");
    assert_eq!(check(&block("rye verify || echo 'rye teleport' # rye teleport")), Ok(1));
    assert_eq!(check(&block("echo x | rye teleport")), invented("page.md:2: `rye teleport`"));
    assert_eq!(check(&block("cargo run --release -- teleport <id>")), invented("page.md:2: `rye teleport x`"));
}

/// A project has some of the files that docs/from-skills.md signs, and rarely all.
#[test]
fn the_command_that_adds_the_files_of_agents_works_whichever_there_are() {
    let page = fs::read_to_string(Path::new(crate::support::ROOT).join("docs/from-skills.md")).unwrap();
    let mut section = page.lines().skip_while(|line| !line.starts_with("## Agent files"));
    let commands: Vec<&str> = section.by_ref().filter_map(|line| line.strip_prefix("$ ")).take(2).collect();
    for path in ["CLAUDE.md", "AGENTS.md", ".claude/commands/review.md", ".mcp.json"] {
        let sandbox = Sandbox::new();
        let place = sandbox.place(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, "{}\n").unwrap();
        let seen = commands.iter().map(|command| sandbox.sh(command)).collect::<Result<String, String>>();
        assert!(seen.as_ref().is_ok_and(|seen| seen.contains("1 file")), "{path}: {seen:?}");
    }
}
