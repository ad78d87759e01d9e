//! What everything in Rye is called: types and ids of items, spaces, versions, times, the patterns over them; and an error told with
//! its causes.
//!
//! Values only: nothing here knows a file, a clock, the environment or the network.

pub mod error;
pub mod id;
