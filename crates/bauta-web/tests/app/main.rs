//! The app as a browser meets it: requests over a socket, on a folder of its own. What needs a browser stands in
//! `tests/browser`.

mod attacks;
mod client;
mod way;
