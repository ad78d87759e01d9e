//! Every hint of the command line, in one table.
//!
//! A hint is imperative and holds a command that works as pasted where there is one; a test parses them all. A model gets
//! another form: nothing that tells it how to lift a refusal by a command or a setting, but what to ask the user for. Each
//! hint says which, so a new one has to decide.

use std::fmt::Display;

/// A hint with places to fill in: `{type}`, `{id}`, `{path}` and the like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hint {
    text: &'static str,
    model: ForModel,
}

/// What a model gets in place of a hint.
#[derive(Debug, Clone, Copy)]
enum ForModel {
    /// The same text, which is about the call's own arguments or asks the user already.
    Same,
    /// Another text.
    Other(&'static str),
    /// No hint.
    Nothing,
}

impl Hint {
    /// Fills in the places of the form for a model, if there is one.
    pub(super) fn fill_for_model(self, values: &[(&str, &dyn Display)]) -> Option<String> {
        match self.model {
            ForModel::Same => Some(self.fill(values)),
            ForModel::Other(text) => Some(filled(text, values)),
            ForModel::Nothing => None,
        }
    }

    /// Fills in the places.
    pub(super) fn fill(self, values: &[(&str, &dyn Display)]) -> String {
        filled(self.text, values)
    }
}

fn filled(text: &str, values: &[(&str, &dyn Display)]) -> String {
    values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value.to_string()))
}

/// Makes a constant for each hint and the table of all of them.
macro_rules! hints {
    (model: same) => { ForModel::Same };
    (model: nothing) => { ForModel::Nothing };
    (model: $other:literal) => { ForModel::Other($other) };
    ($($name:ident $text:literal => $model:tt)*) => {
        $(pub(super) const $name: Hint = Hint { text: $text, model: hints!(model: $model) };)*

        #[cfg(test)]
        const ALL: &[Hint] = &[$($name),*];
    };
}

hints! {
    HELP "run `rye --help` to see what there is" => nothing
    BUG "run the command again; if it stops in the same way, report it with the line above" => "ask the user to report it, with the line above"

    MEANT "did you mean `{id}`?" => same
    MEANT_QUERY "did you mean {query}? run `rye search {query}`" => "did you mean {query}?"
    LIST "run `rye list {type}` to see what there is" => "search with `rye_search` for what there is"
    LIST_ALL "run `rye list` to see what there is" => "search with `rye_search` for what there is"
    SIGN_SKILL "review it, then run `rye sign skill {id}`, and stage its manifest" => "ask the user to review and sign skill `{id}`"
    SKILL_VERSION "leave out `--version`, or change `version` below `metadata` in `SKILL.md`" => "ask the user which version is meant"
    COPY_SKILL "copy the folder with `cp -r`, then run `rye sign skill NAME`" => nothing
    SIGN_AGAIN "mend it, then run `rye sign {type} {id}`" => "ask the user to review, mend and sign {type} `{id}`"
    SIGN_ALL "write an item below `.ai/`, then run `rye sign --all`; pass `--allow-empty` where none is fine" => "ask the user to write and sign items"
    SHOW_INPUTS "run `rye load {type} {id}` to see what it takes" => "load {type} `{id}` with `rye_load` to see what it takes"
    PASS "pass {detail}" => same
    SHORTER_INPUTS "give shorter inputs: pass the path of a file instead of its text" => same
    WITHOUT_OFFSET "call again without `offset`: the tool runs again" => same
    AFTER_OTHERS "wait for answers before you call again" => same
    MIGRATE "run `rye migrate --write` to change them" => nothing
    COMMIT_ITEM "commit it with `rye commit`, then run `rye sign {type} {id} --detached`" => "ask the user to commit and countersign {type} `{id}`"
    SIGN_FIRST "have its author sign it; to be the author, review it and run `rye sign {type} {id}`" => "ask the user to have its author sign {type} `{id}`"
    RESOLVE "resolve the conflicts and run `git add` on the files, then run the command again" => "ask the user to resolve the conflicts"
    REVIEW_PENDING "review them with `git diff HEAD -- .ai`, then run `rye commit` on a terminal, or `rye commit --yes`" => nothing
    REVIEW_STAGED "review them with `git diff --cached -- .ai`, then run `rye commit` on a terminal" => nothing
    ASK_PERSON "ask the person to review it and to run the command in a terminal of their own" => same
    MEND_ITEMS "mend them; `rye lint` shows every finding" => "ask the user to mend them"
    IN_A_HOOK "install the hook that signs inside of `git commit` instead: `rye hook install`" => nothing
    INDEX_LOCK "end the other git program, or if there is none, run `rm {path}`" => "ask the user to look at the repository"
    WHOLE_MERGE "run `rye commit` without paths" => nothing
    NOTE_REMOVE "run `git notes --ref=rye remove {name}` to remove it, then `rye notes sync`" => nothing
    HALF_SIGNED "look at them with `git diff`, and mend what failed" => "ask the user to look at the repository"
    NOTHING_TO_COMMIT "run `git status` to see what is not staged" => nothing
    STILL_STAGED "what was signed stays signed and staged: mend what git names, then run `rye commit` again" => nothing
    TWO_HOOKS "look at both, leave the one you want as `{path}`, remove the other, then run the command again" => nothing
    PUSH_WITHOUT "leave these commits out of what you push: `git log {id} -- .ai/threads` lists them" => nothing
    PUSH_FIRST "or share the thread first: `rye thread push {name} {id}`" => nothing
    PUSH_COMMITS "push what leads to commits: a tree or a file cannot be told from a part of a thread" => nothing
    PUSH_FETCH "run `git fetch {name}`, so that it is known what is there, then push again" => nothing
    PUSH_ANYWAY "push other branches by name; to share the thread, run `rye thread push {name} {id}`" => nothing
    REMOTES "run `git remote -v` to see which there are" => nothing
    REACH_REMOTE "run `git fetch {name}` to see whether you reach it and may read it" => nothing
    NOTES_REFUSED "ask whoever runs it to let `refs/notes/rye` be pushed" => nothing
    MIGRATE_ITEM "run `rye migrate {id}` to see what they become" => nothing
    MIGRATE_ON "mend that, then run the command again: it goes on where it stopped" => nothing
    SIGN_AFTER "when the rest is written too, look at the changes, then run `rye sign {type} {id}`" => nothing
    SIGN_MIGRATED "look at the changes, then run `rye sign {type} {id}`" => nothing
    MEND_JSON "pass an object like `--inputs '{\"name\": \"value\"}'`, or single values like `-i name=value`" => nothing
    LOOK_AT "run `rye load {type} {id}` to look at it, or choose another id" => nothing
    SNAKE "run `rye new directive {id}`" => nothing
    TOO_LARGE "an item has at most 1 MiB: move the file out of the folder, or make it smaller and run `rye lint` to see that it is read" => "ask the user to move the file or to make it smaller"
    FILE_TOO_LARGE "run `ls -l {path}` to see how large it is, then make it smaller or remove it" => "ask the user to make `{path}` smaller"
    LOOK_AT_FILE "run `ls -ld {path}` to see what it is; an item is a file of its own" => "ask the user to look at `{path}`"
    RENAME "rename or remove all of these files but one" => "ask the user which of these files to keep"
    OVERWRITE "pass `--force` to replace it, or name another file" => nothing
    FORCE "run `rye load {type} {id} --to {space} --force` to overwrite it" => nothing
    NO_PROJECT "run `rye init` to make this folder a workspace, or name another one with `-C DIR`" => "ask the user which project to work in"
    PROJECT_AROUND "work in the project around it with `-C {path}`" => "name the project around it"
    CHANGE_DIR "name a folder that exists with `-C DIR`; without it, `RYE_PROJECT` or the current folder counts" => "ask the user which folder to work in"
    SERVE_IN "start the server in one project with `rye mcp -C DIR`" => "ask the user which project to work in"
    SERVE_IN_REPOSITORY "start the server in the whole of it with `rye mcp -C {path}`" => "ask the user whether to work in the whole of it"
    TOOL_ARGUMENTS "call `rye_{name}` again as its schema says" => same
    PERMIT_CALL "to allow it, put `{name}` into `mcp.permissions` of your configuration, or into the file of `rye mcp --permissions FILE`" => "ask the user whether you may do it"
    OTHER_PATH "name another path" => same
    CONFIG_DENIES "if it is to be allowed, take the pattern out of `permissions.deny` of your configuration or of the project's" => "ask the user whether it is to be done"
    CONFIG_UNASKED "over MCP no question can be asked: do it yourself on the command line, or let your configuration's `permissions.unasked` cover it" => "ask the user to do it"
    CONFIG_ASKS "over MCP no question can be asked: take the pattern out of `permissions.ask`, or do it yourself on the command line" => "ask the user to do it"
    ASK_TO_WRITE "ask the user whether you may write `{path}`" => same
    FOLLOWED "ask the user whether to go on without directive `{id}`" => same
    WORK_TREE "work in a clone with files: `git clone {path} work`" => "ask the user which clone to work in"

    FOREIGN_TEMP "name a folder of your own: `export TMPDIR=\"$XDG_RUNTIME_DIR\"`" => "ask the user to mend their environment"
    NO_TEMP "run `mkdir -p {path}`, or name a folder that is there: `export TMPDIR=/tmp`" => "ask the user to mend their environment"
    TEMP_DIR "run `chmod +t {path}`, or name a folder of your own: `export TMPDIR=\"$XDG_RUNTIME_DIR\"`" => "ask the user to mend their environment"
    CONFIG_MODE "check that it says only what you wrote, then run `chmod go-w {path}`" => "ask the user to check who can write `{path}`"
    CONFIG_OWNER "check what it says, then run `sudo chown \"$USER\" {path}`" => "ask the user to check who can write `{path}`"
    MEND_LINK "bring back what it leads to, or if you do not want it any more, run `rm {path}`" => "ask the user to mend the link `{path}`"
    TRUST_MODE "check that it says only what you decided, then run `chmod go-w {path}`" => "ask the user to check who can write `{path}`"
    KEY_MODE "run `chmod go-rwx {path}`" => "ask the user to check who can read `{path}`"
    KEY_LIST "run `rye key list` to see your keys" => "ask the user to look at their keys"
    KEY_GENERATE "run `rye key generate` to make your keys" => "ask the user to look at their keys"
    KEY_UNREADABLE "run `ls -ld {path}` to see whether it is there and yours" => "ask the user to look at their keys"
    KEY_FILE "name the file of an Ed25519 key, such as `~/.ssh/id_ed25519`, or run `rye key generate` to make one" => "ask the user to look at their keys"
    KEY_TEXT "put the key into the variable `RYE_SIGNING_KEY`, or into a file that only you can read" => nothing
    KEY_VARIABLE "set it to the path of a key's file, or to the text of a key without passphrase" => nothing
    KEY_OWN "sign with your own key, which `rye key list` shows" => nothing
    KEY_FORCE "run `rye key import {path} --force` to sign with this one from now on; the old key is kept aside" => nothing
    KEY_UNPROTECTED "run it on a terminal, or `rye key generate` for a key without passphrase" => nothing
    KEY_PASSPHRASE "run `ssh-keygen -p -f {path}` to change, set or remove its passphrase" => nothing
    KEY_PASSPHRASE_AGAIN "run `rye key generate --passphrase` again" => nothing
    KEY_IMPORT "if your ssh-agent holds the other half, run `rye key import FILE` with the file of this one" => nothing
    KEY_ED25519 "run `ssh-keygen -t ed25519` to make a key of that type, or `rye key generate`" => nothing
    KEY_PUTTY "run `puttygen {path} -O private-openssh-new -o {path}.openssh`, then name that file" => nothing
    KEY_PKCS8 "run `openssl pkey -in {path} -out {path}.pem`, then name that file" => nothing
    AGENT_ADD "run `ssh-add {path}`, and the ssh-agent signs; where none is running, `eval \"$(ssh-agent)\"` starts one" => nothing
    AGENT_START "run `eval \"$(ssh-agent)\"` to start one, then `ssh-add FILE` with the file of the private key" => nothing
    AGENT_LIST "run `ssh-add -l` to see what it holds, and `ssh-add FILE` with the file of the private key" => nothing
    AGENT_CONFIRM "agree when it asks, or run `ssh-add FILE` with the file of the private key to have it sign unasked" => nothing
    PUBLIC_KEY "name a file with a public key, such as `rye trust add ~/.ssh/id_ed25519.pub`" => nothing
    PUBLIC_HALF "run `rye trust add {path}` with the public half" => nothing
    ALLOWED_SIGNERS "name a file with lines like those of `rye key export --as allowed-signers`" => nothing
    REVOKED "name a file with one public key a line, such as `ssh-ed25519 AAAA… whose`" => nothing
    NAME_SIGNERS "name a revision that has them, or a file of signers: `rye verify --allowed-signers FILE`" => nothing
    TRUST_FILES "run `git show {name}:.ai/trust/trust.sig` to see what was signed, or name a revision that is older" => nothing
    REMOVE_AGENT "run `rye trust remove {id} --project`, then propose again" => nothing
    REVIEW_AGENT "review what it signed, then sign it with your own key" => "ask the user to review and sign what it signed"
    MEND_LINE "mend or remove that line" => "ask the user to mend that line"

    PRINCIPAL "name the holder with `--principal ada@example.org`" => nothing
    REASON "write it in one line: `--reason 'laptop stolen'`" => nothing
    TRUST_LIST "run `rye trust list` to see the keys there are, or name a file with the public key" => nothing
    TRUST_KEY_ID "name one of them by its id" => nothing
    REVOKE_OWN "if it may be in other hands, run `rye trust revoke {id}`" => nothing
    KEY_REPLACE "to use another one from now on, run `rye key import new_key --force`" => nothing
    KEY_RENEW "for a new one, run `ssh-keygen -t ed25519 -f new_key && rye key import new_key --force`, then review what the old one signed and sign it again" => nothing
    AGENT_REPLACE "for a new one, move `agent` and `agent.pub` out of the folder that `rye key list` shows, then run `rye key generate`" => nothing
    TRUST_REVOKED "its signatures are always bad; if that was a mistake, take its line out of `{path}`" => "ask the user to look at `{path}`"
    TRUST_PIN "move `{path}` away, then run `rye trust accept` to decide anew" => "ask the user to look at `{path}`"
    TRUST_ACCEPT "run `rye trust accept` again to see what would change now" => nothing
    TRUST_ACCEPT_YES "look at what would change, then run `rye trust accept --yes`" => nothing
    TRUST_PROPOSE "a root of the project signs its files as they are: `rye trust propose`" => nothing
    TRUST_FIRST "a maintainer makes the first ones: `rye trust propose`" => nothing
    TRUST_STAYS "what you accepted stays in force; ask those who change these files, and look at them with `git log -p -- .ai/trust`" => nothing
    TRUST_ROOT "ask a root of the project to run `rye trust propose --root their_key.pub` with your public key: `rye key export`" => nothing
    TRUST_PRINCIPAL "run `rye trust propose --principal ada@example.org` with your own name" => nothing
    COMMIT_FIRST "commit something, then run `rye trust accept`" => nothing

    HOME "set `HOME` to your home folder's absolute path" => "ask the user to mend their environment"
    ABSOLUTE "set it to an absolute path, or unset it" => "ask the user to mend their environment"
    CONFIG "mend the setting, or take it out" => "ask the user to mend their configuration"
    CONFIG_OF_PROJECT "mend the setting, or take it out; its reader says: {detail}" => "ask the user to mend the project's configuration"

    NAME_FOLDERS "name the folders that the tool writes in `sandbox.write`, instead of the whole project" => "ask the user to name the folders that the tool may write"
    NO_NETWORK "as root of this machine let users make name spaces (`sysctl kernel.unprivileged_userns_clone=1`), or run the tool without a sandbox, `sandbox = \"off\"` in your configuration: then it reaches every host" => "tell the user that this system cannot give a tool some hosts only"
    PROGRAM "install `{name}`, or say where it is: `program` of `[shell.{name}]` in the configuration" => "ask the user to install `{name}`"
    INTERPRETER "install the interpreter, or set its path for one run with `--config interpreters.{name}=/usr/bin/{name}`" => "ask the user to install `{name}`"
    REINSTALL "build or install rye again: its plugins must lie beside it and belong to it" => "ask the user to install this program again"

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
    PUT_BACK "put your version back, if you need nothing of what is there: `git restore --source={id} --worktree -- {path}`" => nothing
    PUT_BACK_STAGED "put your version back, if you need nothing of what is there: `git restore --source={id} --staged --worktree -- {path}`" => nothing
    PUT_AWAY "remove what was not there before, if you need nothing of it: `git clean -f -- {path}`" => nothing
    PUT_AWAY_STAGED "remove what was not there before, if you need nothing of it: `git rm -f -- {path}`" => nothing
    ACCEPT_JOURNAL "look at your files with `git status`, then move this folder away" => nothing
    ACCEPT_WAIT "wait for its end, then run the command again" => nothing
    END_GIT "run `git status` to see the commands that end it, and end it; then run the command again" => nothing
    OUTPUT_ELSEWHERE "name a file outside of `.git`, or `-` for standard output" => nothing
    CONFIG_FILE "run `git config --file {path} --list` to see what is wrong with it, and mend that" => "ask the user to look at `{path}`"
    OUTPUT_FILE "name a regular file, or `-` for standard output" => nothing
    COMMANDS "run `rye help` to see what there is" => nothing
    PAGE_FILE "write the page to a file: `--html FILE`" => nothing
    GIVE_MESSAGE "give one with `-m`, or leave `-m` out: then the directive is named" => nothing
    MEND_HOOK "mend what the hook or git names, then run the command again" => nothing
    ONLY_LOG "fetch its branch if it was pushed, or remove the log with `rye thread rm {id}`" => nothing
    THREAD_DIFF "run `rye thread diff {id} --stat` to see what it changed" => nothing
    THREAD_COMMITS "run `rye thread show {id}`, and look at the commits with the `git verify-commit` it names" => nothing
    FORK_INSTEAD "run `rye thread show {id}` to see its turns, then go on from one of them as a new thread: `rye thread fork {id} --turn 1`" => nothing
    RAISE "raise it: `rye thread resume {id} --limit {limit}={most}`, which is the most that the directive allows" => nothing
    RAISE_DIRECTIVE "the directive sets this limit: raise `{limit}` there, sign it, then run `rye thread rerun {id}`" => nothing
    RESUME_SCRIPT "name it again: `rye thread resume {id} --script FILE`" => nothing
    UNFINISHED "find out what it did, then run `rye thread resume {id} --unfinished repeat` to repeat it, or `--unfinished fail` to tell the model that its outcome is unknown" => nothing
    ACCEPT_AGAIN "run `rye thread accept {id}` again, which settles that first" => nothing
    STOP_THREAD "wait until it ends, or stop it with Ctrl-C where it runs" => nothing
    AGREE "look at the list, then run the command again with `--yes`" => nothing
    AGREE_INSTALL "look at who signed it and what it needs, then run the command again with `--yes`" => nothing
    AGREE_PUSH "run it on a terminal, which lists what becomes public and asks, or pass `--yes`" => nothing
    RETRY "run the command again" => same
    UNWRITABLE "give yourself access to that place, or keep keys elsewhere: set `XDG_CONFIG_HOME` to a folder you can write to" => "ask the user to let that place be written"
    UNPROTECT "run `chmod u+w {path}`" => "ask the user to let `{path}` be written"
    WRITABLE "let `{path}` be written, or move away what stands in its place" => "ask the user to let `{path}` be written"
    TREE "see the cause; `git worktree list` shows the threads' trees, and the disk must have room for one" => "ask the user to look at the repository"
    DISK "make room, then run the command again" => "ask the user to make room"
    REF_FORMAT "clone it into a repository with files, and work there: `git clone --ref-format=files {path} {name}`" => "ask the user to look at the repository"
    LOOK_FOR_LOCKS "end the other git program, then run the command again" => "ask the user to look at the repository"
    REVISION "run `git log --oneline --all` to see which there are" => nothing
    WHOLE_REF "write the whole name of the one you mean, such as `rye verify --rev {name}`; a tag that is in the way goes with `git tag -d NAME`" => nothing
    NO_COMMITS "run `git log --oneline {name}` to see what it is; with `--commits`, pass `--allow-empty` where none is fine" => nothing
    ONLY_MERGES "pass `--commits` to check merges too, or `--allow-empty` where none is fine" => nothing
    FETCH_BRANCH "fetch the branch: `git fetch {name} +refs/heads/{id}:refs/remotes/{name}/{id}`, and name it `refs/remotes/{name}/{id}`" => nothing
    FULL_TAG "if you mean the tag, write its full name: `{name}`" => nothing
    RANGE "write `A..B`: the commits that `B` has and `A` has not, such as `origin/main..HEAD`; for one commit, use `--rev REV`" => nothing
    UNSHALLOW "run `git fetch --unshallow`" => "ask the user to fetch the whole history"
    FETCH_ALL "run `git fetch --refetch --no-filter {name}`" => "ask the user to fetch what is missing"
    ALTERNATE "bring `{path}` back, or clone the repository anew without `--shared` and `--reference`" => "ask the user to look at the repository"
    INSTALL_GIT "install git, and see that `git --version` runs" => "ask the user to install git"
    FSCK "run `git fsck --full` to see what is damaged, and clone the repository anew" => "ask the user to look at the repository"
    REVISION_OF_BARE "or verify a revision: `rye verify --rev HEAD`" => nothing
    OWNERSHIP "if you trust it, run `git config --global --add safe.directory {path}`" => "ask the user to look at the repository"
    BARE_INSIDE "run `rye -C {path} list` for the work tree; for the bare repository, set `GIT_CEILING_DIRECTORIES` to the folder around it" => "ask the user to look at the repository"
    BARE_DENIED "clone it and work there, or allow it: `git config --global safe.bareRepository all`" => "ask the user to look at the repository"
    WORK_TREE_ELSEWHERE "if you did not mean that, run `git -C {path} config --unset core.worktree`" => "ask the user to look at the repository"
    NOT_REGULAR "look at it with `ls -l {path}`; git makes no such file" => "ask the user to look at the repository"
    GRAFTS "look at the file, then remove it: `rm {path}`" => "ask the user to look at the repository"
    REPLACE_REFS "run `git replace -l` to see them, and `git replace -d ID` to remove one" => "ask the user to look at the repository"
    BRANCH_IN_WAY "rename the branch, or keep threads elsewhere with `--config threads.prefix=NAME`" => nothing
    REGISTRY_LIST "run `rye registry list` to see those you use" => nothing
    REGISTRY_ADD "add one with `rye registry add NAME URL`, or make one with `rye registry init DIR`" => "ask the user which registry to use"
    REGISTRY_NAME "name one of them with `--registry`, or as the last argument" => nothing
    REGISTRY_INIT "make a registry with `rye registry init DIR`, in a folder that is empty" => nothing
    REGISTRY_INIT_NAME "give it one: `rye registry init DIR --name team`" => nothing
    REGISTRY_USE "to use it, run `rye registry add {name} {path}`" => nothing
    REGISTRY_URL "name a folder, `ssh://host/path`, `user@host:path`, `https://host/path` or `static+https://host/path`" => nothing
    REGISTRY_REACH "run `git ls-remote {path}` to see whether you reach it and may read it" => "ask the user to look at the registry"
    REACH_HOST "check the name of the host in `rye registry list`, and that this machine is online" => "ask the user to look at the network"
    REACH_SERVER "check that the server runs and that you may connect to it: `git ls-remote {path}`" => "ask the user to look at the network"
    REACH_ACCESS "check your ssh key or your credentials with `git ls-remote {path}`, or ask whoever hosts it for access" => "ask the user to look at their access to the registry"
    REACH_HOST_KEY "run `git ls-remote {path}`, and compare the fingerprint that ssh shows with the one that whoever hosts it tells you" => "ask the user to look at the registry's host"
    REACH_CERTIFICATE "run `git ls-remote {path}` to see which certificate it has, and ask whoever runs the server or the network" => "ask the user to look at the registry's host"
    REACH_REPOSITORY "check the address in `rye registry list`, or ask whoever hosts it" => "ask the user for the address of the registry"
    REACH_STATIC "run `curl --fail {path}` to see what the server answers, and check the address in `rye registry list`" => "ask the user to look at the registry's host"
    REGISTRY_BY_GIT "add it by the address of its git repository, under another name: `rye registry add NAME URL`" => "ask the user for the git repository of the registry"
    REGISTRY_REJECTED "ask whoever hosts it to let you push to its branch `main`" => "ask the user to look at the registry"
    REGISTRY_REFUSED "do not use it, and send the line above to whoever hosts it" => "ask the user to look at the registry"
    REGISTRY_REPLACED "do not use it, and ask whoever hosts it why; only if you know the reason, `rye registry remove {name}` forgets what you saw of it" => "ask the user to look at the registry"
    REGISTRY_STALE "ask whoever hosts it why it does not change, and an owner to run `rye registry renew {name}`" => "ask the user to look at the registry"
    REGISTRY_ONLINE "run the command again without `--offline` or `--frozen`" => nothing
    REGISTRY_MIRROR "run the command again without `--offline` or `--frozen`: the copy is made again" => nothing
    REGISTRY_SAFE "if you trust that user, run `git config --global --add safe.directory {path}`" => "ask the user whether they trust the owner of the folder"
    REGISTRY_SHARE "ask its owner to run `git -C {path} config core.sharedRepository group && chmod -R g+rwX {path}`, with a group that you are in" => "ask the user to look at the permissions of the registry"
    REGISTRY_SHA1 "make it with `git init --bare --object-format=sha1`, or name a folder that is empty" => nothing
    REGISTRY_REMOVE "choose another name, or run `rye registry remove {name}` first" => nothing
    REGISTRIES_FILE "mend the file, or move it away and add the registries again: `rye registry add NAME URL`" => "ask the user to look at the file"
    REGISTRY_INFO "run `rye registry info` to see its items" => nothing
    REGISTRY_OF_LOCK "ask whoever made the project for its address, then run `rye registry add {name} URL`" => "ask the user for the address of the registry"
    REGISTRY_VERSIONS "run `rye registry info {name}` to see its items" => nothing
    REGISTRY_UNPIN "run `rye registry list` to see which namespaces come from `{name}`: another registry may only pretend to have this one" => "ask the user which registry is meant"
    NAMESPACE "bring it under a namespace: `rye mv {type} {id} team/{id}`" => "ask the user for an id of two segments"
    NAMESPACED_ID "write the whole id, such as `rye pull team/runbook`" => nothing
    OTHER_NAMESPACE "bring it under another namespace: `rye mv {type} {id} team/{name}`" => "ask the user for another id"
    MOVE_ELSEWHERE "choose another id" => "ask the user for another id"
    MOVE_BUILT_IN "copy it first with `rye load {type} {id} --to project`, then move the copy" => "ask the user whether to copy it"
    MOVE_PULLED "keep it under the id that it was published with, or take it out with `rye remove {id}`" => "ask the user whether to move it"
    MOVE_SIGN "review these files; to sign them as yours, run `rye mv {type} {id} {name} --sign`" => "ask the user to review and move it"
    MOVE_REFERENCE "write the whole id there, without quotes or escapes around its parts, then run the command again" => "ask the user to mend the reference"
    MOVE_ON "mend that, then run the same command again: it goes on where it stopped" => "ask the user to move it"
    COMMIT_MOVED "commit both ids at once with `rye commit`" => nothing
    ASK_OWNER "ask an owner to run `rye registry owner add {namespace} your_key.pub`; `rye registry info {name}` lists their keys" => "ask the user who owns the namespace"
    SHOW_PULL "to have it here, run `rye pull {id} --registry {name}`" => nothing
    SHOW_TYPE "name the type: `rye show {id} --type {type}`" => nothing
    EDIT_IT "edit it, or choose another name" => nothing
    DIFF_TYPE "name the type: `rye diff {id} --type {type}`" => nothing
    SHOW_FROM "name the registry: `rye show {id} --registry {name}`" => nothing
    SIGN_TO_PUBLISH "review it, then run `rye sign {type} {id}`" => "ask the user to review and sign {type} `{id}`"
    GIVE_VERSION "declare one like `1.0.0` in its header, then run `rye sign {type} {id}`" => "ask the user to give {type} `{id}` a version"
    NEW_VERSION "give it a new version in its header, then run `rye sign {type} {id}`" => "ask the user to give {type} `{id}` a new version"
    OTHER_SPELLING "choose an id that differs in more than upper and lower case" => "ask the user for another id"
    PULL_WHAT "run `rye pull --locked` for all that `rye.lock` lists, or name an item, such as `rye pull team/runbook`" => nothing
    PULL_FIRST "pull an item first, such as `rye pull team/runbook`, and commit `rye.lock`" => "ask the user for the lock"
    PULL_FROM "name one of them: `rye pull {id} --registry {name}`" => "ask the user which registry is meant"
    PULL_TYPE "name the type: `rye pull {id} --type {type}`" => nothing
    PULL_DOWNGRADE "to downgrade it, name the version: `rye pull {id}@={version}`" => "ask the user whether to downgrade `{id}`"
    PULL_UNLOCKED "run `rye pull {id}` to change the lock" => "ask the user to pull `{id}`"
    PULL_MISMATCH "find out who changed `rye.lock`: `git log -p rye.lock`; if the registry is right, run `rye pull {id} --force`" => "ask the user to look at the lock"
    PULL_FORCE "keep your change under another id, or overwrite it: `rye pull {id} --force`" => "ask the user whether to overwrite it"
    REMOVE_NEEDED "remove these first, or run `rye remove {id} --force`" => "ask the user whether to remove it"
    PULL_TRUST "to see its key and to be asked whether to trust it, run `rye pull {id}`" => "ask the user whether they trust who signed `{id}`"
    PULLED_FROM "it was pulled from the registry `{name}`: run `rye pull {id}` to see its key and to be asked whether to trust it" => "ask the user to review it, and whether they trust who signed `{id}`"
    LOCK_FILE "restore it with `git checkout rye.lock`, or move it away and pull again" => "ask the user to look at the lock"
    NAME_TYPE "name the type with `--type`" => nothing
    CLAIM "publish an item in it: who does so first owns it" => nothing
    TRANSFER "give it to another key with `rye registry owner transfer {namespace} their_key.pub`" => nothing
    CHECKPOINT "name a file that `rye registry checkpoint` wrote" => nothing
    OWNER_KEY "name a file with one line like `ssh-ed25519 AAAA…`; `rye key export` prints yours" => nothing
    AGREE_SIGNER "compare the fingerprint with what its owner says, then run the command again with `--accept-signer {name}`" => nothing
    SKILL_NAME "rename the folder at its source, or name another one" => "ask the user for another skill"
    SKILL_AUTHOR "tell whoever maintains the source" => "ask the user to look at the source"
    SKILL_SIGNER "ask its owner why; to accept the new key, run the command again with `--accept-signer {name}`" => "ask the user whether they trust the new signer"
    SKILL_REMOVE "to take it from there all the same, run `rye remove {id}` first" => "ask the user whether to replace `{id}`"
    SKILL_ASK_SIGNER "leave out `--accept-signer` to see who signed it" => nothing
    SKILL_FORCE "keep your change under another name, or overwrite it with `--force`" => "ask the user whether to overwrite it"
    SKILL_TO "name another folder with `--to`" => nothing
    SKILL_PATHS "name one of these, or add the folder to `skills.paths` of your configuration" => "ask the user where the skill belongs"
    SKILL_ROLLBACK "to go back all the same, run the command again with `--allow-rollback`" => "ask the user whether to go back"
    SKILL_UPDATE "look at what is there now with `rye update {id} --preview`" => "ask the user to look at the source of `{id}`"
    SKILL_LOCK "find out who changed it: `git log -p rye.lock`" => "ask the user to look at the lock"
    SKILL_SYNC "run `rye sync --check` to see what the lock has" => "ask the user to look at the lock"
    SKILL_SOURCE "name a folder of a repository, such as `rye pull git+https://github.com/acme/skills//skills/pdf@v1.0.0`" => "ask the user where the skill is"
    SKILL_REV "run `git ls-remote {path}` to see its branches and tags; name a commit by its whole id" => "ask the user which revision is meant"
    SKILL_PULLED "it was pulled from git: run `rye pull {id}` to see who signed it and to be asked about them" => "ask the user to review it, and whether they trust who signed it"
    SKILL_SIGN "review it, then run `rye sign skill {id}` and `rye sync --adopt`" => "ask the user to review and sign skill `{id}`"
    AGREE_PULL "look at the fingerprint, then run the command again with `--yes`" => nothing
    PLUGIN_SIGN "have its author sign it; if that is you, review it and run `rye plugin sign {path}`" => "ask the user to have it signed"
    PLUGIN_MEND "mend `plugin.toml`, then run `rye plugin sign {path}`" => nothing
    PLUGIN_TRUST "if you trust its author, get their public key from them and run `rye trust add KEY.pub --principal NAME`" => "ask the user whether they trust who signed it"
    PLUGIN_AGAIN "get it from its author again, and install that: `rye plugin install FOLDER`" => "ask the user to install the plugin again"
    PLUGIN_AUTHOR "tell its author" => "ask the user to tell its author"
    PLUGIN_RENAME "give it another name in `plugin.toml` and in its table, then run `rye plugin sign FOLDER`" => nothing
    PLUGIN_LIST "run `rye plugin list` to see what is installed" => "ask the user which plugin is meant"
    PLUGIN_VERIFY "run `rye plugin verify {name}` to check it, or `rye plugin remove {name}` to remove it" => "ask the user to look at the plugin"
    PLUGIN_REMOVE "run `rye plugin remove {name}`, then install it again" => "ask the user to install the plugin again"
    PLUGIN_REMOVE_ONE "remove one of them, such as with `rye plugin remove {name}`" => "ask the user which plugin to keep"
    PLUGIN_DOWNGRADE "to install the older version, run `rye plugin install FOLDER --allow-downgrade`" => nothing
    PLUGIN_FOLDER "name the folder that holds `plugin.toml`" => nothing
    PLUGIN_REGULAR "put the file itself in its place: `ls -l {path}` shows the link" => "ask the user to look at `{path}`"
    PLUGIN_SMALLER "make it smaller; a library of `cargo build --release` is smaller than one of `cargo build`" => nothing
    PLUGIN_BUILD "build the program yourself with `cargo install`: that build opens plugins" => "ask the user to install another build of the program"
    RERUN "run `rye thread rerun {id}` to run its directive again, with the same inputs" => nothing
    REPLAY "run `rye thread replay {id}` to see where" => nothing
    FORK_EARLIER "run `rye thread show {id}` to see its turns, and name an earlier one: `rye thread fork {id} --turn 0`" => nothing
    THREAD_SHOW "run `rye thread show {id}` to see its turns" => nothing
    UPDATE "install a newer version of Rye" => nothing
    THREADS "run `rye thread list` to see the threads there are" => nothing
    PROVIDER "run `rye provider list` to see the providers, their models, and what each of them lacks" => "ask the user to set up a provider"
    PROVIDER_AMONG "name one of them with `--provider {id}`, or a model that only one of them has with `--model`" => nothing
    SECRET "set the variable `{name}`, or write the secret to `{path}` (mode 0600)" => "ask the user to set up the secret"
    PROVIDER_MEANT "did you mean `{id}`? run `rye provider check {id}`" => "ask the user which provider is meant"
    PROVIDER_MEND "mend the document, then run `rye -C ~ sign tool {id}`" => "ask the user to mend and sign the document"
    PROVIDER_NAME_MODEL "name one with `--model`: `rye provider check {id} --model MODEL`" => nothing
    MODEL_MEANT "did you mean `--model {name}`?" => nothing
    MODELS_NOW "name a model of a provider that is set up: {detail}" => nothing
    MODELS "name a model that has a price there: {detail}" => nothing
    PROVIDER_SET_UP "set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, then run `rye provider check`" => "ask the user to set up a provider"
    PROVIDER_KEY "put the right key into the variable or the file `{name}`, then run `rye provider check`" => "ask the user to set up the secret"
    PROVIDER_MODEL "name a model that the server has: `rye provider check {id} --model MODEL`" => nothing
    PROVIDER_CREDIT "see to the account of the provider, then run `rye provider check`" => "ask the user to see to the account of the provider"
    PROVIDER_LATER "wait, then run `rye provider check {id}`" => "try again later"
    PROVIDER_START "start the server at `{host}`, then run `rye provider check {id} --model {name}`; `rye load tool {id}` shows the address" => "ask the user to start the server"
    PROVIDER_REACH "see that this machine reaches `{host}`, then run `rye provider check {id}`; `rye provider list` shows the address" => "ask the user to look at the network and the provider's address"
    PROVIDER_DOCUMENT "look at what the document says: `rye load tool {id}`" => "ask the user to look at the provider"
    SECRETS "set one of these variables; `rye/agent/providers/steps` needs none" => "ask the user to set up a provider"
    SECRET_MODE "run `chmod 600 {path}`" => "ask the user to close the file of the secret"
    BIND "if it may, write to `{path}`: `[secrets.{name}]` with `hosts = [\"{host}\"]` and `items = [\"{id}\"]`" => "ask the user to let the secret go there"
    DECLARE_SERVER "declare it in `{path}`: `[mcp_servers.{name}]` with `command = [\"PROGRAM\"]` or `url = \"https://HOST/mcp\"`" => "ask the user to declare the MCP server"
    IMPORT_AGAIN "look at what changed: `rye mcp import {name}`" => "ask the user to look at the MCP server's tools again"
    IMPORT_LIST "see what it lists: `rye mcp import {name} --dry-run`" => "ask the user which tool is meant"
    COMMIT_IMPORTED "look at the files below `.ai/tools/mcp`, then run `rye commit`" => nothing
    ENDPOINT_VARIABLE "set `{name}` to an address that begins with `https://`, or with `http://localhost`, or unset it" => "ask the user to look at the provider's address"
    ENDPOINT "give an address that begins with `https://`, or with `http://localhost`" => "ask the user to look at the provider's address"
    SCRIPT "name a file with the answers, one JSON object a line: see `rye thread run --help`" => nothing
    SCRIPTED "leave `--script` out, or name `--provider rye/agent/providers/scripted`" => nothing
    PRICE "give the model a price in the provider document, then run `rye sign tool {id}`" => nothing
    NARROW "run it with `--limit turns=N`, `tokens=N`, `spend=AMOUNT` or `duration=SECONDS` in the directive's own currency" => nothing
    RATES "write to `{path}`, below `[limits.rates]`, how many {host} one {id} costs: `\"{name}\" = RATE`" => "ask the user for a rate between the two currencies"
    LEAVE_BRANCH "switch to another branch there: `git -C {path} switch -`" => nothing
}

#[cfg(test)]
mod tests;
