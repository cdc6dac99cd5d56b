//! All papers, one after the other, with one measure of how far they are.

use std::path::Path;

use bauta_data::format::{ReadOptions, column_names};
use bauta_data::{DataError, Watch};

use crate::pace::PartOfAll;
use crate::{Paper, PaperError, Reproduction, Request, reproduce};

/// Seeds of random masks when all papers are asked for: so many take minutes, a hundred take hours.
pub const ALL_SEEDS: u32 = 3;
/// Records of the generated income file when all papers are asked for.
pub const ALL_INCOME_RECORDS: usize = 10_000;

/// How all papers are to be reproduced.
#[derive(Clone, Copy, Debug)]
pub struct AllRequest<'r> {
    /// Folder with the field's reference files.
    pub data: &'r Path,
    /// Seeds to mask under, for tables of random masks.
    pub n_seeds: u32,
    /// Seed, for figures of one run.
    pub seed: u64,
    /// Records of a generated income file.
    pub records: usize,
}

/// Reproduces all papers. `begun` is told of each before it begins. That a file is not there is told before the first.
pub fn reproduce_all(
    request: &AllRequest,
    watch: &dyn Watch,
    begun: &dyn Fn(Paper),
) -> Result<Vec<Reproduction>, PaperError> {
    check_files(request.data)?;
    let parts = Paper::ALL.map(|paper| hundredths(paper, request));
    let total = parts.iter().sum();
    let mut before = 0;
    let mut all = Vec::with_capacity(Paper::ALL.len());
    for (paper, part) in Paper::ALL.into_iter().zip(parts) {
        begun(paper);
        let request = Request {
            paper,
            data: Some(request.data),
            n_seeds: request.n_seeds,
            seed: request.seed,
            records: request.records,
        };
        let part_of_all = PartOfAll {
            watch,
            before,
            part,
            total,
        };
        all.push(reproduce(&request, &part_of_all)?);
        before += part;
        watch.progress(before, total);
    }
    Ok(all)
}

/// Opens every reference file that a paper needs.
fn check_files(folder: &Path) -> Result<(), DataError> {
    let mut files: Vec<&str> = Paper::ALL
        .iter()
        .flat_map(|paper| paper.files())
        .copied()
        .collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        column_names(&folder.join(file), &ReadOptions::default())?;
    }
    Ok(())
}

/// About how long a paper takes on two cores, in hundredths of a second; only the bar needs it.
fn hundredths(paper: Paper, request: &AllRequest) -> u64 {
    let seeds = u64::from(request.n_seeds);
    match paper {
        Paper::Yancey2002 => 1_500 * seeds + request.records as u64 / 2,
        Paper::MateoSanz2004 => 400,
        Paper::Truta2004 => 100,
        Paper::Sebe2002 => 1_000 + 1_500 * seeds,
        Paper::Bergeat2015 => 300,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::Unwatched;

    #[test]
    fn a_file_that_is_not_there_is_told_before_anything_begins() {
        let folder = std::env::temp_dir().join("bauta-papers-without-files");
        let request = AllRequest {
            data: &folder,
            n_seeds: 2,
            seed: 1,
            records: 2_000,
        };
        let begun = |paper: Paper| panic!("{} began", paper.id());
        let told = reproduce_all(&request, &Unwatched, &begun).expect_err("no file");
        assert!(told.to_string().contains("census.csv"), "{told}");
    }
}
