//! What 003 means: the hierarchical form of permissions next to the flat one that it replaces.

use super::table::{Row, calls, means, nothing};

const GIT: &str = "rye.execute.tool.rye.agent.capabilities.primitives.git";
const FILES: &str = "rye.execute.tool.rye.file-system.*";
const THREADS: &str = "rye.execute.tool.rye.agent.threads.thread_directive";

/// Found are: old forms and names (P007, P009, P014), signing (P004), and grants that need an acknowledgement:
/// everything, or all that can be executed (P005).
pub(super) fn rows() -> Vec<Row> {
    let every_tool = || calls(["rye.execute.tool.*"]);
    vec![
        means(7, "<permissions>", calls([GIT, FILES])).found(&["RYE-P007", "RYE-P007"]),
        means(16, "capabilities:", calls([GIT, FILES])).found(&["RYE-P014", "RYE-P014"]),
        means(41, "<permissions>", calls([GIT, FILES, "rye.search.*", "rye.load.tool.*", "rye.sign.*"]))
            .found(&["RYE-P004"]),
        means(57, "capabilities:", calls([GIT, FILES, "rye.load.tool.*"])),
        means(85, "<permissions>", calls(["rye.execute.tool.rye.file-system.write"])).found(&["RYE-P009"]),
        means(95, "<permissions>", calls(["rye.execute.tool.rye.agent.*", "rye.search.*", "rye.load.*", "rye.sign.*"]))
            .found(&["RYE-P004"]),
        means(108, "<permissions>*", calls(["rye.*"])).found(&["RYE-P005"]),
        means(114, "<permissions>", calls(["rye.execute.*"])).found(&["RYE-P005"]),
        means(122, "<permissions>", calls(["rye.search.*"])),
        means(
            130,
            "<permissions>",
            calls([
                FILES,
                THREADS,
                "rye.search.directive.analysis.*",
                "rye.search.tool.rye.registry.*",
                "rye.load.tool.rye.shell.*",
                "rye.sign.tool.rye.execute.*",
            ]),
        )
        .found(&["RYE-P009", "RYE-U017", "RYE-P004"]),
        means(
            151,
            "<permissions>",
            calls([
                FILES,
                "rye.search.directive.workflow.*",
                "rye.load.tool.rye.shell.*",
                "rye.sign.tool.rye.execute.*",
            ]),
        )
        .found(&["RYE-P004"]),
        nothing(179, "_extract_caps", "a function of another program"),
        means(203, "<cap>", every_tool()).found(&["RYE-P007", "RYE-P005"]),
        means(203, "<execute><tool>", every_tool()).found(&["RYE-P005"]),
    ]
}
