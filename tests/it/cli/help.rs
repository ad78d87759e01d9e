//! Help of every command.

mod groups;

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

fn whole(args: &[&str]) -> String {
    Sandbox::empty().rye(args).transcript()
}

/// Returns a command's help without the global options, which must be the very same as everywhere.
fn help(args: &[&str]) -> String {
    let root = whole(&["--help"]);
    let global = global_options(&root);
    let own = whole(args);
    assert!(own.contains(global), "{args:?} tells the global options differently: {own}");
    own.replace(global, "[global options]\n\n")
}

fn global_options(help: &str) -> &str {
    let start = help.find("Global options:").unwrap();
    &help[start..help.find("Examples:").unwrap()]
}

#[test]
fn mcp() {
    assert_seen(
        help(&["mcp", "--help"]),
        str![[r#"
$ rye mcp --help
Serve the four primaries to an AI client, over MCP on stdin and stdout

A client gets the tools `rye_execute`, `rye_search`, `rye_load` and `rye_sign`, directives as
prompts and knowledge as resources. Without permissions it may search, load and execute; what it
signs, the agent key signs. It works in the folder of `-C`, else in the roots that the client names,
else where it was started. Ends with stdin, or with 5 when a signal asks it to.

Usage: rye mcp [OPTIONS]
       rye mcp <COMMAND>

Commands:
  import  Make the tools of an MCP server tools of this project
  help    Print this message or the help of the given subcommand(s)

Options:
      --permissions <FILE>
          Let the client call only what this capability document allows

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye mcp -C work/project
  rye mcp --permissions readonly.yaml

  # Claude Code, Codex CLI, Gemini CLI, VS Code
  claude mcp add rye -- rye mcp
  codex mcp add rye -- rye mcp
  gemini mcp add rye rye mcp
  code --add-mcp '{"name": "rye", "command": "rye", "args": ["mcp"]}'

  # Cursor: ~/.cursor/mcp.json; Claude Desktop: claude_desktop_config.json
  {"mcpServers": {"rye": {"command": "rye", "args": ["mcp", "-C", "/home/ada/project"]}}}

  # Zed: settings.json
  {"context_servers": {"rye": {"command": "rye", "args": ["mcp"]}}}
[exit 0]

"#]],
    );
}

#[test]
fn the_program() {
    assert_seen(
        whole(&["--help"]),
        str![[r#"
$ rye --help
Agents' workspaces and runs as ordinary, verifiable git

Directives, tools and knowledge are files in `.ai/`, signed by people. Rye runs what is signed,
under the permissions and limits it declares, and keeps every run as a branch that stock git can
show and verify.

Usage: rye [OPTIONS] <COMMAND>

Commands:
  init         Make a folder a workspace
  new          Write a valid item to begin with
  list         Show what there is, and what its signature is worth
  search       Find items by what they say, and with --threads what was said and done in threads
  execute      Follow a directive, run a tool or take in knowledge
  load         Print an item as it is stored, or copy it to another space
  show         Show what an item is, takes and may do, who signed it, and its versions
  sign         Check items, then sign them with your key
  commit       Sign what changed below `.ai/`, and commit it
  verify       Check the signature of every item of the project
  lint         Show everything that is wrong, or could be better, with how items are written
  permissions  Show what a directive may do in the end, and which line grants it
  migrate      Rewrite legacy forms of the project's items as current ones
  mv           Give an item another id, and update what names it
  publish      Publish a version of an item in a registry
  pull         Pull items from a registry, or skills from git
  outdated     Show what was pulled and has a newer version
  update       Bring what was pulled to its newest version
  remove       Remove an item that was pulled
  sync         Make the folders of skills what `rye.lock` says
  registry     Where items are published
  thread       Directives run as threads, each on a branch of its own
  plugin       Plugins of others
  provider     Which models can be asked
  mcp          Serve the four primaries to an AI client, over MCP on stdin and stdout
  hook         Sign inside of `git commit`
  notes        Signatures beside what is committed
  key          Your keys
  trust        Whom you trust
  status       Show what waits for you: items to sign or commit, keys to decide about, threads to
               take up again
  diff         Show what changed in items since they were signed
  doctor       Look at what rye needs here, and say how to mend what is missing
  completions  Print what makes a shell complete commands and options
  man          Print the manual page of a command, or write all of them
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

  -V, --version
          Print version

Global options:
  -C <DIR>
          Work as if started in DIR

      --format <FORMAT>
          Print text for people, or one JSON object
          
          [default: human]
          [possible values: human, json]

      --json
          The same as --format json

  -q, --quiet
          Say nothing but what was asked for, and errors

  -v, --verbose...
          Say more

      --color <WHEN>
          When to use colour: `auto` is on a terminal, unless NO_COLOR is set
          
          [default: auto]
          [possible values: auto, always, never]

      --config <KEY=VALUE>
          Set a configuration key for this run

      --yes
          Answer every question with yes

Examples:
  rye init                            make this folder a workspace
  rye list                            show what there is, and what its signature is worth
  rye search greeting                 find items by what they say
  rye sign --all                      sign every item of the project
  rye verify                          check every signature
  rye thread run rye/guides/first_thread
                                      run a directive as a thread, on a branch of its own
[exit 0]

"#]],
    );
    assert_seen(
        whole(&["--version"]),
        str![[r#"
$ rye --version
rye 0.1.0
[exit 0]

"#]],
    );
    assert_seen(
        whole(&[]),
        str![[r#"
$ rye 
[stderr]
Agents' workspaces and runs as ordinary, verifiable git

Usage: rye [OPTIONS] <COMMAND>

Commands:
  init         Make a folder a workspace
  new          Write a valid item to begin with
  list         Show what there is, and what its signature is worth
  search       Find items by what they say, and with --threads what was said and done in threads
  execute      Follow a directive, run a tool or take in knowledge
  load         Print an item as it is stored, or copy it to another space
  show         Show what an item is, takes and may do, who signed it, and its versions
  sign         Check items, then sign them with your key
  commit       Sign what changed below `.ai/`, and commit it
  verify       Check the signature of every item of the project
  lint         Show everything that is wrong, or could be better, with how items are written
  permissions  Show what a directive may do in the end, and which line grants it
  migrate      Rewrite legacy forms of the project's items as current ones
  mv           Give an item another id, and update what names it
  publish      Publish a version of an item in a registry
  pull         Pull items from a registry, or skills from git
  outdated     Show what was pulled and has a newer version
  update       Bring what was pulled to its newest version
  remove       Remove an item that was pulled
  sync         Make the folders of skills what `rye.lock` says
  registry     Where items are published
  thread       Directives run as threads, each on a branch of its own
  plugin       Plugins of others
  provider     Which models can be asked
  mcp          Serve the four primaries to an AI client, over MCP on stdin and stdout
  hook         Sign inside of `git commit`
  notes        Signatures beside what is committed
  key          Your keys
  trust        Whom you trust
  status       Show what waits for you: items to sign or commit, keys to decide about, threads to
               take up again
  diff         Show what changed in items since they were signed
  doctor       Look at what rye needs here, and say how to mend what is missing
  completions  Print what makes a shell complete commands and options
  man          Print the manual page of a command, or write all of them
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help (see more with '--help')
  -V, --version  Print version

Global options:
  -C <DIR>                  Work as if started in DIR
      --format <FORMAT>     Print text for people, or one JSON object [default: human] [possible
                            values: human, json]
      --json                The same as --format json
  -q, --quiet               Say nothing but what was asked for, and errors
  -v, --verbose...          Say more
      --color <WHEN>        When to use colour: `auto` is on a terminal, unless NO_COLOR is set
                            [default: auto] [possible values: auto, always, never]
      --config <KEY=VALUE>  Set a configuration key for this run
      --yes                 Answer every question with yes

Examples:
  rye init                            make this folder a workspace
  rye list                            show what there is, and what its signature is worth
  rye search greeting                 find items by what they say
  rye sign --all                      sign every item of the project
  rye verify                          check every signature
  rye thread run rye/guides/first_thread
                                      run a directive as a thread, on a branch of its own
[exit 2]

"#]],
    );
}

#[test]
fn commands_on_items() {
    assert_seen(
        help(&["init", "--help"]),
        str![[r#"
$ rye init --help
Make a folder a workspace

Makes `.ai/` with a folder for each type of item, the ignore and attribute lines that keep git from
changing what signatures cover, your keys if there are none, and a git repository if there is none.
In a clone, `git fetch` brings notes too from then on; what `git push` pushes stays as it is.
Running it again changes nothing.

Usage: rye init [OPTIONS] [DIR]

Arguments:
  [DIR]
          The folder; without it, the current one

Options:
      --user
          Make your own space, whose items every project sees

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye init
  rye init work/agents
  rye init --user
[exit 0]

"#]],
    );
    assert_seen(
        help(&["list", "--help"]),
        str![[r#"
$ rye list --help
Show what there is, and what its signature is worth

Exits with 1 when a file may be an item and cannot be read as one, and outside of a git repository
when there is nothing to list. In a pipe, a line holds type, id, version, space, verdict and
description, separated by tabs.

Usage: rye list [OPTIONS] [TYPE]

Arguments:
  [TYPE]
          Only this type of item
          
          [possible values: directive, tool, knowledge, skill]

Options:
      --space <SPACE>
          Only this space
          
          [possible values: project, user, system]

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye list
  rye list directive
  rye list tool --space system
[exit 0]

"#]],
    );
    assert_seen(
        help(&["execute", "--help"]),
        str![[r#"
$ rye execute --help
Follow a directive, run a tool or take in knowledge

Only what is signed by someone you trust, and unchanged, is executed. A directive is printed as
instructions with its inputs filled in; to run one in a thread of its own, use `rye thread run`. On
a terminal, a tool that takes longer than a second shows how long it has run and the last line of
its stderr.

Usage: rye execute [OPTIONS] <TYPE> <ID>

Arguments:
  <TYPE>
          The type of item
          
          [possible values: directive, tool, knowledge, skill]

  <ID>
          The item's id, or the path of its file

Options:
  -i, --input <NAME=VALUE>
          One input; its value is typed by the item's declaration
          
          [alias: -p]

      --inputs <JSON|@FILE|->
          All inputs as one JSON object: the text itself, a file (`@FILE`) or stdin (`-`)
          
          [alias: --params]

      --dry-run
          Check everything and show what would run, without running it

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye execute knowledge rye/guides/threads
  rye execute directive demo/greet -i name=Ada -i times=2
  rye execute tool demo/echo --inputs '{"text": "hello"}'
  rye execute tool rye/file-system/read -i path=README.md --json
[exit 0]

"#]],
    );
    assert_seen(
        help(&["load", "--help"]),
        str![[r#"
$ rye load --help
Print an item as it is stored, or copy it to another space

Nothing is checked or filled in: what is printed is data, never instructions to follow. A copy keeps
every byte, so its signature stays valid.

Usage: rye load [OPTIONS] <TYPE> <ID>

Arguments:
  <TYPE>
          The type of item
          
          [possible values: directive, tool, knowledge, skill]

  <ID>
          The item's id, or the path of its file

Options:
      --from <SPACE>
          Look in this space only
          
          [possible values: project, user, system]

      --to <SPACE>
          Copy it to this space
          
          [possible values: project, user]

      --force
          Overwrite another item of this id

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye load directive rye/guides/first_thread
  rye load tool demo/echo --from project --to user
[exit 0]

"#]],
    );
    assert_seen(
        help(&["sign", "--help"]),
        str![[r#"
$ rye sign --help
Check items, then sign them with your key

What is not valid is never signed, and an item you signed already stays as it is, unless you say
`--again`. Items that somebody else signed or an agent wrote are listed, with what changed, and you
are asked once on the terminal; without one nothing is signed, unless `--yes` says that you reviewed
them. Another person's good signature is never replaced: `--detached` adds yours to it. Your key is
made when there is none; `RYE_SIGNING_KEY` or `--key` names another one. A key behind a passphrase
is opened on the terminal, unless your ssh-agent holds it: then the ssh-agent signs.

Usage: rye sign [OPTIONS] [TYPE] [ID]...

Arguments:
  [TYPE]
          The type of item
          
          [possible values: directive, tool, knowledge, skill]

  [ID]...
          Ids, paths of files, or patterns of ids in which `*` stands for anything

Options:
      --all
          Every item of the project, or every one of TYPE

      --key <FILE>
          Sign with the key in this file: a private one, or the public half of one that your
          ssh-agent holds

      --detached
          Countersign: leave the file as it is, and put your signature into a note beside what is
          committed

      --again
          Sign also what your key signed before, with the time of now: an older text that is wanted
          again

      --check
          Only look: exit with 1 if anything is to sign

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye sign directive demo/greet
  rye sign tool .ai/tools/demo/echo.py
  rye sign tool 'demo/*'
  rye sign directive demo/greet demo/part 'deploy/*'
  rye sign --all
  rye sign directive demo/greet --detached
  rye sign skill .claude/skills/review
  rye sign --all --check              exit with 1 if anything is to sign
[exit 0]

"#]],
    );
    assert_seen(
        // Its own `--format` stands among the global options.
        whole(&["verify", "--help"]),
        str![[r#"
$ rye verify --help
Check the signature of every item of the project

Exits with 3 when any item is unsigned, changed, signed in version 1 or by someone who is not
trusted, and with 7 when there is no item, or `--commits` finds no commit to check: a check of
nothing is no success. With a trust root, its trust files say who may sign and how many must; what
is verified may not be older, and may change them only as their roots allow.

Usage: rye verify [OPTIONS] [ID|PATH]...

Arguments:
  [ID|PATH]...
          Ids, files or folders; without any, everything

Options:
      --rev <REV>
          A commit instead of the work tree

      --range <A..B>
          What each commit of a range brings, and the whole tree at its end

      --commits[=<WHICH>]
          The commits of the range, or the one commit, must be signed too. `authored` counts all but
          merges, which join commits that the first parent has not: those pass without a signature

          Possible values:
          - all:      Every one
          - authored: Those that are no merges

      --allowed-signers <FILE>
          Trust the keys of this file and no others, without those that you revoked; take one that
          is not part of what is verified

      --revoked <FILE>
          Take the keys of this file for revoked, too

      --trust-root <REV>
          Trust what this revision's own trust files say, without the keys that you revoked, and
          compare with it; take one from before the change

      --no-cache
          Judge every item anew, also those an earlier run found good

      --allow-legacy
          Only warn of items signed in version 1, whose signatures leave much uncovered

      --allow-empty
          Exit with 0 when there is no item, or no commit to check

      --format <FORMAT>
          Print text for people, one JSON object, SARIF 2.1.0, annotations for GitHub, or messages
          and envelopes for ssh-keygen
          
          [default: human]
          [possible values: human, json, sarif, github, sshsig]

  -h, --help
          Print help (see a summary with '-h')

Global options:
  -C <DIR>
          Work as if started in DIR

      --json
          The same as --format json

  -q, --quiet
          Say nothing but what was asked for, and errors

  -v, --verbose...
          Say more

      --color <WHEN>
          When to use colour: `auto` is on a terminal, unless NO_COLOR is set
          
          [default: auto]
          [possible values: auto, always, never]

      --config <KEY=VALUE>
          Set a configuration key for this run

      --yes
          Answer every question with yes

Examples:
  rye verify
  rye verify .ai/tools demo/greet
  rye verify --rev HEAD --trust-root refs/remotes/origin/main
  rye verify --range origin/main..HEAD --commits --trust-root refs/remotes/origin/main
  rye verify --format sarif
  rye verify --format github          annotate the lines of a pull request
  rye verify demo/greet --format sshsig
                                      print what `ssh-keygen -Y verify -n rye` takes
[exit 0]

"#]],
    );
}
