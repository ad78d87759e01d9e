//! What a skill asks a client to allow. Rye shows it and grants nothing by it.

/// Programs that run what their arguments say.
const SHELLS: [&str; 10] = ["bash", "cmd", "dash", "env", "ksh", "powershell", "pwsh", "sh", "sudo", "zsh"];

/// Splits the value of `allowed-tools`: entries are parted by blanks or commas, and parentheses hold an entry together.
pub(in crate::format) fn entries(text: &str) -> Vec<String> {
    let mut entries = vec![String::new()];
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match entries.last_mut() {
            Some(_) if depth == 0 && (character == ',' || character.is_whitespace()) => entries.push(String::new()),
            Some(last) => last.push(character),
            None => {}
        }
    }
    entries.retain(|entry| !entry.is_empty());
    entries
}

/// Tells whether an entry allows everything, or any program.
pub(in crate::format) fn is_wide(entry: &str) -> bool {
    let (name, inside) = match entry.split_once('(') {
        Some((name, inside)) => (name, inside.trim_end_matches(')')),
        None => (entry, "*"),
    };
    let runs_programs = ["bash", "shell", "run_shell_command", "execute"].contains(&name.to_lowercase().as_str());
    // A shell that may have any arguments runs any program.
    let is_shell = |program: &str| SHELLS.contains(&program.trim().rsplit('/').next().unwrap_or_default());
    let is_any = match inside.trim() {
        "" | "*" | "*:*" | ":*" | "**" => true,
        inside => inside.strip_suffix(":*").or_else(|| inside.strip_suffix('*')).is_some_and(is_shell),
    };
    name == "*" || runs_programs && is_any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_parted_outside_of_parentheses() {
        assert_eq!(
            entries("Read, Bash(git add:*) Bash(jq *),,Write"),
            ["Read", "Bash(git add:*)", "Bash(jq *)", "Write"]
        );
        assert_eq!(entries("  "), Vec::<String>::new());
        assert_eq!(entries("Bash(a"), ["Bash(a"]);
    }

    #[test]
    fn what_allows_any_program_is_wide() {
        for entry in [
            "*",
            "Bash",
            "Bash(*)",
            "bash(*:*)",
            "Shell()",
            "Bash(sh:*)",
            "Bash(bash *)",
            "Bash(/bin/sh:*)",
            "Bash(sudo:*)",
        ] {
            assert!(is_wide(entry), "{entry}");
        }
        for entry in ["Read", "Bash(git:*)", "Read(*)", "Bashful", "Bash(sh scripts/a.sh)", "Bash(shfmt:*)"] {
            assert!(!is_wide(entry), "{entry}");
        }
    }
}
