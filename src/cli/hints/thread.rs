//! Hints about threads.

use super::{ForModel, Hint};

hints! {
    ONLY_LOG "fetch its branch if it was pushed, or remove the log with `rye thread rm {id}`" => nothing
    FETCH "if somebody pushed it, run `rye thread fetch`, then `rye thread list --remote`" => nothing
    FETCH_ONE "run `rye thread fetch {path} {id}`" => nothing
    FETCHED "name it with its remote: `rye thread show {id}`" => nothing
    OWN_THREADS "name one of the threads that `rye thread list` lists" => nothing
    FETCHED_OWN "make it a thread of this repository again: `git branch {name} {path}`" => nothing
    TURNS_USE "accept the project's trust files if they name its agent, `rye trust accept`; or have its person send the output of `rye key export agent`, and run `rye trust add FILE --use turns`" => "ask the user whether to trust the agent that ran the thread"
    THREAD_DIFF "run `rye thread diff {id} --stat` to see what it changed" => nothing
    THREAD_COMMITS "run `rye thread show {id}`, and look at the commits with the `git verify-commit` it names" => nothing
    FORK_INSTEAD "run `rye thread show {id}`, which names the turns that a new thread can continue from" => nothing
    RAISE "raise it: `rye thread resume {id} --limit {limit}={most}`, which is the most that the directive allows" => nothing
    RAISE_DIRECTIVE "the directive sets this limit: raise `{limit}` there, sign it, then run `rye thread rerun {id}`" => nothing
    RESUME_SCRIPT "name it again: `rye thread resume {id} --script FILE`" => nothing
    UNFINISHED "find out what it did, then run `rye thread resume {id} --unfinished repeat` to repeat it, or `--unfinished fail` to tell the model that its outcome is unknown" => nothing
    STOP_THREAD "wait until it ends, or stop it with Ctrl-C where it runs" => nothing
    TREE "see the cause; `git worktree list` shows the threads' trees, and the disk must have room for one" => "ask the user to look at the repository"
    BRANCH_IN_WAY "rename the branch, or keep threads elsewhere with `--config threads.prefix=NAME`" => nothing
    RERUN "run `rye thread rerun {id}` to run its directive again, with the same inputs" => nothing
    REPLAY "run `rye thread replay {id}` to see where" => nothing
    FORK_EARLIER "run `rye thread show {id}` to see its turns, and name an earlier one: `rye thread fork {id} --turn 0`" => nothing
    THREAD_SHOW "run `rye thread show {id}` to see its turns" => nothing
    FIRST_THREAD "run one: `rye thread run rye/guides/first_thread -i topic=signing`" => nothing
    THREADS "run `rye thread list` to list the threads" => nothing
    SCRIPT "name a file with the answers, one JSON object a line: see `rye thread run --help`" => nothing
    SCRIPTED "leave `--script` out, or name `--provider rye/agent/providers/scripted`" => nothing
    NARROW "run it with `--limit turns=N`, `tokens=N`, `spend=AMOUNT` or `duration=SECONDS` in the directive's own currency" => nothing
    RATES "write to `{path}`, below `[limits.rates]`, how many {host} one {id} costs: `\"{name}\" = RATE`" => "ask the user for a rate between the two currencies"
    SET_UP_AGREE "run the command on a terminal, where it shows the whole set-up and asks, or with `--yes`" => "ask the user to run the thread once on a terminal"
    SHARE_MISSING "run the command that makes it, or `mkdir -p {path}`, and then this one again in the project" => nothing
    SET_UP "correct `[tree]` in `.ai/config.toml` and have it accepted again, `rye trust propose`; or withdraw the acceptance: `rye trust accept --withdraw`" => "ask the user to look at the set-up of the project's trees"
    TASK_REPLACED "remove `items.shadow_reserved` from your configuration, and run it again" => nothing
    TASK "say what to do, in quotes: `rye run \"Fix the failing test\"`; `rye run -` reads it from stdin" => nothing
    TASK_QUOTED "run `rye run {name}`" => nothing
    TASK_RUN "run `rye thread run {id}`" => nothing
    TASK_FROM "leave the text out, or leave `--from` out to run it" => nothing
    TASK_BY_HAND "write the directive yourself: `rye new directive team/fix`" => nothing
    TASK_AGAIN "run the task as yours: `rye run --write GLOB --shell PROGRAM TEXT`" => nothing
    LEAVE_BRANCH "switch to another branch there: `git -C {path} switch -`" => nothing
}
