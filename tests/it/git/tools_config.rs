//! What a confined program reads of the configuration.

use super::Sandbox;

/// A word that must not be read.
const TOKEN: &str = "s3cr3tT0ken";

/// Every place of a configuration that may hold a credential; the parts of a line stand for the token.
const CONFIG: &str = r#"
[url "https://ada:@@@example.org/"]
    insteadOf = gh:
    pushInsteadOf = https://@@@example.org/
[http "https://ada:@@@example.org"]
    extraHeader = Authorization: Basic @@
[http]
    extraHeader = Authorization: Bearer @@
    proxy = http://ada:@@@proxy.example.org
    cookieFile = /@@
[credential "https://@@@example.org"]
    helper = store --file @@
    username = @@
[remote "https://@@@example.org/a.git"]
    fetch = +refs/heads/*:refs/remotes/a/*
    url = https://ada:@@@example.org/b.git
[remote "@@@example.org:a.git"]
    fetch = +refs/heads/*:refs/remotes/b/*
[remote "origin"]
    url = https://ada:@@@example.org/origin.git
    url = https://a%3A@@@example.org/percent.git
    url = @@@example.org:scp.git
    url = ssh://@@@example.org/ssh.git
    url = https://ada:x?@@@example.org/query.git
    url = https://ada:@@/x@example.org/slash.git
    url = https:///@@@example.org/slashes.git
    url = https://example.org/a.git?token=@@
    url = https://example.org/a.git#@@
    url = ext::ssh @@@example.org
    pushurl = https://@@@example.org/push.git
    proxy = http://@@@proxy.example.org
    vcs = @@
[branch "main"]
    remote = https://@@@example.org/branch.git
    pushRemote = https://@@@example.org/branch.git
    merge = refs/heads/main
    description = @@
[branch "https://@@@example.org/x"]
    merge = refs/heads/main
[submodule "https://@@@example.org/s"]
    active = true
    url = https://@@@example.org/s
[submodule "lib"]
    active = true
    url = https://@@@example.org/lib
[diff "https://@@@example.org/d"]
    binary = true
    cacheTextconv = true
[diff]
    external = prog --token @@
    unknown = @@
[filter "https://@@@example.org/f"]
    clean = cat
[color "https://@@@example.org/c"]
    ui = auto
[alias]
    x = !curl https://@@@example.org
[sendemail]
    smtpPass = @@
[log]
    unknown = @@
    date = iso
[extensions]
    worktreeConfig = true
[include]
    path = included
[includeIf "gitdir:/"]
    path = included
[unknown "@@"]
    key = @@
"#;

#[test]
fn no_credential_of_the_configuration_is_for_tools_wherever_it_is() {
    let sandbox = Sandbox::with_commit(&[]);
    let path = sandbox.path("repo/.git/config");
    let own = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, own + &CONFIG.replace("@@", TOKEN)).unwrap();
    sandbox.write(
        "repo/.git/included",
        &format!("[remote \"https://{TOKEN}@example.org/i\"]\n\turl = {TOKEN}@example.org:i\n"),
    );
    let copied = String::from_utf8(sandbox.open().config_for_tools()).unwrap();
    assert!(!copied.contains(TOKEN), "{copied}");
    // What commands need that read is there.
    for line in [
        "[remote \"origin\"]",
        "url = \"https://example.org/origin.git\"",
        "url = \"https://example.org/percent.git\"",
        "url = \"example.org:scp.git\"",
        "url = \"ssh://example.org/ssh.git\"",
        "url = \"https://example.org/a.git\"",
        "[remote \"https://example.org/a.git\"]",
        "[remote \"https://example.org/i\"]",
        "remote = \"https://example.org/branch.git\"",
        "merge = \"refs/heads/main\"",
        "[submodule \"lib\"]",
        "date = \"iso\"",
    ] {
        assert!(copied.contains(line), "{line}: {copied}");
    }
    // Git reads it.
    sandbox.write("copied", &copied);
    let file = sandbox.path("copied").display().to_string();
    assert!(sandbox.git(["config", "--file", &file, "--list"]).contains("remote.origin.url="));
}
