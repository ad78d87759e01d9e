//! The variables of the target alone, on their way to the confiner: through a pipe, which is empty once they are read. So they
//! are on no command line and in no environment but the target's.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;

use super::pipes::feed;

/// Begins to send variables. Returns the descriptor to read them from.
pub(super) fn send(variables: &BTreeMap<String, String>) -> io::Result<OwnedFd> {
    let (reader, writer) = io::pipe()?;
    feed(writer, serde_json::to_vec(variables)?);
    Ok(reader.into())
}

/// Reads all variables. Those of a sender that went meanwhile are not whole, and an error.
pub(super) fn receive(descriptor: OwnedFd) -> io::Result<BTreeMap<String, String>> {
    let mut sent = Vec::new();
    File::from(descriptor).read_to_end(&mut sent)?;
    Ok(serde_json::from_slice(&sent)?)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::io::Write as _;

    use super::*;

    #[test]
    fn variables_arrive_as_they_are_and_whole_or_not_at_all() {
        let variables = BTreeMap::from([
            ("A".to_owned(), "x\n=\0é".to_owned()),
            ("B".to_owned(), "y".repeat(1 << 20)),
            ("C".to_owned(), String::new()),
        ]);
        assert_eq!(receive(send(&variables).unwrap()).unwrap(), variables);
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"{\"A\":\"x\"").unwrap();
        drop(writer);
        assert!(receive(reader.into()).is_err());
    }
}
