//! The pulled items of the spaces, by the digests of their locks: keys that count for a namespace of a registry count
//! for nothing else. A lock that cannot be read says of no item that it was pulled.

use crate::format::registry_files::{self, Lock};
use crate::id::{ItemType, Space};
use crate::trust::TrustedKeys;
use crate::workspace::Workspace;

/// Notes what the locks of the project and of the user space have.
pub(super) fn note(keys: &mut TrustedKeys, workspace: &Workspace) {
    if !keys.has_namespaces() {
        return;
    }
    for space in [Space::Project, Space::User] {
        if let Some(bytes) = workspace.lock_file(space).ok().flatten() {
            note_lock(keys, space, &bytes);
        }
    }
}

/// Notes what a lock has.
pub fn note_lock(keys: &mut TrustedKeys, space: Space, bytes: &[u8]) {
    let lock = registry_files::lock(bytes).unwrap_or_default();
    for entry in Lock::entries(&lock) {
        keys.add_pulled(space, entry.item_type, entry.id.clone(), entry.sha256);
    }
    for skill in lock.skills() {
        if let Some(signed) = &skill.signed {
            keys.add_pulled(space, ItemType::Skill, skill.id.clone(), signed.sha256);
        }
    }
}
