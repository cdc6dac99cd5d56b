//! What a command that was killed left behind, found by the next one.

use std::path::{Path, PathBuf};

use bauta_plan::output::{Found, Recovered, folder_of, recover};

use crate::print::say;

/// Finishes or takes back what was cut off beside these files, and says what is there now.
pub(crate) fn recover_beside<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) {
    let folders: Vec<PathBuf> = files
        .into_iter()
        .map(|file| folder_of(file.as_ref()).to_owned())
        .collect();
    for recovered in recover(folders.iter().map(PathBuf::as_path)) {
        say!("{}", in_words(&recovered));
    }
}

fn in_words(recovered: &Recovered) -> String {
    let files = recovered.files.iter();
    let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
    let when = recovered.started.as_ref();
    let when = when.map_or_else(String::new, |when| format!(", begun at {when},"));
    match &recovered.found {
        Found::After => format!(
            "warning: an earlier command{when} was cut off while it named its files; they have their names now, all of them: {}",
            files.join(", ")
        ),
        Found::Before => format!(
            "warning: an earlier command{when} was cut off before its files were named; in {} everything is as it was before that command",
            recovered.folder.display()
        ),
        Found::Stuck(reason) => format!(
            "warning: an earlier command{when} was cut off in {} and cannot be cleared up: {reason}",
            recovered.folder.display()
        ),
    }
}
