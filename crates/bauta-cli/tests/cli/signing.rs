//! Records that leave the house with a signature.

use std::path::Path;

use crate::support::{json, run_expecting, stderr, stdout};

const PLAN: &str = "[data]\nfile = \"x.csv\"\n[variables]\na = { role = \"key\" }\n\
    [output]\nrelease = \"ungated\"\nfile = \"out.csv\"\nreport = \"report.html\"\n";

/// A signed run.
fn signed() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "a,b\n1,x\n1,y\n2,z\n").unwrap();
    std::fs::write(folder.path().join("plan.toml"), PLAN).unwrap();
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    let sign = [
        "sign",
        "out.record.json",
        "--key",
        "office.key",
        "--new-key",
    ];
    let output = run_expecting(folder.path(), &sign, 0);
    for covered in ["out.csv", "report.html", "office.key.pub"] {
        assert!(stdout(&output).contains(covered), "{}", stdout(&output));
    }
    folder
}

fn checked(folder: &Path, code: i32) -> String {
    let verify = ["verify", "out.record.json", "--key", "office.key.pub"];
    stdout(&run_expecting(folder, &verify, code))
}

#[test]
fn a_signed_record_is_trusted_where_the_data_are_not() {
    let folder = signed();
    let away = tempfile::tempdir().unwrap();
    for name in ["out.record.json", "out.record.json.sig", "office.key.pub"] {
        std::fs::copy(folder.path().join(name), away.path().join(name)).unwrap();
    }
    let text = checked(away.path(), 0);
    assert!(
        text.contains("not here") && text.contains("not repeated"),
        "{text}"
    );
    // With the release beside it, that is checked as well.
    let release = away.path().join("out.csv");
    std::fs::copy(folder.path().join("out.csv"), &release).unwrap();
    assert!(checked(away.path(), 0).contains("same     released file out.csv"));
    std::fs::write(&release, "a,b\n9,9\n").unwrap();
    assert!(checked(away.path(), 1).contains("DIFFERS  released file out.csv"));
}

#[test]
fn unsigned_wrong_key_and_altered_are_told_apart() {
    let folder = signed();
    let folder = folder.path();
    let record = std::fs::read_to_string(folder.join("out.record.json")).unwrap();
    std::fs::write(
        folder.join("out.record.json"),
        record.replace("\"a\"", "\"b\""),
    )
    .unwrap();
    let altered = checked(folder, 1);
    std::fs::write(folder.join("out.record.json"), &record).unwrap();
    let signature = std::fs::read(folder.join("out.record.json.sig")).unwrap();
    std::fs::remove_file(folder.join("out.record.json.sig")).unwrap();
    let unsigned = checked(folder, 1);
    let again = ["sign", "out.record.json", "--key", "other.key", "--new-key"];
    run_expecting(folder, &again, 0);
    let wrong_key = checked(folder, 1);
    assert!(altered.contains("ALTERED") && unsigned.contains("NOT SIGNED"));
    assert!(wrong_key.contains("WRONG KEY"));
    // Signing again replaces our own signature; the first one put back holds.
    std::fs::write(folder.join("out.record.json.sig"), signature).unwrap();
    assert!(checked(folder, 0).contains("The signature holds"));
    let verify = [
        "verify",
        "out.record.json",
        "--key",
        "office.key.pub",
        "--json",
    ];
    let found = json(&run_expecting(folder, &verify, 0));
    assert_eq!(
        (&found["signature"], &found["same"]),
        (&"signed".into(), &true.into())
    );
}

#[test]
fn keys_are_not_mistaken_for_each_other_nor_replaced() {
    let folder = signed();
    let folder = folder.path();
    let with_public = ["sign", "out.record.json", "--key", "office.key.pub"];
    assert!(stderr(&run_expecting(folder, &with_public, 2)).contains("public key"));
    let with_secret = ["verify", "out.record.json", "--key", "office.key"];
    assert!(stderr(&run_expecting(folder, &with_secret, 2)).contains("secret key"));
    let key = std::fs::read(folder.join("office.key")).unwrap();
    let new = [
        "sign",
        "out.record.json",
        "--key",
        "office.key",
        "--new-key",
        "--force",
    ];
    run_expecting(folder, &new, 2);
    assert_eq!(std::fs::read(folder.join("office.key")).unwrap(), key);
    run_expecting(
        folder,
        &["sign", "out.record.json", "--key", "office.key"],
        0,
    );
    // A release that is not what the record says is not signed.
    std::fs::remove_file(folder.join("out.csv")).unwrap();
    let sign = ["sign", "out.record.json", "--key", "office.key"];
    assert!(stderr(&run_expecting(folder, &sign, 2)).contains("it is not there"));
}

#[test]
fn a_copied_record_speaks_of_the_files_that_were_copied_with_it() {
    let folder = signed();
    let folder = folder.path();
    let outbox = folder.join("outbox");
    std::fs::create_dir(&outbox).unwrap();
    let copied = [
        "out.record.json",
        "out.record.json.sig",
        "out.csv",
        "report.html",
    ];
    for name in copied {
        std::fs::copy(folder.join(name), outbox.join(name)).unwrap();
    }
    let record = "outbox/out.record.json";
    let with_key = ["verify", record, "--key", "office.key.pub"];
    let repeated = ["verify", record];
    for command in [&with_key[..], &repeated] {
        let found = stdout(&run_expecting(folder, command, 0));
        assert!(found.contains("released file outbox/out.csv"), "{found}");
    }
    std::fs::write(outbox.join("out.csv"), "a,b\n9,9\n").unwrap();
    for command in [&with_key[..], &repeated] {
        let found = stdout(&run_expecting(folder, command, 1));
        assert!(
            found.contains("DIFFERS  released file outbox/out.csv"),
            "{found}"
        );
    }
    std::fs::remove_file(outbox.join("out.csv")).unwrap();
    run_expecting(folder, &repeated, 1);
    run_expecting(folder, &["verify", "out.record.json"], 0);
}

#[test]
fn a_key_is_made_with_its_signature_or_not_at_all() {
    let folder = signed();
    let folder = folder.path();
    let sign = ["sign", "out.record.json", "--key", "new.key", "--new-key"];
    let release = std::fs::read(folder.join("out.csv")).unwrap();
    std::fs::write(folder.join("out.csv"), "a,b\n9,9\n").unwrap();
    run_expecting(folder, &sign, 2);
    std::fs::write(folder.join("out.csv"), release).unwrap();
    std::fs::write(folder.join("out.record.json.sig"), "not ours").unwrap();
    run_expecting(folder, &sign, 2);
    for name in ["new.key", "new.key.pub"] {
        assert!(!folder.join(name).exists(), "{name}");
    }
    std::fs::remove_file(folder.join("out.record.json.sig")).unwrap();
    run_expecting(folder, &sign, 0);
}
