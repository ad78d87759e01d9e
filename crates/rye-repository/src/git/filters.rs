//! What the filters that a repository configures (such as LFS) see of the environment: the same as git and its hooks.
//!
//! gix starts a filter with the environment of this program and has no option to take a variable out. It hands the command
//! to a shell, though, so the command says itself what it must not see. The configuration is changed in memory only.
//! Removing the variables from this process instead is `unsafe`, and the threads of a run may read the environment then.

use gix::bstr::{BString, ByteSlice as _};
use gix::config::File;

use super::Cause;
use super::command::{REPOSITORY_VARIABLES, SECRET_VARIABLES};

/// The keys of a filter that are commands.
const COMMANDS: [&str; 3] = ["clean", "smudge", "process"];

/// gix itself sets these for a filter.
const SET_FOR_FILTERS: [&str; 2] = ["GIT_DIR", "GIT_WORK_TREE"];

/// Has each filter's command take out what git gets neither; `secrets` are names of variables too.
pub(super) fn close_environment(config: &mut File, secrets: &[String]) -> Result<(), Cause> {
    let unset = unset(secrets);
    let mut closed = Vec::new();
    for section in config.sections_by_name("filter").into_iter().flatten() {
        let Some(name) = section.header().subsection_name() else { continue };
        for key in COMMANDS {
            closed.extend(section.value(key).map(|command| (name.to_owned(), key, command)));
        }
    }
    // The last one counts, as in git. One without a command is not a filter.
    for (name, key, command) in closed {
        let is_empty = command.trim().is_empty();
        let command = if is_empty { command } else { BString::from([unset.as_bytes(), &command].concat()) };
        config.set_raw_value_by("filter", Some(name.as_bstr()), key, command.as_bstr())?;
    }
    Ok(())
}

fn unset(secrets: &[String]) -> String {
    let names = REPOSITORY_VARIABLES.into_iter().filter(|name| !SET_FOR_FILTERS.contains(name));
    let secrets = secrets.iter().map(String::as_str).filter(|name| is_variable(name));
    format!("unset {}; ", names.chain(SECRET_VARIABLES).chain(secrets).collect::<Vec<_>>().join(" "))
}

/// Tells whether a shell takes a word for a variable's name; no other name reaches a shell's programs.
fn is_variable(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_part) && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn every_command_of_a_filter_takes_out_what_git_does_not_get() {
        let text = "[filter \"a\"]\nclean = one %f\nsmudge =\nrequired = true\n[filter \"b.c\"]\nprocess = \"x 'y'\"\n\
                    [filter \"a\"]\nclean = two\n[core]\nclean = no\n";
        let mut config = File::try_from(text).unwrap();
        let secrets = ["MY_KEY".to_owned(), "x; rm".to_owned()];
        close_environment(&mut config, &secrets).unwrap();
        let value = |key: &str| config.string(key).unwrap().to_string();
        let closed = |command: &str| format!("{}{command}", unset(&secrets));
        assert_eq!((value("filter.a.clean"), value("filter.b.c.process")), (closed("two"), closed("x 'y'")));
        assert_eq!(
            (value("filter.a.smudge"), value("core.clean"), value("filter.a.required")),
            (String::new(), "no".to_owned(), "true".to_owned())
        );
        let unset = unset(&secrets);
        assert!(SECRET_VARIABLES.iter().all(|name| unset.contains(name)) && !unset.contains("GIT_DIR"));
        assert!(unset.ends_with(" MY_KEY; "), "{unset}");
    }
}
