//! The languages that items are written in, read into values with places.

pub(super) mod fence;
pub(super) mod prose;
pub(super) mod tags;
pub(super) mod xml;
pub(super) mod yaml;
