//! Hints about pulling from registries and from git.

use super::{ForModel, Hint};

hints! {
    PULL_WHAT "run `rye pull --locked` for all that `rye.lock` lists, or name an item, such as `rye pull team/runbook`" => nothing
    PULL_FIRST "pull an item first, such as `rye pull team/runbook`, and commit `rye.lock`" => "ask the user for the lock"
    PULL_FROM "name one of them: `rye pull {id} --registry {name}`" => "ask the user which registry is meant"
    PULL_TYPE "name the type: `rye pull {id} --type {type}`" => nothing
    PULL_DOWNGRADE "to downgrade it, name the version: `rye pull {id}@={version}`" => "ask the user whether to downgrade `{id}`"
    PULL_UNLOCKED "run `rye pull {id}` to change the lock" => "ask the user to pull `{id}`"
    PULL_MISMATCH "find out who changed `rye.lock`: `git log -p rye.lock`; if the registry is right, run `rye pull {id} --force`" => "ask the user to look at the lock"
    PULL_FORCE "keep your change under another id, or repeat the command with `--force` to discard it" => "ask the user whether to overwrite it"
    REMOVE_NEEDED "remove these first, or run `rye remove {id} --force`" => "ask the user whether to remove it"
    PULL_TRUST "to see its key and to be asked whether to trust it, run `rye pull {id}`" => "ask the user whether they trust who signed `{id}`"
    PULLED_FROM "it was pulled from the registry `{name}`: run `rye pull {id}` to see its key and to be asked whether to trust it" => "ask the user to review it, and whether they trust who signed `{id}`"
    LOCK_FILE "restore it with `git checkout rye.lock`, or move it away and pull again" => "ask the user to look at the lock"
    NAME_TYPE "name the type with `--type`" => nothing
    AGREE_SIGNER "compare the fingerprint with what its owner says, then run the command again with `--accept-signer {name}`" => nothing
    SKILL_NAME "rename the folder at its source, or name another one" => "ask the user for another skill"
    SKILL_AUTHOR "tell the maintainers of the source" => "ask the user to look at the source"
    SKILL_SIGNER "ask its owner why; to accept the new key, run the command again with `--accept-signer {name}`" => "ask the user whether they trust the new signer"
    SKILL_REMOVE "to take it from there all the same, run `rye remove {id}` first" => "ask the user whether to replace `{id}`"
    SKILL_MOVE "leave out `--to`; to move it, run `rye remove {id}` first" => "ask the user whether to move `{id}`"
    SKILL_OTHER_COPY "remove that folder, or put the skill into it: leave out `--to`" => "ask the user which of the two to keep"
    SKILL_ASK_SIGNER "leave out `--accept-signer` to see who signed it" => nothing
    SKILL_FORCE "keep your change under another name, or overwrite it with `--force`" => "ask the user whether to overwrite it"
    SKILL_TO "name another folder with `--to`" => nothing
    SKILL_PATHS "name one of these, or add the folder to `skills.paths` of your configuration" => "ask the user where the skill belongs"
    SKILL_ROLLBACK "to go back all the same, run the command again with `--allow-rollback`" => "ask the user whether to go back"
    SKILL_UPDATE "run `rye update {id} --preview` to see the present version" => "ask the user to look at the source of `{id}`"
    SKILL_LOCK "find out who changed it: `git log -p rye.lock`" => "ask the user to look at the lock"
    SKILL_SYNC "run `rye sync --check` to see what the lock has" => "ask the user to look at the lock"
    SKILL_SOURCE "name a folder of a repository, such as `rye pull git+https://github.com/acme/skills//skills/pdf@v1.0.0`" => "ask the user where the skill is"
    SKILLS_THERE "its skills are {paths}: run `rye pull {address}`, or `rye pull --list {all}` for all of them" => "ask the user which skill is meant"
    SOURCE_HOST "check the name of the host in the URL, and that this machine is online" => "ask the user to look at the network"
    SOURCE_REPOSITORY "check the URL, or ask its host" => "ask the user where the skill is"
    SKILL_REV "run `git ls-remote {path}` to see its branches and tags; name a commit by its whole id" => "ask the user which revision is meant"
    SKILL_PULLED "it was pulled from git: run `rye pull {id}` to see who signed it and to be asked about them" => "ask the user to review it, and whether they trust who signed it"
    SKILL_SIGN "review it, then run `rye sign skill {id}` and `rye sync --adopt`" => "ask the user to review and sign skill `{id}`"
    AGREE_PULL "look at the fingerprint, then run the command again with `--yes`" => nothing
}
