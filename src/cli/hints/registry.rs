//! Hints about registries, and publishing to them.

use super::{ForModel, Hint};

hints! {
    REGISTRY_LIST "run `rye registry list` to see those you use" => nothing
    REGISTRY_ADD "add one with `rye registry add NAME URL`, or make one with `rye registry init DIR`" => "ask the user which registry to use"
    REGISTRY_FLAG "name one of them with `--registry NAME`" => nothing
    REGISTRY_NAME "name one of them with `--registry`, or as the last argument" => nothing
    REGISTRY_INIT "make a registry with `rye registry init DIR`, in a folder that is empty" => nothing
    REGISTRY_INIT_NAME "give it one: `rye registry init DIR --name team`" => nothing
    REGISTRY_USE "to use it, run `rye registry add {name} {path}`" => nothing
    REGISTRY_URL "name a folder, `ssh://host/path`, `user@host:path`, `https://host/path` or `static+https://host/path`" => nothing
    REGISTRY_REACH "run `git ls-remote {path}` to see whether you reach it and may read it" => "ask the user to look at the registry"
    REACH_HOST "check the name of the host in `rye registry list`, and that this machine is online" => "ask the user to look at the network"
    REACH_SERVER "check that the server runs and that you may connect to it: `git ls-remote {path}`" => "ask the user to look at the network"
    REACH_ACCESS "check your ssh key or your credentials with `git ls-remote {path}`, or ask its host for access" => "ask the user to look at their access to the registry"
    REACH_HOST_KEY "run `git ls-remote {path}`, and compare the fingerprint that ssh shows with the one from its host" => "ask the user to look at the registry's host"
    REACH_CERTIFICATE "run `git ls-remote {path}` to see which certificate it has, and ask the administrator of the server or the network" => "ask the user to look at the registry's host"
    REACH_REPOSITORY "check the address in `rye registry list`, or ask its host" => "ask the user for the address of the registry"
    ADD_HOST "check the name of the host in the address, and that this machine is online" => "ask the user to look at the network"
    ADD_REPOSITORY "check the address `{path}`, or ask the registry's host for it" => "ask the user for the address of the registry"
    REACH_STATIC "run `curl --fail {path}` to see what the server answers, and check the address" => "ask the user to look at the registry's host"
    REGISTRY_BY_GIT "add it by the address of its git repository, under another name: `rye registry add NAME URL`" => "ask the user for the git repository of the registry"
    REGISTRY_REJECTED "ask its host to let you push to its branch `main`" => "ask the user to look at the registry"
    REGISTRY_REFUSED "do not use it, and send the line above to its host" => "ask the user to look at the registry"
    REGISTRY_REPLACED "do not use it, and ask its host why; only if you know the reason, `rye registry remove {name}` forgets what you saw of it" => "ask the user to look at the registry"
    REGISTRY_STALE "ask its host why it does not change, and an owner to run `rye registry renew {name}`" => "ask the user to look at the registry"
    REGISTRY_ONLINE "run the command again without `--offline` or `--frozen`" => nothing
    REGISTRY_MIRROR "run the command again without `--offline` or `--frozen`: the copy is made again" => nothing
    REGISTRY_SAFE "if you trust that user, run `git config --global --add safe.directory {path}`" => "ask the user whether they trust the owner of the folder"
    REGISTRY_SHARE "ask its owner to run `git -C {path} config core.sharedRepository group && chmod -R g+rwX {path}`, with a group that you are in" => "ask the user to look at the permissions of the registry"
    REGISTRY_SHA1 "make it with `git init --bare --object-format=sha1`, or name a folder that is empty" => nothing
    REGISTRY_REMOVE "choose another name, or run `rye registry remove {name}` first" => nothing
    REGISTRIES_FILE "correct the file, or move it away and add the registries again: `rye registry add NAME URL`" => "ask the user to look at the file"
    REGISTRY_INFO "run `rye registry info` to see its items" => nothing
    REGISTRY_OF_LOCK "ask the project's author for its address, then run `rye registry add {name} URL`" => "ask the user for the address of the registry"
    REGISTRY_VERSIONS "run `rye registry info {name}` to see its items" => nothing
    REGISTRY_UNPIN "run `rye registry list` to see which namespaces come from `{name}`: another registry may only pretend to have this one" => "ask the user which registry is meant"
    NAMESPACE "move it into a namespace: `rye mv {type} {id} team/{id}`" => "ask the user for an id of two segments"
    SKILL_NAMESPACE "name one of yours: `rye publish skill {name} --namespace team --version 1.0.0`" => "ask the user for a namespace"
    SKILL_NEW_VERSION "give it a new version: `--version 1.0.1`, or `version` below `metadata` in `SKILL.md`" => "ask the user which version it is"
    NAMESPACED_ID "write the whole id, such as `rye pull team/runbook`" => nothing
    COPY_NAMESPACE "copy it with `rye load {type} {id} --to project`, then move the copy: `rye mv {type} {id} team/{name} --sign`" => "ask the user for another id"
    PULLED_LIST "run `rye outdated` to list the pulled items" => "ask the user which item is meant"
    OTHER_NAMESPACE "bring it under another namespace: `rye mv {type} {id} team/{name}`" => "ask the user for another id"
    ASK_OWNER "ask an owner to run `rye registry owner add {namespace} your_key.pub`; `rye registry info {name}` lists their keys" => "ask the user who owns the namespace"
    ASK_PUBLISHER "ask an owner of a namespace; `rye registry info {name}` lists their keys" => "ask the user who owns a namespace"
    SIGN_TO_PUBLISH "review it, then run `rye sign {type} {id}`" => "ask the user to review and sign {type} `{id}`"
    SKILL_NO_VERSION "add `--version 1.0.0`, or write `version` below `metadata` in `SKILL.md`" => "ask the user which version it is"
    GIVE_VERSION "declare one like `1.0.0` in its header, then run `rye sign {type} {id}`" => "ask the user to give {type} `{id}` a version"
    NEW_VERSION "give it a new version in its header, then run `rye sign {type} {id}`" => "ask the user to give {type} `{id}` a new version"
    OTHER_SPELLING "choose an id that differs in more than upper and lower case" => "ask the user for another id"
    CLAIM "publish an item in it: who does so first owns it" => nothing
    TRANSFER "give it to another key with `rye registry owner transfer {namespace} their_key.pub`" => nothing
    CHECKPOINT "name a file that `rye registry checkpoint` wrote" => nothing
    KEY_OF_OWNER "if the key that owns the namespace is on another machine, run `rye key import FILE`" => nothing
    OWNER_KEY "name a file with one line like `ssh-ed25519 AAAA…`; `rye key export` prints yours" => nothing
}
