//! docs/reference/cli.md is what the program's definition says.

use std::path::Path;

#[test]
fn docs_cli_is_generated() {
    let path = Path::new(crate::support::ROOT).join("docs/reference/cli.md");
    let generated = rye::cli::reference();
    if std::env::var_os("RYE_UPDATE_DOCS").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == generated, "docs/reference/cli.md is out of date: run the test again with RYE_UPDATE_DOCS=1");
}
