//! The text of the installed hooks.
//!
//! A hook that was there before is kept under its name with [`KEPT`] at the end, and runs first. Many shell hooks find
//! their own files by `$0`, name and folder alike, so a kept shell hook is read by its own shell under the old `$0`;
//! any other is simply run. The program is called by its full path: programs with windows have another `PATH`, and no
//! terminal.

use std::path::Path;

use super::name::HookName;

/// The suffix of names of a kept hook.
pub(super) const KEPT: &str = ".before-rye";

/// This second line marks an installed hook.
const MARK: &str = "# Made by `rye hook install`; `rye hook remove` puts back what was here before.";

const SHELLS: [&str; 3] = ["sh", "bash", "dash"];

/// Tells whether a hook is one of this program's.
pub(super) fn is_own(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').nth(1) == Some(MARK.as_bytes())
}

/// Writes a hook that runs `program`, after the `kept` one if there is one.
pub(super) fn hook(name: HookName, program: &Path, kept: Option<&[u8]>) -> String {
    let program = quoted(&program.display().to_string());
    let run = kept
        .and_then(shell_of)
        .map_or_else(|| "\"$kept\" \"$@\"".to_owned(), |shell| format!("{shell} -c '. \"$0{KEPT}\"' \"$0\" \"$@\""));
    let (take, feed) = match name {
        HookName::PreCommit | HookName::PostCommit => ("", ""),
        // Both hooks read the list of pushed refs.
        HookName::PrePush => ("refs=$(cat)\nrefs() { [ -z \"$refs\" ] || printf '%s\\n' \"$refs\"; }\n", "refs | "),
    };
    format!(
        "#!/bin/sh
{MARK}
rye={program}
kept=\"$0{KEPT}\"
{take}if [ -x \"$kept\" ]; then
    {feed}{run} || exit
fi
if [ ! -x \"$rye\" ]; then
    echo \"error: the hook \\`$0\\` runs \\`$rye\\`, which is not there\" >&2
    echo \"hint: install rye and run \\`rye hook install\\` again, or remove the hook\" >&2
    exit 1
fi
{feed}\"$rye\" -C . hook run {name} \"$@\"
"
    )
}

/// Returns the shell that a script is for, as its first line calls it; none if that is something else.
fn shell_of(script: &[u8]) -> Option<String> {
    let first = script.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let words: Vec<&str> = std::str::from_utf8(first).ok()?.split_ascii_whitespace().collect();
    let is_plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-._".contains(&byte));
    let shell = match words.as_slice() {
        [env, shell, ..] if env.ends_with("/env") => shell,
        [shell, ..] => shell,
        [] => return None,
    };
    let name = shell.rsplit('/').next()?;
    (SHELLS.contains(&name) && words.iter().all(is_plain)).then(|| words.join(" "))
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_known_by_the_first_line() {
        let shell = |script: &str| shell_of(script.as_bytes());
        assert_eq!(shell("#!/bin/sh -e\nexit\n"), Some("/bin/sh -e".to_owned()));
        assert_eq!(shell("#! /usr/bin/env bash\n"), Some("/usr/bin/env bash".to_owned()));
        for other in ["#!/usr/bin/env python3\n", "#!/bin/zsh\n", "#!/bin/sh $(x)\n", "echo\n", "#!\n", ""] {
            assert_eq!(shell(other), None, "{other}");
        }
    }

    #[test]
    fn a_program_of_any_name_is_called() {
        let text = hook(HookName::PreCommit, Path::new("/home/o'neil/bin/a rye"), None);
        assert!(text.contains("rye='/home/o'\\''neil/bin/a rye'\n"), "{text}");
        assert!(is_own(text.as_bytes()) && !is_own(b"#!/bin/sh\necho\n"));
    }
}
