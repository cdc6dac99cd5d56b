//! What can go wrong, told apart by who can do something about it.

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use datafusion::common::{DataFusionError, SchemaError};
use datafusion::object_store;
use parquet::errors::ParquetError;

/// Why the engine gave no answer. No text of it has a cell value.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The work needs more memory than it was given, although it may use the disk.
    #[error("{}", memory_sentence(*limit))]
    Memory {
        /// The limit in bytes, where it is ours.
        limit: Option<u64>,
    },
    /// A decision needs all classes at once, and they do not fit.
    #[error("{0}")]
    TooManyClasses(Box<TooManyClasses>),
    /// No room is left on the disk where the engine keeps what does not fit into memory.
    #[error("{}", disk_sentence(folder.as_deref()))]
    DiskFull {
        /// The folder, where it is on this machine.
        folder: Option<PathBuf>,
    },
    /// A folder or file of the engine cannot be made or written.
    #[error("`{}` cannot be written: {source}", path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A part of the file is not where it was.
    #[error(
        "a part of the file is missing: `{}`; it was moved or deleted meanwhile, so start again",
        path.display()
    )]
    MissingPart {
        /// Where it should be.
        path: PathBuf,
    },
    /// A part of the file is no Parquet file, or a damaged one.
    #[error("{}", damage_sentence(path.as_deref()))]
    DamagedPart {
        /// Which one, where it is known.
        path: Option<PathBuf>,
    },
    /// The weights of a class have no sum in 128 bits.
    #[error(
        "weights in `{column}` are too large: the sum of a class does not fit into 128 bits; scale them down"
    )]
    WeightOverflow {
        /// The column of weights.
        column: String,
    },
    /// Whoever watches asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// A mistake of ours.
    #[error("the engine failed, which is a mistake in Bauta: {0}")]
    Internal(String),
}

impl EngineError {
    /// Whether the user asked for it.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Cancelled)
    }
}

/// Classes that do not fit into the memory that is left for them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooManyClasses {
    /// How many there are.
    pub n_classes: u64,
    /// The bytes that they need.
    pub needed: u64,
    /// The bytes that are left for them.
    pub left: u64,
    /// The memory limit, of which those are a part.
    pub limit: u64,
    /// The key with most values.
    pub key: String,
    /// How many values it has.
    pub n_values: u64,
}

impl Display for TooManyClasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            n_classes,
            key,
            n_values,
            ..
        } = self;
        write!(
            f,
            "the keys make {n_classes} classes, which need {}; the memory limit of {} leaves {} for them. Key `{key}` has \
             most values ({n_values}): recode it, leave out a key, or give at least {}",
            megabytes(self.needed),
            megabytes(self.limit),
            megabytes(self.left),
            megabytes(self.enough()),
        )
    }
}

impl TooManyClasses {
    /// The memory limit whose part for classes would suffice.
    fn enough(&self) -> u64 {
        let enough =
            u128::from(self.needed) * u128::from(self.limit) / u128::from(self.left.max(1));
        u64::try_from(enough).unwrap_or(u64::MAX)
    }
}

fn memory_sentence(limit: Option<u64>) -> String {
    match limit {
        Some(limit) => format!(
            "the memory limit of {} does not suffice, although what can be is kept on the disk: give more memory, or \
             fewer threads, which share it",
            megabytes(limit)
        ),
        None => "memory does not suffice, although what can be is kept on the disk: give each executor more memory, \
                 or fewer tasks at a time"
            .to_owned(),
    }
}

fn disk_sentence(folder: Option<&Path>) -> String {
    match folder {
        Some(folder) => format!(
            "no room is left on the disk of `{}`, where what does not fit into memory is kept: make room, choose \
             another folder, or give more memory",
            folder.display()
        ),
        None => "no room is left on the disk of an executor, where what does not fit into memory is kept: make room, \
                 choose another folder, or give more memory"
            .to_owned(),
    }
}

fn damage_sentence(path: Option<&Path>) -> String {
    match path {
        Some(path) => format!(
            "`{}` is a part of the file and cannot be read as Parquet: start again",
            path.display()
        ),
        None => "a part of the file cannot be read as Parquet: start again".to_owned(),
    }
}

/// A number of bytes for people.
fn megabytes(n_bytes: u64) -> String {
    if n_bytes < 1_000_000 {
        format!("{} kB", n_bytes.div_ceil(1000))
    } else {
        format!("{} MB", n_bytes.div_ceil(1_000_000))
    }
}

/// What a session knows that makes an error of DataFusion one of ours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) memory: Option<u64>,
    pub(crate) spill: Option<&'a Path>,
}

impl Place<'_> {
    /// An error from work on records. Its text may show cells, and is only looked at.
    pub(crate) fn of_work(self, error: &DataFusionError) -> EngineError {
        self.known_cause(error).unwrap_or_else(|| {
            let kind = kind(error);
            EngineError::Internal(format!("{kind} while records were looked at"))
        })
    }

    /// An error before any record was looked at: what it tells of names and types goes on.
    pub(crate) fn of_planning(self, error: &DataFusionError) -> EngineError {
        self.known_cause(error).unwrap_or_else(|| {
            let text = error.strip_backtrace();
            EngineError::Internal(text.lines().next().unwrap_or_default().to_owned())
        })
    }

    /// An error of the system at a file of the engine.
    pub(crate) fn of_writing(self, path: &Path, error: io::Error) -> EngineError {
        if is_full(&error) {
            let folder = self.spill.or(path.parent()).unwrap_or(path).to_owned();
            return EngineError::DiskFull {
                folder: Some(folder),
            };
        }
        EngineError::Write {
            path: path.to_owned(),
            source: error,
        }
    }

    /// The cause, where somebody can do something about it.
    fn known_cause(self, error: &DataFusionError) -> Option<EngineError> {
        let mut next: Option<&(dyn Error + 'static)> = Some(error.find_root());
        while let Some(error) = next {
            if let Some(known) = self.known(error) {
                return Some(known);
            }
            next = error.source();
        }
        self.by_text(&error.to_string())
    }

    fn known(self, error: &(dyn Error + 'static)) -> Option<EngineError> {
        if let Some(DataFusionError::ResourcesExhausted(_)) = error.downcast_ref() {
            return Some(EngineError::Memory { limit: self.memory });
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            if is_full(error) {
                return Some(self.disk_full());
            }
            if let Some(inner) = error.get_ref() {
                return self.known(inner);
            }
        }
        if let Some(object_store::Error::NotFound { path, .. }) = error.downcast_ref() {
            return Some(EngineError::MissingPart {
                path: absolute(path),
            });
        }
        if let Some(ParquetError::General(_) | ParquetError::EOF(_)) = error.downcast_ref() {
            return Some(EngineError::DamagedPart { path: None });
        }
        None
    }

    /// Some causes lose their type on the way: what was wrapped into texts, and all that comes from executors. Nothing
    /// of the text goes on.
    fn by_text(self, text: &str) -> Option<EngineError> {
        let says = |words: &str| text.contains(words);
        if says("No space left on device")
            || says("os error 28")
            || says("exceeded the allowable limit")
        {
            return Some(self.disk_full());
        }
        if says("Resources exhausted") || says("ran out of memory") {
            return Some(EngineError::Memory { limit: self.memory });
        }
        None
    }

    fn disk_full(self) -> EngineError {
        EngineError::DiskFull {
            folder: self.spill.map(Path::to_owned),
        }
    }
}

/// Whether the system says that the disk, or the user's share of it, is full.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

/// A path of DataFusion, which leaves out the root.
fn absolute(path: &str) -> PathBuf {
    let path = Path::new(path);
    if cfg!(unix) && path.is_relative() {
        Path::new("/").join(path)
    } else {
        path.to_owned()
    }
}

/// What kind of error it is, without its text.
fn kind(error: &DataFusionError) -> &'static str {
    match error.find_root() {
        DataFusionError::ArrowError(..) => "an error of Arrow",
        DataFusionError::ParquetError(_) => "an error of Parquet",
        DataFusionError::ObjectStore(_) | DataFusionError::IoError(_) => {
            "an error of input or output"
        }
        DataFusionError::NotImplemented(_) => "something is not implemented",
        DataFusionError::Internal(_) => "an internal error of DataFusion",
        DataFusionError::Plan(_) | DataFusionError::Configuration(_) => "an error of planning",
        DataFusionError::SchemaError(error, _) => match **error {
            SchemaError::FieldNotFound { .. } => "a column was not found",
            _ => "an error of the schema",
        },
        DataFusionError::ExecutionJoin(_) => "a thread stopped",
        _ => "an error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'static> = Place {
        memory: Some(64_000_000),
        spill: None,
    };

    #[test]
    fn memory_and_disk_are_told_apart_however_they_are_wrapped() {
        let memory = DataFusionError::ResourcesExhausted("anything".to_owned());
        let memory = DataFusionError::Context("while".to_owned(), Box::new(memory));
        assert!(matches!(
            PLACE.of_work(&memory),
            EngineError::Memory {
                limit: Some(64_000_000)
            }
        ));
        let full = || io::Error::from_raw_os_error(28);
        for error in [
            DataFusionError::IoError(full()),
            DataFusionError::External(Box::new(full())),
            DataFusionError::IoError(io::Error::other(DataFusionError::IoError(full()))),
            DataFusionError::Execution("task failed: No space left on device".to_owned()),
        ] {
            let told = PLACE.of_work(&error);
            assert!(matches!(told, EngineError::DiskFull { .. }), "{told:?}");
        }
    }

    #[test]
    fn texts_of_work_do_not_go_on() {
        let error = DataFusionError::Execution("cannot cast 'secret' to a number".to_owned());
        let told = PLACE.of_work(&error).to_string();
        assert!(!told.contains("secret"), "{told}");
    }

    #[test]
    fn too_many_classes_say_which_key_and_how_much_memory() {
        let error = TooManyClasses {
            n_classes: 5_660_000,
            needed: 300_000_000,
            left: 25_000_000,
            limit: 100_000_000,
            key: "municipality".to_owned(),
            n_values: 2143,
        };
        // 300 MB in a quarter of the memory: 1200 MB.
        assert_eq!(
            error.to_string(),
            "the keys make 5660000 classes, which need 300 MB; the memory limit of 100 MB leaves 25 MB for them. Key \
             `municipality` has most values (2143): recode it, leave out a key, or give at least 1200 MB"
        );
    }
}
