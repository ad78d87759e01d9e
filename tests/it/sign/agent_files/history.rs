//! Lists of agent files in the history of a branch: what a run remembers of it.

use super::*;

/// Adds commits that change no file to the branch.
fn add_commits(sandbox: &Sandbox, count: usize) {
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let commit = |at: usize| {
        let from = if at == 0 { format!("from {}\n", head.trim()) } else { String::new() };
        format!(
            "commit refs/heads/main\ncommitter Ada <ada@example.org> {} +0000\ndata 0\n{from}\n",
            1_800_000_000 + at
        )
    };
    fs::write(sandbox.path("commits"), (0..count).map(commit).collect::<String>()).unwrap();
    let import = format!("git fast-import --quiet <{}", sandbox.path("commits").display());
    let mut shell = std::process::Command::new("sh");
    shell.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
    assert!(shell.args(["-c", &import]).status().unwrap().success());
}

/// What a run remembers of the history says what the history says: no more, no less, and nothing that another program wrote.
#[test]
fn a_history_that_is_remembered_is_judged_as_one_that_is_read() {
    let sandbox = signed();
    sandbox.rye(&["key", "list"]).succeeds();
    sandbox.git(&["rm", "-rqf", "."]);
    sandbox.put("README.md", "Text.\n");
    commit_all(&sandbox, "all gone");
    let cache = sandbox.path("home/.cache/rye/verdicts");
    let remembered = || {
        let files = fs::read_dir(&cache).into_iter().flatten().map(|file| file.unwrap().path());
        files.filter(|path| path.to_string_lossy().ends_with("-history")).collect::<Vec<_>>()
    };
    let missed = [("RYE-G005", LIST)];
    add_commits(&sandbox, 200);
    assert_found(&sandbox, &["--no-cache", "--allow-empty"], &missed);
    assert_eq!(remembered(), Vec::<std::path::PathBuf>::new());
    assert_everywhere(&sandbox, &missed);
    assert_eq!(remembered().len(), 1);
    // From what is remembered, and from what follows it.
    add_commits(&sandbox, 4_790);
    assert_everywhere(&sandbox, &missed);
    // Bytes of another program count for nothing.
    let text = fs::read_to_string(&remembered()[0]).unwrap();
    let emptied =
        text.lines().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ") + "\n").collect::<String>();
    assert_ne!(text, emptied);
    fs::write(&remembered()[0], emptied).unwrap();
    assert_everywhere(&sandbox, &missed);
    // The list is 5,000 commits ago, whether that was counted before or not.
    add_commits(&sandbox, 20);
    for _ in 0..2 {
        assert_everywhere(&sandbox, &[]);
        fs::remove_dir_all(&cache).unwrap();
    }
}
