//! A key that an ssh-agent holds: a real agent, and agents that refuse, are gone, hang or lie.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;
use rye::keys::{SshAgent, person_key};
use rye::trust::{
    Namespace, PublicKey, RawSignature, SignedData, Signer, SignerError, SigningKey, armored, verify_armored,
};

use super::{Place, nobody, some_key};
use crate::support::{Sandbox, has, ssh_keygen};

/// A real ssh-agent of the test's own, which ends with it.
pub(super) struct RealAgent {
    child: Child,
    socket: PathBuf,
}

impl RealAgent {
    pub(super) fn start(socket: &Path) -> Self {
        let mut command = Command::new("ssh-agent");
        let child = command.arg("-D").arg("-a").arg(socket).stdout(Stdio::null()).spawn().unwrap();
        let agent = Self { child, socket: socket.to_path_buf() };
        let begun = Instant::now();
        while UnixStream::connect(socket).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(10), "ssh-agent does not listen");
            std::thread::sleep(Duration::from_millis(5));
        }
        agent
    }

    /// Runs `ssh-add` and demands that it succeeds.
    pub(super) fn add(&self, arguments: &[&str]) {
        let mut command = Command::new("ssh-add");
        command.arg("-q").args(arguments).env("SSH_AUTH_SOCK", &self.socket).env_remove("DISPLAY");
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    pub(super) fn socket(&self) -> &str {
        self.socket.to_str().unwrap()
    }
}

impl Drop for RealAgent {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// What an agent does about a message, which it sees without its length.
type Answer = fn(&[u8], &mut UnixStream);

/// Listens like an agent and answers as it likes.
fn false_agent(place: &Place, answer: Answer) -> String {
    let socket = place.path("agent");
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut length = [0; 4];
            if stream.read_exact(&mut length).is_ok() {
                let mut message = vec![0; u32::from_be_bytes(length) as usize];
                stream.read_exact(&mut message).unwrap();
                answer(&message, &mut stream);
            }
        }
    });
    socket.to_str().unwrap().to_owned()
}

/// A string of the protocol: its length in four bytes, then itself.
fn string(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_be_bytes(), bytes].concat()
}

/// The list of an agent that holds the test's key and nothing else.
fn one_key() -> Vec<u8> {
    string(&[&[12, 0, 0, 0, 1][..], &string(&some_key().public().to_wire()), &string(b"comment")].concat())
}

fn signature(algorithm: &[u8], bytes: &[u8]) -> Vec<u8> {
    string(&[&[14][..], &string(&[string(algorithm), string(bytes)].concat())].concat())
}

/// Has the public half sign, by the agent at `socket`, with little patience.
fn signed_by(place: &Place, socket: &str) -> Result<RawSignature, SignerError> {
    let agent = SshAgent::of(&place.context_where("SSH_AUTH_SOCK", socket))
        .unwrap()
        .waiting_at_most(Duration::from_millis(300));
    Held(agent).sign(Namespace::Item, b"message")
}

/// The test's key in an agent.
#[derive(Debug)]
struct Held(SshAgent);

impl Signer for Held {
    fn public(&self) -> PublicKey {
        some_key().public()
    }

    fn sign_data(&self, data: &SignedData) -> Result<RawSignature, SignerError> {
        assert!(self.0.holds(&self.public())?, "it lists the key");
        self.0.sign(&self.public(), data)
    }
}

/// The whole way: only the public half comes here, the agent signs, stock ssh-keygen accepts, and so does `verify`.
#[test]
fn what_a_real_ssh_agent_signs_is_accepted_by_ssh_keygen_and_by_verify() {
    if !has("ssh-agent") || !has("ssh-keygen") {
        return;
    }
    let sandbox = Sandbox::with_items();
    ssh_keygen(&sandbox.path("home"), &["-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", "id"]);
    let agent = RealAgent::start(&sandbox.path("agent"));
    let (private, public) = (sandbox.path("home/id"), sandbox.path("home/id.pub"));
    agent.add(&[private.to_str().unwrap()]);
    fs::remove_file(&private).unwrap();
    let rye = |arguments: &[&str]| sandbox.rye(arguments).env("SSH_AUTH_SOCK", agent.socket()).succeeds();
    rye(&["key", "import", public.to_str().unwrap()]);
    assert!(!sandbox.path("config/rye/keys/person").exists(), "the private half never comes here");
    rye(&["sign", "--all"]);
    sandbox.rye(&["verify"]).succeeds();

    let text = fs::read_to_string(sandbox.project().join(".ai/knowledge/demo/notes.md")).unwrap();
    let fields: Vec<&str> = text.lines().next().unwrap().trim_end_matches(" -->").rsplitn(4, ':').collect();
    let [_key_id, signature, hash, head] = fields[..] else { panic!("{text}") };
    let time = head.rsplit_once("signed:").unwrap().1;
    let message = format!("rye-signature-v2\nknowledge\ndemo/notes\nmd\n{time}\n{hash}\n");
    let raw = URL_SAFE.decode(signature).unwrap();
    let public = fs::read_to_string(public).unwrap();
    let key = PublicKey::from_openssh(&public).unwrap();
    let home = sandbox.path("home");
    fs::write(home.join("allowed"), format!("ada {public}")).unwrap();
    fs::write(home.join("sig"), armored(&key, Namespace::Item, RawSignature(raw.try_into().unwrap()))).unwrap();
    fs::write(home.join("message"), message).unwrap();
    let mut command = Command::new("ssh-keygen");
    command.args(["-Y", "verify", "-f", "allowed", "-I", "ada", "-n", "rye", "-s", "sig"]);
    let input = fs::File::open(home.join("message")).unwrap();
    assert!(command.current_dir(&home).stdin(input).stdout(Stdio::null()).status().unwrap().success());
}

/// Neither a passphrase is asked for nor is the key opened here.
#[test]
fn a_protected_key_that_the_agent_holds_is_signed_with_by_the_agent() {
    if !has("ssh-agent") || !has("ssh-keygen") {
        return;
    }
    let place = Place::new();
    ssh_keygen(place.dir.path(), &["-q", "-t", "ed25519", "-N", "", "-f", "key"]);
    let agent = RealAgent::start(&place.path("agent"));
    agent.add(&[place.path("key").to_str().unwrap()]);
    ssh_keygen(place.dir.path(), &["-q", "-p", "-P", "", "-N", "sesame", "-a", "2", "-f", "key"]);
    let place = place.with("SSH_AUTH_SOCK", agent.socket());
    let key = person_key(&place.context(), &place.store(), Some("key"), nobody()).unwrap();
    let envelope = key.sign_armored(Namespace::Git, b"message").unwrap();
    assert_eq!(verify_armored(&envelope, Namespace::Git, b"message"), Ok(key.public()));

    // It is locked, as `ssh-add -x` does, or was told to forget the key: then it does not hold it.
    agent.add(&["-D"]);
    let key = person_key(&place.context(), &place.store(), Some("key.pub"), nobody()).unwrap();
    let not_held = SignerError::NotHeld { key_id: key.public().key_id(), private: Some(place.path("key")) };
    assert_eq!(key.sign(Namespace::Item, b"message"), Err(not_held));
    let key = person_key(&place.context(), &place.store(), Some("key"), nobody()).unwrap();
    assert!(matches!(key.sign(Namespace::Item, b"message"), Err(SignerError::Passphrase { .. })));
}

#[test]
fn an_agent_that_refuses_is_believed() {
    let place = Place::new();
    let socket = false_agent(&place, |message, stream| {
        let answer = if message == [11] { one_key() } else { string(&[5]) };
        stream.write_all(&answer).unwrap();
    });
    assert_eq!(signed_by(&place, &socket), Err(SignerError::Refused { key_id: some_key().public().key_id() }));
}

#[test]
fn an_agent_that_is_gone_is_named_by_its_socket() {
    let place = Place::new();
    let unreachable = |kind| Err(SignerError::Unreachable { socket: place.path("agent"), kind });
    let socket = place.path("agent").to_str().unwrap().to_owned();
    assert_eq!(signed_by(&place, &socket), unreachable(std::io::ErrorKind::NotFound));
    // Its socket outlived it.
    drop(UnixListener::bind(&socket).unwrap());
    assert_eq!(signed_by(&place, &socket), unreachable(std::io::ErrorKind::ConnectionRefused));
    fs::remove_file(&socket).unwrap();
    // It ends while it is asked.
    let socket = false_agent(&place, |_, stream| stream.write_all(&[0, 0]).unwrap());
    assert_eq!(signed_by(&place, &socket), unreachable(std::io::ErrorKind::UnexpectedEof));
}

#[test]
fn an_agent_that_hangs_costs_a_bounded_time() {
    let silent = |place: &Place| SignerError::Silent { socket: place.path("agent"), seconds: 0 };
    let begun = Instant::now();
    // It accepts the request and is silent; it does not accept it; it answers in pieces, each in time.
    let place = Place::new();
    let socket = false_agent(&place, |_, _| std::thread::sleep(Duration::from_secs(10)));
    assert_eq!(signed_by(&place, &socket), Err(silent(&place)));
    let place = Place::new();
    let _listener = UnixListener::bind(place.path("agent")).unwrap();
    assert_eq!(signed_by(&place, place.path("agent").to_str().unwrap()), Err(silent(&place)));
    let place = Place::new();
    let socket = false_agent(&place, |_, stream| {
        for byte in one_key() {
            std::thread::sleep(Duration::from_millis(100));
            if stream.write_all(&[byte]).is_err() {
                break;
            }
        }
    });
    assert_eq!(signed_by(&place, &socket), Err(silent(&place)));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn an_answer_that_means_nothing_is_no_signature() {
    let cases: [(Answer, &str); 7] = [
        (|_, stream| stream.write_all(&[0; 4]).unwrap(), "its length is invalid"),
        (|_, stream| stream.write_all(&[0xff; 4]).unwrap(), "its length is invalid"),
        (|_, stream| stream.write_all(&string(&[99])).unwrap(), "it is not a list of keys"),
        (|_, stream| stream.write_all(&string(&[12, 0, 0, 0, 9])).unwrap(), "its list of keys ends early"),
        (
            |message, stream| {
                let answer = if message == [11] { one_key() } else { string(&[6]) };
                stream.write_all(&answer).unwrap();
            },
            "it is not a signature",
        ),
        (
            |message, stream| {
                let answer = if message == [11] { one_key() } else { signature(b"ssh-rsa", &[1; 64]) };
                stream.write_all(&answer).unwrap();
            },
            "it contains no Ed25519 signature",
        ),
        (
            |message, stream| {
                let answer = if message == [11] { one_key() } else { signature(b"ssh-ed25519", &[1; 63]) };
                stream.write_all(&answer).unwrap();
            },
            "it contains no Ed25519 signature",
        ),
    ];
    for (answer, reason) in cases {
        let place = Place::new();
        let socket = false_agent(&place, answer);
        let garbled = SignerError::Garbled { socket: place.path("agent"), reason };
        assert_eq!(signed_by(&place, &socket), Err(garbled));
    }
}

/// What the agent made is verified before it is used: an agent that signs something else, or by another key, is found.
#[test]
fn a_signature_that_does_not_fit_is_not_used() {
    let place = Place::new();
    let socket = false_agent(&place, |message, stream| {
        let other = SigningKey::from_seed(&[8; 32]).sign(Namespace::Item, b"message");
        let answer = if message == [11] { one_key() } else { signature(b"ssh-ed25519", &other.0) };
        stream.write_all(&answer).unwrap();
    });
    assert_eq!(signed_by(&place, &socket), Err(SignerError::Unfit { key_id: some_key().public().key_id() }));
}

#[test]
fn nobody_is_asked_where_nothing_is_to_sign() {
    let sandbox = Sandbox::signed();
    let keys = sandbox.path("config/rye/keys");
    fs::remove_file(keys.join("person")).unwrap();
    // Only the public half is left, without an agent: all is signed by that key already.
    for arguments in [&["sign", "--all"][..], &["verify"], &["init"], &["key", "export"]] {
        sandbox.rye(arguments).succeeds();
    }
    assert!(!keys.join("person").exists(), "there is a key, so none is made");
    sandbox.edit(".ai/knowledge/demo/notes.md", "\n", "\n\n");
    assert!(sandbox.rye(&["sign", "--all", "--check"]).transcript().ends_with("[exit 1]\n"));
    let refused = sandbox.rye(&["sign", "--all"]).transcript();
    assert!(refused.contains("no ssh-agent has its private key\n"), "{refused}");
}

/// What runs as a tool has no way to the person's agent through its surroundings.
#[test]
fn a_tool_is_not_told_where_the_ssh_agent_is() {
    let sandbox = Sandbox::signed();
    sandbox.put(".ai/tools/demo/env.sh", "# version: 1.0.0\n# description: Show the surroundings\nenv\n");
    sandbox.rye(&["sign", "tool", "demo/env"]).succeeds();
    let run = sandbox.rye(&["execute", "tool", "demo/env"]).env("SSH_AUTH_SOCK", "/tmp/agent").transcript();
    assert!(run.contains("PATH=") && run.ends_with("[exit 0]\n"), "{run}");
    assert_eq!(run.matches("SSH_AUTH_SOCK").count(), 1, "only in the command itself: {run}");
}
