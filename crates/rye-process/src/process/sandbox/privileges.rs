//! No capability, and none to be had.

use rustix::thread::{
    CapabilitySet, CapabilitySets, capability_is_in_bounding_set, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

use super::super::error::Error;

/// Programs with the set-user-id bit or capabilities of their own give nothing from now on.
pub(super) fn give_up_gaining() -> Result<(), Error> {
    set_no_new_privs(true).map_err(|code| failed("new privileges", code))
}

/// Takes every capability away, those too that the superuser would get back by starting a program.
pub(super) fn drop_all() -> Result<(), Error> {
    for capability in CapabilitySet::all().iter() {
        // A kernel that does not know a capability gives it to no process. A process that may not take one from the set
        // has none.
        if capability_is_in_bounding_set(capability).unwrap_or(false) {
            let _ = remove_capability_from_bounding_set(capability);
        }
    }
    clear_ambient_capability_set().map_err(|code| failed("ambient capabilities", code))?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
        .map_err(|code| failed("capabilities", code))
}

fn failed(what: &'static str, code: rustix::io::Errno) -> Error {
    Error::Confine { what, source: code.into() }
}
