//! Hints about private keys and the ssh-agent.

use super::{ForModel, Hint};

hints! {
    KEY_MODE "run `chmod go-rwx {path}`" => "ask the user to check who can read `{path}`"
    KEY_HOLDER "name the holder with `--principal ada@example.org`, or tell git your address: `git config --global user.email ada@example.org`" => nothing
    KEY_NAMELESS "the line does not name you: set git's `user.email`, or pass `--comment 'Ada <ada@example.org>'`" => nothing
    KEY_COMMENT "write it in one line: `--comment 'Ada <ada@example.org>'`" => nothing
    KEY_LIST "run `rye key list` to see your keys" => "ask the user to look at their keys"
    KEY_GENERATE "run `rye key generate` to make your keys" => "ask the user to look at their keys"
    KEY_UNREADABLE "run `ls -ld {path}` to see whether it is there and yours" => "ask the user to look at their keys"
    KEY_UNUSABLE "name another key with `--key FILE`; if it is your own, move `{path}` away, then run `rye key generate`" => "ask the user to look at their keys"
    KEY_TO_IMPORT "name the file of a private key: `rye key import ~/.ssh/id_ed25519`" => "ask the user to look at their keys"
    KEY_FILE "name the file of an Ed25519 key, such as `~/.ssh/id_ed25519`, or run `rye key generate` to make one" => "ask the user to look at their keys"
    KEY_TEXT "put the key into the variable `RYE_SIGNING_KEY`, or into a file that only you can read" => nothing
    KEY_VARIABLE "set it to the path of a key's file, or to the text of a key without passphrase" => nothing
    KEY_OWN "sign with your own key, which `rye key list` shows" => nothing
    KEY_FORCE "run `rye key import {path} --force` to sign with this one from now on; the old key is kept aside" => nothing
    KEY_UNPROTECTED "run it on a terminal, or `rye key generate` for a key without passphrase" => nothing
    KEY_PASSPHRASE "run `ssh-keygen -p -f {path}` to change, set or remove its passphrase" => nothing
    KEY_PASSPHRASE_AGAIN "run `rye key generate --passphrase` again" => nothing
    KEY_IMPORT "if your ssh-agent has the other half, run `rye key import FILE` with the file of this one" => nothing
    KEY_ED25519 "run `ssh-keygen -t ed25519` to make a key of that type, or `rye key generate`" => nothing
    KEY_PUTTY "run `puttygen {path} -O private-openssh-new -o {path}.openssh`, then name that file" => nothing
    KEY_PKCS8 "run `openssl pkey -in {path} -out {path}.pem`, then name that file" => nothing
    AGENT_EXPORT "run `rye key export agent`" => nothing
    AGENT_ADD "run `ssh-add {path}`, and the ssh-agent signs; where none is running, `eval \"$(ssh-agent)\"` starts one" => nothing
    AGENT_START "run `eval \"$(ssh-agent)\"` to start one, then `ssh-add FILE` with the file of the private key" => nothing
    AGENT_LIST "run `ssh-add -l` to list its keys, and `ssh-add FILE` with the file of the private key" => nothing
    AGENT_CONFIRM "agree when it asks, or run `ssh-add FILE` with the file of the private key to have it sign unasked" => nothing
    PUBLIC_KEY "name a file with a public key, such as `~/.ssh/id_ed25519.pub`" => nothing
    PUBLIC_HALF "run `rye trust add {path}` with the public half" => nothing
    PUBLIC_OPENPGP "run `gpg --export --armor ada@example.org >key.asc`, then `rye trust add key.asc`" => nothing
    PUBLIC_COUNTS "for commits that git signs with this key, run `rye trust add {path}` with the public half" => nothing
    REVOKE_OWN "if others may have it, run `rye trust revoke {id}`" => nothing
    KEY_REPLACE "to use another one from now on, run `rye key import new_key --force`" => nothing
    KEY_RENEW "for a new one, run `ssh-keygen -t ed25519 -f new_key && rye key import new_key --force`, then review what the old one signed and sign it again" => nothing
    AGENT_REPLACE "for a new one, move `agent` and `agent.pub` out of the folder that `rye key list` shows, then run `rye key generate`" => nothing
}
