//! Hints about every command.

use super::{ForModel, Hint};

hints! {
    HELP "run `rye --help` to list the commands" => nothing
    BUG "run the command again; if it stops in the same way, report it with the line above" => "ask the user to report it, with the line above"
    COMMANDS "run `rye help` to list the commands" => nothing
    AGREE "look at the list, then run the command again with `--yes`" => nothing
    AGREE_PUSH "run it on a terminal, which lists what becomes public and asks, or pass `--yes`" => nothing
    RETRY "run the command again" => same
    UPDATE "install a newer version of Rye" => nothing
}
