//! Hints about what runs a tool, and what confines it.

use super::{ForModel, Hint};

hints! {
    NAME_FOLDERS "name the folders that the tool writes in `sandbox.write`, instead of the whole project, or have git ignore what it can do without" => "ask the user to name the folders that the tool may write"
    NAME_SERVER_FOLDERS "name smaller folders in `read` and `write` of `[mcp_servers.{name}]`, or have git ignore what the server can do without" => "ask the user to name smaller folders for the MCP server `{name}`"
    NO_NETWORK "as root of this machine let users make name spaces (`sysctl kernel.unprivileged_userns_clone=1`), or run the tool without a sandbox, `sandbox = \"off\"` in your configuration: then it reaches every host" => "tell the user that this system cannot give a tool some hosts only"
    PROGRAM "install `{name}`, or say where it is: `program` of `[shell.{name}]` in the configuration" => "ask the user to install `{name}`"
    NO_GIT "install git 2.34 or newer, and put it on `PATH`" => "ask the user to install `git`"
    INTERPRETER "install the interpreter, or set its path in your configuration: `{name} = \"/usr/bin/{name}\"` under `[interpreters]`" => "ask the user to install `{name}`"
    REINSTALL "build or install rye again: its plugins must be in its folder and belong to it" => "ask the user to install this program again"
    SECRET_MODE "run `chmod 600 {path}`" => "ask the user to close the file of the secret"
    BIND "if it may, write to `{path}`: `[secrets.{name}]` with `hosts = [\"{host}\"]` and `items = [\"{id}\"]`" => "ask the user to let the secret go there"
    ENDPOINT_VARIABLE "set `{name}` to an address that begins with `https://`, or with `http://localhost`, or unset it" => "ask the user to look at the provider's address"
    ENDPOINT "give an address that begins with `https://`, or with `http://localhost`" => "ask the user to look at the provider's address"
}
