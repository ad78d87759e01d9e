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
fn the_program() {
    assert_seen(
        whole(&["--help"]),
        str![[r#"
$ rye --help
Run agents under signed instructions, and record each run in git

Directives, tools and knowledge are files in `.ai/`, signed by people. Rye runs signed items under
their declared permissions and limits, and records each run on a branch that stock git reads and
verifies.

Usage: rye [OPTIONS] <COMMAND>

Commands:
  init         Turn a folder into a workspace
  run          Do one task, given as text
  new          Create a valid item from a template
  list         List items and the verdicts on their signatures
  search       Search the full text of items, and with --threads of transcripts
  execute      Print a directive's instructions, run a tool, or read knowledge
  load         Print an item as it is stored, or copy it to another space
  show         Show an item: its inputs, permissions, signers and versions
  sign         Check items, then sign them with your key
  commit       Sign the changes below `.ai/`, and commit them
  verify       Verify the signature of every item of the project
  lint         Check how items are written
  permissions  Show the effective permissions of a directive, and the line that grants each
  migrate      Rewrite legacy forms of the project's items as current ones
  import       Draft items from files of other programs
  mv           Rename an item, and update all references to it
  publish      Publish a version of an item in a registry
  pull         Pull items from a registry, or skills from git
  outdated     List pulled items that have a newer version
  update       Update pulled items to their newest versions
  remove       Remove a pulled item
  sync         Restore the folders of skills from `rye.lock`
  registry     Manage registries, where items are published
  thread       Run directives as threads, and review them
  plugin       Manage plugins
  provider     Manage providers of models
  mcp          Serve Rye's tools (execute, search, load, sign) to an AI client over MCP
  hook         Sign items in `git commit`
  notes        Manage signatures in git notes
  key          Your keys
  trust        Manage whom you trust
  status       Show pending work: items to sign or commit, keys to accept, threads to resume or
               accept
  diff         Show changes of items since they were signed
  doctor       Check the installation, and print a fix for each problem
  completions  Print a completion script for a shell
  man          Print the manual page of a command, or write all pages
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
          Print text, or one JSON object
          
          [default: human]
          [possible values: human, json]

      --json
          The same as --format json

  -q, --quiet
          Print only results and errors

  -v, --verbose...
          Print more details

      --color <WHEN>
          When to use colour: `auto` is on a terminal, unless NO_COLOR is set
          
          [default: auto]
          [possible values: auto, always, never]

      --config <KEY=VALUE>
          Set a configuration key for this run

      --yes
          Answer every question with yes

Examples:
  rye run "Explain what this does"    do one task, which reads the project
  rye init                            turn this folder into a workspace
  rye list                            list items, and verify their signatures
  rye sign --all                      sign every item of the project
  rye verify                          check every signature
  rye thread run team/fix             run a directive as a thread, on its own branch
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
Run agents under signed instructions, and record each run in git

Usage: rye [OPTIONS] <COMMAND>

Commands:
  init         Turn a folder into a workspace
  run          Do one task, given as text
  new          Create a valid item from a template
  list         List items and the verdicts on their signatures
  search       Search the full text of items, and with --threads of transcripts
  execute      Print a directive's instructions, run a tool, or read knowledge
  load         Print an item as it is stored, or copy it to another space
  show         Show an item: its inputs, permissions, signers and versions
  sign         Check items, then sign them with your key
  commit       Sign the changes below `.ai/`, and commit them
  verify       Verify the signature of every item of the project
  lint         Check how items are written
  permissions  Show the effective permissions of a directive, and the line that grants each
  migrate      Rewrite legacy forms of the project's items as current ones
  import       Draft items from files of other programs
  mv           Rename an item, and update all references to it
  publish      Publish a version of an item in a registry
  pull         Pull items from a registry, or skills from git
  outdated     List pulled items that have a newer version
  update       Update pulled items to their newest versions
  remove       Remove a pulled item
  sync         Restore the folders of skills from `rye.lock`
  registry     Manage registries, where items are published
  thread       Run directives as threads, and review them
  plugin       Manage plugins
  provider     Manage providers of models
  mcp          Serve Rye's tools (execute, search, load, sign) to an AI client over MCP
  hook         Sign items in `git commit`
  notes        Manage signatures in git notes
  key          Your keys
  trust        Manage whom you trust
  status       Show pending work: items to sign or commit, keys to accept, threads to resume or
               accept
  diff         Show changes of items since they were signed
  doctor       Check the installation, and print a fix for each problem
  completions  Print a completion script for a shell
  man          Print the manual page of a command, or write all pages
  help         Print this message or the help of the given subcommand(s)

Options:
  -h, --help     Print help (see more with '--help')
  -V, --version  Print version

Global options:
  -C <DIR>                  Work as if started in DIR
      --format <FORMAT>     Print text, or one JSON object [default: human] [possible values: human,
                            json]
      --json                The same as --format json
  -q, --quiet               Print only results and errors
  -v, --verbose...          Print more details
      --color <WHEN>        When to use colour: `auto` is on a terminal, unless NO_COLOR is set
                            [default: auto] [possible values: auto, always, never]
      --config <KEY=VALUE>  Set a configuration key for this run
      --yes                 Answer every question with yes

Examples:
  rye run "Explain what this does"    do one task, which reads the project
  rye init                            turn this folder into a workspace
  rye list                            list items, and verify their signatures
  rye sign --all                      sign every item of the project
  rye verify                          check every signature
  rye thread run team/fix             run a directive as a thread, on its own branch
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
Turn a folder into a workspace

Creates `.ai/` with a folder for each type of item, the ignore and attribute lines that keep git
from changing signed bytes, and, if they are missing, your keys and a git repository. In a clone,
`git fetch` also fetches notes from then on; `git push` pushes the same refs as before. A second run
changes nothing.

Usage: rye init [OPTIONS] [DIR]

Arguments:
  [DIR]
          The folder; without it, the current one

Options:
      --user
          Create your user space, whose items every project sees

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
List items and the verdicts on their signatures

Exits with 1 when a file cannot be read as an item, and outside of a git repository when there is
nothing to list. In a pipe, each line has type, id, version, space, verdict and description,
separated by tabs.

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
Print a directive's instructions, run a tool, or read knowledge

Refuses an item that is unsigned, changed, or signed by an untrusted key. Prints a directive as
instructions with its inputs filled in; `rye thread run` runs one as a thread. On a terminal, a tool
that takes longer than a second shows how long it has run and the last line of its stderr.

Usage: rye execute [OPTIONS] <TYPE> <ID>

Arguments:
  <TYPE>
          The type of item
          
          [possible values: directive, tool, knowledge, skill]

  <ID>
          The item's id, or the path of its file

Options:
  -i, --input <NAME=VALUE>
          One input; the item declares its type
          
          [alias: -p]

      --inputs <JSON|@FILE|->
          All inputs as one JSON object: the text itself, a file (`@FILE`) or stdin (`-`)
          
          [alias: --params]

      --dry-run
          Check everything and show what would run, but do not run it

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

Does not check the signature and fills in no inputs: treat the output as data, never as
instructions. A copy keeps every byte, so its signature stays valid.

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

Never signs an invalid item. Skips an item that you have signed, unless you say `--again`. Lists
items that another person signed or an agent wrote, with their changes, and asks once on the
terminal; without a terminal it signs none of them, unless `--yes` says that you reviewed them.
Never replaces a good signature of another person: `--detached` adds yours. Makes your key if you
have none; `RYE_SIGNING_KEY` or `--key` names another one. A passphrase is asked for on the
terminal, unless your ssh-agent has the key: then the ssh-agent signs.

Usage: rye sign [OPTIONS] [TYPE] [ID]...

Arguments:
  [TYPE]
          The type of item
          
          [possible values: directive, tool, knowledge, skill]

  [ID]...
          Ids, paths of files, or patterns of ids in which `*` matches anything

Options:
      --all
          Every item of the project, or every one of TYPE. Skills are included once one is signed;
          sign the first with `rye sign skill --all`

      --agent-files
          The files that instruct agents (`CLAUDE.md`, `AGENTS.md`, commands, settings): sign the
          list of them, `.ai/agent-files.sig`

      --key <FILE>
          Sign with the key in this file: a private key, or the public half of a key in your
          ssh-agent

      --detached
          Countersign: leave the file unchanged, and add your signature as a git note to the
          committed item

      --again
          Also sign items that your key signed before, with the current time: use it to go back to
          an older text

      --check
          Change nothing, and exit with 1 if an item needs signing

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
  rye sign --agent-files
  rye sign --all --check              exit with 1 if an item needs signing
[exit 0]

"#]],
    );
    assert_seen(
        // Its own `--format` is among the global options.
        whole(&["verify", "--help"]),
        str![[r#"
$ rye verify --help
Verify the signature of every item of the project

Exits with 3 when an item is unsigned, changed, signed by an untrusted key, or signed in version 1,
and with 7 when there is no item, or no commit for `--commits`, to verify. With a trust root, the
trust files of that revision decide who may sign and how many must; the verified state must not be
older, and may change these files only as their roots allow.

Usage: rye verify [OPTIONS] [ID|PATH]...

Arguments:
  [ID|PATH]...
          Ids, files or folders (default: everything)

Options:
      --rev <REV>
          A commit instead of the work tree

      --range <A..B>
          Each commit of a range, and the whole tree at its end

      --commits[=<WHICH>]
          Also verify the signatures of the commits. `authored` lets merge commits pass without a
          signature

          Possible values:
          - all:      All commits
          - authored: Commits that are not merges

      --allowed-signers <FILE>
          Trust only the keys of this file, except those that you revoked; use a file that is not
          part of the change

      --revoked <FILE>
          Also treat the keys of this file as revoked

      --trust-root <REV>
          Trust the trust files of this revision, except keys that you revoked, and compare with it;
          use a revision from before the change

      --merged <REV>
          A branch whose signed commits a forge merged or squashed, besides those of every ref; may
          be repeated

      --no-cache
          Verify every item again, also those that an earlier run found good

      --allow-legacy
          Only warn about items signed in version 1, whose signatures do not cover everything

      --allow-empty
          Exit with 0 when there is no item, or no commit, to verify

      --format <FORMAT>
          Print text, one JSON object, SARIF 2.1.0, annotations for GitHub, or messages and
          envelopes for ssh-keygen
          
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
          Print only results and errors

  -v, --verbose...
          Print more details

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
  rye verify --range refs/remotes/origin/main..HEAD --commits --trust-root refs/remotes/origin/main
  rye verify --format sarif
  rye verify --format github          annotate the lines of a pull request
  rye verify demo/greet --format sshsig
                                      print input for `ssh-keygen -Y verify -n rye`
[exit 0]

"#]],
    );
}
