//! Reading what stock git wrote, and refusing what lies about itself.

use std::{fs, io::Write};

use rye::git::{BlobId, CommitId, Error, Mode, TreeEdit, TreeEntry};

use super::{Sandbox, ada};

#[test]
fn revisions_lead_to_commits() {
    let sandbox = Sandbox::with_commit(&[]);
    let first = sandbox.head();
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "second"]);
    sandbox.git(["tag", "-a", "v1", "-m", "one"]);
    let repo = sandbox.open();
    for (revision, expected) in [("HEAD", sandbox.head()), ("main~1", first.clone()), ("v1", sandbox.head())] {
        assert_eq!(repo.resolve(revision).unwrap(), expected, "{revision}");
    }
    assert_eq!(repo.resolve(&first.as_str()[..8]).unwrap(), first);
    for revision in ["nope", "", "HEAD:README.md", "--all", "main..v1"] {
        let refused = repo.resolve(revision);
        assert!(matches!(&refused, Err(Error::UnknownRevision { revision: named, .. }) if named == revision));
    }
}

/// Git would take the tag, and warn.
#[test]
fn a_name_of_several_refs_with_different_commits_stands_for_none() {
    let sandbox = Sandbox::with_commit(&[]);
    let first = sandbox.head();
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "second"]);
    sandbox.git(["update-ref", "refs/remotes/origin/main", first.as_str()]);
    sandbox.git(["tag", "-a", "origin/main", "-m", "not the branch"]);
    sandbox.git(["tag", "HEAD", first.as_str()]);
    let repo = sandbox.open();
    for revision in ["origin/main", "origin/main~0", "origin/main^{commit}"] {
        let Err(Error::AmbiguousRevision { revision: named, names }) = repo.resolve(revision) else {
            panic!("{revision}")
        };
        assert_eq!(
            (named.as_str(), names),
            (revision, vec!["refs/tags/origin/main".into(), "refs/remotes/origin/main".into()])
        );
    }
    assert!(matches!(repo.resolve_range("origin/main..HEAD"), Err(Error::AmbiguousRevision { .. })));
    assert_eq!(repo.resolve("refs/remotes/origin/main").unwrap(), first);
    // Nothing can precede this commit, and two names of one commit are not ambiguous.
    assert_eq!(repo.resolve("HEAD").unwrap(), sandbox.head());
    sandbox.git(["tag", "-f", "origin/main", first.as_str()]);
    assert_eq!(repo.resolve("origin/main").unwrap(), first);
}

/// An object that is cut off behind its header is damaged, which only reading it shows.
#[test]
fn a_blob_that_is_too_large_is_not_opened() {
    let sandbox = Sandbox::with_commit(&[]);
    let noise: Vec<u8> = (0_u32..1 << 16).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
    fs::write(sandbox.path("large"), &noise).unwrap();
    let id = sandbox.git(["hash-object", "-w", &sandbox.path("large").display().to_string()]);
    let blob_id = BlobId::parse(&id).unwrap();
    let repo = sandbox.open();
    let size = noise.len() as u64;
    assert_eq!(repo.blob_within(&blob_id, size - 1).unwrap(), None);
    assert_eq!(repo.blob_within(&blob_id, size).unwrap(), Some(noise));
    let path = sandbox.path(&format!("repo/.git/objects/{}/{}", &id[..2], &id[2..]));
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(repo.blob_within(&blob_id, size), Err(Error::CorruptObject { .. })));
    assert_eq!(repo.blob_within(&blob_id, size - 1).unwrap(), None);
    let missing = BlobId::parse(&"1".repeat(40)).unwrap();
    assert!(matches!(repo.blob_within(&missing, size), Err(Error::MissingObject { .. })));
}

#[test]
fn a_commit_is_read_whole() {
    let sandbox = Sandbox::with_commit(&[]);
    let parent = sandbox.head();
    sandbox.git(["commit", "-q", "--allow-empty", "-m", "second\n\nbody ü"]);
    let info = sandbox.open().commit_info(&sandbox.head()).unwrap();
    assert_eq!(info.tree_id.to_string(), sandbox.git(["rev-parse", "HEAD^{tree}"]));
    assert_eq!(info.parents, [parent]);
    assert_eq!((info.author, info.committer), (ada(), ada()));
    assert_eq!(info.message, "second\n\nbody ü\n");
    assert_eq!(info.signature, None);
}

/// A merge of a signed tag, signed itself, with a signature for the other object format next to it.
#[test]
fn what_a_signature_signs_is_what_stock_git_takes_for_it() {
    if !crate::support::has("ssh-keygen") {
        return;
    }
    for (format, other) in [("sha1", "gpgsig-sha256"), ("sha256", "gpgsig")] {
        let sandbox = Sandbox::with_commit(&[&format!("--object-format={format}")]);
        let key = sandbox.path("key").display().to_string();
        let keygen = |args: &[&str]| std::process::Command::new("ssh-keygen").args(args).output().unwrap();
        assert!(keygen(&["-q", "-t", "ed25519", "-N", "", "-f", &key]).status.success());
        let public = fs::read_to_string(sandbox.path("key.pub")).unwrap();
        sandbox.write("allowed", &format!("ada@example.org {public}"));
        for (name, value) in [
            ("gpg.format", "ssh"),
            ("user.signingKey", &key),
            ("gpg.ssh.allowedSignersFile", &sandbox.path("allowed").display().to_string()),
        ] {
            sandbox.git(["config", name, value]);
        }
        sandbox.git(["checkout", "-q", "-b", "side"]);
        sandbox.git(["commit", "-q", "--allow-empty", "-m", "side"]);
        sandbox.git(["tag", "-s", "-m", "tag", "v1"]);
        sandbox.git(["checkout", "-q", "main"]);
        sandbox.git(["merge", "-q", "--no-ff", "-S", "-m", "merge", "v1"]);
        let merge = sandbox.git(["cat-file", "commit", "HEAD"]) + "\n";
        let both = merge.replacen("\nmergetag ", &format!("\n{other} no\n signature\nmergetag "), 1);
        let commit_id = CommitId::parse(&hash_object(&sandbox, "commit", both.as_bytes())).unwrap();
        sandbox.git(["verify-commit", commit_id.as_str()]);
        let signature = sandbox.open().commit_info(&commit_id).unwrap().signature.unwrap();
        assert!(signature.payload.windows(9).any(|part| part == b"mergetag "));
        fs::write(sandbox.path("payload"), &signature.payload).unwrap();
        sandbox.write("signature", &signature.armored);
        let mut check = std::process::Command::new("ssh-keygen");
        check.args(["-Y", "check-novalidate", "-n", "git", "-s"]).arg(sandbox.path("signature"));
        check.stdin(fs::File::open(sandbox.path("payload")).unwrap());
        assert!(check.output().unwrap().status.success(), "{format}");
    }
}

#[test]
fn entries_are_listed_with_their_modes() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.write("repo/src/deep/run.sh", "#!/bin/sh\n");
    std::os::unix::fs::symlink("a.txt", sandbox.path("repo/src/link")).unwrap();
    sandbox.git(["add", "--chmod=+x", "src/deep/run.sh"]);
    sandbox.git(["add", "src/link"]);
    let submodule = sandbox.head();
    sandbox.git(["update-index", "--add", "--cacheinfo", &format!("160000,{submodule},src/module")]);
    sandbox.git(["commit", "-q", "-m", "second"]);
    let repo = sandbox.open();
    let head = sandbox.head();
    let entry =
        |path: &str, mode, id: String| TreeEntry { path: path.into(), mode, blob_id: BlobId::parse(&id).unwrap() };
    let blob = |path: &str| sandbox.git(["rev-parse", &format!("HEAD:{path}")]);
    let expected = [
        entry("src/a.txt", Mode::File, blob("src/a.txt")),
        entry("src/deep/run.sh", Mode::Executable, blob("src/deep/run.sh")),
        entry("src/link", Mode::Symlink, blob("src/link")),
        entry("src/module", Mode::Submodule, submodule.to_string()),
    ];
    assert_eq!(repo.entries_below(&head, "src", 5).unwrap(), expected);
    assert_eq!(repo.entries_below(&head, "", 7).unwrap().len(), 5);
    assert_eq!(repo.entries_below(&head, "nowhere", 5).unwrap(), []);
    assert!(matches!(repo.entries_below(&head, "src", 4), Err(Error::TooManyEntries { limit: 4, .. })));
    assert_eq!(repo.entry_at(&head, "src/deep/run.sh").unwrap().as_ref(), Some(&expected[1]));
    assert_eq!(repo.file_at(&head, "src/link").unwrap(), Some(b"a.txt".to_vec()));
    for path in ["src", "src/module", "src/a.txt/b", "nope"] {
        assert_eq!(repo.file_at(&head, path).unwrap(), None, "{path}");
    }
    assert_eq!(repo.blob_id_of(b"a\n"), expected[0].blob_id);
    assert!(matches!(repo.file_at(&head, "../a"), Err(Error::UnsafePath { .. })));
}

#[test]
fn a_tree_with_a_path_that_leaves_is_refused() {
    let sandbox = Sandbox::with_commit(&[]);
    let blob = sandbox.git(["rev-parse", "HEAD:README.md"]);
    for name in ["..", ".git", "a/b"] {
        let tree = hash_object(&sandbox, "tree", &[b"100644 ", name.as_bytes(), b"\0", &raw(&blob)].concat());
        let commit = CommitId::parse(&sandbox.git(["commit-tree", &tree, "-m", "evil"])).unwrap();
        let refused = sandbox.open().entries_below(&commit, "", 10);
        assert!(matches!(&refused, Err(Error::UnsafePath { path, .. }) if path == name), "{refused:?}");
    }
    let twice = [b"100644 a\0", &raw(&blob)[..], b"100644 a\0", &raw(&blob)].concat();
    let tree = hash_object(&sandbox, "tree", &twice);
    let commit = CommitId::parse(&sandbox.git(["commit-tree", &tree, "-m", "evil"])).unwrap();
    assert!(matches!(sandbox.open().entry_at(&commit, "a"), Err(Error::UnsafePath { .. })));
}

#[test]
fn an_object_that_is_not_what_its_id_says_is_damaged() {
    let sandbox = Sandbox::with_commit(&[]);
    let file = |id: &str| sandbox.path("repo/.git/objects").join(&id[..2]).join(&id[2..]);
    let (readme, a) = (sandbox.git(["rev-parse", "HEAD:README.md"]), sandbox.git(["rev-parse", "HEAD:src/a.txt"]));
    // A whole, well-formed blob under another one's name: only hashing tells.
    fs::remove_file(file(&readme)).unwrap();
    fs::copy(file(&a), file(&readme)).unwrap();
    let repo = sandbox.open();
    let refused = repo.file_at(&sandbox.head(), "README.md");
    assert!(matches!(&refused, Err(Error::CorruptObject { id, .. }) if *id == readme), "{refused:?}");
    fs::remove_file(file(&readme)).unwrap();
    let missing = sandbox.open().blob(&BlobId::parse(&readme).unwrap());
    assert!(matches!(&missing, Err(Error::MissingObject { id }) if *id == readme), "{missing:?}");
    let wrong = sandbox.open().blob(&BlobId::parse(sandbox.head().as_str()).unwrap());
    assert!(matches!(&wrong, Err(Error::WrongKind { expected: "blob", actual, .. }) if actual == "commit"));
}

#[test]
fn replacements_are_neither_followed_nor_accepted_as_history() {
    let sandbox = Sandbox::with_commit(&[]);
    let honest = sandbox.head();
    sandbox.open().refuse_rewrites().unwrap();
    let fake = sandbox.git(["commit-tree", &sandbox.git(["write-tree"]), "-m", "fake"]);
    sandbox.git(["replace", honest.as_str(), &fake]);
    assert_eq!(sandbox.git(["log", "-1", "--format=%s"]), "fake");
    let name = format!("refs/replace/{honest}");
    for pack in [false, true] {
        if pack {
            sandbox.git(["pack-refs", "--all"]);
        }
        let repo = sandbox.open();
        assert_eq!(repo.commit_info(&honest).unwrap().message, "first\n");
        assert!(matches!(repo.refuse_rewrites(), Err(Error::ReplaceRefs { name: found }) if found == name));
    }
    sandbox.git(["replace", "-d", honest.as_str()]);
    sandbox.write("repo/.git/info/grafts", &format!("{honest}\n"));
    assert!(matches!(sandbox.open().refuse_rewrites(), Err(Error::Grafts { path }) if path.ends_with("info/grafts")));
}

#[test]
fn packed_objects_are_read_and_built_upon() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.git(["gc", "-q"]);
    let repo = sandbox.open();
    let mut writer = repo.writer();
    let blob_id = writer.blob(b"a\n").unwrap();
    let edit = TreeEdit::Upsert { path: "b.txt".into(), executable: true, blob_id };
    let base = repo.tree_of(&sandbox.head()).unwrap();
    let tree_id = writer.tree(Some(&base), &[edit, TreeEdit::Remove { path: "src".into() }]).unwrap();
    writer.sync().unwrap();
    let listed = sandbox.git(["ls-tree", "-r", "--format=%(objectmode) %(path)", tree_id.as_str()]);
    assert_eq!(listed, "100644 README.md\n100755 b.txt");
}

pub(super) fn raw(id: &str) -> Vec<u8> {
    (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()).collect()
}

/// Writes an object git itself would refuse to write.
pub(super) fn hash_object(sandbox: &Sandbox, kind: &str, bytes: &[u8]) -> String {
    let mut file = fs::File::create(sandbox.path("object")).unwrap();
    file.write_all(bytes).unwrap();
    sandbox.git(["hash-object", "-t", kind, "-w", "--literally", "../object"])
}

/// A chain of folders that no checkout could make would cost its length for each file at its end.
#[test]
fn a_path_that_no_checkout_can_make_is_refused() {
    let sandbox = Sandbox::with_commit(&[]);
    let blob = sandbox.git(["rev-parse", "HEAD:README.md"]);
    let deep = format!(".ai/tools/{}x.sh", "aa/".repeat(1_500));
    sandbox.git(["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{deep}")]);
    sandbox.git(["commit", "-q", "-m", "deep"]);
    let refused = sandbox.open().entries_below(&sandbox.head(), ".ai", 1_000_000).unwrap_err();
    assert_eq!(refused.to_string().matches("longer than 4096 bytes").count(), 1, "{refused}");
    assert!(refused.to_string().len() < 300, "{refused}");
}
