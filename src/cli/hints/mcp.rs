//! Hints about calls of models and clients, and MCP servers.

use super::{ForModel, Hint};

hints! {
    WITHOUT_OFFSET "call again without `offset`: the tool runs again" => same
    AFTER_OTHERS "wait for answers before you call again" => same
    SERVE_IN "start the server in one project with `rye mcp -C DIR`" => "ask the user which project to work in"
    SERVE_IN_REPOSITORY "start the server in the whole of it with `rye mcp -C {path}`" => "ask the user whether to work in the whole of it"
    TOOL_ARGUMENTS "call `rye_{name}` again as its schema says" => same
    PERMIT_CALL "to allow it, put `{name}` into `mcp.permissions` of your configuration, and into the file of `rye mcp --permissions FILE` if one is used" => "ask the user whether you may do it"
    OTHER_PATH "name another path" => same
    CONFIG_DENIES "if it is to be allowed, take the pattern out of `permissions.deny` of your configuration or of the project's" => "ask the user whether it is to be done"
    NOT_AGREED "your configuration's `permissions.ask` has the pattern" => "go on without it, or ask the user"
    CONFIG_UNASKED "this client cannot ask you: do it yourself on the command line, or let your configuration's `permissions.unasked` cover it" => "ask the user to do it"
    CONFIG_ASKS "this client cannot ask you: take the pattern out of `permissions.ask`, or do it yourself on the command line" => "ask the user to do it"
    ASK_TO_WRITE "ask the user whether you may write `{path}`" => same
    FOLLOWED "ask the user whether to go on without directive `{id}`" => same
    DECLARE_SERVER "declare it in `{path}`: `[mcp_servers.{name}]` with `command = [\"PROGRAM\"]` or `url = \"https://HOST/mcp\"`" => "ask the user to declare the MCP server"
    COPY_SERVER "`.mcp.json` of this project declares it, and a project cannot let programs run; look at it, then add to `{path}`:\n{lines}" => "ask the user to declare the MCP server"
    LET_SERVER "if the server may read there, add `read = [\"{path}\"]` below `[mcp_servers.{name}]` in your configuration; if it may change files there, `write = [\"{path}\"]`" => "ask the user to let the MCP server `{name}` reach `{path}`"
    IMPORT_AGAIN "look at what changed: `rye mcp import {name}`" => "ask the user to look at the MCP server's tools again"
    IMPORT_LIST "see what it lists: `rye mcp import {name} --dry-run`" => "ask the user which tool is meant"
    COMMIT_IMPORTED "look at the files below `.ai/tools/mcp`, then run `rye commit`" => nothing
}
