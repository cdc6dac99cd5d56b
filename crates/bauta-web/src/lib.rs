//! The web app: the same work as the command line, in a browser on the same machine.
//!
//! The plan file is the state. A page shows what the plan says, a form changes a [draft](bauta_plan::draft::Draft) of it,
//! and the change is made in the text, whose comments stay. Every version and every run is kept in a folder beside the
//! plan that only its owner can read. Nothing is computed here that the library does not compute, and nothing is asked of
//! any network but this machine's own address.

mod app;
mod desk;
mod doors;
mod events;
mod failure;
mod fields;
mod folder;
mod form;
mod history;
mod jobs;
mod lock;
mod looked;
mod pages;
mod previews;
mod risks;
mod runs;
mod server;

pub use server::{Address, Serve, ServeError, serve};
