//! Hints about items: found, executed, loaded, signed, written anew, migrated, moved.

use super::{ForModel, Hint};

hints! {
    MEANT "did you mean `{id}`?" => same
    SEARCH_THREADS "turns of threads are searched with `--threads`: run `rye search --threads {query}`" => "search with `threads`"
    MEANT_QUERY "did you mean {query}? run `rye search {query}`" => "did you mean {query}?"
    LIST "run `rye list {type}` to list them" => "search with `rye_search`"
    LIST_SPACE "run `rye list {type} --space {space}` to see the items of that space" => "search with `rye_search`"
    LOAD_FROM "the {space} space has it: run `rye load {type} {id} --from {space}`" => "load it from the {space} space"
    LIST_ALL "run `rye list` to list them" => "search with `rye_search`"
    SIGN_SKILL "review it, then run `rye sign skill {id}`, and stage its manifest" => "ask the user to review and sign skill `{id}`"
    SIGN_OWN_SKILL "review it, then run `rye sign skill {id}`" => "ask the user to review and sign skill `{id}`"
    SIGNED_AS "the folder is signed as `{id}`: run `rye execute skill {id}`" => "execute skill `{id}`"
    RENAME_SKILL "rename the folder, and `name` in its `SKILL.md`" => "ask the user to rename the folder"
    SKILLS_ELSEWHERE "git tracks skills in other folders; to list and verify them, add `paths = [{paths}]` under `[skills]` in `.ai/config.toml`" => "ask the user to name the folders in `skills.paths`"
    SIGN_OFFERED "skills in `skills/` and `plugins/*/skills/` are offered to others, and signed by name: run `rye sign skill {ids}`" => "ask the user to sign the skills"
    COMMANDS_DRAFTED "review each draft, above all its permissions, then run `rye sign directive 'commands/*'`" => "ask the user to review and sign the drafts"
    SKILL_OUTSIDE "add `paths = [\"{path}\"]` under `[skills]` in `.ai/config.toml`" => "ask the user to name the folder in `skills.paths`"
    STAGE_LACKING "the commit lacks what the work tree has: run `git add -- {path}`, then `rye commit` again" => "ask the user to stage what is signed"
    STAGE_IGNORED "git ignores what the commit lacks: run `git add -f -- {path}`, or take it out of what is signed" => "ask the user to stage what is signed"
    STAGE "run `git add -- {path}`" => "ask the user to stage what is signed"
    SKILL_VERSION "leave out `--version`, or change `version` below `metadata` in `SKILL.md`" => "ask the user which version is meant"
    COPY_SKILL "copy the folder with `cp -r`, then run `rye sign skill NAME`" => nothing
    SIGN_AGAIN "mend it, then run `rye sign {type} {id}`" => "ask the user to review, mend and sign {type} `{id}`"
    LINE_ENDS "{mend}; to sign it with CRLF, run `rye sign {type} {id} --again`" => "ask the user to mend the line ends of {type} `{id}`"
    SIGN_ALL "write an item below `.ai/`, then run `rye sign --all`; pass `--allow-empty` to accept that" => "ask the user to write and sign items"
    SIGN_SKILLS "review the skills, then run `rye sign skill --all`; pass `--allow-empty` to accept that" => "ask the user to review and sign the skills"
    SIGN_SKILL_OR_ALL "review it, then run `rye sign skill {id}`, or `rye sign skill --all` for every skill" => "ask the user to review and sign skill `{id}`"
    CHECK_OUT "run `git sparse-checkout add {folder}`" => "ask the user to check out `{folder}`"
    SHOW_INPUTS "run `rye load {type} {id}` to see what it takes" => "load {type} `{id}` with `rye_load` to see what it takes"
    PASS "pass {detail}" => same
    SHORTER_INPUTS "give shorter inputs: pass the path of a file instead of its text" => same
    MIGRATE "run `rye migrate --write` to change them" => nothing
    COMMIT_ITEM "commit it with `rye commit`, then run `rye sign {type} {id} --detached`" => "ask the user to commit and countersign {type} `{id}`"
    SIGN_FIRST "have its author sign it; to be the author, review it and run `rye sign {type} {id}`" => "ask the user to have its author sign {type} `{id}`"
    MEND_ITEMS "fix them; `rye lint` shows every finding" => "ask the user to mend them"
    MIGRATE_ITEM "run `rye migrate {id}` to see what they become" => nothing
    MIGRATE_ON "mend that, then run the command again: it goes on where it stopped" => nothing
    SIGN_AFTER "when the rest is written too, look at the changes, then run `rye sign {type} {id}`" => nothing
    SIGN_MIGRATED "look at the changes, then run `rye sign {type} {id}`" => nothing
    MEND_JSON "pass an object like `--inputs '{\"name\": \"value\"}'`, or single values like `-i name=value`" => nothing
    LOOK_AT "run `rye load {type} {id}` to look at it, or choose another id" => nothing
    SNAKE "run `rye new directive {id}`" => nothing
    RENAME "rename or remove all of these files but one" => "ask the user which of these files to keep"
    OVERWRITE "pass `--force` to replace it, or name another file" => nothing
    FORCE "run `rye load {type} {id} --to {space} --force` to overwrite it" => "ask the user whether to overwrite it"
    MOVE_ELSEWHERE "choose another id" => "ask the user for another id"
    MOVE_BUILT_IN "copy it first with `rye load {type} {id} --to project`, then move the copy" => "ask the user whether to copy it"
    MOVE_SKILL "rename its folder and `name` in its `SKILL.md`, remove `.ai/skills/{id}.sig`, then run `rye sign skill {name}`" => "ask the user to rename the folder of skill `{id}`"
    MOVE_SKILL_ID "remove `.ai/skills/{id}.sig`, then run `rye sign skill {name}`" => "ask the user to sign skill `{name}`"
    MOVE_PULLED "keep it under the id that it was published with, or take it out with `rye remove {id}`" => "ask the user whether to move it"
    MOVE_SIGN "review these files; to sign them as yours, run `rye mv {type} {id} {name} --sign`" => "ask the user to review and move it"
    MOVE_REFERENCE "write the whole id there, without quotes or escapes around its parts, then run the command again" => "ask the user to mend the reference"
    MOVE_ON "mend that, then run the same command again: it goes on where it stopped" => "ask the user to move it"
    COMMIT_MOVED "commit both ids at once with `rye commit`" => nothing
    SHOW_PULL "to have it here, run `rye pull {id} --registry {name}`" => nothing
    SHOW_TYPE "name the type: `rye show {id} --type {type}`" => nothing
    EDIT_IT "edit it, or choose another name" => nothing
    DIFF_TYPE "name the type: `rye diff {id} --type {type}`" => nothing
    SHOW_FROM "name the registry: `rye show {id} --registry {name}`" => nothing
}
