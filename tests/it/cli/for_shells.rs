//! `rye completions` and `rye man`: what a shell and `man` take.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Sandbox, has};

#[test]
fn every_shell_gets_its_script() {
    let sandbox = Sandbox::empty();
    for (shell, words) in [
        ("bash", "complete -F _rye"),
        ("zsh", "#compdef rye"),
        ("fish", "complete -c rye"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion:arg-completer[rye]"),
    ] {
        let script = String::from_utf8(sandbox.rye(&["completions", shell]).stdout()).unwrap();
        assert!(script.contains(words), "{shell}");
        assert!(!script.contains("__confine"), "{shell}");
        let printed: Value = serde_json::from_slice(&sandbox.rye(&["completions", shell, "--json"]).stdout()).unwrap();
        assert_eq!((printed["shell"].as_str(), printed["script"].as_str()), (Some(shell), Some(script.as_str())));
    }
    assert!(sandbox.rye(&["completions", "csh"]).transcript().contains("invalid value 'csh'"));
}

/// Bash itself completes a command and a flag.
#[test]
fn bash_completes_with_it() {
    let sandbox = Sandbox::empty();
    sandbox.put("rye.bash", &String::from_utf8(sandbox.rye(&["completions", "bash"]).stdout()).unwrap());
    let completed = |words: &str| {
        let last = words.split(' ').count() - 1;
        let script = format!(
            "source rye.bash; COMP_WORDS=({words}); COMP_CWORD={last}; _rye rye \"${{COMP_WORDS[{last}]}}\" \"\"; echo \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["-c", &script]).current_dir(sandbox.project()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    assert_eq!(completed("rye thr"), "thread");
    assert_eq!(completed("rye thread acc"), "accept");
    assert_eq!(completed("rye lint --prof"), "--profile");
}

#[test]
fn every_command_has_a_page() {
    let sandbox = Sandbox::empty();
    let page = |command: &[&str]| String::from_utf8(sandbox.rye(&[&["man"], command].concat()).stdout()).unwrap();
    assert!(page(&[]).contains(".TH RYE 1"), "{}", page(&[]));
    assert!(
        page(&["thread", "run"]).contains(".TH RYE\\-THREAD\\-RUN 1")
            || page(&["thread", "run"]).contains(".TH RYE-THREAD-RUN 1")
    );
    let wrong = sandbox.rye(&["man", "thread", "walk"]).transcript();
    assert!(wrong.contains("unknown command `rye thread walk`") && wrong.contains("rye help"), "{wrong}");
    let printed: Value = serde_json::from_slice(&sandbox.rye(&["man", "--all", "pages", "--json"]).stdout()).unwrap();
    let pages: Vec<&str> = printed["pages"].as_array().unwrap().iter().map(|page| page.as_str().unwrap()).collect();
    assert!(pages.contains(&"rye.1") && pages.contains(&"rye-registry-owner-add.1"), "{pages:?}");
    assert!(!pages.iter().any(|page| page.contains("help") || page.contains("__")), "{pages:?}");
    for name in pages {
        let path = sandbox.project().join("pages").join(name);
        if has("groff") {
            let groff = Command::new("groff")
                .args(["-k", "-man", "-ww", "-z"])
                .arg(&path)
                .stderr(Stdio::piped())
                .output()
                .unwrap();
            assert_eq!(String::from_utf8_lossy(&groff.stderr), "", "{name}");
        }
        assert!(std::fs::read_to_string(&path).unwrap().contains(".SH NAME"), "{name}");
    }
}
