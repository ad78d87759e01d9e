//! HTTP requests to models, of tools and to registries: addresses judged as their names are looked up, limits on time and bytes,
//! proxies, what may be sent again.
//!
//! One client a process, made with the first request; certificates are compiled in. Nothing else in the program opens a connection
//! beyond this machine, but stock git.

pub mod net;

// The names by which the modules here know those below.
use rye_context::context;
use rye_id::id;
use rye_item::capability;
