//! The environment of what this program starts for a tool: where programs are, a private home, and nothing of the person's.

use std::collections::BTreeMap;
use std::path::Path;

use crate::context::IN_TOOL;
use crate::process::{self, PROXY_PORT};
use crate::project::Project;

/// A clean environment, whose home is a private folder. No parameter and no secret is in it.
#[must_use]
pub fn clean(project: &Project, private: &Path) -> BTreeMap<String, String> {
    let ctx = project.context();
    let private = private.display().to_string();
    let refused = project.program_free();
    let mut env = BTreeMap::from([
        ("HOME".to_owned(), private.clone()),
        ("LANG".to_owned(), "C.UTF-8".to_owned()),
        // A script of a skill leaves no compiled code next to what was judged.
        ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
        (
            "PATH".to_owned(),
            process::search_path(ctx.variable("PATH").unwrap_or_default(), &process::as_paths(&refused)),
        ),
        ("TMPDIR".to_owned(), private),
        (IN_TOOL.to_owned(), "1".to_owned()),
    ]);
    // Programs started by a tool are as much an agent client's as the tool is.
    if let Some(client) = ctx.agent_client() {
        let value = ctx.whole_environment().get(client.variable).cloned().unwrap_or_default();
        env.insert(client.variable.to_owned(), value);
    }
    env
}

/// The variables by which programs find the proxy that is their way out.
pub fn way_out() -> impl Iterator<Item = (String, String)> {
    let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
    let named = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
    // Node looks at them only when it is told to.
    let told = [("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned())];
    named.map(|name| (name.to_owned(), proxy.clone())).into_iter().chain(told)
}
