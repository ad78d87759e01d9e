//! Hints about git and its repositories.

use super::{ForModel, Hint};

hints! {
    CONFIG_FILE "run `git config --file {path} --list` to see its errors, and correct them" => "ask the user to look at `{path}`"
    REF_FORMAT "clone it into a repository with files, and work there: `git clone --ref-format=files {path} {name}`" => "ask the user to look at the repository"
    IDENTITY "run `git config --global user.name 'Ada'` and `git config --global user.email ada@example.org`, with your own" => "ask the user to tell git their name and address"
    LOOK_FOR_LOCKS "end the other git program, then run the command again" => "ask the user to look at the repository"
    REVISION "run `git log --oneline --all` to list them" => nothing
    WHOLE_REF "write the whole name of the one you mean, such as `rye verify --rev {name}`; a tag that is in the way goes with `git tag -d NAME`" => nothing
    NO_COMMITS "run `git log --oneline {name}` to list its commits; with `--commits`, pass `--allow-empty` to accept that" => nothing
    ONLY_MERGES "pass `--commits` to check merges too, or `--allow-empty` to accept that" => nothing
    FETCH_BRANCH "fetch the branch: `git fetch {name} +refs/heads/{id}:refs/remotes/{name}/{id}`, and name it `refs/remotes/{name}/{id}`" => nothing
    FULL_TAG "if you mean the tag, write its full name: `{name}`" => nothing
    RANGE "write `A..B`: the commits that `B` has and `A` has not, such as `origin/main..HEAD`; for one commit, use `--rev REV`" => nothing
    UNSHALLOW "run `git fetch --unshallow`" => "ask the user to fetch the whole history"
    FETCH_ALL "run `git fetch --refetch --no-filter {name}`" => "ask the user to fetch the missing objects"
    ALTERNATE "bring `{path}` back, or clone the repository anew without `--shared` and `--reference`" => "ask the user to look at the repository"
    INSTALL_GIT "install git, and see that `git --version` runs" => "ask the user to install git"
    STATUS "run `git status` to see whether git can read every file here, and `git fsck --full` to see damaged objects" => "ask the user to look at the repository"
    FSCK "run `git fsck --full` to see the damage, and clone the repository anew" => "ask the user to look at the repository"
    REVISION_OF_BARE "or verify a revision: `rye verify --rev HEAD`" => nothing
    OWNERSHIP "if you trust it, run `git config --global --add safe.directory {path}`" => "ask the user to look at the repository"
    BARE_INSIDE "run `rye -C {path} list` for the work tree; for the bare repository, set `GIT_CEILING_DIRECTORIES` to the folder around it" => "ask the user to look at the repository"
    BARE_DENIED "clone it and work there, or allow it: `git config --global safe.bareRepository all`" => "ask the user to look at the repository"
    WORK_TREE_ELSEWHERE "if you did not mean that, run `git -C {path} config --unset core.worktree`" => "ask the user to look at the repository"
    NOT_REGULAR "look at it with `ls -l {path}`; git makes no such file" => "ask the user to look at the repository"
    GRAFTS "look at the file, then remove it: `rm {path}`" => "ask the user to look at the repository"
    REPLACE_REFS "run `git replace -l` to see them, and `git replace -d ID` to remove one" => "ask the user to look at the repository"
}
