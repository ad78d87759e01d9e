//! Hints about whose signatures count.

use super::{ForModel, Hint};

hints! {
    TRUST_MODE "check that it says only what you decided, then run `chmod go-w {path}`" => "ask the user to check who can write `{path}`"
    ALLOWED_SIGNERS "name a file with lines like those of `rye key export --as allowed-signers`" => nothing
    REVOKED "name a file with one public key a line, such as `ssh-ed25519 AAAA… whose`" => nothing
    NAME_SIGNERS "name a revision that has them, or a file of signers: `rye verify --allowed-signers FILE`" => nothing
    TRUST_FILES "run `git show {name}:{path}` to see it, or name a revision that is older" => nothing
    REMOVE_AGENT "run `rye trust remove {id} --project`, then propose again" => nothing
    REVIEW_AGENT "review what it signed, then sign it with your own key" => "ask the user to review and sign what it signed"
    MEND_LINE "mend or remove that line" => "ask the user to mend that line"
    TRUST_USES "leave `--use` out to trust it for those, or change the line" => nothing
    TRUST_UNNAMED "ask whose key it is, then run `rye trust add {path} --principal ada@example.org` with their name" => nothing
    TRUST_COMMENT "or have them send it again: `rye key export` prints their name, too" => nothing
    PROPOSE_UNNAMED "ask whose key it is, then run `rye trust add {path} --principal eve@example.org --project` with their name, and `rye trust propose --commit`" => nothing
    PROPOSE_FIRST "run `rye trust propose` without it first; then ask whose key it is, and run `rye trust add {path} --principal eve@example.org --project` with their name, and `rye trust propose --commit`" => nothing
    PROPOSE_COMMENT "or ask them for it again, with their name: `rye key export --comment eve@example.org`" => nothing
    PROPOSE_ROOT "ask them for it again, with their name: `rye key export --comment eve@example.org`" => nothing
    PROPOSE_AS_ROOT "propose it with `--root` if this person is to sign changes of the trust files; otherwise remove `rye-trust` from the line" => nothing
    PRINCIPAL "name the holder with `--principal ada@example.org`" => nothing
    REASON "write it in one line: `--reason 'laptop stolen'`" => nothing
    TRUST_LIST "run `rye trust list` to list the keys, or name a file with the public key" => nothing
    TRUST_KEY_ID "name one of them by its id" => nothing
    TRUST_REVOKED "its signatures are always bad; if that was a mistake, take its line out of `{path}`" => "ask the user to look at `{path}`"
    TRUST_PIN "move `{path}` away, then run `rye trust accept` to decide anew" => "ask the user to look at `{path}`"
    TRUST_ACCEPT "run `rye trust accept` again to see what would change now" => nothing
    TRUST_ACCEPT_YES "look at what would change, then run `rye trust accept --yes`" => nothing
    TRUST_PROPOSE "ask a root of the project to sign the trust files with `rye trust propose`" => nothing
    TRUST_FIRST "a maintainer proposes the first keys with `rye trust propose`" => nothing
    TRUST_STAYS "what you accepted stays in force; ask those who change these files, and look at them with `git log -p -- .ai/trust`" => nothing
    TRUST_ROOT "ask a root of the project to run `rye trust propose --root their_key.pub` with your public key: `rye key export`" => nothing
    TRUST_PRINCIPAL "run `rye trust propose --principal ada@example.org` with your own name" => nothing
    COMMIT_FIRST "commit something, then run `rye trust accept`" => nothing
}
