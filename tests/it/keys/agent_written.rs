//! The record of what agents wrote: no record is lost, with other writers and whatever ends a writer.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use rye::keys::AgentWritten;
use rye::trust::Blake3Hash;

use super::Place;

fn digest(number: usize) -> Blake3Hash {
    Blake3Hash::of(number.to_string().as_bytes())
}

#[test]
fn what_many_write_at_once_is_all_remembered_once() {
    let place = Place::new();
    let context = place.context();
    assert_eq!(AgentWritten::new(&context).unwrap().read().unwrap(), None);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let context = context.clone();
            scope.spawn(move || {
                let written = AgentWritten::new(&context).unwrap();
                (0..50).for_each(|number| written.remember(&digest(number + 10 * writer)).unwrap());
            });
        }
    });
    let written = AgentWritten::new(&context).unwrap();
    let known = written.read().unwrap().unwrap();
    assert_eq!(known.len(), 80);
    assert!((0..80).all(|number| known.contains(&digest(number).to_string())));
    assert_eq!(fs::metadata(written.path()).unwrap().len(), 80 * 66, "each once");
    assert_eq!(written.path(), place.path("home/.local/state/rye/agent_written"));
    assert_eq!(fs::metadata(written.path()).unwrap().permissions().mode() & 0o777, 0o600);
    let elsewhere = place.context_where("XDG_STATE_HOME", place.path("state").to_str().unwrap());
    let elsewhere = AgentWritten::new(&elsewhere).unwrap();
    assert_eq!(elsewhere.path(), place.path("state/rye/agent_written"));
    // Records in the default place count there too, and not the other way round.
    elsewhere.remember(&digest(80)).unwrap();
    assert_eq!(elsewhere.read().unwrap().unwrap().len(), 81);
    assert_eq!(written.read().unwrap().unwrap().len(), 80);
}

/// Whatever length of a line a crash leaves, the lines before and after it stay.
#[test]
fn what_a_crash_leaves_of_a_line_hides_no_other() {
    let place = Place::new();
    let written = AgentWritten::new(&place.context()).unwrap();
    written.remember(&digest(1)).unwrap();
    let whole = fs::read(written.path()).unwrap();
    let line = format!("\n{}\n", digest(2));
    for length in 0..line.len() {
        fs::write(written.path(), [&whole[..], &line.as_bytes()[..length]].concat()).unwrap();
        written.remember(&digest(3)).unwrap();
        let known = written.read().unwrap().unwrap();
        assert!([1, 3].iter().all(|number| known.contains(&digest(*number).to_string())), "{length}");
    }
}

#[test]
fn a_record_that_is_damaged_full_or_open_to_others_is_not_read() {
    let place = Place::new();
    let written = AgentWritten::new(&place.context()).unwrap();
    written.remember(&digest(1)).unwrap();
    for damaged in ["\nno digest\n".to_owned(), format!("{}0\n", digest(1)), "\0".repeat(66), "0\n".repeat(3_000_000)] {
        fs::write(written.path(), &damaged).unwrap();
        assert!(written.read().is_err(), "{:?}", &damaged[..8]);
        // A tool goes on: what cannot be told is asked about.
        written.remember(&digest(2)).unwrap();
    }
    fs::write(written.path(), "").unwrap();
    assert!(written.read().is_ok());
    fs::set_permissions(written.path(), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(written.read().is_err() && written.remember(&digest(2)).is_err());
    fs::remove_file(written.path()).unwrap();
    std::os::unix::fs::symlink("/dev/zero", written.path()).unwrap();
    assert!(written.read().is_err() && written.remember(&digest(2)).is_err());
}
