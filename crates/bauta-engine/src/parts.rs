//! The records of a file as Parquet files.

mod writer;

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{DataType, Schema, SchemaRef};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::prelude::{DataFrame, SessionContext};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use url::Url;

pub use writer::{Compression, Layout, PartsWriter};

use crate::error::EngineError;
use crate::session::Session;

/// The column that says where a record stands in the file: whole numbers of 32 bits, from 0.
pub const ROW: &str = "row";

/// Parquet files that together are the records of a file. Each record has its place in the file in the column [`ROW`];
/// codes of keys are whole numbers without sign of 8, 16 or 32 bits, 0 where the key is missing.
#[derive(Clone, Debug)]
pub struct Parts {
    paths: Vec<PathBuf>,
    schema: SchemaRef,
    n_records: u64,
}

impl Parts {
    /// Looks at the end of each file: what columns there are and how many records.
    pub fn of(paths: Vec<PathBuf>) -> Result<Self, EngineError> {
        let mut parts = Self {
            paths: Vec::with_capacity(paths.len()),
            schema: Arc::new(Schema::empty()),
            n_records: 0,
        };
        for path in paths {
            let path = std::path::absolute(&path).unwrap_or(path);
            let (schema, n_records) = footer(&path)?;
            if parts.paths.is_empty() {
                parts.schema = schema;
            } else if parts.schema != schema {
                let message = format!("part {} has other columns", parts.paths.len() + 1);
                return Err(EngineError::Internal(message));
            }
            parts.paths.push(path);
            parts.n_records += n_records;
        }
        Ok(parts)
    }

    /// The files, in the order of the records.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Number of records.
    pub fn n_records(&self) -> u64 {
        self.n_records
    }

    /// The type of a column whose every cell must be there.
    pub(crate) fn complete_column(&self, name: &str) -> Result<&DataType, EngineError> {
        let field = self.schema.field_with_name(name);
        let field = field.map_err(|_| EngineError::Internal(format!("no column `{name}`")))?;
        if field.is_nullable() {
            let message = format!("column `{name}` may have nulls, which nothing counts");
            return Err(EngineError::Internal(message));
        }
        Ok(field.data_type())
    }

    /// The parts as a table of DataFusion.
    pub(crate) fn frame(&self, session: &Session) -> Result<DataFrame, EngineError> {
        for path in &self.paths {
            if let Err(error) = path.metadata() {
                return Err(unreadable(path, &error));
            }
        }
        let urls = self.paths.iter().map(|path| location(path));
        let urls = urls.collect::<Result<Vec<_>, _>>()?;
        self.table(urls, session.context())
            .map_err(session.unplanned())
    }

    fn table(
        &self,
        urls: Vec<ListingTableUrl>,
        context: &SessionContext,
    ) -> Result<DataFrame, datafusion::error::DataFusionError> {
        let format = ParquetFormat::new().with_options(context.copied_table_options().parquet);
        // Whatever a part is called: each was named.
        let options = ListingOptions::new(Arc::new(format)).with_file_extension("");
        let config = ListingTableConfig::new_with_multi_paths(urls)
            .with_listing_options(options)
            .with_schema(Arc::clone(&self.schema));
        context.read_table(Arc::new(ListingTable::try_new(config)?))
    }
}

/// Columns and number of records of one part.
fn footer(path: &Path) -> Result<(SchemaRef, u64), EngineError> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let read = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
    let damaged = || EngineError::DamagedPart {
        path: Some(path.to_owned()),
    };
    let read = read.map_err(|_| damaged())?;
    let n_records = read.metadata().file_metadata().num_rows();
    let n_records = u64::try_from(n_records).map_err(|_| damaged())?;
    // What a writer noted beside the columns makes no difference.
    let fields = read.schema().fields().iter().map(|field| {
        let field = field.as_ref().clone();
        field.with_metadata(std::collections::HashMap::new())
    });
    Ok((Arc::new(Schema::new(fields.collect::<Vec<_>>())), n_records))
}

fn unreadable(path: &Path, error: &std::io::Error) -> EngineError {
    if error.kind() == ErrorKind::NotFound {
        return EngineError::MissingPart {
            path: path.to_owned(),
        };
    }
    EngineError::DamagedPart {
        path: Some(path.to_owned()),
    }
}

/// A path as DataFusion takes it. Not by its own parser, to which `*` and `[` mean other files.
fn location(path: &Path) -> Result<ListingTableUrl, EngineError> {
    let strange = || EngineError::Internal("a path cannot be written as an address".to_owned());
    let url = Url::from_file_path(path).map_err(|()| strange())?;
    ListingTableUrl::try_new(url, None).map_err(|_| strange())
}
