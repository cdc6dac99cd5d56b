use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name != ".bauta-written").collect();
    names.sort_unstable();
    names
}

fn write(target: &Path, content: &[u8]) -> Result<(), DataError> {
    write_file(target, content, Access::Usual, &Guard::default())
}

fn text(error: &DataError) -> String {
    error.to_string()
}

#[test]
fn nothing_is_there_until_all_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    let guard = Guard::default();
    let mut publication = Publication::begin(&[&target], &guard).unwrap();
    publication
        .add_bytes(&target, b"whole", Access::Usual)
        .unwrap();
    assert!(!target.exists());
    publication.commit().unwrap();
    assert_eq!(names(folder.path()), ["out.csv"]);
    assert_eq!(std::fs::read(&target).unwrap(), b"whole");
}

#[test]
fn a_publication_that_is_given_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    let guard = Guard::default();
    let mut publication = Publication::begin(&[&target], &guard).unwrap();
    publication
        .add_bytes(&target, b"half", Access::Usual)
        .unwrap();
    drop(publication);
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn own_files_are_replaced_and_others_are_not_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    write(&target, b"old").unwrap();
    write(&target, b"new").unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"new");
    std::fs::write(&target, b"changed by hand").unwrap();
    let refused = write(&target, b"newer").unwrap_err();
    assert!(text(&refused).contains("--force"), "{refused}");
    assert_eq!(std::fs::read(&target).unwrap(), b"changed by hand");
    let guard = Guard::new::<&Path>([], Replace::AnyFile);
    write_file(&target, b"newer", Access::Usual, &guard).unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"newer");
    assert_eq!(names(folder.path()), ["out.csv"]);
}

#[test]
fn a_release_whose_hash_stands_in_a_record_beside_it_is_our_own() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    write(&target, b"abc").unwrap();
    std::fs::remove_file(folder.path().join(".bauta-written")).unwrap();
    assert!(write(&target, b"new").is_err());
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let record = |input: &str, released: &str| {
        let file = |name: &str| format!("{{\"file\": \"{name}\", \"sha256\": \"{sha256}\"}}");
        let (input, released) = (file(input), file(released));
        let record = format!("{{\"input\": {input}, \"released\": {released}}}");
        std::fs::write(folder.path().join("out.record.json"), record).unwrap();
    };
    // A run that changes nothing releases the bytes of its input, which stay the user's.
    record("out.csv", "other.csv");
    assert!(write(&target, b"new").is_err());
    record("out.csv", "out.csv");
    assert!(write(&target, b"new").is_err());
    record("in.csv", "out.csv");
    write(&target, b"new").unwrap();
}

#[test]
fn what_is_read_is_never_replaced_whatever_way_its_path_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.csv");
    write(&input, b"data").unwrap();
    let same = folder.path().join(".").join("in.csv");
    for replace in [Replace::OwnFiles, Replace::AnyFile] {
        let guard = Guard::new([&input], replace);
        assert!(write_file(&same, b"", Access::Usual, &guard).is_err());
    }
    assert_eq!(std::fs::read(&input).unwrap(), b"data");
}

#[cfg(unix)]
#[test]
fn links_pipes_and_devices_are_not_replaced_even_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, b"data").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let dangling = folder.path().join("dangling");
    std::os::unix::fs::symlink(folder.path().join("nothing"), &dangling).unwrap();
    let guard = Guard::new::<&Path>([], Replace::AnyFile);
    for target in [&link, &dangling, &PathBuf::from("/dev/null")] {
        let refused = write_file(target, b"new", Access::Usual, &guard).unwrap_err();
        assert!(text(&refused).contains("not replaced"), "{refused}");
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"data");
}

#[test]
fn all_that_stands_in_the_way_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
    std::fs::write(&paths[0], b"").unwrap();
    std::fs::create_dir(&paths[1]).unwrap();
    let files: Vec<(PathBuf, &[u8])> = paths.iter().map(|path| (path.clone(), &b"x"[..])).collect();
    let refused = write_files(&files, Access::Usual, &Guard::default()).unwrap_err();
    assert_eq!(refused.problems.len(), 2, "{refused}");
    assert!(!paths[2].exists());
}

#[test]
fn a_name_that_is_too_long_is_found_before_anything_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let fine = folder.path().join("fine");
    let long = folder.path().join("x".repeat(300));
    let files: [(PathBuf, &[u8]); 2] = [(fine.clone(), b"1"), (long, b"2")];
    assert!(write_files(&files, Access::Usual, &Guard::default()).is_err());
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn a_file_that_cannot_get_its_name_takes_the_others_back() {
    for was_there in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
        if was_there {
            write(&first, b"old").unwrap();
        }
        let guard = Guard::default();
        let mut publication = Publication::begin(&[&first, &second], &guard).unwrap();
        for target in [&first, &second] {
            let added = publication.add_bytes(target, b"new", Access::Usual);
            added.unwrap();
        }
        // After all was looked at, a folder comes in the way.
        let refused = publication.commit_once_ready(|| std::fs::create_dir(&second).unwrap());
        assert!(refused.is_err());
        assert!(second.is_dir());
        assert_eq!(first.exists(), was_there);
        if was_there {
            assert_eq!(std::fs::read(&first).unwrap(), b"old");
        }
        let left = names(folder.path());
        assert_eq!(left.len(), if was_there { 2 } else { 1 }, "{left:?}");
        assert_eq!(recover([folder.path()]), []);
    }
}

/// Journals that no publication wrote where they lie, with what they would have done.
#[cfg(unix)]
#[test]
fn no_journal_is_obeyed_that_a_publication_did_not_write_there() {
    let [theirs, ours] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let victim = ours.path().join("thesis.txt");
    let journal = |name: &str, header: &str, entry: &str| {
        let text = format!("{header}\n[{entry}]\nundo\n");
        let path = theirs.path().join(name);
        std::fs::write(&path, text).unwrap();
        let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&path, owner_only).unwrap();
        std::os::unix::fs::MetadataExt::ino(&std::fs::metadata(&path).unwrap())
    };
    let header = |id: &str, number: u64| {
        let folders = [theirs.path(), ours.path()].map(json_path);
        format!(
            "{{\"format\":\"bauta-publication/1\",\"id\":\"{id}\",\"started\":\"2026\",\"first\":null,\"folders\":[{}],\"file\":{number}}}",
            folders.join(",")
        )
    };
    let entry = |part: &Path| {
        let (part, target) = (json_path(part), json_path(&victim));
        format!("{{\"part\":{part},\"target\":{target},\"old\":null}}")
    };
    let cases = [
        // Copied from elsewhere.
        (0, ours.path().join(".bauta-id-0.part")),
        // The very file, and a part that is not beside its target.
        (1, theirs.path().join(".bauta-id-0.part")),
        // The very file, and hidden names as they should be, in a folder without a journal.
        (1, ours.path().join(".bauta-id-0.part")),
        // The very file, and a name that is not hidden.
        (1, ours.path().join("part")),
    ];
    for (is_very_file, part) in cases {
        std::fs::write(&victim, b"mine").unwrap();
        let number = journal(".bauta-id.run", &header("id", 0), &entry(&part));
        journal(
            ".bauta-id.run",
            &header("id", number * is_very_file),
            &entry(&part),
        );
        recover([theirs.path()]);
        assert_eq!(std::fs::read(&victim).unwrap(), b"mine", "{part:?}");
        let _ = std::fs::remove_file(theirs.path().join(".bauta-id.run"));
    }
}

/// A path as serde writes those of journals.
#[cfg(unix)]
fn json_path(path: &Path) -> String {
    serde_json::to_string(&crate::check::real_place(path).into_os_string()).unwrap()
}

#[test]
fn publications_in_one_folder_do_not_disturb_each_other() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let folder = folder.path();
            scope.spawn(move || {
                for round in 0..20 {
                    let target = folder.join(format!("{writer}"));
                    write(&target, format!("{round}").as_bytes()).unwrap();
                    assert_eq!(recover([folder]), []);
                }
            });
        }
    });
    assert_eq!(names(folder.path()).len(), 8);
}

#[test]
fn a_missing_folder_is_an_error_with_its_name() {
    let error = write(Path::new("no/such/folder/out.csv"), b"").unwrap_err();
    assert!(text(&error).contains("out.csv"), "{error}");
}

#[cfg(unix)]
#[test]
fn confidential_files_and_the_list_are_the_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("record.json");
    write_file(&target, b"{}", Access::OwnerOnly, &Guard::default()).unwrap();
    for name in ["record.json", ".bauta-written"] {
        let path = folder.path().join(name);
        let mode = std::fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

/// A publication in two folders, ended as a kill would at a state of its journal.
fn cut_off(until: impl FnOnce(&mut journal::Journal, &[journal::Entry])) -> [tempfile::TempDir; 2] {
    use journal::{Entry, Journal};
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let paths: Vec<PathBuf> = folders
        .iter()
        .map(|folder| crate::check::real_place(folder.path()))
        .collect();
    let mut first = Journal::begin(&paths[0], "id", None, &paths).unwrap();
    Journal::begin(&paths[1], "id", Some(first.path()), &paths).unwrap();
    let entries: Vec<Entry> = paths
        .iter()
        .map(|folder| {
            std::fs::write(folder.join("file"), b"old").unwrap();
            std::fs::write(folder.join(".bauta-id-0.part"), b"new").unwrap();
            std::fs::hard_link(folder.join("file"), folder.join(".bauta-id-0.old")).unwrap();
            Entry {
                part: folder.join(".bauta-id-0.part"),
                target: folder.join("file"),
                old: Some(folder.join(".bauta-id-0.old")),
            }
        })
        .collect();
    until(&mut first, &entries);
    folders
}

fn is_now(folders: &[tempfile::TempDir; 2], content: &[u8]) {
    for folder in folders {
        assert_eq!(names(folder.path()), ["file"]);
        assert_eq!(std::fs::read(folder.path().join("file")).unwrap(), content);
    }
}

#[test]
fn a_publication_that_was_cut_off_is_finished_or_taken_back_from_any_of_its_folders() {
    for from in [0, 1] {
        let folders = cut_off(|journal, entries| journal.note(entries).unwrap());
        let found = recover([folders[from].path()]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].found, Found::Before);
        is_now(&folders, b"old");

        let folders = cut_off(|journal, entries| {
            journal.note(entries).unwrap();
            journal.commit().unwrap();
            std::fs::rename(&entries[0].part, &entries[0].target).unwrap();
        });
        let found = recover([folders[from].path()]);
        assert_eq!(found[0].found, Found::After);
        assert_eq!(found[0].files.len(), 2);
        is_now(&folders, b"new");

        let folders = cut_off(|journal, entries| {
            journal.note(entries).unwrap();
            journal.commit().unwrap();
            std::fs::rename(&entries[0].part, &entries[0].target).unwrap();
            journal.undo().unwrap();
        });
        assert_eq!(recover([folders[from].path()])[0].found, Found::Before);
        is_now(&folders, b"old");
        assert_eq!(recover([folders[from].path()]), []);
    }
}

#[test]
fn a_publication_that_is_going_on_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
    let guard = Guard::default();
    let mut going_on = Publication::begin(&[&one], &guard).unwrap();
    going_on.add_bytes(&one, b"1", Access::Usual).unwrap();
    assert_eq!(recover([folder.path()]), []);
    write(&two, b"2").unwrap();
    going_on.commit().unwrap();
    assert_eq!(names(folder.path()), ["one", "two"]);
    // Both stand in the list.
    write(&one, b"1a").unwrap();
    write(&two, b"2a").unwrap();
}
