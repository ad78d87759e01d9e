//! Files in the folder of a skill that git ignores: no part of the skill, here and in every commit.

use super::*;

/// Makes a project with a signed skill that has a Python script, and rules by which git ignores what programs leave.
fn with_python() -> Sandbox {
    let sandbox = with_skill();
    sandbox.put(&format!("{PDF}/scripts/helper.py"), "WORD = 'read'\n");
    sandbox.put(".gitignore", "__pycache__/\n*.pyc\n.env\nnode_modules/\n.venv/\n.DS_Store\n*.log\n");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    sandbox.commit("first");
    sandbox
}

/// Writes what a run, a desktop and an installation leave in a folder.
fn put_left(sandbox: &Sandbox) {
    for (path, text) in [
        (".env", "KEY=abc\n"),
        (".DS_Store", "x"),
        ("scripts/run.log", "x"),
        ("scripts/__pycache__/helper.cpython-311.pyc", "x"),
        ("node_modules/a/index.js", "x"),
        (".venv/lib/b.py", "x"),
    ] {
        sandbox.put(&format!("{PDF}/{path}"), text);
    }
}

#[test]
fn what_git_ignores_is_no_part_of_a_signed_skill() {
    let sandbox = with_python();
    put_left(&sandbox);
    assert_eq!(sandbox.git(&["status", "--porcelain"]), "");
    assert_found(&sandbox, &[], &[]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    sandbox.rye(&["execute", "skill", "read-pdf"]).succeeds();
    let ignored = json(&sandbox, &["verify"])["ignored"].clone();
    let shown: Vec<&str> = ignored.as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    let wanted = [".DS_Store", ".env", ".venv/", "node_modules/", "scripts/__pycache__/", "scripts/run.log"];
    assert_eq!(shown, wanted.map(|path| format!("{PDF}/{path}")));
    let seen = sandbox.rye(&["verify"]).transcript();
    assert_eq!(seen.lines().filter(|line| line.contains("git ignores")).count(), 1, "{seen}");
}

#[test]
fn what_git_ignores_is_not_signed_and_the_signer_is_told() {
    let sandbox = with_skill();
    sandbox.put(".gitignore", ".env\nnode_modules/\n");
    for path in [".env".to_owned(), "node_modules/a.js".to_owned()]
        .into_iter()
        .chain((0..2_100).map(|n| format!("node_modules/{n}.js")))
    {
        sandbox.put(&format!("{PDF}/{path}"), "x\n");
    }
    let seen = sandbox.rye(&["sign", "skill", "--all"]).transcript();
    assert!(seen.ends_with("[exit 0]\n") && seen.contains("git ignores `.env` and 1 more"), "{seen}");
    let manifest = fs::read_to_string(sandbox.project().join(MANIFEST)).unwrap();
    assert!(!manifest.contains(".env") && !manifest.contains("node_modules"), "{manifest}");
    sandbox.git(&["add", "-A"]);
    sandbox.rye(&["commit", "--yes", "-qm", "signed"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    let linted = sandbox.rye(&["lint"]).transcript();
    assert!(linted.contains("RYE-A013"), "{linted}");
}

/// A signed file that a rule ignores is in no commit: it is a finding here as well, with the way out.
#[test]
fn a_signed_file_that_git_ignores_is_a_finding_here_and_there() {
    for rule in ["form.md\n", "notes/\n"] {
        let sandbox = with_skill();
        sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
        sandbox.put(".gitignore", rule);
        let path = format!("{PDF}/notes/form.md");
        assert_found(&sandbox, &[], &[("RYE-A021", &path)]);
        let seen = sandbox.rye(&["verify"]).transcript();
        assert!(seen.contains("git ignores it") && seen.contains("git add -f"), "{seen}");
        sandbox.git(&["add", "-A"]);
        let refused = sandbox.rye(&["commit", "--yes", "-m", "part"]).transcript();
        assert!(!refused.ends_with("[exit 0]\n"), "{refused}");
        sandbox.git(&["add", "-f", &path]);
        assert_found(&sandbox, &[], &[]);
        sandbox.rye(&["commit", "--yes", "-qm", "whole"]).succeeds();
        assert_found(&sandbox, &["--rev", "HEAD"], &[]);
    }
}

/// Python takes compiled code without its source for the module.
#[test]
fn compiled_code_without_its_source_stays_a_finding() {
    for path in ["scripts/other.pyc", "scripts/__pycache__/other.cpython-311.pyc", "other.pyo"] {
        let sandbox = with_python();
        sandbox.put(".gitignore", "__pycache__/\n*.py[co]\n");
        sandbox.commit("rules");
        let path = format!("{PDF}/{path}");
        sandbox.put(&path, "x");
        assert_found(&sandbox, &[], &[("RYE-A020", &path)]);
        assert!(!sandbox.rye(&["execute", "skill", "read-pdf"]).transcript().ends_with("[exit 0]\n"), "{path}");
    }
    // A source that git ignores is not the one that was signed.
    let sandbox = with_python();
    sandbox.put(".gitignore", "__pycache__/\n*.pyc\nlocal.py\n");
    sandbox.commit("rules");
    let path = format!("{PDF}/scripts/__pycache__/local.cpython-311.pyc");
    sandbox.put(&path, "x");
    sandbox.put(&format!("{PDF}/scripts/local.py"), "x");
    assert_found(&sandbox, &[], &[("RYE-A020", &path), ("RYE-A020", &format!("{PDF}/scripts/local.py"))]);
}

/// An interpreter loads it instead of what was signed, and no signature covers it.
#[test]
fn ignored_code_is_a_finding_and_cannot_be_signed() {
    for path in [
        "scripts/helper/__init__.py",
        "scripts/helper/deep/one.py",
        "scripts/helper.so",
        "scripts/helper.cpython-312-x86_64-linux-gnu.SO",
        "scripts/helper.pyd",
        "scripts/extra.mjs",
        "scripts/extra.node",
        "scripts/package.json",
        "scripts/lib.rb",
        "scripts/lib.sh",
        "scripts/venv/__init__.py",
        "scripts/__pycache__/evil.py",
    ] {
        let sandbox = with_python();
        sandbox.put(".gitignore", "__pycache__/\n*.so\n*.SO\n*.pyd\nhelper/\nextra.*\npackage.json\nlib.*\nvenv/\n");
        sandbox.commit("rules");
        let path = format!("{PDF}/{path}");
        sandbox.put(&path, "x");
        assert_eq!(sandbox.git(&["status", "--porcelain"]), "", "{path}");
        assert_found(&sandbox, &[], &[("RYE-A020", &path)]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[]);
        assert!(!sandbox.rye(&["execute", "skill", "read-pdf"]).transcript().ends_with("[exit 0]\n"), "{path}");
        sandbox.put(&format!("{PDF}/notes/form.md"), "Forms.\n");
        let signed = sandbox.rye(&["sign", "skill", "read-pdf"]).transcript();
        assert!(!signed.ends_with("[exit 0]\n") && signed.contains("git ignores this code"), "{signed}");
        sandbox.git(&["add", "-f", &path]);
        sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
        sandbox.git(&["rm", "-q", "--cached", &path]);
        let signed_there = found(&sandbox, &[]);
        assert!(signed_there.contains(&("RYE-A021".to_owned(), path.clone())), "{path}: {signed_there:?}");
    }
}

/// Data, dependencies and an environment of Python are no code that a script imports by its name.
#[test]
fn ignored_data_and_dependencies_are_not_code() {
    let sandbox = with_python();
    sandbox.put(".gitignore", "*.bin\ndata/\nnode_modules/\n.venv/\nvenv/\n__pycache__/\n.pytest_cache/\n");
    sandbox.commit("rules");
    for path in [
        "scripts/a.bin",
        "data/table.csv",
        "data/deep/table.json",
        "scripts/node_modules/helper/index.js",
        ".venv/lib/python/helper.py",
        "venv/pyvenv.cfg",
        "venv/lib/python/helper.py",
        ".pytest_cache/README.md",
    ] {
        sandbox.put(&format!("{PDF}/{path}"), "x");
    }
    assert_found(&sandbox, &[], &[]);
    sandbox.rye(&["execute", "skill", "read-pdf"]).succeeds();
}

/// Python runs it whatever its source says (PEP 552).
#[test]
fn compiled_code_that_python_does_not_check_is_a_finding() {
    for (flags, is_good) in [(0_u8, true), (3, true), (1, false)] {
        let sandbox = with_python();
        let path = format!("{PDF}/scripts/__pycache__/helper.cpython-312.pyc");
        sandbox.put(&path, "");
        let head = [0xcb, 0x0d, 0x0d, 0x0a, flags, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0];
        fs::write(sandbox.project().join(&path), head).unwrap();
        let wanted = [("RYE-A020", path.as_str())];
        assert_found(&sandbox, &[], if is_good { &[] } else { &wanted });
    }
}

/// A link could lead to a folder of modules.
#[test]
fn an_ignored_link_is_a_finding() {
    let sandbox = with_python();
    sandbox.put(".gitignore", "helper\n");
    sandbox.commit("rules");
    let path = format!("{PDF}/scripts/helper");
    std::os::unix::fs::symlink("/tmp", sandbox.project().join(&path)).unwrap();
    assert_found(&sandbox, &[], &[("RYE-A020", &path)]);
}

#[test]
fn a_tracked_file_stays_a_finding_whatever_rules_ignore() {
    for path in [".env", "scripts/__pycache__/helper.cpython-311.pyc", "node_modules/a/index.js"] {
        let sandbox = with_python();
        let path = format!("{PDF}/{path}");
        sandbox.put(&path, "x\n");
        sandbox.git(&["add", "-f", &path]);
        assert_found(&sandbox, &[], &[("RYE-A020", &path)]);
        sandbox.git(&["commit", "-q", "-m", "tracked"]);
        assert_found(&sandbox, &[], &[("RYE-A020", &path)]);
        assert_found(&sandbox, &["--rev", "HEAD"], &[("RYE-A020", &path)]);
    }
}

/// No rule makes a repository in a skill's folder, or a change of a signed file, disappear.
#[test]
fn rules_hide_no_repository_and_no_signed_file() {
    let sandbox = with_python();
    sandbox.put(".gitignore", "*\n");
    sandbox.put(&format!("{PDF}/scripts/read.sh"), "#!/bin/sh\nrm -r ~\n");
    let script = format!("{PDF}/scripts/read.sh");
    assert_found(&sandbox, &[], &[("RYE-A022", &script)]);
    sandbox.git(&["checkout", "-q", &script]);
    set_mode(&sandbox, &script, 0o755);
    sandbox.put(&format!("{PDF}/vendor/.git/config"), "x\n");
    let inside = sandbox.rye(&["verify"]).transcript();
    assert!(inside.contains("[exit 0]") && inside.contains("vendor/"), "an ignored folder is passed over: {inside}");
    sandbox.put(&format!("{PDF}/.git/config"), "x\n");
    assert_found(&sandbox, &[], &[("RYE-A034", &format!("{PDF}/.git"))]);
}

/// A skill that git ignores as a whole lies outside of git: all of its files count, and no commit has it.
#[test]
fn a_skill_that_git_ignores_keeps_all_of_its_files() {
    let sandbox = with_skill();
    sandbox.put(".gitignore", ".claude/\n__pycache__/\n");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    assert_found(&sandbox, &[], &[]);
    sandbox.put(&format!("{PDF}/.DS_Store"), "x");
    assert_found(&sandbox, &[], &[]);
    let added = format!("{PDF}/scripts/__pycache__/read.cpython-311.pyc");
    sandbox.put(&added, "x");
    sandbox.put(&format!("{PDF}/scripts/read.py"), "x");
    assert_found(&sandbox, &[], &[("RYE-A020", &added), ("RYE-A020", &format!("{PDF}/scripts/read.py"))]);
    fs::remove_dir_all(sandbox.project().join(PDF).join("scripts/__pycache__")).unwrap();
    fs::remove_file(sandbox.project().join(PDF).join("scripts/read.py")).unwrap();
    let seen = sandbox.rye(&["commit", "--yes", "-m", "signed"]).transcript();
    assert!(!seen.ends_with("[exit 0]\n") && seen.contains("git add"), "{seen}");
}

/// A submodule is one entry of a commit, and nothing in it.
#[test]
fn a_submodule_is_the_same_finding_in_the_work_tree_and_in_a_commit() {
    let sandbox = with_skill();
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    sandbox.commit("first");
    let head = sandbox.git(&["rev-parse", "HEAD"]).trim().to_owned();
    for path in [".agents/skills", ".agents/skills/other", "packages/app/.claude/skills"] {
        for is_checked_out in [true, false] {
            if is_checked_out {
                put_skill(&sandbox, &format!("{path}/other"));
                sandbox.put(&format!("{path}/.git"), "gitdir: elsewhere\n");
                sandbox.put(&format!("{path}/SKILL.md"), "---\nname: other\ndescription: Reads.\n---\n");
            }
            sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},{path}")]);
            let here = found(&sandbox, &[]);
            sandbox.git(&["commit", "-q", "-m", "submodule"]);
            assert_eq!(here, found(&sandbox, &["--rev", "HEAD"]), "{path}, {is_checked_out}");
            assert!(here.contains(&("RYE-A034".to_owned(), path.to_owned())), "{path}: {here:?}");
            sandbox.git(&["reset", "-q", "--hard", &head]);
            let _ = fs::remove_dir_all(sandbox.project().join(path));
        }
    }
}

/// A sparse checkout removes nothing: the skill is not here, and the commit still has it.
#[test]
fn a_skill_that_a_sparse_checkout_leaves_out_is_a_warning() {
    for is_sparse_index in ["--no-sparse-index", "--sparse-index"] {
        let sandbox = signed();
        sandbox.git(&["sparse-checkout", "set", "--cone", is_sparse_index, ".ai"]);
        assert!(!sandbox.project().join(PDF).exists());
        let seen = sandbox.rye(&["verify", "--allow-empty"]).transcript();
        assert!(
            seen.contains("RYE-A039") && seen.contains("sparse checkout") && seen.ends_with("[exit 0]\n"),
            "{seen}"
        );
        assert_found(&sandbox, &["--rev", "HEAD"], &[]);
        // A folder that is only removed is still missing.
        sandbox.git(&["sparse-checkout", "disable"]);
        fs::remove_dir_all(sandbox.project().join(PDF)).unwrap();
        assert_found(&sandbox, &[], &[("RYE-A024", MANIFEST)]);
    }
}

/// A file system that writes names in another form of Unicode changes no file, and the finding says so.
#[test]
fn a_name_in_another_form_of_unicode_is_one_finding() {
    let sandbox = with_skill();
    sandbox.put(&format!("{PDF}/re\u{301}sume.md"), "x\n");
    sandbox.rye(&["sign", "skill", "read-pdf", "-q"]).succeeds();
    let (apart, composed) = (format!("{PDF}/re\u{301}sume.md"), format!("{PDF}/r\u{e9}sume.md"));
    fs::rename(sandbox.project().join(apart), sandbox.project().join(&composed)).unwrap();
    assert_found(&sandbox, &[], &[("RYE-A021", &composed)]);
    let seen = sandbox.rye(&["verify"]).transcript();
    assert!(seen.contains("another form of Unicode"), "{seen}");
}
