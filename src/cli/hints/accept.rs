//! Hints about accepting a thread.

use super::{ForModel, Hint};

hints! {
    ACCEPT_LOOK "look at it with `git status`, then run the command again" => nothing
    ACCEPT_YES "run it on a terminal, or look at `rye thread diff {id}` and run `rye thread accept {id} --yes`" => nothing
    ACCEPT_PART "or accept the others by name: `rye thread accept {id} PATH`" => nothing
    ACCEPT_MERGE "run `rye thread accept {id} --merge` to resolve the conflicts in your work tree" => nothing
    ACCEPT_BY_HAND "or take one file at a time: `git diff {name} -- PATH | git apply --3way`" => nothing
    ACCEPT_MOVED "or bring the change to the moved file: `git merge-file -p --object-id {name}`" => nothing
    ACCEPT_LEFT_OUT "name a path that is left out to accept it: `rye thread accept {id} PATH`" => nothing
    ACCEPT_COMMIT "look at it with `rye thread diff {id} -- {path}`, then name it: `rye thread accept {id} --commit {path}`" => nothing
    ACCEPT_MOVE "commit these files, put them aside with `git stash --include-untracked`, or move them away; then run the command again" => nothing
    ACCEPT_MOVE_AWAY "move it away, as by `mv {path} {name}`, then run the command again" => nothing
    ACCEPT_ABOVE "move the file or symlink in the place of its folder away, then run the command again" => nothing
    ACCEPT_SPARSE "run `git sparse-checkout add {name}`, or where no checkout is sparse `git update-index --no-skip-worktree -- {path}`; then run the command again" => nothing
    ACCEPT_TWIN "rename `{name}` with `git mv`, then run the command again" => nothing
    ACCEPT_WRITABLE "let `{path}` be written, then run the command again" => nothing
    PUT_BACK "restore your version, unless you need the present one: `git restore --source={id} --worktree -- {path}`" => nothing
    PUT_BACK_STAGED "restore your version, unless you need the present one: `git restore --source={id} --staged --worktree -- {path}`" => nothing
    PUT_AWAY "remove the new file, unless you need it: `git clean -f -- {path}`" => nothing
    PUT_AWAY_STAGED "remove the new file, unless you need it: `git rm -f -- {path}`" => nothing
    ACCEPT_JOURNAL "look at your files with `git status`, then move this folder away" => nothing
    ACCEPT_WAIT "wait for its end, then run the command again" => nothing
    END_GIT "run `git status` to see the commands that end it, and end it; then run the command again" => nothing
    ACCEPT_AGAIN "run `rye thread accept {id}` again, which settles that first" => nothing
}
