//! Hints about the project, the configuration, and files in the way.

use super::{ForModel, Hint};

hints! {
    TOO_LARGE "an item has at most 1 MiB: move the file out of the folder, or make it smaller and run `rye lint` to see that it is read" => "ask the user to move the file or to make it smaller"
    FILE_TOO_LARGE "run `ls -l {path}` to see how large it is, then make it smaller or remove it" => "ask the user to make `{path}` smaller"
    LOOK_AT_FILE "run `ls -ld {path}` to see its type; an item is a file of its own" => "ask the user to look at `{path}`"
    NO_PROJECT "run `rye init` to turn this folder into a workspace, or name another one with `-C DIR`" => "ask the user which project to work in"
    NO_PROJECT_HERE "this folder is not in a git repository: name the project with `-C DIR`" => "ask the user which project to work in"
    PROJECT_AROUND "work in the project around it with `-C {path}`" => "name the project around it"
    CHANGE_DIR "name a folder that exists with `-C DIR`; without it, `RYE_PROJECT` or the current folder is used" => "ask the user which folder to work in"
    WORK_TREE "work in a clone with files: `git clone {path} work`" => "ask the user which clone to work in"
    FOREIGN_TEMP "name a folder of your own: `export TMPDIR=\"$XDG_RUNTIME_DIR\"`" => "ask the user to mend their environment"
    NO_TEMP "run `mkdir -p {path}`, or name a folder that is there: `export TMPDIR=/tmp`" => "ask the user to mend their environment"
    TEMP_DIR "run `chmod +t {path}`, or name a folder of your own: `export TMPDIR=\"$XDG_RUNTIME_DIR\"`" => "ask the user to mend their environment"
    CONFIG_MODE "check that it says only what you wrote, then run `chmod go-w {path}`" => "ask the user to check who can write `{path}`"
    CONFIG_OWNER "check what it says, then run `sudo chown \"$USER\" {path}`" => "ask the user to check who can write `{path}`"
    MEND_LINK "bring back what it leads to, or if you do not want it any more, run `rm {path}`" => "ask the user to mend the link `{path}`"
    HOME "set `HOME` to your home folder's absolute path" => "ask the user to mend their environment"
    ABSOLUTE "set it to an absolute path, or unset it" => "ask the user to mend their environment"
    CONFIG "correct or remove the setting" => "ask the user to correct their configuration"
    CONFIG_OF_PROJECT "correct or remove the setting ({detail})" => "ask the user to correct the project's configuration"
    OUTPUT_NOT_OWN "name a path outside of the folders for settings, keys, trust, threads and caches" => nothing
    OUTPUT_ELSEWHERE "name a file outside of `.git`, or `-` for standard output" => nothing
    OUTPUT_FILE "name a regular file, or `-` for standard output" => nothing
    PAGE_FILE "write the page to a file: `--html FILE`" => nothing
    UNWRITABLE "give yourself access to that place, or keep keys elsewhere: set `XDG_CONFIG_HOME` to a folder you can write to" => "ask the user to let that place be written"
    UNPROTECT "run `chmod u+w {path}`" => "ask the user to let `{path}` be written"
    MOVE_IGNORED "move `{path}` out of the folder of the skill, then run the command again" => "ask the user to move `{path}` away"
    MAKE_WRITABLE "make `{path}` writable, then run the command again" => "ask the user to let `{path}` be written"
    WRITABLE "let `{path}` be written, or move the other file away" => "ask the user to let `{path}` be written"
    DISK "make room, then run the command again" => "ask the user to make room"
}
