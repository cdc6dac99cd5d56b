//! `bauta serve`: the web app.

use std::net::IpAddr;
use std::process::{Command, Stdio};

use bauta_data::DataError;
use bauta_plan::work::Mistake;
use bauta_web::{Address, Serve, ServeError};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, ServeArguments};
use crate::failure::Failure;
use crate::print::{object, out, say};
use crate::progress::until_stopped;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &ServeArguments, global: &Global) -> Result<Outcome, Failure> {
    let place = &arguments.place;
    if let Some(host) = &arguments.host
        && !arguments.i_know
    {
        return Err(Failure::mistake(
            format!(
                "with --host {host} other machines could reach the app, which shows confidential data and has no encryption"
            ),
            "leave --host out, or add --i-know if this network is one that you trust with the data",
        ));
    }
    if let Some(host) = &arguments.host
        && host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_unspecified())
    {
        return Err(Failure::mistake(
            format!(
                "--host {host} is every address of this machine and the name of none: browsers could not ask for it"
            ),
            "name the address by which others reach this machine",
        ));
    }
    recover_beside([place]);
    let request = Serve {
        place: place.clone(),
        host: arguments.host.clone(),
        port: arguments.port,
        threads: global.threads.map(|threads| threads.get().into()),
    };
    let ready = |address: &Address| {
        told(address, arguments, global);
    };
    let is_over = until_stopped();
    bauta_web::serve(&request, ready, &is_over).map_err(|error| failure(error, arguments))?;
    say!("stopped; what was saved is in the plan files");
    Ok(Outcome::Fine)
}

/// Says where the app is, and opens it.
fn told(address: &Address, arguments: &ServeArguments, global: &Global) {
    if global.json {
        object(&json!({ "url": address.url, "folder": address.folder.display().to_string() }));
    } else {
        out!("{}", address.url);
        say!(
            "Bauta serves {}. Whoever has the address above can do what you can; do not pass it on. Ctrl-C ends it.",
            address.folder.display()
        );
    }
    if address.is_open_to_others {
        say!(
            "warning: other machines can reach the app, and what they send and get can be read on the way"
        );
    }
    if !arguments.no_open && !global.json {
        open(address);
    }
}

/// Opens the browser, where there is one; the address was printed in any case. What programs are started with, others on
/// the machine can read: the browser gets the name of a page that only its owner can, which leads on.
fn open(address: &Address) {
    let Ok(page) = address.entrance() else { return };
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let nothing = Stdio::null;
    let opened = Command::new(program)
        .arg(page)
        .stdin(nothing())
        .stdout(nothing())
        .stderr(nothing())
        .spawn();
    if let Ok(mut opened) = opened {
        // Whoever starts a program waits for its end.
        std::thread::spawn(move || opened.wait());
    }
}

fn failure(error: ServeError, arguments: &ServeArguments) -> Failure {
    let message = error.to_string();
    let hint = match error {
        ServeError::Place { .. } => "name a folder, a plan or a data file",
        ServeError::Taken { .. } => "work in the browser where it is open, or end that one first",
        ServeError::Listen { .. } => {
            "choose another --port, or leave it out to get one that is free"
        }
        ServeError::System(error) => {
            return Failure::Data(DataError::io(&arguments.place, "serve it", &error));
        }
    };
    Failure::Mistake(Mistake {
        message,
        hint: hint.to_owned(),
        ..Mistake::default()
    })
}
