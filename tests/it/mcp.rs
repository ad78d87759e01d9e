//! The server for AI clients, driven over stdin and stdout as a client does.

mod access;
pub(crate) mod client;
mod code_places;
mod completing;
mod confined;
mod consent;
mod crowded;
mod ending;
mod failing;
mod following;
mod greeting;
mod hints;
mod indexing;
mod kept_away;
mod nested;
mod own_places;
mod parameters;
mod parts;
mod prompts;
mod resources;
mod roots;
mod running;
mod session;
mod skills;
mod stateless;
mod stdin;
mod watching;
