//! Which signatures are strong, and understood in full.

use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::{Signature, SubpacketData};

/// Tells whether a signature says nothing critical that is not understood, and, of data, whether its digest is strong.
pub(crate) fn is_strong(signature: &Signature, is_of_data: bool) -> bool {
    let Some(config) = signature.config() else { return false };
    let unknown = |data: &SubpacketData| {
        matches!(data, SubpacketData::Other(..) | SubpacketData::Experimental(..) | SubpacketData::Notation(_))
    };
    let is_understood = !config.hashed_subpackets.iter().any(|part| part.is_critical && unknown(&part.data));
    let digest = signature.hash_alg();
    let is_strong = matches!(
        digest,
        Some(
            HashAlgorithm::Sha256
                | HashAlgorithm::Sha384
                | HashAlgorithm::Sha512
                | HashAlgorithm::Sha224
                | HashAlgorithm::Sha3_256
                | HashAlgorithm::Sha3_512
        )
    );
    is_understood && (is_strong || !is_of_data)
}
