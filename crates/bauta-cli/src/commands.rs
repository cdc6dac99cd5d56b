//! One file per sub-command.

pub(crate) mod calibrate;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod explain;
pub(crate) mod explain_record;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod mask;
pub(crate) mod optimize;
pub(crate) mod planned;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod risk;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod sign;
pub(crate) mod sweep;
pub(crate) mod tune;
pub(crate) mod verify;
