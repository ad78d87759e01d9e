//! Programs that a client has run read none of the program's own places, and of the system's folders only what is for everybody,
//! whatever path, link or mount leads there.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::client::Client;
use crate::support::Sandbox;
use crate::support::users::User;
use crate::thread::world::{SCRIPTED, World, call, result_in_turn, text};

/// Where a project may have the configuration: the project, `HOME`, `XDG_CONFIG_HOME`.
const LAYOUTS: [(&str, &str, &str); 3] = [
    // The folder of all configuration is a repository.
    ("home/.config", "home", "home/.config"),
    // The home is one.
    ("home", "home", "home/.config"),
    // The variable names a place in the project.
    ("project", "home", "project/config"),
];

/// What a program printed, and what the caller was told of it.
fn ran(client: &mut Client<'_>, argv: &[&str]) -> (String, String) {
    let arguments = json!({"item_type": "tool", "item_id": "rye/shell/run", "parameters": {"argv": argv}});
    let (outcome, _) = client.outcome("rye_execute", arguments);
    let printed = outcome["result"]["stdout"].as_str().unwrap_or_default().to_owned();
    (printed, outcome.to_string())
}

/// Asserts that a program of a client reads some files and does not read others.
#[track_caller]
fn assert_read(client: &mut Client<'_>, read: &[PathBuf], kept: &[PathBuf]) {
    for path in read {
        let (printed, outcome) = ran(client, &["cat", path.to_str().unwrap()]);
        assert!(printed.contains("open"), "{}: {outcome}", path.display());
    }
    for path in kept {
        let (printed, outcome) = ran(client, &["cat", path.to_str().unwrap()]);
        assert!(printed.is_empty() && !outcome.contains("PRIVATE KEY"), "{}: {outcome}", path.display());
        let is_told = ["Permission denied", "cannot give", "No such file"].iter().any(|said| outcome.contains(said));
        assert!(is_told, "{outcome}");
    }
}

/// A server whose project, home and configuration lie so in a sandbox, with a key in it.
fn server<'a>(sandbox: &'a Sandbox, (project, home, config): (&str, &str, &str)) -> Client<'a> {
    let path = |name: &str| sandbox.path(name).display().to_string();
    let run = |args: &[&str]| {
        sandbox
            .rye(&[&["-C", &path(project)], args].concat())
            .env("HOME", &path(home))
            .env("XDG_CONFIG_HOME", &path(config))
    };
    fs::create_dir_all(sandbox.path(project)).unwrap();
    fs::create_dir_all(sandbox.path(config)).unwrap();
    sandbox.git(&["init", "-q", &path(project)]);
    run(&["key", "generate", "-q"]).succeeds();
    let mut client = Client::of(sandbox, run(&["mcp"]).spawn_piped());
    client.shake_hands(json!({}));
    client
}

#[test]
fn no_program_reads_a_key_where_the_configuration_lies_in_the_project() {
    for user in User::all() {
        user.does(|| {
            for layout in LAYOUTS {
                let sandbox = Sandbox::empty();
                fs::create_dir_all(sandbox.path(layout.0)).unwrap();
                fs::write(sandbox.path(layout.0).join("open.txt"), "open").unwrap();
                let mut client = server(&sandbox, layout);
                let own = sandbox.path(layout.2).join("rye");
                fs::write(own.join("config.toml"), "# open\n").unwrap();
                let kept = ["keys/person", "config.toml"].map(|name| own.join(name));
                assert!(kept[0].is_file());
                // A program gets nothing at all of a home.
                let read = sandbox.path(layout.0).join("open.txt");
                assert_read(&mut client, if layout.0 == "home" { &[] } else { std::slice::from_ref(&read) }, &kept);
            }
        });
    }
}

/// Dotfiles that the configuration links to, and another name of the key.
#[test]
fn no_program_reads_a_key_by_a_link_or_another_name() {
    for user in User::all() {
        user.does(|| {
            for is_hard in [false, true] {
                let sandbox = Sandbox::empty();
                fs::write(sandbox.project().join("open.txt"), "open").unwrap();
                let layout = ("project", "home", "config");
                drop(server(&sandbox, layout));
                let (own, dotfiles) = (sandbox.path("config/rye/keys"), sandbox.project().join("deep/keys"));
                fs::create_dir(sandbox.project().join("deep")).unwrap();
                if is_hard {
                    fs::create_dir(&dotfiles).unwrap();
                    fs::hard_link(own.join("person"), dotfiles.join("person")).unwrap();
                } else {
                    fs::rename(&own, &dotfiles).unwrap();
                    symlink(&dotfiles, &own).unwrap();
                }
                fs::write(sandbox.project().join("deep/open.txt"), "open").unwrap();
                symlink(&dotfiles, sandbox.project().join("way")).unwrap();
                let mut client = server(&sandbox, layout);
                let read = ["open.txt", "deep/open.txt"].map(|name| sandbox.project().join(name));
                let kept = [dotfiles.join("person"), sandbox.project().join("way/person"), own.join("person")];
                assert_read(&mut client, &read, &kept);
            }
        });
    }
}

/// Dotfiles with a key that somebody committed: a thread's tree has it, too.
#[test]
fn no_script_of_a_thread_reads_a_key_in_its_tree() {
    for user in User::all() {
        user.does(|| {
            let world = World::new();
            fs::create_dir_all(world.in_project("dot/rye")).unwrap();
            fs::create_dir_all(world.path("home/.config")).unwrap();
            symlink(world.in_project("dot/rye"), world.path("home/.config/rye")).unwrap();
            world.write("dot/open.txt", "open");
            let own = world.in_project("dot/rye/keys/person").display().to_string();
            world.tool(
                "demo/look",
                &format!("cat dot/open.txt; cat dot/rye/keys/person {own} 2>/dev/null | wc -c; touch dot/new"),
            );
            world.directive("<execute><tool>demo.*</tool></execute>", r#"turns="3""#, "");
            // The first run makes the agent's key, which a run must not.
            let script = world.script(&[text("Done.")]).display().to_string();
            let first = ["thread", "run", "demo/work", "--provider", SCRIPTED, "--script", &script];
            assert!(world.rye(&first).output().unwrap().status.success());
            world.git(&["add", "--force", "dot"]);
            world.commit("dotfiles");
            assert!(world.git(&["ls-files", "dot/rye/keys/person"]).ends_with("person"));
            let outcome = world.run(&[call("demo_look", json!({})), text("Done.")]);
            let result = result_in_turn(&world.events(&outcome), 1);
            assert!(result["output"].to_string().contains("open0"), "{result}");
            assert_eq!(world.changed(&outcome)[1], ["dot/new"]);
        });
    }
}

/// A machine with mounts of its own: commands that make it, as the superuser of a name space; then a server in it.
fn on_machine<'a>(
    sandbox: &'a Sandbox,
    user: User,
    commands: &str,
    variables: &[(&str, &str)],
    project: &str,
) -> Client<'a> {
    let mut machine = Command::new("unshare");
    machine.env_clear().envs(sandbox.variables()).envs(variables.iter().copied());
    let become_user = match user {
        User::Own => "exec",
        User::Nobody => "exec setpriv --reuid=65534 --regid=65534 --clear-groups",
    };
    let script = format!("set -e; {commands}\n{become_user} \"$@\"");
    let program = crate::support::RYE;
    machine.args(["--mount", "sh", "-c", &script, "sh", program, "-C", project, "mcp"]);
    machine.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut client = Client::of(sandbox, machine.spawn().unwrap());
    client.shake_hands(json!({}));
    client
}

/// Tells whether a machine can be made up here: only the superuser mounts for another user, too.
fn makes_machines() -> bool {
    rustix::process::geteuid().is_root()
        && Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|status| status.success())
}

#[test]
fn no_program_reads_a_key_by_a_mount() {
    for user in User::all().into_iter().filter(|_| makes_machines()) {
        let sandbox = user.does(Sandbox::empty);
        user.does(|| {
            fs::create_dir_all(sandbox.project().join("other/rye")).unwrap();
            fs::write(sandbox.project().join("open.txt"), "open").unwrap();
            drop(server(&sandbox, ("project", "home", "config")));
        });
        let (project, config) = (sandbox.project().display().to_string(), sandbox.path("config").display().to_string());
        let real = sandbox.path("real").display().to_string();
        let machines = [
            format!("mount --bind {config} {project}/other"),
            format!("mount -t overlay -o lowerdir={config}:/usr/share/doc none {project}/other"),
            // One mount hides another, which has the longer path.
            format!(
                "mkdir -p {real}; cp -a {config} {real}; mount -t tmpfs none {config}; mkdir {config}/rye; mount --bind {real}/config/rye {config}/rye
                 mount --bind {real}/config {project}/other; mount --bind {real}/config {config}"
            ),
        ];
        for mounts in machines {
            let mut client = on_machine(&sandbox, user, &mounts, &[], &project);
            assert_read(
                &mut client,
                &[sandbox.project().join("open.txt")],
                &[sandbox.project().join("other/rye/keys/person"), sandbox.path("config/rye/keys/person")],
            );
        }
    }
}

/// A runner with its home below `/opt`, a project below `/usr/src`, and what an administrator put beside them.
#[test]
fn of_the_system_s_folders_a_program_reads_what_is_for_everybody() {
    for user in User::all().into_iter().filter(|_| makes_machines()) {
        let sandbox = user.does(Sandbox::empty);
        let owner = if user.is_super() { "0:0" } else { "65534:65534" };
        let files = format!(
            "mount -t tmpfs none /opt; mount -t tmpfs none /usr/src; mount -t tmpfs none /usr/local/src; chmod 755 /opt /usr/src /usr/local/src
             put() {{ mkdir -p \"$(dirname \"$1\")\"; echo open >\"$1\"; }}
             for f in /opt/runner/.netrc /opt/runner/open.txt /opt/runner/work/other/a /opt/tool/lib/open.txt /opt/tool/private/key /opt/tool/.git/config \
                      /opt/bare/HEAD /opt/bare/objects/x /opt/bare/refs/x /opt/bare/config /usr/src/app/.env /usr/src/app/src/a.txt /usr/src/open.txt \
                      /usr/local/src/a/b/c/open.txt /usr/local/src/a/b/c/secret /usr/local/src/mine; do put $f; done
             for f in /opt/entered/mine/.env /opt/entered/mine/.git/config /opt/listed/a; do put $f; done; chmod 711 /opt/entered
             chmod 700 /opt/tool/private; chmod 640 /usr/local/src/a/b/c/secret; chmod 600 /usr/local/src/mine
             chown -R {owner} /opt /usr/src /usr/local/src
             git init -q /usr/src/app; printf '[remote \"o\"]\\n\\turl = https://u:open@example.org\\n' >>/usr/src/app/.git/config; chown -R {owner} /usr/src/app
             mkdir /opt/runner/.config /opt/runner/.cache; chown -R {owner} /opt/runner
             chown root:root /opt/entered; chmod 600 /opt/entered/mine/.env /opt/listed/a; chown 1234:1234 /opt/listed/a
             setfacl -m u:nobody:r,u:root:r /opt/listed/a 2>/dev/null || rm /opt/listed/a
             mkdir -p {parent}/me /opt/bound; put {parent}/me/notes; mount --bind {parent} /opt/bound; chown 65534 {parent}/me
             cp /etc/passwd {passwd}; printf 'caf\\351:x:65534:65534:caf\\351:{parent}/me:/bin/sh\\n' >>{passwd}; mount --bind {passwd} /etc/passwd",
            passwd = sandbox.path("passwd").display(),
            parent = sandbox.path("parent").display()
        );
        let variables = [("HOME", "/opt/runner"), ("XDG_CONFIG_HOME", "/opt/runner/.config")];
        let mut client = on_machine(&sandbox, user, &files, &variables, "/usr/src/app");
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_read(
            &mut client,
            &paths(&[
                "/opt/tool/lib/open.txt",
                "/usr/src/open.txt",
                "/usr/local/src/a/b/c/open.txt",
                "/usr/src/app/src/a.txt",
            ]),
            &paths(&[
                "/opt/runner/.netrc",
                "/opt/runner/open.txt",
                "/opt/runner/work/other/a",
                "/opt/tool/private/key",
                "/opt/tool/.git/config",
                "/opt/bare/config",
                "/usr/local/src/a/b/c/secret",
                "/usr/local/src/mine",
                "/opt/entered/mine/.env",
                "/opt/entered/mine/.git/config",
                "/opt/listed/a",
                // The home of a user with another name, by a mount.
                "/opt/bound/me/notes",
            ]),
        );
        // What is new there counts at once, though the answer is kept.
        let late = format!("/proc/{}/root/opt/tool/lib/late", client.child.id());
        fs::write(&late, "open").unwrap();
        fs::set_permissions(&late, fs::Permissions::from_mode(0o600)).unwrap();
        let owner = if user.is_super() { 0 } else { 65534 };
        std::os::unix::fs::chown(&late, Some(owner), Some(owner)).unwrap();
        assert_read(&mut client, &paths(&["/opt/tool/lib/open.txt"]), &paths(&["/opt/tool/lib/late"]));
        // In its place is one without what logs in.
        let (printed, outcome) = ran(&mut client, &["cat", "/usr/src/app/.git/config"]);
        assert!(printed.is_empty() || printed.contains("https://example.org"), "{outcome}");
        assert!(!outcome.contains("u:open"), "{outcome}");
    }
}

/// The superuser reads of `/etc` what every user may.
#[test]
fn of_the_settings_a_program_reads_what_is_for_everybody() {
    for user in User::all().into_iter().filter(|_| makes_machines()) {
        let sandbox = user.does(Sandbox::empty);
        user.does(|| sandbox.git(&["init", "-q"]));
        let owner = if user.is_super() { "0:0" } else { "65534:65534" };
        let files = format!(
            "mount -t tmpfs none /etc/opt; chmod 755 /etc/opt; echo open >/etc/opt/open; echo open >/etc/opt/secret; chmod 640 /etc/opt/secret
             mkdir -m 700 /etc/opt/private; echo open >/etc/opt/private/x; chown -R {owner} /etc/opt"
        );
        let mut client = on_machine(&sandbox, user, &files, &[], &sandbox.project().display().to_string());
        let at = |name: &str| Path::new("/etc/opt").join(name);
        assert_read(&mut client, &[at("open")], &[at("secret"), at("private/x")]);
    }
}

/// What lies in a private folder has no names either, wherever it is in the system's folders.
#[test]
fn of_the_system_s_private_folders_a_program_lists_nothing() {
    let no_spaces = include_str!("../support/no_name_space.py");
    for (user, has_spaces) in User::all().into_iter().flat_map(|user| [(user, true), (user, false)]) {
        if !makes_machines() {
            return;
        }
        let sandbox = user.does(Sandbox::empty);
        user.does(|| sandbox.git(&["init", "-q"]));
        let script = sandbox.path("no_name_space.py").display().to_string();
        user.does(|| fs::write(&script, no_spaces).unwrap());
        let extra = if has_spaces { String::new() } else { format!("set -- /usr/bin/python3 {script} \"$@\"") };
        let owner = if user.is_super() { "0:0" } else { "65534:65534" };
        let files = format!(
            "mount -t tmpfs none /opt; mount -t tmpfs none /etc/opt; chmod 755 /opt /etc/opt
             put() {{ mkdir -p \"$(dirname \"$1\")\"; echo open >\"$1\"; }}
             for f in /opt/runner/found /opt/tool/lib/open.txt /opt/tool/private/found /opt/tool/group/found /opt/app/.git/found \
                      /etc/opt/private/found /etc/opt/deep/er/private/found /opt/open/open.txt; do put $f; done
             chmod 700 /opt/tool/private /etc/opt/private /etc/opt/deep/er/private; chmod 710 /opt/tool/group
             chown -R {owner} /opt /etc/opt
             {extra}"
        );
        let variables = [("HOME", "/opt/runner")];
        let mut client = on_machine(&sandbox, user, &files, &variables, &sandbox.project().display().to_string());
        for folder in [
            "/opt/runner",
            "/opt/tool/private",
            "/opt/tool/group",
            "/opt/app/.git",
            "/etc/opt/private",
            "/etc/opt/deep/er/private",
        ] {
            let (printed, outcome) = ran(&mut client, &["ls", "-a", folder]);
            assert!(!printed.contains("found"), "{user:?} {folder}: {outcome}");
        }
        // What is for everybody can be listed and read, as far as the system can tell the two apart.
        let (printed, outcome) = ran(&mut client, &["ls", "/opt/open", "/opt/tool/lib"]);
        assert_eq!(printed.matches("open.txt").count(), 2, "{user:?}: {outcome}");
        if has_spaces {
            let (printed, outcome) = ran(&mut client, &["ls", "/opt", "/etc"]);
            assert!(printed.contains("tool") && printed.contains("passwd"), "{user:?}: {outcome}");
        }
    }
}
