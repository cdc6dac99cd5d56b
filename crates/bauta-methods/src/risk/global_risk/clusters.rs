//! Records with equal keys, in the original and in the masked file at once.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::kernel::numbers::sums::compensated;
use crate::keys::packing::Packing;
use crate::risk::global_risk::size_weights::SizeWeights;

/// One key in both files. Codes count from 1; 0 is missing. A deleted record has the masked code 0.
pub(crate) struct KeyCodes {
    /// Code of each original record.
    pub(crate) x: Vec<u32>,
    /// Masked code of each original record.
    pub(crate) z: Vec<u32>,
    /// Original codes go up to this.
    pub(crate) n_x: u32,
    /// Masked codes go up to this.
    pub(crate) n_z: u32,
}

/// Original records that are equal in all keys of both files, collapsed: all further work is on
/// these.
pub(crate) struct Profiles {
    /// Records of each profile, in the original and in the masked file.
    pub(crate) n_records: [Vec<u32>; 2],
    /// Each key alone, in both files.
    pub(crate) keys: Vec<[Clusters; 2]>,
}

/// Place of the original file in pairs.
pub(crate) const ORIGINAL: usize = 0;
/// Place of the masked file in pairs.
pub(crate) const MASKED: usize = 1;

impl Profiles {
    /// Collapses records; `released` says which are in the masked file.
    pub(crate) fn new(keys: &[KeyCodes], released: &[bool]) -> Self {
        let mut packing = Packing::new(released.len());
        packing.add(1, |record| u32::from(released[record]));
        for key in keys {
            packing.add(key.n_x, |record| key.x[record]);
            packing.add(key.n_z, |record| key.z[record]);
        }
        let (of_record, representatives) = packing.classes();
        let mut n_original = vec![0_u32; representatives.len()];
        for &profile in &of_record {
            n_original[profile as usize] += 1;
        }
        let n_masked = representatives
            .iter()
            .zip(&n_original)
            .map(|(&record, &n)| if released[record as usize] { n } else { 0 })
            .collect();
        let n_records = [n_original, n_masked];
        let codes = |codes: &[u32]| -> Vec<u32> {
            let of = representatives.iter().map(|&record| codes[record as usize]);
            of.collect()
        };
        let keys = keys
            .iter()
            .map(|key| {
                [
                    Clusters::of_codes(codes(&key.x), key.n_x, &n_records[ORIGINAL]),
                    Clusters::of_codes(codes(&key.z), key.n_z, &n_records[MASKED]),
                ]
            })
            .collect();
        Self { n_records, keys }
    }
}

/// A partition of the profiles of one file.
#[derive(Clone)]
pub(crate) struct Clusters {
    /// Cluster of each profile.
    of: Vec<u32>,
    /// Records of each cluster.
    sizes: Vec<u32>,
    /// Whether a cluster is one profile, which no further key divides.
    alone: Vec<bool>,
}

impl Clusters {
    fn of_codes(codes: Vec<u32>, max: u32, n_records: &[u32]) -> Self {
        let n_clusters = max as usize + 1;
        let mut sizes = vec![0; n_clusters];
        let mut n_profiles = vec![0_u32; n_clusters];
        for (&code, n) in codes.iter().zip(n_records) {
            sizes[code as usize] += n;
            n_profiles[code as usize] += 1;
        }
        Self {
            of: codes,
            sizes,
            alone: n_profiles.iter().map(|&n| n == 1).collect(),
        }
    }

    /// Number of clusters that have records.
    pub(crate) fn n_filled(&self) -> usize {
        self.sizes.iter().filter(|&&size| size > 0).count()
    }

    /// The partition by both: profiles fall together where they do in each.
    pub(crate) fn crossed(&self, other: &Self, n_records: &[u32]) -> Self {
        let mut crossing = Crossing::new(n_records.len());
        let n_cells = self.sizes.len() as u64 * other.sizes.len() as u64;
        let mut slots = Slots::new(n_cells, n_records.len());
        let both = self.of.iter().zip(&other.of);
        for ((&a, &b), &n) in both.zip(n_records) {
            // Most profiles of a fine partition are alone, and need not be looked up.
            let cluster = if self.alone[a as usize] || other.alone[b as usize] {
                crossing.new_cluster()
            } else {
                let cell = u64::from(a) * other.sizes.len() as u64 + u64::from(b);
                let slot = slots.at(cell);
                if *slot == u32::MAX {
                    *slot = crossing.new_cluster();
                }
                *slot
            };
            crossing.add(cluster, n);
        }
        crossing.finish()
    }
}

/// A partition in the making.
struct Crossing {
    of: Vec<u32>,
    sizes: Vec<u32>,
    n_profiles: Vec<u32>,
}

impl Crossing {
    fn new(n_profiles: usize) -> Self {
        Self {
            of: Vec::with_capacity(n_profiles),
            sizes: Vec::new(),
            n_profiles: Vec::new(),
        }
    }

    fn new_cluster(&mut self) -> u32 {
        self.sizes.push(0);
        self.n_profiles.push(0);
        self.sizes.len() as u32 - 1
    }

    fn add(&mut self, cluster: u32, n_records: u32) {
        self.of.push(cluster);
        self.sizes[cluster as usize] += n_records;
        self.n_profiles[cluster as usize] += 1;
    }

    fn finish(self) -> Clusters {
        Clusters {
            of: self.of,
            sizes: self.sizes,
            alone: self.n_profiles.iter().map(|&n| n == 1).collect(),
        }
    }
}

/// Where the number of each cell stands: a table while it is no larger than what it indexes.
enum Slots {
    Table(Vec<u32>),
    Map(HashMap<u64, u32, FixedState>),
}

impl Slots {
    fn new(n_cells: u64, n_profiles: usize) -> Self {
        if n_cells <= (n_profiles as u64 * 4).max(1 << 12) {
            Self::Table(vec![u32::MAX; n_cells as usize])
        } else {
            Self::Map(HashMap::with_hasher(FixedState::with_seed(1)))
        }
    }

    fn at(&mut self, cell: u64) -> &mut u32 {
        match self {
            Self::Table(slots) => &mut slots[cell as usize],
            Self::Map(slots) => slots.entry(cell).or_insert(u32::MAX),
        }
    }
}

/// Both files' partitions by both; the files side by side.
pub(crate) fn crossed(
    a: &[Clusters; 2],
    b: &[Clusters; 2],
    n_records: &[Vec<u32>; 2],
) -> [Clusters; 2] {
    let of = |file: usize| a[file].crossed(&b[file], &n_records[file]);
    let (original, masked) = rayon::join(|| of(ORIGINAL), || of(MASKED));
    [original, masked]
}

/// Masked records by the larger of their cluster's sizes in the two files, from the smallest.
pub(crate) fn by_larger_size(clusters: &[Clusters; 2], n_masked: &[u32]) -> Vec<(u32, u64)> {
    let most = |file: usize| clusters[file].sizes.iter().copied().max().unwrap_or(0);
    let mut counts = vec![0_u64; most(ORIGINAL).max(most(MASKED)) as usize + 1];
    for_each_sizes(clusters, n_masked, |i, j, n| {
        counts[i.max(j) as usize] += u64::from(n);
    });
    let counts = (0..).zip(counts);
    counts.filter(|&(_, n)| n > 0).collect()
}

/// The classification matrix C: (i, j, `c_ij`) for the sizes that occur, in order; i in the masked
/// file, j in the original one.
pub(crate) fn classification(clusters: &[Clusters; 2], n_masked: &[u32]) -> Vec<(u32, u32, u64)> {
    let mut counts: HashMap<(u32, u32), u64, FixedState> =
        HashMap::with_hasher(FixedState::with_seed(1));
    let mut in_both_alone = 0;
    for_each_sizes(clusters, n_masked, |i, j, n| {
        if i == 1 && j == 1 {
            in_both_alone += u64::from(n);
        } else {
            *counts.entry((i, j)).or_insert(0) += u64::from(n);
        }
    });
    let mut found: Vec<(u32, u32, u64)> = counts.iter().map(|(&(i, j), &n)| (i, j, n)).collect();
    if in_both_alone > 0 {
        found.push((1, 1, in_both_alone));
    }
    found.sort_unstable();
    found
}

/// Sizes in the masked and in the original file, and the records that have them.
fn for_each_sizes(clusters: &[Clusters; 2], n_masked: &[u32], mut take: impl FnMut(u32, u32, u32)) {
    let [original, masked] = clusters;
    let both = masked.of.iter().zip(&original.of);
    for ((&in_masked, &in_original), &n) in both.zip(n_masked).filter(|(_, n)| **n > 0) {
        let i = masked.sizes[in_masked as usize];
        let j = original.sizes[in_original as usize];
        take(i, j, n);
    }
}

/// Σ `w_ij` `c_ij` / max(i, j) / `w_11`: the sum of (3.8).
pub(crate) fn weighted_sum(c: &[(u32, u32, u64)], weights: &SizeWeights) -> f64 {
    let term =
        |&(i, j, n): &(u32, u32, u64)| weights.relative(i, j) * n as f64 / f64::from(i.max(j));
    compensated(c.iter().map(term))
}
