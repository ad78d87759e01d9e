//! Blobs, trees and commits as stock git sees them, signatures included.

use std::fs;

use rye::git::{Cause, CommitSignature, Error, NewCommit, Repository, Signature, TreeEdit, TreeId, Writer};
use ssh_key::{HashAlg, LineEnding, PrivateKey, SshSig, private::Ed25519Keypair};

use super::{Sandbox, THREAD, ada, commit, update};

#[test]
fn commits_have_the_ids_git_gives_them() {
    let sandbox = Sandbox::with_commit(&[]);
    let parent = sandbox.head();
    let repo = sandbox.open();
    let tree_id = repo.tree_of(&parent).unwrap();
    let new = NewCommit {
        tree_id: tree_id.clone(),
        parents: vec![parent.clone()],
        author: ada(),
        committer: ada(),
        message: "turn 1\n\nbody\n".into(),
    };
    let written = repo.writer().commit(&new, None).unwrap();
    let by_git = sandbox.git(["commit-tree", tree_id.as_str(), "-p", parent.as_str(), "-m", "turn 1", "-m", "body"]);
    assert_eq!(written.to_string(), by_git);
}

#[test]
fn fixed_inputs_give_the_same_id_everywhere() {
    let ids = [Sandbox::new(), Sandbox::new()].map(|sandbox| {
        let repo = Repository::init(&sandbox.path("repo"), &sandbox.environment()).unwrap();
        commit(&mut repo.writer(), None, "a/b.txt", "b\n").to_string()
    });
    assert_eq!(ids, ["e5fd89b44082ced143268a1f8afc805bc7399115"; 2]);
}

#[test]
fn signed_commits_pass_gits_own_check() {
    for format in ["sha1", "sha256"] {
        let sandbox = Sandbox::with_commit(&[&format!("--object-format={format}")]);
        let repo = sandbox.open();
        let mut writer = repo.writer();
        let key = PrivateKey::from(Ed25519Keypair::from_seed(&[7; 32]));
        let sign = |bytes: &[u8]| -> Result<String, Cause> {
            Ok(SshSig::sign(&key, "git", HashAlg::Sha512, bytes)?.to_pem(LineEnding::LF)?)
        };
        let tree_id = writer.tree(None, &[]).unwrap();
        let message = "turn 1\n".to_owned();
        let new = NewCommit { tree_id, parents: vec![sandbox.head()], author: ada(), committer: ada(), message };
        let signed = writer.commit(&new, Some(&sign)).unwrap();
        writer.create_branch(update(THREAD, &signed, &ada())).unwrap();
        sandbox.assert_sound();

        let unsigned = repo.commit_info(&writer.commit(&new, None).unwrap()).unwrap();
        let CommitSignature { armored, payload } = repo.commit_info(&signed).unwrap().signature.unwrap();
        assert_eq!(unsigned.signature, None);
        assert_eq!(armored.trim_end(), sign(&payload).unwrap().trim_end());

        if !crate::support::has("ssh-keygen") {
            continue; // git checks SSH signatures with it.
        }
        let allowed = format!("ada@example.org namespaces=\"git\" {}\n", key.public_key().to_openssh().unwrap());
        sandbox.write("allowed", &allowed);
        let config = format!("gpg.ssh.allowedSignersFile={}", sandbox.path("allowed").display());
        let output = sandbox.try_git_in("repo", ["-c", &config, "verify-commit", signed.as_str()]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.starts_with("Good \"git\" signature for ada@example.org"), "{said}");
    }
}

#[test]
fn a_signer_that_refuses_stops_the_commit() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let tree_id = repo.tree_of(&sandbox.head()).unwrap();
    let message = "never\n".to_owned();
    let new = NewCommit { tree_id, parents: vec![], author: ada(), committer: ada(), message };
    let refused = repo.writer().commit(&new, Some(&|_| Err("locked key".into())));
    assert!(matches!(refused, Err(Error::Sign { source }) if source.to_string() == "locked key"));
}

#[test]
fn names_cannot_forge_headers() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let mut author = ada();
    author.identity.name = "Eve <eve@example.org> 1 +0000\ncommitter Mallory".into();
    let tree_id = repo.tree_of(&sandbox.head()).unwrap();
    let committer = Signature::new("", "", 1);
    let new = NewCommit { tree_id, parents: vec![], author, committer, message: "a\0b\n".into() };
    let mut writer = repo.writer();
    let commit_id = writer.commit(&new, None).unwrap();
    writer.create_branch(update(THREAD, &commit_id, &ada())).unwrap();
    let told = sandbox.git(["log", "-1", "--format=%an|%ae|%cn|%ce|%ct|%s", THREAD]);
    assert_eq!(told, "Eve eve@example.org 1 +0000committer Mallory|ada@example.org|unknown||1|ab");
    sandbox.assert_sound();
}

#[test]
fn edits_build_trees_in_order() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let mut writer = repo.writer();
    let base = repo.tree_of(&sandbox.head()).unwrap();
    let blob_id = writer.blob(b"new\n").unwrap();
    let put = |path: &str| TreeEdit::Upsert { path: path.into(), executable: false, blob_id: blob_id.clone() };
    let remove = |path: &str| TreeEdit::Remove { path: path.into() };
    let edits = [put("README.md/below"), put("x/y/z"), remove("x/y/z"), remove("nothing/here"), put("src/a.txt")];
    let tree_id = writer.tree(Some(&base), &edits).unwrap();
    writer.sync().unwrap();
    let listed = sandbox.git(["ls-tree", "-r", "--format=%(objectname) %(path)", tree_id.as_str()]);
    assert_eq!(listed, format!("{blob_id} README.md/below\n{blob_id} src/a.txt"));
}

#[test]
fn what_is_not_there_is_not_written_about() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let mut writer = repo.writer();
    let absent = repo.blob_id_of(b"never written");
    let edit = |path: &str| TreeEdit::Upsert { path: path.into(), executable: false, blob_id: absent.clone() };
    assert!(matches!(writer.tree(None, &[edit("a")]), Err(Error::MissingBlob { blob_id }) if blob_id == absent));
    for path in ["../a", ".git/hooks/post-checkout", "a/.GIT/b", ""] {
        let refused = writer.tree(None, &[edit(path)]);
        assert!(matches!(&refused, Err(Error::UnsafePath { path: named, .. }) if named == path), "{refused:?}");
    }
    let tree_id = TreeId::parse(absent.as_str()).unwrap();
    let new = NewCommit { tree_id, parents: vec![], author: ada(), committer: ada(), message: "x".into() };
    assert!(matches!(writer.commit(&new, None), Err(Error::MissingObject { id }) if id == absent.to_string()));
}

#[test]
fn a_write_that_fails_names_the_cause_and_leaves_nothing() {
    let sandbox = Sandbox::with_commit(&[]);
    let repo = sandbox.open();
    let id = repo.blob_id_of(b"blocked").to_string();
    let objects = sandbox.path("repo/.git/objects");
    let count = || fs::read_dir(&objects).unwrap().count();
    // A file where the object's folder belongs: as good as a full disk, and root is stopped by it too.
    fs::write(objects.join(&id[..2]), "").unwrap();
    let before = count();
    let failed = repo.writer().blob(b"blocked").unwrap_err();
    assert!(io_source(&failed), "{failed:?}");
    assert_eq!(count(), before);
}

fn io_source(error: &Error) -> bool {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if error.is::<std::io::Error>() {
            return true;
        }
        cause = error.source();
    }
    false
}

#[test]
fn index_work_tree_and_head_stay_untouched() {
    let sandbox = Sandbox::with_commit(&[]);
    sandbox.write("repo/staged.txt", "staged\n");
    sandbox.git(["add", "staged.txt"]);
    sandbox.write("repo/README.md", "changed\n");
    sandbox.write("repo/untracked.txt", "untracked\n");
    let status = || sandbox.git(["status", "--porcelain", "--branch"]);
    let bytes = |file: &str| fs::read(sandbox.path("repo/.git").join(file)).unwrap();
    let told = status();
    let before = ["index", "HEAD", "logs/HEAD", "refs/heads/main", "config"].map(bytes);
    let repo = sandbox.open();
    let mut writer: Writer<'_> = repo.writer();
    let first = commit(&mut writer, Some(&sandbox.head()), "README.md", "turn 1\n");
    writer.create_branch(update(THREAD, &first, &ada())).unwrap();
    let second = commit(&mut writer, Some(&first), "staged.txt", "turn 2\n");
    writer.advance_branch(&first, update(THREAD, &second, &ada())).unwrap();
    assert_eq!(["index", "HEAD", "logs/HEAD", "refs/heads/main", "config"].map(bytes), before);
    assert_eq!(status(), told);
    let log = sandbox.git(["log", "-g", "--format=%gs|%gn|%gt", THREAD]);
    assert_eq!(log.replace("%gt", ""), "test: move|Ada|\ntest: move|Ada|");
    sandbox.assert_sound();
}
