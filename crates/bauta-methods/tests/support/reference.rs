//! The reference results that are part of the repository, unpacked; `tests/reference/README.md` says what they are.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bauta_data::survey::{SURVEY_RECORDS, SURVEY_SEED, survey_csv};

const FOLDERS: [&str; 4] = ["vvs", "toy", "risk", "truta"];

/// A file that is named as in the folder `shared`, such as `golden/vvs/rates.json`, if it is ours.
pub(crate) fn ours(path: &str) -> Option<PathBuf> {
    let path = path.strip_prefix("golden/")?;
    let (folder, _) = path.split_once('/')?;
    FOLDERS.contains(&folder).then(|| reference().join(path))
}

/// The folder that holds `vvs`, `toy`, `risk` and `truta`.
pub(crate) fn reference() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(unpack).clone()
}

fn unpack() -> PathBuf {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bauta-methods/tests/reference");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reference");
    for name in FOLDERS {
        fs::create_dir_all(folder.join(name)).expect("the target folder can be written");
        for entry in fs::read_dir(packed.join(name)).expect("the packed folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|ending| ending == "zst") {
                let file = fs::File::open(&path).expect("a packed file");
                let bytes = zstd::decode_all(file).expect("a packed file");
                let stem = path.file_stem().expect("a name");
                put(&folder.join(name).join(stem), &bytes);
            }
        }
    }
    // A unit test of the survey holds these bytes to those of `vvs/generator.py`.
    let survey = survey_csv(SURVEY_RECORDS, SURVEY_SEED);
    put(&folder.join("vvs/original.csv"), &survey);
    folder
}

/// Writes a file under its name at once: another test program may be reading it.
fn put(file: &Path, bytes: &[u8]) {
    if fs::read(file).is_ok_and(|there| there == bytes) {
        return;
    }
    let mut part = file.as_os_str().to_owned();
    part.push(format!(".{}.part", std::process::id()));
    fs::write(&part, bytes).expect("the target folder can be written");
    fs::rename(&part, file).expect("the target folder can be written");
}
