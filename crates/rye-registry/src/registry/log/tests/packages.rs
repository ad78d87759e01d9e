//! Packages: what a line says of one, and what it must hold.

use super::*;

#[test]
fn a_package_of_another_id_type_extension_version_or_signer_is_refused() {
    let (ada, eve) = (ada(), eve());
    let runbook = subject("team/runbook");
    let good = package(&runbook, "1.0.0", &ada);
    let published = release(&runbook, "1.0.0".parse().unwrap(), &good, Vec::new());
    let check = |package: &Package, release: &Release| {
        package.check(release, &ada.public()).map_or_else(|fault| fault.rule(), |()| "accepted")
    };
    assert_eq!(check(&good, &published), "accepted");
    let as_other = |subject: &Subject, version: &str, package: &Package| {
        release(subject, version.parse().unwrap(), package, Vec::new())
    };
    let tool = Subject { item_type: ItemType::Directive, ..runbook.clone() };
    assert_eq!(check(&good, &as_other(&tool, "1.0.0", &good)), "RYE-R030");
    assert_eq!(check(&good, &as_other(&subject("eve/runbook"), "1.0.0", &good)), "RYE-R030");
    assert_eq!(check(&good, &as_other(&runbook, "2.0.0", &good)), "RYE-R031");
    let yaml = Subject { extension: "yaml".parse().unwrap(), ..runbook.clone() };
    assert_eq!(check(&good, &as_other(&yaml, "1.0.0", &good)), "RYE-R029");
    let theirs = package(&runbook, "1.0.0", &eve);
    assert_eq!(check(&theirs, &as_other(&runbook, "1.0.0", &theirs)), "RYE-R030");
    // The files of one version under the line of another.
    assert_eq!(check(&package(&runbook, "1.1.0", &ada), &published), "RYE-R029");
    let mut more = good.clone();
    more.manifest.files.extend(Package::of(vec![("extra.py".parse().unwrap(), b"x".to_vec())]).manifest.files);
    more.contents.push(b"x".to_vec());
    assert_eq!(check(&more, &as_other(&runbook, "1.0.0", &more)), "RYE-R031");
}

/// The publisher of an item chooses its line: it must not have other items pulled, or hold them in a version.
#[test]
fn a_line_lists_the_items_that_its_item_names_and_no_others() {
    let ada = ada();
    let guide = subject("team/guide");
    let text = "```yaml\nname: \"guide\"\ntitle: \"T\"\ncategory: \"team\"\nversion: \"1.0.0\"\nextends: [team/base, rye/guides/first_thread, words]\n```\n\n# T\n\nText.\n";
    let (_, bytes) = Signed::new(guide.clone(), text.as_bytes().to_vec()).sign(&ada, NOW).unwrap();
    let good = Package::of(vec![("guide.md".parse().unwrap(), bytes)]);
    let needs = |ids: &[&str]| {
        let need = |id: &&str| Need {
            id: id.parse().unwrap(),
            item_type: ItemType::Knowledge,
            version: OrderedRequirement(Requirement::ANY),
        };
        let published = release(&guide, "1.0.0".parse().unwrap(), &good, ids.iter().map(need).collect());
        good.check(&published, &ada.public())
            .map_or_else(|fault| format!("{}: {fault}", fault.rule()), |()| "accepted".into())
    };
    assert_eq!(needs(&["team/base"]), "accepted");
    assert_eq!(needs(&["other/words", "team/base"]), "accepted", "a last segment");
    let missing = "RYE-R033: knowledge `team/guide` 1.0.0 needs `team/base`, which its line does not list";
    assert_eq!(needs(&[]), missing);
    let more = "RYE-R033: knowledge `team/guide` 1.0.0 does not need `team/other`, which its line lists";
    assert_eq!(needs(&["team/base", "team/other"]), more);
}

#[test]
fn a_manifest_with_unsafe_doubled_or_unknown_parts_is_not_read() {
    use crate::registry::package::Manifest;
    let good = package(&subject("team/runbook"), "1.0.0", &ada()).manifest.bytes();
    let text = String::from_utf8(good.clone()).unwrap();
    assert!(Manifest::parse("m", &good).is_ok());
    for name in ["../runbook.md", "/etc/passwd", ".git/config", "a//b", "a\\b", "-x"] {
        let changed = text.replace("runbook.md", &name.replace('\\', "\\\\"));
        assert!(Manifest::parse("m", changed.as_bytes()).is_err(), "{name}");
    }
    let file = text.split_once('[').unwrap().1.split_once(']').unwrap().0;
    for changed in [
        text.replace(file, &format!("{file},{file}")),
        text.replace(file, &format!("{file},{}", file.replace("runbook", "RUNBOOK"))),
        text.replace(file, ""),
        text.replace("\"v\":1", "\"v\":2"),
        text.replace("\"v\":1", "\"v\":1,\"w\":1"),
        text.replace("\"size\":", "\"size\":9999999"),
        format!("{text}\n"),
    ] {
        assert!(Manifest::parse("m", changed.as_bytes()).is_err(), "{changed}");
    }
}
