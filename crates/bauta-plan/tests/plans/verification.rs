//! Records that were forged, releases that were changed, and signatures.

use std::path::Path;

use bauta_plan::run::{Replace, RunOptions, run};
use bauta_plan::sign::{Signed, check_signature, new_key, sign, signature_path};
use bauta_plan::verify::{Comparison, RecordPlaces, verify};
use bauta_plan::{RunRecord, check_text};
use serde_json::Value;

use crate::support::{OUTPUT, Patience, Plain, VARIABLES, fine, folder, ungated};

/// A plan with everything that a record can hold, and its record.
fn recorded(folder: &Path, seed: Option<u64>) -> Value {
    let text = format!(
        "[plan]\ntitle = \"A survey\"\n{VARIABLES}\
        [[scenario]]\nname = \"neighbour\"\nkeys = [\"sex\", \"age\"]\nwhy = \"seen daily\"\n\
        [[step]]\nmask = \"suppress-local\"\non = [\"sex\", \"age\"]\nk = 2\n\
        [[step]]\nmask = \"noise-additive\"\non = [\"income\"]\nshare = 0.5\nwhy = \"too exact\"\n\
        [[measure]]\nuse = [\"k-anonymity\", \"individual-risk\", \"il1s\"]\n\
        [[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n\
        {OUTPUT}report = \"report.html\"\nexternal_report = \"public.html\"\nshuffle = true\n"
    );
    let plan = fine(folder, &text);
    let options = RunOptions { seed, ..ungated() };
    run(&plan, options, &Patience::default(), &Plain).unwrap();
    let json = std::fs::read(folder.join("out.record.json")).unwrap();
    serde_json::from_slice(&json).unwrap()
}

/// What a record is found to differ in; none if it is no record, or its plan no plan.
fn differing(folder: &Path, written: &Value) -> Option<Vec<String>> {
    let record = RunRecord::read(written.to_string().as_bytes()).ok()?;
    let plan = check_text(&record.plan.text, &record.plan.file, folder).ok()?;
    let patience = Patience::default();
    let places = RecordPlaces::in_folder(folder);
    let compared = verify(written, &record, &plan, &places, &Plain, &patience).ok()?;
    let differ = compared.into_iter().filter(|compared| !compared.same);
    Some(differ.map(|Comparison { what, .. }| what).collect())
}

/// The places of all values in a value that hold no others.
fn leaves(value: &Value, place: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                leaves(member, &format!("{place}/{name}"), found);
            }
        }
        Value::Array(members) if !members.is_empty() => {
            for (n, member) in members.iter().enumerate() {
                leaves(member, &format!("{place}/{n}"), found);
            }
        }
        _ => found.push(place.to_owned()),
    }
}

fn forged(value: &Value) -> Value {
    match value {
        Value::Null => Value::from(1),
        Value::Bool(flag) => Value::from(!flag),
        Value::Number(number) if number.is_u64() => Value::from(number.as_u64().unwrap() + 1),
        Value::Number(number) => Value::from(number.as_f64().unwrap() + 0.5),
        Value::String(text) => Value::from(format!("{text}x")),
        Value::Array(_) | Value::Object(_) => Value::from("x"),
    }
}

#[test]
fn a_record_holds_whatever_its_seed_came_from() {
    for seed in [None, Some(9)] {
        let folder = folder();
        let record = recorded(folder.path(), seed);
        assert_eq!(differing(folder.path(), &record).unwrap(), [""; 0]);
    }
}

#[test]
fn nothing_in_a_record_can_be_forged_but_times_and_the_name_of_the_plan() {
    let folder = folder();
    let record = recorded(folder.path(), None);
    let mut places = Vec::new();
    leaves(&record, "", &mut places);
    assert!(places.len() > 200, "{}", places.len());
    for place in places {
        let mut other = record.clone();
        let leaf = other.pointer_mut(&place).unwrap();
        *leaf = forged(leaf);
        let free = place.starts_with("/times/") || place == "/plan/file";
        let holds = differing(folder.path(), &other).is_some_and(|differ| differ.is_empty());
        // A report shows when its run was, and so times are held by it.
        assert!(!holds || free, "{place} can be forged");
    }
    // What no record has is not overlooked either.
    for place in ["", "/variables/0", "/plan"] {
        let mut other = record.clone();
        let object = other.pointer_mut(place).unwrap().as_object_mut().unwrap();
        object.insert("approved".to_owned(), Value::from("by the committee"));
        assert_eq!(
            differing(folder.path(), &other).unwrap().len(),
            1,
            "{place}"
        );
    }
    let mut empty = record.clone();
    empty["approved"] = Value::Null;
    assert_eq!(differing(folder.path(), &empty).unwrap(), ["approved"]);
    let mut unreleased = record.clone();
    unreleased["released"] = Value::Null;
    assert_eq!(
        differing(folder.path(), &unreleased).unwrap(),
        ["released file, made again"]
    );
}

#[test]
fn files_that_a_record_names_must_be_there_as_they_were() {
    let folder = folder();
    let record = recorded(folder.path(), None);
    for (file, what) in [
        ("out.csv", "released file"),
        ("report.html", "report"),
        ("public.html", "report"),
    ] {
        let path = folder.path().join(file);
        let what = format!("{what} {}, on disk", path.display());
        let content = std::fs::read(&path).unwrap();
        std::fs::write(&path, b"changed").unwrap();
        assert_eq!(differing(folder.path(), &record).unwrap(), [what.as_str()]);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(differing(folder.path(), &record).unwrap(), [what.as_str()]);
        std::fs::write(&path, content).unwrap();
    }
    assert_eq!(differing(folder.path(), &record).unwrap(), [""; 0]);
}

#[test]
fn a_signature_tells_unsigned_wrong_key_and_altered_apart() {
    let folder = folder();
    recorded(folder.path(), None);
    let path = |name: &str| folder.path().join(name);
    let (record, key) = (path("out.record.json"), path("office.key"));
    let public = new_key(&key).unwrap();
    let others = new_key(&path("other.key")).unwrap();
    assert_eq!(check_signature(&record, &public).unwrap(), Signed::Not);
    let places = RecordPlaces::in_folder(folder.path());
    let signature = sign(&record, &key, &places, Replace::OwnFiles).unwrap();
    assert_eq!(signature, signature_path(&record));
    let checked = |key: &Path| check_signature(&record, key).unwrap();
    assert!(matches!(checked(&public), Signed::By { .. }));
    assert_eq!(checked(&others), Signed::ByAnother);

    // Not a byte of the record may change, nor the time of the signature, nor the signature.
    let whole = std::fs::read(&record).unwrap();
    for position in [0, whole.len() / 2, whole.len() - 1] {
        let mut other = whole.clone();
        other[position] ^= 1;
        std::fs::write(&record, other).unwrap();
        assert_eq!(checked(&public), Signed::Altered);
    }
    std::fs::write(&record, &whole).unwrap();
    let text = std::fs::read_to_string(&signature).unwrap();
    let signed: Value = serde_json::from_str(&text).unwrap();
    for name in ["signed", "record_sha256", "signature"] {
        let mut other = signed.clone();
        other[name] = forged(&other[name]);
        std::fs::write(&signature, other.to_string()).unwrap();
        assert_eq!(checked(&public), Signed::Altered, "{name}");
    }
    std::fs::write(&signature, &text).unwrap();
    assert!(matches!(checked(&public), Signed::By { .. }));
}

#[test]
fn what_cannot_be_vouched_for_is_not_signed() {
    let folder = folder();
    recorded(folder.path(), None);
    let path = |name: &str| folder.path().join(name);
    let (record, key) = (path("out.record.json"), path("office.key"));
    let public = new_key(&key).unwrap();
    let places = RecordPlaces::in_folder(folder.path());
    let signed = |key: &Path| sign(&record, key, &places, Replace::OwnFiles);
    // Neither with a public key, nor with a key that others can read, nor over an old key.
    assert!(signed(&public).is_err());
    assert!(check_signature(&record, &key).is_err());
    assert!(new_key(&key).is_err());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |mode| std::fs::Permissions::from_mode(mode);
        assert_eq!(
            std::fs::metadata(&key).unwrap().permissions().mode() & 0o777,
            0o600
        );
        std::fs::set_permissions(&key, mode(0o644)).unwrap();
        assert!(signed(&key).is_err());
        std::fs::set_permissions(&key, mode(0o600)).unwrap();
    }
    // Nor a record whose release is another.
    std::fs::write(path("out.csv"), b"changed").unwrap();
    let refused = signed(&key).unwrap_err();
    assert!(refused.to_string().contains("out.csv"), "{refused}");
}
