//! The table of places: in each folder of skills that it has, an unsigned skill has the verdict of its row, at the top and in packages.

use std::os::unix::fs::symlink;

use rye::capability::{PLACE_TABLE, PlaceRole};

use super::*;

/// Lists the folders of a role, with a name in the place of each `*`.
fn folders(role: PlaceRole) -> Vec<String> {
    let groups = PLACE_TABLE.iter().filter(|group| group.role == role);
    groups.flat_map(|group| group.places).map(|path| path.replace('*', "code")).collect()
}

/// Puts an unsigned skill into each folder; returns what a verification must find.
fn put_each(sandbox: &Sandbox, folders: &[String], prefix: &str) -> Vec<(String, String)> {
    let put = |(number, folder): (usize, &String)| {
        let path = format!("{folder}/{prefix}-{number}");
        put_skill(sandbox, &path);
        ("RYE-S001".to_owned(), path)
    };
    folders.iter().enumerate().map(put).collect()
}

/// Returns rule and path of the findings of one severity, sorted.
fn with_severity(sandbox: &Sandbox, args: &[&str], severity: &str) -> Vec<(String, String)> {
    let outcome = json(sandbox, &[&["verify"], args].concat());
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = outcome["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] == severity);
    let mut found: Vec<_> = findings.map(|finding| (text(finding, "rule"), text(finding, "path"))).collect();
    found.sort();
    found
}

/// Returns the exit code of a run.
fn exit(sandbox: &Sandbox, args: &[&str]) -> i32 {
    let said = sandbox.rye(args).transcript();
    let code = said.rsplit_once("[exit ").and_then(|(_, code)| code.trim_end().trim_end_matches(']').parse().ok());
    code.unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn an_unsigned_skill_is_judged_as_the_row_of_its_folder_says() {
    let sandbox = signed();
    let base = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    let required = folders(PlaceRole::Skills);
    let in_package: Vec<String> = required.iter().map(|path| format!("packages/web/{path}")).collect();
    let deep: Vec<String> = required.iter().map(|path| format!("a/b/c/d/e/f/g/h/i/j/k/l/{path}")).collect();
    let mut errors = put_each(&sandbox, &required, "top");
    errors.extend(put_each(&sandbox, &in_package, "package"));
    errors.extend(put_each(&sandbox, &deep, "deep"));
    errors.sort();
    let mut warnings = put_each(&sandbox, &folders(PlaceRole::Offered), "offered");
    warnings.sort();
    // Offered skills are those at the top alone.
    put_skill(&sandbox, "web/skills/free");
    put_skill(&sandbox, "web/plugins/a/skills/free");
    assert_eq!(with_severity(&sandbox, &[], "error"), errors);
    assert_eq!(with_severity(&sandbox, &[], "warning"), warnings);
    sandbox.git(&["add", "--all"]);
    sandbox.git(&["commit", "-q", "-m", "evil"]);
    sandbox.put("README.md", "text\n");
    sandbox.git(&["add", "README.md"]);
    sandbox.git(&["commit", "-q", "-m", "text"]);
    for args in [&[][..], &["--rev", "HEAD"], &["--range", &format!("{base}..HEAD")]] {
        let [found, warned] = ["error", "warning"].map(|severity| with_severity(&sandbox, args, severity));
        let once = |mut found: Vec<(String, String)>| {
            found.dedup();
            found
        };
        assert_eq!((once(found), once(warned)), (errors.clone(), warnings.clone()), "{args:?}");
    }
}

/// What a commit of a range brings into a package, and a later one removes, is found in that commit.
#[test]
fn a_package_is_judged_in_each_commit_of_a_range_and_by_the_hook() {
    type Attack = (fn(&Sandbox), &'static str, &'static str);
    let attacks: [Attack; 4] = [
        (|it| put_skill(it, "packages/web/.kiro/skills/evil"), "RYE-S001", "packages/web/.kiro/skills/evil"),
        (|it| put_skill(it, "packages/web/.Claude/skills/evil"), "RYE-A032", "packages/web/.Claude"),
        (
            |it| {
                put_skill(it, "packages/vendor/skills/evil");
                symlink("../vendor", it.project().join("packages/web/.roo")).unwrap();
            },
            "RYE-A030",
            "packages/web/.roo",
        ),
        (|it| put_skill(it, "packages\\x/.roo/skills/evil"), "RYE-A033", "packages\\x/.roo/skills"),
    ];
    for (attack, rule, path) in attacks {
        let sandbox = signed();
        sandbox.put("packages/web/README.md", "text\n");
        sandbox.commit("package");
        sandbox.rye(&["hook", "install", "-q"]).succeeds();
        sandbox.git(&["tag", "base"]);
        attack(&sandbox);
        assert_found(&sandbox, &[], &[(rule, path)]);
        sandbox.git(&["add", "--all"]);
        let (code, said) = sandbox.try_git(&["commit", "-q", "-m", "evil"]);
        assert!(code != 0 && said.contains("evil") | said.contains(path), "{path}: {said}");
        sandbox.git(&["commit", "-q", "--no-verify", "-m", "evil"]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[(rule, path)]);
        sandbox.git(&["revert", "--no-edit", "HEAD"]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[]);
        assert_found(&sandbox, &["--range", "base..HEAD"], &[(rule, path)]);
    }
}

/// A monorepo's packages may share the folder of the top by links, and a package of others is not the project's.
#[test]
fn what_git_ignores_and_links_to_the_top_are_no_findings() {
    let sandbox = signed();
    sandbox.put(".gitignore", "node_modules/\n.claude/\n");
    sandbox.put("packages/web/README.md", "text\n");
    symlink("../../.claude", sandbox.project().join("packages/web/.claude")).unwrap();
    put_skill(&sandbox, "node_modules/dep/.claude/skills/evil");
    sandbox.git(&["init", "-q", "vendor"]);
    put_skill(&sandbox, "vendor/.claude/skills/evil");
    assert_found(&sandbox, &[], &[]);
    // What git tracks is the project's, and agents read their own folders whether git ignores them or not.
    put_skill(&sandbox, "packages/api/.claude/skills/own");
    assert_found(&sandbox, &[], &[("RYE-S001", "packages/api/.claude/skills/own")]);
    sandbox.git(&["add", "-f", "node_modules"]);
    let found = [("RYE-S001", "node_modules/dep/.claude/skills/evil"), ("RYE-S001", "packages/api/.claude/skills/own")];
    assert_found(&sandbox, &[], &found);
}

#[test]
fn a_skill_of_a_package_is_an_item_as_those_at_the_top() {
    let sandbox = signed();
    put_skill(&sandbox, "packages/web/.roo/skills/other");
    let listed = json(&sandbox, &["list", "skill"]);
    assert!(listed.to_string().contains("packages/web/.roo/skills/other"), "{listed:#}");
    assert_eq!(exit(&sandbox, &["execute", "skill", "other"]), 3);
    sandbox.rye(&["sign", "skill", "packages/web/.roo/skills/other", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    sandbox.rye(&["execute", "skill", "other", "-q"]).succeeds();
    sandbox.commit("other");
    sandbox.put("packages/web/.roo/skills/other/notes/form.md", "evil\n");
    assert_found(&sandbox, &[], &[("RYE-A022", "packages/web/.roo/skills/other/notes/form.md")]);
    assert_eq!(exit(&sandbox, &["execute", "skill", "other"]), 3);
}

/// Many repositories have such a folder, and it says nothing of agents.
#[test]
fn a_folder_that_offers_no_skills_and_a_project_that_signs_none_are_left_alone() {
    let sandbox = signed();
    sandbox.put("skills/people/list.md", "text\n");
    sandbox.put("skills/README.md", "text\n");
    symlink("people", sandbox.project().join("skills/link")).unwrap();
    sandbox.put("plugins/a/skills/data.json", "{}\n");
    sandbox.put("plugins/.GitAttributes", "\n");
    assert_found(&sandbox, &[], &[]);
    let plain = Sandbox::with_items();
    plain.rye(&["sign", "--all", "-q"]).succeeds();
    for folder in ["skills", ".roo/skills", "packages/web/.claude/skills"] {
        put_skill(&plain, &format!("{folder}/free"));
    }
    assert_found(&plain, &[], &[]);
}

#[test]
fn an_offered_skill_is_signed_by_its_name_and_judged_from_then_on() {
    let sandbox = signed();
    put_skill(&sandbox, "skills/other");
    let attributes = fs::read_to_string(sandbox.project().join(".gitattributes")).unwrap();
    sandbox.put(".gitattributes", &format!("*.md text\n{attributes}"));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let warned = [("RYE-S001".to_owned(), "skills/other".to_owned())];
    assert_eq!(with_severity(&sandbox, &["other"], "warning"), warned);
    // No commit is refused for it.
    sandbox.git(&["add", "skills"]);
    sandbox.rye(&["commit", "-q", "--yes", "-m", "other", "--", "skills"]).succeeds();
    let outcome = json(&sandbox, &["verify", "other"]);
    assert_eq!((&outcome["checked"], &outcome["summary"]["unsigned"]), (&0.into(), &0.into()), "{outcome:#}");
    sandbox.rye(&["sign", "skill", "other", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    sandbox.rye(&["execute", "skill", "other", "-q"]).succeeds();
    sandbox.put("skills/other/notes/form.md", "evil\n");
    assert_eq!(
        with_severity(&sandbox, &[], "error"),
        [("RYE-A022".to_owned(), "skills/other/notes/form.md".to_owned())]
    );
    assert_eq!(exit(&sandbox, &["execute", "skill", "other"]), 3);
}

/// A repository may build a skill from `skills/`, and two plugins may have skills of one name.
#[test]
fn an_offered_skill_does_not_take_the_place_of_another_of_its_name() {
    let sandbox = signed();
    put_skill(&sandbox, "skills/read-pdf");
    assert_found(&sandbox, &[], &[]);
    sandbox.put("skills/read-pdf/notes/form.md", "evil\n");
    assert_eq!(with_severity(&sandbox, &[], "error"), []);
    assert_found(&sandbox, &[], &[("RYE-S001", "skills/read-pdf")]);
    sandbox.rye(&["execute", "skill", "read-pdf", "-q"]).succeeds();
    // A link from where agents read does not make it one of theirs.
    fs::create_dir_all(sandbox.project().join(".roo/skills")).unwrap();
    put_skill(&sandbox, "skills/evil");
    symlink("../../skills/evil", sandbox.project().join(".roo/skills/evil")).unwrap();
    let found = [("RYE-A030", ".roo/skills/evil"), ("RYE-S001", "skills/evil"), ("RYE-S001", "skills/read-pdf")];
    assert_found(&sandbox, &[], &found);

    let plugins = signed();
    put_skill(&plugins, "plugins/b/skills/setup");
    plugins.rye(&["sign", "skill", "setup", "-q"]).succeeds();
    put_skill(&plugins, "plugins/a/skills/setup");
    plugins.put("plugins/a/skills/setup/SKILL.md", "---\nname: setup\ndescription: Evil.\n---\n\n# Evil\n");
    assert_eq!(with_severity(&plugins, &[], "error"), []);
    assert_found(&plugins, &[], &[("RYE-S001", "plugins/a/skills/setup")]);
    plugins.commit("plugins");
    assert_found(&plugins, &["--rev", "HEAD"], &[("RYE-S001", "plugins/a/skills/setup")]);
    for verb in ["load", "execute"] {
        let said = plugins.rye(&[verb, "skill", "setup"]).transcript();
        assert!(said.contains("# PDF") && !said.contains("Evil"), "{verb}: {said}");
    }
}

/// The page has the table as the program has it.
#[test]
fn the_table_of_docs_formats_md_is_the_table_of_the_program() {
    let page = include_str!("../../../docs/formats.md");
    let plain = |names: &str| names.replace(['`', ' '], "").to_lowercase();
    for group in PLACE_TABLE {
        let what = match group.role {
            PlaceRole::Code => "code place",
            PlaceRole::Skills => "skills, signed",
            PlaceRole::Offered => "skills, offered",
        };
        let what = if group.is_for_agents { "code place, agent files" } else { what };
        let start = format!("| {} | {what} | ", group.about);
        let row = page.lines().find_map(|line| line.strip_prefix(&start)?.strip_suffix(" |"));
        let row = plain(row.unwrap_or_else(|| panic!("no row begins with `{start}`")));
        let told: Vec<&str> = row.split(',').map(|name| name.trim_end_matches('/')).collect();
        assert_eq!(told, group.places, "{}", group.about);
    }
    let header = "| whose | what | places |";
    let rows = page.lines().skip_while(|line| *line != header).skip(2).take_while(|line| line.starts_with('|'));
    assert_eq!(rows.count(), PLACE_TABLE.len());
}
