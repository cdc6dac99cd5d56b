//! The command as its users meet it.

mod assurance;
mod calibrate;
mod canary;
mod canary_methods;
mod compare;
mod demo;
mod examples;
mod files;
mod guarded;
mod guides;
mod init;
mod killed;
mod large;
mod memory;
mod mistakes;
mod numbers;
mod printing;
mod reports;
mod scripts;
mod signing;
mod snapshots;
mod spellings;
mod support;
mod suppressed;
