//! The command as its users meet it.

mod calibrate;
mod canary;
mod compare;
mod demo;
mod examples;
mod files;
mod init;
mod killed;
mod mistakes;
mod reports;
mod scripts;
mod snapshots;
mod support;
mod suppressed;
