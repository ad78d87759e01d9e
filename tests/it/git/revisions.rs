//! Names of commits: what stock git takes them for, or nothing.

use rye::git::{CommitId, Error, Tags};

use super::Sandbox;

/// Takes a revision for what git does; the environment knows no object that is only in the work tree.
fn git_says(sandbox: &Sandbox, revision: &str) -> Option<String> {
    let commit = format!("{revision}^{{commit}}");
    let output = sandbox.try_git_in("repo", ["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// A repository with branches and tags whose names look like something else.
fn riddles() -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::with_commit(&[]);
    for name in ["second", "third", "fourth"] {
        sandbox.git(["commit", "-q", "--allow-empty", "-m", name]);
    }
    let ids: Vec<String> = sandbox.git(["rev-list", "HEAD"]).lines().map(str::to_owned).collect();
    let (tip, older, first) = (&ids[0], &ids[1], &ids[3]);
    sandbox.git(["tag", "release", first]);
    let names = [
        // What gix reads as output of `git describe`, or as an id.
        (format!("refs/heads/release-1-g{}", &first[..8]), older),
        (format!("refs/heads/{}-dirty", &first[..7]), older),
        (format!("refs/heads/{}", &first[..9]), older),
        (format!("refs/heads/{first}"), older),
        (format!("refs/tags/{}", &tip[..6]), tip),
        ("refs/heads/dead-code".to_owned(), older),
        ("refs/heads/beef".to_owned(), older),
        ("refs/heads/feature/x-12-gabcdef".to_owned(), older),
        ("refs/heads/refs/heads/main".to_owned(), older),
        ("refs/tags/refs/heads/main".to_owned(), older),
        ("refs/heads/HEAD".to_owned(), older),
        ("refs/heads/both".to_owned(), older),
        ("refs/tags/both".to_owned(), first),
        ("refs/tags/same".to_owned(), first),
        ("refs/heads/same".to_owned(), first),
        ("refs/remotes/origin/main".to_owned(), older),
        ("refs/remotes/other/main".to_owned(), older),
        ("refs/tags/other".to_owned(), first),
        ("refs/tags/origin/gone".to_owned(), first),
        ("refs/heads/user@place".to_owned(), older),
    ];
    for (name, id) in &names {
        sandbox.git(["update-ref", name, id.as_str()]);
    }
    sandbox.git(["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    sandbox.git(["symbolic-ref", "refs/remotes/other/HEAD", "refs/remotes/other/main"]);
    sandbox.git(["tag", "-a", "v1", "-m", "one", older]);
    sandbox.git(["config", "branch.main.remote", "origin"]);
    sandbox.git(["config", "branch.main.merge", "refs/heads/main"]);
    sandbox.git(["config", "remote.origin.url", "."]);
    sandbox.git(["config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"]);
    let mut all: Vec<String> = names.iter().map(|(name, _)| name.clone()).collect();
    let short = |name: &String| {
        ["refs/heads/", "refs/tags/", "refs/remotes/", "refs/"].map(|at| name.trim_start_matches(at).to_owned())
    };
    all.extend(all.clone().iter().flat_map(short));
    for id in &ids {
        all.extend([4, 7, 8, 12, 39, 40].map(|length| id[..length].to_owned()));
        all.extend([
            id[..8].to_uppercase(),
            format!("release-0-g{}", &id[..8]),
            format!("x-g{id}"),
            format!("{}-x", &id[..7]),
        ]);
    }
    let plain = "HEAD @ main v1 origin origin/HEAD other heads/main tags/v1 remotes/origin/main refs/heads refs nope a..b \
                 config FETCH_HEAD ORIG_HEAD index -x ~1 ^main main..v1 :/second :README.md main.lock worktrees/x/HEAD";
    all.extend(plain.split_whitespace().map(str::to_owned));
    (sandbox, all)
}

#[test]
fn a_revision_is_what_git_takes_it_for_or_nothing() {
    let (sandbox, names) = riddles();
    let repo = sandbox.open();
    let (mut same, mut refused) = (0, 0);
    for name in &names {
        for rest in [
            "",
            "~1",
            "^",
            "^0",
            "^{commit}",
            "^{}",
            "~1^{commit}",
            "@{0}",
            "@{u}",
            "@{upstream}~1",
            "^{/second}",
            ":src",
        ] {
            let revision = format!("{name}{rest}");
            match repo.resolve(&revision) {
                Ok(commit_id) => {
                    let said = git_says(&sandbox, &revision);
                    // Git knows the upstream of a branch by its short name only.
                    let is_upstream_of_full_name = said.is_none() && rest.starts_with("@{u");
                    assert!(is_upstream_of_full_name || said == Some(commit_id.to_string()), "{revision}: {said:?}");
                    same += 1;
                }
                Err(Error::UnknownRevision { .. } | Error::AmbiguousRevision { .. } | Error::ShortTag { .. }) => {
                    refused += 1
                }
                Err(error) => panic!("{revision}: {error:?}"),
            }
        }
    }
    assert!(same > 300 && refused > 300, "{same} {refused}");
}

#[test]
fn names_that_look_like_ids_or_descriptions_are_those_of_refs() {
    let (sandbox, _) = riddles();
    let repo = sandbox.open();
    let id = |revision: &str| CommitId::parse(&git_says(&sandbox, revision).unwrap()).unwrap();
    let first = id("release").to_string();
    let describes = format!("release-1-g{}", &first[..8]);
    let dirty = format!("{}-dirty", &first[..7]);
    let full = format!("refs/heads/{describes}");
    let accepted = [
        "dead-code",
        "beef",
        "dead-code~1",
        &describes,
        &dirty,
        &full,
        "refs/heads/main",
        "same",
        "v1",
        "v1~1",
        "@",
        "@~1",
        "@{u}",
    ];
    for revision in accepted.into_iter().chain([
        "heads/main",
        "origin",
        "refs/tags/both",
        "user@place",
        "main@{u}",
        "refs/heads/main@{0}",
    ]) {
        assert_eq!(repo.resolve(revision).unwrap(), id(revision), "{revision}");
    }
    assert_eq!(repo.resolve(&first[..12]).unwrap().as_str(), first);
    // A ref and an object of one name.
    for hex in [&first[..9], &first] {
        let refused = repo.resolve(hex).unwrap_err();
        let names = vec![first.clone(), format!("refs/heads/{hex}")];
        assert!(matches!(&refused, Error::AmbiguousRevision { names: named, .. } if *named == names), "{refused:?}");
    }
    for revision in
        [&*format!("release-0-g{}", &first[..8]), &format!("x-g{first}"), &first[..3], ":/second", "@{-1}", "^main"]
    {
        assert!(matches!(repo.resolve(revision), Err(Error::UnknownRevision { .. })), "{revision}");
    }
}

#[test]
fn what_judges_is_no_tag_by_its_short_name() {
    let (sandbox, _) = riddles();
    let repo = sandbox.open();
    let judge = |revision: &str| repo.resolve_with(revision, Tags::ByFullName);
    for revision in ["origin/gone", "origin/gone~0", "tags/origin/gone", "v1", "release^{commit}"] {
        assert!(matches!(judge(revision), Err(Error::ShortTag { .. })), "{revision}");
        // A tag named like a branch of a remote passes for one nowhere.
        assert_eq!(repo.resolve(revision).is_ok(), !revision.starts_with("origin/"), "{revision}");
    }
    assert!(matches!(repo.resolve_range_with("origin/gone..HEAD", Tags::ByFullName), Err(Error::ShortTag { .. })));
    for revision in ["refs/tags/origin/gone", "same", "origin/main", "HEAD", &git_says(&sandbox, "v1").unwrap()] {
        assert_eq!(judge(revision).unwrap(), repo.resolve(revision).unwrap());
    }
}
