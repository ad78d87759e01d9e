//! The search index: its language, its ranking, and what it keeps on disk.

mod language;
mod matching;
mod ranking;
mod shelf;
mod storage;
mod survival;
