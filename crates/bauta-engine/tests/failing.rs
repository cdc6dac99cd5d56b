//! What goes wrong is told as what it is, and leaves nothing behind.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use bauta_data::{Unwatched, Watch};
use bauta_engine::{Direction, EngineError, Parts, Session};
use tempfile::tempdir;

use crate::support::{Records, session};

/// Asks to stop when it was asked often enough.
struct StopsAfter(AtomicU32);

impl Watch for StopsAfter {
    fn progress(&self, done: u64, total: u64) {
        assert!(done <= total);
    }

    fn cancelled(&self) -> bool {
        let left = &self.0;
        let count = |n: u32| n.checked_sub(1);
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count)
            .is_err()
    }
}

fn sort(session: &Session, parts: &Parts, watch: &dyn Watch) -> Result<u64, EngineError> {
    let mut n = 0;
    let by = [("k0", Direction::Ascending)];
    session.sorted(parts, &by, &["row"], watch, |batch| {
        n += batch.num_rows() as u64;
        Ok(())
    })?;
    Ok(n)
}

fn is_empty(folder: &Path) -> bool {
    folder.read_dir().unwrap().next().is_none()
}

#[test]
fn work_stops_where_it_is_cancelled_and_nothing_stays() {
    let folder = tempdir().unwrap();
    let spill = folder.path().join("spill");
    let records = Records::drawn(21, 60_000, &[100_000, 2]);
    let parts = records.parts(folder.path(), 20_000);
    let session = session(&spill, 2, Some(2_000_000));
    for n_asked in [0, 1, 2, 20] {
        let watch = StopsAfter(AtomicU32::new(n_asked));
        let error = sort(&session, &parts, &watch).unwrap_err();
        assert!(error.is_cancelled(), "{error}");
    }
    // The session goes on.
    assert_eq!(sort(&session, &parts, &Unwatched).unwrap(), 60_000);
    assert!(session.spilled() > 0);
    drop(session);
    assert!(is_empty(&spill));
}

#[test]
fn an_error_of_who_takes_the_batches_ends_the_work() {
    let folder = tempdir().unwrap();
    let records = Records::drawn(22, 2_000, &[10]);
    let parts = records.parts(folder.path(), 500);
    let session = session(&folder.path().join("spill"), 2, None);
    let mut n_batches = 0;
    let error = session
        .sorted(&parts, &[], &["row"], &Unwatched, |_| {
            n_batches += 1;
            Err(EngineError::Cancelled)
        })
        .unwrap_err();
    assert!(error.is_cancelled());
    assert_eq!(n_batches, 1);
}

#[test]
fn a_missing_part_is_named() {
    let folder = tempdir().unwrap();
    let records = Records::drawn(23, 1_000, &[10]);
    let parts = records.parts(folder.path(), 300);
    let missing = parts.paths()[2].clone();
    std::fs::remove_file(&missing).unwrap();
    let session = session(&folder.path().join("spill"), 2, None);
    let of_count = session
        .count(&parts, &["k0"], None, &Unwatched)
        .unwrap_err();
    let of_parts = Parts::of(parts.paths().to_vec()).unwrap_err();
    for error in [of_count, of_parts] {
        assert!(
            matches!(&error, EngineError::MissingPart { path } if *path == missing),
            "{error}"
        );
    }
}

#[test]
fn a_damaged_part_is_an_error() {
    let folder = tempdir().unwrap();
    let records = Records::drawn(24, 1_000, &[10]);
    let parts = records.parts(folder.path(), 300);
    let damaged = &parts.paths()[1];
    let n_bytes = damaged.metadata().unwrap().len();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(damaged)
        .unwrap();
    file.set_len(n_bytes / 2).unwrap();
    let session = session(&folder.path().join("spill"), 2, None);
    let error = session
        .count(&parts, &["k0"], None, &Unwatched)
        .unwrap_err();
    assert!(matches!(error, EngineError::DamagedPart { .. }), "{error}");
    let error = Parts::of(parts.paths().to_vec()).unwrap_err();
    assert!(
        matches!(&error, EngineError::DamagedPart { path: Some(path) } if path == damaged),
        "{error}"
    );
}

#[test]
fn memory_that_cannot_suffice_says_so() {
    let folder = tempdir().unwrap();
    let records = Records::drawn(25, 60_000, &[100_000, 100_000]);
    let parts = records.parts(folder.path(), 20_000);
    let session = session(&folder.path().join("spill"), 7, Some(20_000));
    let error = sort(&session, &parts, &Unwatched).unwrap_err();
    assert!(
        matches!(
            error,
            EngineError::Memory {
                limit: Some(20_000)
            }
        ),
        "{error}"
    );
    assert!(error.to_string().contains("give more memory"), "{error}");
}

#[test]
fn columns_that_are_not_there_or_no_codes_are_our_mistake() {
    let folder = tempdir().unwrap();
    let records = Records::drawn(26, 100, &[10]).with_weights(|_| 1);
    let parts = records.parts(folder.path(), 100);
    let session = session(&folder.path().join("spill"), 2, None);
    for (key, weight) in [("absent", None), ("weight", None), ("k0", Some("k0"))] {
        let error = session
            .count(&parts, &[key], weight, &Unwatched)
            .unwrap_err();
        assert!(matches!(error, EngineError::Internal(_)), "{error}");
    }
    let error = session
        .sorted(&parts, &[], &["absent"], &Unwatched, |_| Ok(()))
        .unwrap_err();
    assert!(matches!(error, EngineError::Internal(_)), "{error}");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_what_the_engine_keeps() {
    use std::os::unix::fs::PermissionsExt;

    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let folder = tempdir().unwrap();
    let spill = folder.path().join("new").join("spill");
    let session = session(&spill, 1, None);
    assert_eq!(mode(&spill), 0o700);
    let own: Vec<_> = spill.read_dir().unwrap().collect();
    assert_eq!(own.len(), 1);
    assert_eq!(mode(&own[0].as_ref().unwrap().path()), 0o700);
    let parts = Records::drawn(27, 10, &[3]).parts(folder.path(), 5);
    for path in parts.paths() {
        assert_eq!(mode(path), 0o600);
    }
    drop(session);
    assert!(is_empty(&spill));
}

/// A small file system in memory, which goes with it.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    /// None where the system does not let us.
    fn mounted(at: &'a Path, size: &str) -> Option<Self> {
        std::fs::create_dir(at).unwrap();
        let mut mount = Command::new("mount");
        mount.args([
            "-t",
            "tmpfs",
            "-o",
            &format!("size={size},mode=700"),
            "tmpfs",
        ]);
        let output = mount.arg(at).output().ok()?;
        output.status.success().then_some(Self(at))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        // Lazily, so that it goes whatever happened.
        let _ = Command::new("umount").arg("-l").arg(self.0).output();
    }
}

#[test]
fn a_full_disk_is_told_with_its_folder() {
    let folder = tempdir().unwrap();
    let small = folder.path().join("small");
    let Some(_disk) = SmallDisk::mounted(&small, "256k") else {
        println!("a small file system cannot be mounted here: a full disk was not tried");
        return;
    };
    let records = Records::drawn(28, 60_000, &[100_000, 100_000]);
    let parts = records.parts(folder.path(), 20_000);
    let session = session(&small, 2, Some(2_000_000));
    let of_sort = sort(&session, &parts, &Unwatched).unwrap_err();
    let of_count = session
        .sizes(&parts, &["k0", "k1"], &Unwatched)
        .unwrap_err();
    for error in [of_sort, of_count] {
        assert!(
            matches!(&error, EngineError::DiskFull { folder: Some(folder) } if *folder == small),
            "{error}"
        );
        assert!(error.to_string().contains("small"), "{error}");
    }
    // Parts on a full disk, too.
    let written = std::panic::catch_unwind(|| records.parts(&small, 20_000));
    assert!(written.is_err());
}
