//! Hints about commits that sign, hooks, notes and pushes.

use super::{ForModel, Hint};

hints! {
    CONVERTED "run `rye init` to keep git from it, then `rye commit` again" => nothing
    ATTRIBUTES "run `git check-attr -a -- {path}` to see them, remove their lines from the files `.gitattributes`, or run `rye init`, then `git add -A -- :/.gitattributes .ai` and `rye commit` again" => nothing
    ATTRIBUTES_LEFT "run `git add -- .gitattributes`, or add it to the named paths, then run `rye commit` again" => nothing
    SIGN_COMMITS "to have git sign them with your key, run `git config gpg.format ssh && git config user.signingKey {path} && git config commit.gpgSign true`" => nothing
    KEEP_BYTES "run `rye init`, then `rye commit -m 'Keep line ends'`" => nothing
    RESOLVE "resolve the conflicts and run `git add` on the files, then run the command again" => "ask the user to resolve the conflicts"
    REVIEW_PENDING "review them with `git diff HEAD -- .ai`, and new ones with `rye diff`, then run `rye commit` on a terminal, or `rye commit --yes`" => nothing
    REVIEW_REPLACED "review them with `rye diff`, then run the command on a terminal, or again with `--yes`" => nothing
    REVIEW_OTHERS "review them, such as with `rye load {type} {id}`, then run the command on a terminal, or again with `--yes`" => nothing
    COUNTERSIGN "add your signature to theirs: `rye sign {type} {id} --detached`" => nothing
    REVIEW_STAGED "review them with `git diff --cached -- .ai`, then run `rye commit` on a terminal" => nothing
    ASK_PERSON "ask the person to review it and to run the command in a terminal of their own" => same
    IN_A_HOOK "install the hook that signs inside of `git commit` instead: `rye hook install`" => nothing
    INDEX_LOCK "end the other git program, or if none runs, run `rm {path}`" => "ask the user to look at the repository"
    WHOLE_MERGE "run `rye commit` without paths" => nothing
    NOTE_REMOVE "run `git notes --ref=rye remove {name}` to remove it, then `rye notes sync`" => nothing
    HALF_SIGNED "look at them with `git diff`, and mend what failed" => "ask the user to look at the repository"
    NOTHING_TO_COMMIT "run `git status` to see unstaged changes" => nothing
    STILL_STAGED "signed items stay signed and staged: correct what git reports, then run `rye commit` again" => nothing
    CHANGED_BY_HOOK "the changes of the hook are left in the work tree and in the index: review them with `git diff HEAD`, then run `rye commit` again" => nothing
    TWO_HOOKS "look at both, leave the one you want as `{path}`, remove the other, then run the command again" => nothing
    PUSH_WITHOUT "leave these commits out of what you push: `git log {id} -- .ai/threads` lists them" => nothing
    PUSH_FIRST "or share the thread first: `rye thread push {name} {id}`" => nothing
    PUSH_COMMITS "push what leads to commits: a tree or a file cannot be told from a part of a thread" => nothing
    PUSH_FETCH "run `git fetch {name}`, then push again" => nothing
    PUSH_ANYWAY "push other branches by name; to share the thread, run `rye thread push {name} {id}`" => nothing
    REMOTES "run `git remote -v` to list them" => nothing
    REACH_REMOTE "run `git fetch {name}` to see whether you reach it and may read it" => nothing
    NOTES_REFUSED "ask its administrator to let `refs/notes/rye` be pushed" => nothing
    REMOVE_SECRET "remove it from the files, and from commits that have it, and revoke it if others could read it" => "ask the user to look at the files"
    TEST_SECRET "if it is a test secret, add its SHA-256 to `outgoing.test_secrets` in your own configuration file: `{name}`" => nothing
    ALLOW_SECRET "or let this one out: add `--allow-secret {name}` to the command" => nothing
    SECRET_NAME "run the command without it to list the secrets by their names" => nothing
    PUSH_UNSEEN "if you looked at the commits yourself, run the push with `--no-verify`" => nothing
    COMMIT_UNSEEN "`rye commit` has that flag; `git commit` has `--no-verify`, which leaves out all hooks" => nothing
    GIVE_MESSAGE "give one with `-m`, or leave `-m` out: then the directive is named" => nothing
    MEND_HOOK "mend what the hook or git names, then run the command again" => nothing
}
