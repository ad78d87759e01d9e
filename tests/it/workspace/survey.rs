//! The survey sees what the listing lists, and tells every change.

use super::*;
use rye::workspace::{FileStamp, Sighting, Survey};

fn stamp(spaces: &Spaces, name: &str) -> FileStamp {
    let survey = spaces.workspace.survey().unwrap();
    survey.items.iter().find(|item| self::name(&item.candidate) == name).unwrap().stamp
}

/// Names an item `project/knowledge/deploy/staging.md`.
fn name(item: &Candidate) -> String {
    format!("{}/{}", item.space, item.path_in_space().display())
}

fn names(survey: &Survey) -> Vec<String> {
    survey.items.iter().map(|item| name(&item.candidate)).collect()
}

#[test]
fn the_survey_sees_what_the_listing_lists() {
    let spaces = Spaces::new();
    for number in 0..1_500 {
        spaces.put(&format!("project/.ai/knowledge/many/n{}/entry-{number}.md", number % 40), "text");
        spaces.put(&format!("project/.ai/knowledge/flat/entry-{number}.md"), "text");
    }
    spaces.put("project/.ai/tools/a.sh", "x");
    spaces.put("project/.ai/tools/a/b.sh", "x");
    spaces.put("user/.ai/directives/own.md", "x");
    spaces.put("user/.ai/tools/a.sh", "x");
    spaces.put("user/.ai/tools/.hidden/a.sh", "x");
    spaces.put("user/.ai/tools/no item.sh", "x");
    symlink("a.sh", spaces.path("project/.ai/tools/link.sh")).unwrap();
    symlink("/etc/passwd", spaces.path("project/.ai/tools/out.sh")).unwrap();
    symlink("/etc", spaces.path("project/.ai/tools/etc")).unwrap();
    let mut listed: Vec<String> = spaces.workspace.list(None, None).unwrap().items.iter().map(name).collect();
    let survey = spaces.workspace.survey().unwrap();
    for Sighting { candidate, stamp } in &survey.items {
        let reader = spaces.workspace.reader(candidate.space).unwrap();
        assert_eq!(reader.read_stamped(candidate).unwrap().1, *stamp, "{}", candidate.path.display());
    }
    let mut seen = names(&survey);
    assert!(seen.is_sorted_by_key(|name| name.split('/').next().unwrap().parse::<Space>().unwrap()), "nearest first");
    listed.sort();
    seen.sort();
    assert_eq!(seen, listed);
    assert_eq!(seen.iter().filter(|name| name.starts_with("project/knowledge/")).count(), 3_000);
    assert_eq!(
        seen.iter().filter(|name| name.starts_with("user/")).collect::<Vec<_>>(),
        ["user/directives/own.md", "user/tools/a.sh"]
    );
}

#[test]
fn whatever_changes_a_file_changes_its_stamp() {
    let spaces = Spaces::new();
    let path = spaces.put("project/.ai/knowledge/a.md", "one");
    let name = "project/knowledge/a.md";
    let first = stamp(&spaces, name);
    assert_eq!(stamp(&spaces, name), first);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    // Another file of the same length and time in its place.
    let other = spaces.put("project/other", "two");
    fs::File::options().write(true).open(&other).unwrap().set_modified(modified).unwrap();
    fs::rename(other, &path).unwrap();
    assert_ne!(stamp(&spaces, name), first);
}

#[test]
fn an_id_of_two_files_is_told_and_nearer_spaces_come_first() {
    let spaces = Spaces::new();
    spaces.put("project/.ai/knowledge/a.md", "x");
    spaces.put("project/.ai/knowledge/a.yaml", "x");
    spaces.put("project/.ai/knowledge/a-b.md", "x");
    spaces.put("user/.ai/knowledge/a.md", "x");
    spaces.put("user/.ai/knowledge/a/b.md", "x");
    let survey = spaces.workspace.survey().unwrap();
    assert!(matches!(&survey.failures[..], [Error::Ambiguous { paths, .. }] if paths.len() == 2));
    let mut found = names(&survey);
    assert!(found.last().is_some_and(|last| last.starts_with("system/")));
    found.retain(|name| !name.starts_with("system/"));
    assert_eq!(found, ["project/knowledge/a-b.md", "user/knowledge/a.md", "user/knowledge/a/b.md"]);
}
