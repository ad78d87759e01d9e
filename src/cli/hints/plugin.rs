//! Hints about plugins.

use super::{ForModel, Hint};

hints! {
    AGREE_INSTALL "look at who signed it and what it needs, then run the command again with `--yes`" => nothing
    PLUGIN_SIGN "have its author sign it; if that is you, review it and run `rye plugin sign {path}`" => "ask the user to have it signed"
    PLUGIN_MEND "mend `plugin.toml`, then run `rye plugin sign {path}`" => nothing
    PLUGIN_TRUST "if you trust its author, get their public key from them and run `rye trust add KEY.pub --principal NAME`" => "ask the user whether they trust who signed it"
    PLUGIN_AGAIN "get it from its author again, and install that: `rye plugin install FOLDER`" => "ask the user to install the plugin again"
    PLUGIN_AUTHOR "tell its author" => "ask the user to tell its author"
    PLUGIN_RENAME "give it another name in `plugin.toml` and in its table, then run `rye plugin sign FOLDER`" => nothing
    PLUGIN_LIST "run `rye plugin list` to see the installed plugins" => "ask the user which plugin is meant"
    PLUGIN_VERIFY "run `rye plugin verify {name}` to check it, or `rye plugin remove {name}` to remove it" => "ask the user to look at the plugin"
    PLUGIN_REMOVE "run `rye plugin remove {name}`, then install it again" => "ask the user to install the plugin again"
    PLUGIN_REMOVE_ONE "remove one of them, such as with `rye plugin remove {name}`" => "ask the user which plugin to keep"
    PLUGIN_DOWNGRADE "to install the older version, run `rye plugin install FOLDER --allow-downgrade`" => nothing
    PLUGIN_FOLDER "name the folder that contains `plugin.toml`" => nothing
    PLUGIN_REGULAR "put the file itself in its place: `ls -l {path}` shows the link" => "ask the user to look at `{path}`"
    PLUGIN_SMALLER "make it smaller; a library of `cargo build --release` is smaller than one of `cargo build`" => nothing
    PLUGIN_BUILD "build the program yourself with `cargo install`: that build opens plugins" => "ask the user to install another build of the program"
}
