//! Help of the commands that come in groups: keys, trust, threads.

use snapbox::str;

use super::{help, whole};
use crate::support::assert_seen;

#[test]
fn commands_on_keys_and_trust() {
    assert_seen(
        help(&["key", "--help"]),
        str![[r#"
$ rye key --help
Your keys

You have two Ed25519 keys in OpenSSH's format: the person key signs for you, the agent key signs in
threads. If your ssh-agent has your key, the ssh-agent signs.

Usage: rye key [OPTIONS] <COMMAND>

Commands:
  generate  Generate missing keys
  import    Use a key that you already have
  list      Show your keys
  export    Print the public half of a key
  help      Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye key generate
  rye key import ~/.ssh/id_ed25519
  rye key export
[exit 0]

"#]],
    );
    assert_seen(
        help(&["key", "export", "--help"]),
        str![[r#"
$ rye key export --help
Print the public half of a key

Others need this key to trust your signatures: they add it with `rye trust add`. The line ends with
your name, so that they can tell it from others. The agent key is printed with its use: it counts
for the turns of threads and for nothing else. The private half is never printed.

Usage: rye key export [OPTIONS] [NAME]

Arguments:
  [NAME]
          Whose key
          
          [default: person]
          [possible values: person, agent]

Options:
      --as <FORM>
          The format: a line as in `id_ed25519.pub` (default), SubjectPublicKeyInfo as PEM, or a
          line of allowed_signers for git; the agent key has the last one only
          
          [possible values: openssh, pem, allowed-signers]

      --principal <PRINCIPAL>
          The principal in the line of allowed_signers; without it, the address in the comment

      --comment <TEXT>
          The comment of the key (default: that of the imported key, or git's `user.name
          <user.email>`)

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye key export
  rye key export --comment 'Ada <ada@example.org>'
  rye key export agent
  rye key export --as allowed-signers --principal ada@example.org
[exit 0]

"#]],
    );
    assert_seen(
        help(&["trust", "--help"]),
        str![[r#"
$ rye trust --help
Manage whom you trust

Your own configuration stores whom you trust. The trust files of a project have no effect until you
accept them, and then for that project only.

Usage: rye trust [OPTIONS] <COMMAND>

Commands:
  list     List trusted keys, their uses, and the files that name them
  add      Trust the public keys in a file
  propose  Sign the trust files of this project, so that others can accept them
  accept   Accept the trust files of this project
  retire   End the validity of a key
  revoke   Make every signature of a key bad, whatever date it claims
  remove   Stop trusting a key
  help     Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye trust list
  rye trust add ~/.ssh/id_ed25519.pub
  rye trust accept
[exit 0]

"#]],
    );
    assert_seen(
        help(&["trust", "add", "--help"]),
        str![[r#"
$ rye trust add --help
Trust the public keys in a file

Trusts a plain key for everything, and a line of allowed_signers for the uses that it names. With
--project, writes the keys to `.ai/trust/allowed_signers` for a root to propose: a plain key for
items and commits. With --use, trusts a plain key for these uses only: `turns` for the agent of a
colleague, whose threads you read and accept. A key needs a name: the address in its comment, or
--principal. A key that is trusted already gets the name that --principal gives.

Usage: rye trust add [OPTIONS] <FILE|->

Arguments:
  <FILE|->
          OpenSSH public keys, a public key as PEM, or lines of allowed_signers; `-` for stdin

Options:
      --principal <PRINCIPAL>
          The name of the key's holder, also a new one; without it, the address in the key's comment

      --use <USE>
          What the keys are trusted for, instead of everything

          Possible values:
          - items:   Items
          - commits: Commits of every kind, with those of threads
          - turns:   Turns of threads, and nothing else

      --project
          Write it to the trust files of this project

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye trust add ~/.ssh/id_ed25519.pub --principal ada@example.org
  rye trust add .ai/trust/allowed_signers
  rye trust add colleague.pub --project
  rye trust add agent.pub --use turns --principal rye-agent:bob@example.org
[exit 0]

"#]],
    );
}

#[test]
fn commands_on_threads() {
    assert_seen(
        help(&["thread", "--help"]),
        str![[r#"
$ rye thread --help
Run directives as threads, and review them

A thread's branch is its transcript: one signed commit for each turn, which stock git shows and
verifies. A thread works in a private work tree of the last commit. Your files, index and branches
stay as they are. Git commands of a tool can read your history and not change it.

Usage: rye thread [OPTIONS] <COMMAND>

Commands:
  run     Run a directive as a thread
  list    Show the threads of this repository, the newest first
  show    Show one thread: inputs, turns, changes, usage and result
  log     Print a thread's transcript
  tail    Follow a thread while it runs
  diff    Show what a thread changed, or compare two threads
  accept  Commit what a thread changed to your branch, signed by you
  push    Share threads with a remote
  fetch   Fetch the threads that others pushed to a remote
  resume  Continue a thread that was interrupted, stopped, or ended by its provider
  fork    Continue a thread from one of its turns, as a new thread
  rerun   Run the directive of a thread again, with the same inputs
  replay  Derive a thread from its record again, and compare
  export  Write a thread's events or its transcript
  rm      Remove threads: branch, log and work tree
  share   Give threads copies of ignored folders, and what the tools of a language need
  help    Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye thread run rye/guides/first_thread
  rye thread list
[exit 0]

"#]],
    );
    assert_seen(
        // Its own `--format` is among the global options.
        whole(&["thread", "run", "--help"]),
        str![[r#"
$ rye thread run --help
Run a directive as a thread

The directive runs under the permissions and limits it declares; permissions and limits given here
only narrow them. Its tools work in a private work tree of the last commit, with the items of `.ai/`
as they are in yours. Their changes are on the thread's branch. Exits with 4 when a required call of
a step was denied, with 5 when a limit or a signal stopped the thread, and with 6 when the provider
failed.

Usage: rye thread run [OPTIONS] <DIRECTIVE>

Arguments:
  <DIRECTIVE>
          The directive's id, or the path of its file

Options:
  -i, --input <NAME=VALUE>
          One input; the item declares its type
          
          [alias: -p]

      --inputs <JSON|@FILE|->
          All inputs as one JSON object: the text itself, a file (`@FILE`) or stdin (`-`)
          
          [alias: --params]

      --provider <ID>
          Use this provider document

      --model <MODEL>
          Use this model

      --script <FILE>
          The file that a scripted provider answers from

      --permissions <FILE>
          Also restrict calls to this capability document

      --limit <NAME=VALUE>
          A stricter limit: turns, tokens, spend (like `0.10` or `0.10USD`), duration (seconds) or
          complexity (simple, moderate or complex)

      --patience <DURATION>
          How long to wait for a model that fails or is overloaded, like `90s`, `10m` or `2h`
          [default: 10m; 30s before its first answer]

      --with-changes
          Begin with your uncommitted changes and untracked files, as the thread's first commit

      --in-place
          Work in your own work tree: files with uncommitted changes are not written

      --format <FORMAT>
          Print text, one JSON object at the end, or every event as it is recorded, a line of JSON
          each
          
          [default: human]
          [possible values: human, json, jsonl]

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
  rye thread run rye/guides/first_thread
  rye thread run rye/guides/first_thread -i topic=permissions
  rye thread run demo/triage --permissions readonly.yaml
  rye thread run demo/triage --limit turns=4 --limit spend=0.05 --json
  rye thread run demo/triage --format jsonl | jq -r 'select(.type == "assistant_text").data.text'
[exit 0]

"#]],
    );
    assert_seen(
        help(&["thread", "show", "--help"]),
        str![[r#"
$ rye thread show --help
Show one thread: inputs, turns, changes, usage and result

Reads everything from the thread's branch. The first lines tell why it failed, if it did, and
whether you trust the signatures of its commits; a summary follows: what was refused, what it
touched, what it changed, and which instructions it followed, each by its digest and signer. On a
terminal git's pager shows it. A thread whose process died is shown as interrupted.

Usage: rye thread show [OPTIONS] <THREAD>

Arguments:
  <THREAD>
          The thread: its id, a prefix of it, its branch, or `@latest`; `REMOTE/ID` for a fetched
          one

Options:
      --html <FILE>
          Write one HTML file with everything in it; `-` is standard output

      --force
          Replace FILE if it exists

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye thread show @latest
  rye thread show @latest --html thread.html
  rye thread show first_thread-20260317-014108-aaaqea77 --json
[exit 0]

"#]],
    );
}

#[test]
fn commands_on_plugins() {
    assert_seen(
        help(&["plugin", "--help"]),
        str![[r#"
$ rye plugin --help
Manage plugins

A plugin is a dynamic library: a provider that talks to a model, or a tool kind that runs a kind of
tool. Rye loads it only if a key signed it that you trust for everything, or for plugins.

Usage: rye plugin [OPTIONS] <COMMAND>

Commands:
  install  Install the plugin in a folder
  list     List installed plugins
  info     Show an installed plugin
  verify   Verify installed plugins
  remove   Remove an installed plugin
  sign     Sign your plugin in a folder
  help     Print this message or the help of the given subcommand(s)

Options:
  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye plugin install ./acme-plugin
  rye plugin list
  rye plugin verify
[exit 0]

"#]],
    );
    assert_seen(
        help(&["plugin", "install", "--help"]),
        str![[r#"
$ rye plugin install --help
Install the plugin in a folder

Shows its signer, its digest and its declared needs, and asks. Installs exactly the verified bytes.
A plugin is native code that runs as you.

Usage: rye plugin install [OPTIONS] <FOLDER>

Arguments:
  <FOLDER>
          The folder with `plugin.toml`, its signature and its libraries

Options:
      --allow-downgrade
          Replace a later version

  -h, --help
          Print help (see a summary with '-h')

[global options]

Examples:
  rye plugin install ./acme-plugin
  rye plugin install ./acme-plugin --yes
[exit 0]

"#]],
    );
}

#[test]
fn mcp() {
    assert_seen(
        help(&["mcp", "--help"]),
        str![[r#"
$ rye mcp --help
Serve Rye's tools (execute, search, load, sign) to an AI client over MCP

Offers the tools `rye_execute`, `rye_search`, `rye_load` and `rye_sign`, directives as prompts, and
knowledge as resources. Without --permissions a client may search, load and execute; the agent key
signs for it. Works in the folder of `-C`, else in the roots of the client, else in the current
folder. Ends when stdin closes, or with 5 on a signal.

Usage: rye mcp [OPTIONS]
       rye mcp <COMMAND>

Commands:
  import  Import the tools of an MCP server into this project
  help    Print this message or the help of the given subcommand(s)

Options:
      --permissions <FILE>
          Restrict the client's calls to this capability document

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
