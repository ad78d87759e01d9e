//! Every hint of the command line, in one table.
//!
//! A hint is imperative and holds a command that works as pasted where there is one; a test parses them all.

use std::fmt::Display;

/// A hint with places to fill in: `{type}`, `{id}`, `{path}` and the like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hint(&'static str);

impl Hint {
    /// Fills in the places.
    pub(super) fn fill(self, values: &[(&str, &dyn Display)]) -> String {
        values
            .iter()
            .fold(self.0.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value.to_string()))
    }
}

/// Makes a constant for each hint and the table of all of them.
macro_rules! hints {
    ($($name:ident $text:literal)*) => {
        $(pub(super) const $name: Hint = Hint($text);)*

        #[cfg(test)]
        const ALL: &[Hint] = &[$($name),*];
    };
}

hints! {
    HELP "run `rye --help` to see what there is"
    BUG "run the command again; if it stops in the same way, report it with the line above"

    MEANT "did you mean `{id}`?"
    MEANT_QUERY "did you mean {query}? run `rye search {query}`"
    LIST "run `rye list {type}` to see what there is"
    LIST_ALL "run `rye list` to see what there is"
    SIGN_AGAIN "mend it, then run `rye sign {type} {id}`"
    SIGN_ALL "write an item below `.ai/`, then run `rye sign --all`; pass `--allow-empty` where none is fine"
    SHOW_INPUTS "run `rye load {type} {id}` to see what it takes"
    MIGRATE "run `rye migrate --write` to change them"
    COMMIT_ITEM "commit it with `rye commit`, then run `rye sign {type} {id} --detached`"
    SIGN_FIRST "have its author sign it; to be the author, review it and run `rye sign {type} {id}`"
    RESOLVE "resolve the conflicts and run `git add` on the files, then run the command again"
    REVIEW_PENDING "review them with `git diff HEAD -- .ai`, then run `rye commit` on a terminal, or `rye commit --yes`"
    REVIEW_STAGED "review them with `git diff --cached -- .ai`, then run `rye commit` on a terminal"
    ASK_PERSON "ask the person to review it and to run the command in a terminal of their own"
    MEND_ITEMS "mend them; `rye lint` shows every finding"
    IN_A_HOOK "install the hook that signs inside of `git commit` instead: `rye hook install`"
    INDEX_LOCK "end the other git program, or if there is none, run `rm {path}`"
    WHOLE_MERGE "run `rye commit` without paths"
    NOTHING_TO_COMMIT "run `git status` to see what is not staged"
    STILL_STAGED "what was signed stays signed and staged: mend what git names, then run `rye commit` again"
    TWO_HOOKS "look at both, leave the one you want as `{path}`, remove the other, then run the command again"
    PUSH_ANYWAY "push other branches by name; if you mean to publish it, run `git push --no-verify {name} {id}`"
    REMOTES "run `git remote -v` to see which there are"
    REACH_REMOTE "run `git fetch {name}` to see whether you reach it and may read it"
    NOTES_REFUSED "ask whoever runs it to let `refs/notes/rye` be pushed"
    MIGRATE_ITEM "run `rye migrate {id}` to see what they become"
    MIGRATE_ON "mend that, then run the command again: it goes on where it stopped"
    SIGN_AFTER "when the rest is written too, look at the changes, then run `rye sign {type} {id}`"
    SIGN_MIGRATED "look at the changes, then run `rye sign {type} {id}`"
    MEND_JSON "pass an object like `--inputs '{\"name\": \"value\"}'`, or single values like `-i name=value`"
    LOOK_AT "run `rye load {type} {id}` to look at it, or choose another id"
    SNAKE "run `rye new directive {id}`"
    TOO_LARGE "an item has at most 1 MiB: move the file out of the folder, or make it smaller and run `rye lint` to see that it is read"
    LOOK_AT_FILE "run `ls -ld {path}` to see what it is; an item is a file of its own"
    RENAME "rename or remove all of these files but one"
    FORCE "run `rye load {type} {id} --to {space} --force` to overwrite it"
    NO_PROJECT "run `rye init` to make this folder a workspace, or name another one with `-C DIR`"
    CHANGE_DIR "name a folder that exists with `-C DIR`; without it, `RYE_PROJECT` or the current folder counts"
    SERVE_IN "start the server in one project with `rye mcp -C DIR`"
    SERVE_IN_REPOSITORY "start the server in the whole of it with `rye mcp -C {path}`"
    TOOL_ARGUMENTS "call `rye_{name}` again as its schema says"
    PERMIT_CALL "to allow it, put `{name}` into `mcp.permissions` of your configuration, or into the file of `rye mcp --permissions FILE`"
    OTHER_PATH "name another path"
    CONFIG_DENIES "if it is to be allowed, take the pattern out of `permissions.deny` of your configuration or of the project's"
    CONFIG_ASKS "over MCP nobody can be asked: take the pattern out of `permissions.ask`, or do it yourself on the command line"
    ASK_TO_WRITE "ask the user whether you may write `{path}`"
    FOLLOWED "ask the user whether to go on without directive `{id}`"
    WORK_TREE "work in a clone with files: `git clone {path} work`"

    TEMP_DIR "run `chmod +t {path}`, or name a folder of your own: `export TMPDIR=\"$XDG_RUNTIME_DIR\"`"
    CONFIG_MODE "check that it says only what you wrote, then run `chmod go-w {path}`"
    CONFIG_OWNER "check what it says, then run `sudo chown \"$USER\" {path}`"
    TRUST_MODE "check that it says only what you decided, then run `chmod go-w {path}`"
    KEY_MODE "run `chmod go-rwx {path}`"
    KEY_LIST "run `rye key list` to see your keys"
    KEY_GENERATE "run `rye key generate` to make your keys"
    KEY_UNREADABLE "run `ls -ld {path}` to see whether it is there and yours"
    KEY_FILE "name the file of an Ed25519 key, such as `~/.ssh/id_ed25519`, or run `rye key generate` to make one"
    KEY_TEXT "put the key into the variable `RYE_SIGNING_KEY`, or into a file that only you can read"
    KEY_VARIABLE "set it to the path of a key's file, or to the text of a key without passphrase"
    KEY_OWN "sign with your own key, which `rye key list` shows"
    KEY_FORCE "run `rye key import {path} --force` to sign with this one from now on; the old key is kept aside"
    KEY_UNPROTECTED "run it on a terminal, or `rye key generate` for a key without passphrase"
    KEY_PASSPHRASE "run `ssh-keygen -p -f {path}` to change, set or remove its passphrase"
    KEY_PASSPHRASE_AGAIN "run `rye key generate --passphrase` again"
    KEY_IMPORT "if your ssh-agent holds the other half, run `rye key import FILE` with the file of this one"
    KEY_ED25519 "run `ssh-keygen -t ed25519` to make a key of that type, or `rye key generate`"
    KEY_PUTTY "run `puttygen {path} -O private-openssh-new -o {path}.openssh`, then name that file"
    KEY_PKCS8 "run `openssl pkey -in {path} -out {path}.pem`, then name that file"
    AGENT_ADD "run `ssh-add {path}`, and the ssh-agent signs; where none is running, `eval \"$(ssh-agent)\"` starts one"
    AGENT_START "run `eval \"$(ssh-agent)\"` to start one, then `ssh-add FILE` with the file of the private key"
    AGENT_LIST "run `ssh-add -l` to see what it holds, and `ssh-add FILE` with the file of the private key"
    AGENT_CONFIRM "agree when it asks, or run `ssh-add FILE` with the file of the private key to have it sign unasked"
    PUBLIC_KEY "name a file with a public key, such as `rye trust add ~/.ssh/id_ed25519.pub`"
    PUBLIC_HALF "run `rye trust add {path}` with the public half"
    ALLOWED_SIGNERS "name a file with lines like those of `rye key export --as allowed-signers`"
    REVOKED "name a file with one public key a line, such as `ssh-ed25519 AAAA… whose`"
    NAME_SIGNERS "name a revision that has them, or a file of signers: `rye verify --allowed-signers FILE`"
    TRUST_FILES "run `git show {name}:.ai/trust/trust.sig` to see what was signed, or name a revision that is older"
    REMOVE_AGENT "run `rye trust remove {id} --project`, then propose again"
    REVIEW_AGENT "review what it signed, then sign it with your own key"
    MEND_LINE "mend or remove that line"

    PRINCIPAL "name the holder with `--principal ada@example.org`"
    REASON "write it in one line: `--reason 'laptop stolen'`"
    TRUST_LIST "run `rye trust list` to see the keys there are, or name a file with the public key"
    TRUST_KEY_ID "name one of them by its id"
    REVOKE_OWN "if it may be in other hands, run `rye trust revoke {id}`"
    KEY_REPLACE "to use another one from now on, run `rye key import new_key --force`"
    KEY_RENEW "for a new one, run `ssh-keygen -t ed25519 -f new_key && rye key import new_key --force`, then review what the old one signed and sign it again"
    AGENT_REPLACE "for a new one, move `agent` and `agent.pub` out of the folder that `rye key list` shows, then run `rye key generate`"
    TRUST_REVOKED "its signatures are always bad; if that was a mistake, take its line out of `{path}`"
    TRUST_PIN "move `{path}` away, then run `rye trust accept` to decide anew"
    TRUST_ACCEPT "run `rye trust accept` again to see what would change now"
    TRUST_ACCEPT_YES "look at what would change, then run `rye trust accept --yes`"
    TRUST_PROPOSE "a root of the project signs its files as they are: `rye trust propose`"
    TRUST_FIRST "a maintainer makes the first ones: `rye trust propose`"
    TRUST_STAYS "what you accepted stays in force; ask those who change these files, and look at them with `git log -p -- .ai/trust`"
    TRUST_ROOT "ask a root of the project to run `rye trust propose --root their_key.pub` with your public key: `rye key export`"
    TRUST_PRINCIPAL "run `rye trust propose --principal ada@example.org` with your own name"
    COMMIT_FIRST "commit something, then run `rye trust accept`"

    HOME "set `HOME` to your home folder's absolute path"
    ABSOLUTE "set it to an absolute path, or unset it"
    CONFIG "mend the setting, or take it out"

    INTERPRETER "install the interpreter, or set its path for one run with `--config interpreters.{name}=/usr/bin/{name}`"
    REINSTALL "build or install rye again: its plugins must lie beside it and belong to it"

    RETRY "run the command again"
    UNWRITABLE "give yourself access to that place, or keep keys elsewhere: set `XDG_CONFIG_HOME` to a folder you can write to"
    WRITABLE "let `{path}` be written, or move away what stands in its place"
    DISK "make room, then run the command again"
    REF_FORMAT "run `git -C {path} refs migrate --ref-format=files`, which keeps every branch"
    LOOK_FOR_LOCKS "end the other git program, then run the command again"
    REVISION "run `git log --oneline --all` to see which there are"
    WHOLE_REF "write the whole name of the one you mean, such as `rye verify --rev {name}`; a tag that is in the way goes with `git tag -d NAME`"
    NO_COMMITS "run `git log --oneline A..B` to see what it is; with `--commits`, pass `--allow-empty` where none is fine"
    FETCH_BRANCH "fetch the branch: `git fetch {name} +refs/heads/{id}:refs/remotes/{name}/{id}`, and name it `refs/remotes/{name}/{id}`"
    FULL_TAG "if you mean the tag, write its full name: `{name}`"
    RANGE "write `A..B`: the commits that `B` has and `A` has not, such as `origin/main..HEAD`"
    UNSHALLOW "run `git fetch --unshallow`"
    FETCH_ALL "run `git fetch --refetch --no-filter {name}`"
    ALTERNATE "bring `{path}` back, or clone the repository anew without `--shared` and `--reference`"
    INSTALL_GIT "install git, and see that `git --version` runs"
    FSCK "run `git fsck --full` to see what is damaged, and clone the repository anew"
    REVISION_OF_BARE "or verify a revision: `rye verify --rev HEAD`"
    BARE_INSIDE "run `rye -C {path} list` for the work tree; for the bare repository, set `GIT_CEILING_DIRECTORIES` to the folder around it"
    BARE_DENIED "clone it and work there, or allow it: `git config --global safe.bareRepository all`"
    WORK_TREE_ELSEWHERE "if you did not mean that, run `git -C {path} config --unset core.worktree`"
    NOT_REGULAR "look at it with `ls -l {path}`; git makes no such file"
    GRAFTS "look at the file, then remove it: `rm {path}`"
    REPLACE_REFS "run `git replace -l` to see them, and `git replace -d ID` to remove one"
    BRANCH_IN_WAY "rename the branch, or keep threads elsewhere with `--config threads.prefix=NAME`"
    THREADS "run `rye thread list` to see the threads there are"
    PROVIDER "name one with `--provider rye/agent/providers/steps`, or a model it has with `--model`"
    SCRIPTED "leave `--script` out, or name `--provider rye/agent/providers/scripted`"
    PRICE "give the model a price in the provider document, then run `rye sign tool {id}`"
    NARROW "run it with `--limit turns=N`, `tokens=N`, `spend=AMOUNT` or `duration=SECONDS` in the directive's own currency"
    LEAVE_BRANCH "switch to another branch there: `git -C {path} switch -`"
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use clap::Parser as _;

    use super::*;
    use crate::cli::command::Cli;
    use crate::id::ItemType;
    use crate::ops::verify;
    use crate::trust::{Fault, KeyId, Subject};

    const SAMPLES: &[(&str, &dyn Display)] = &[
        ("type", &"directive"),
        ("id", &"demo/greet"),
        ("space", &"user"),
        ("path", &"/tmp/a.md"),
        ("name", &"python3"),
        ("query", &"greeting"),
    ];

    fn ops_hints() -> Vec<String> {
        let subject = Subject {
            item_type: ItemType::Tool,
            item_id: "demo/echo".parse().unwrap(),
            extension: "py".parse().unwrap(),
        };
        let key_id: KeyId = "0123456789abcdef".parse().unwrap();
        let moment = crate::id::Timestamp::from_milliseconds(0);
        let faults = [
            Fault::Unsigned,
            Fault::MalformedLine { reason: "" },
            Fault::SecondLine,
            Fault::Changed,
            Fault::Misplaced,
            Fault::UntrustedKey { key_id: key_id.clone() },
            Fault::AgentSigned,
            Fault::OutsideValidity { key_id: key_id.clone() },
            Fault::Legacy { key_id: key_id.clone(), uncovered: Vec::new() },
            Fault::Revoked { key_id },
            Fault::RolledBack { base: moment, claimed: moment },
            Fault::BroughtBack { removed: moment, claimed: moment },
            Fault::MissingCountersignatures { have: 1, need: 2 },
            Fault::Unshadowed,
            Fault::Downgraded,
        ];
        faults.iter().map(|fault| verify::hint(&subject, fault)).collect()
    }

    /// Returns the commands between backticks that run this program.
    fn commands(hint: &str) -> Vec<&str> {
        hint.split('`').skip(1).step_by(2).filter(|quoted| quoted.starts_with("rye ")).collect()
    }

    #[test]
    fn every_command_in_a_hint_parses() {
        let filled: Vec<String> = ALL.iter().map(|hint| hint.fill(SAMPLES)).chain(ops_hints()).collect();
        let mut parsed = 0;
        for hint in &filled {
            for command in commands(hint) {
                match Cli::try_parse_from(command.split(' ')) {
                    Err(error) if error.use_stderr() => panic!("{command}: {error}"),
                    _ => parsed += 1,
                }
            }
        }
        assert!(parsed > 15, "{parsed} commands were found");
    }

    #[test]
    fn every_place_is_filled_in() {
        for hint in ALL {
            let filled = hint.fill(SAMPLES);
            assert!(!filled.contains('{') || filled.contains("'{\""), "{filled}");
        }
    }
}
