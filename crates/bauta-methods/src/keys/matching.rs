//! The records whose key matches that of a record, as sets that records share.

use bauta_data::Table;
use rayon::prelude::*;

use crate::error::MethodError;
use crate::keys::classes::Classes;
use crate::keys::stored::Weighing;
use crate::keys::{KeyCounts, Matching, check_number, class_numbers};

/// For each record, the records that match its key: those that an intruder cannot tell from it.
///
/// Records with equal keys are one class; a set is a choice of classes.
pub(crate) struct MatchingSets {
    /// Class of each record.
    class_of_record: Vec<u32>,
    /// Set of each class: the classes that match it.
    set_of_class: Vec<u32>,
    /// Where the classes of each set begin, and where those of the last end.
    starts: Vec<usize>,
    /// Classes of the sets, one set after the other.
    members: Vec<u32>,
}

/// Sets of the classes that show the same keys.
struct SetsOfPattern {
    /// A class that seeks its set, and the set's number among these.
    seekers: Vec<(u32, u32)>,
    /// Classes of each set.
    sizes: Vec<usize>,
    members: Vec<u32>,
}

impl MatchingSets {
    /// Collects the sets of a table's keys. Under `Own` they part the file; under the others sets
    /// may overlap.
    pub(crate) fn new(
        table: &Table,
        keys: &[usize],
        matching: Matching,
    ) -> Result<Self, MethodError> {
        match matching {
            Matching::Own => {
                check_number(keys.len())?;
                Ok(Self::parting(class_numbers(table, keys)))
            }
            Matching::Visible | Matching::Original => {
                let semantics = matching.into();
                let classes = Classes::of_table(table, keys, Weighing::Records, semantics)?;
                Ok(Self::on_visible_keys(classes))
            }
        }
    }

    /// Each class is its own set.
    fn parting(class_of_record: Vec<u32>) -> Self {
        let n_classes = class_of_record.par_iter().max().map_or(0, |last| last + 1);
        Self {
            class_of_record,
            set_of_class: (0..n_classes).collect(),
            starts: (0..=n_classes as usize).collect(),
            members: (0..n_classes).collect(),
        }
    }

    fn on_visible_keys(Classes { counts, of_record }: Classes) -> Self {
        let patterns: Vec<SetsOfPattern> = counts
            .by_visibility()
            .par_iter()
            .map(|(mask, seekers)| counts.sets_of_pattern(*mask, seekers))
            .collect();
        let mut sets = Self {
            class_of_record: of_record,
            set_of_class: vec![0; counts.n_classes()],
            starts: vec![0],
            members: Vec::new(),
        };
        for pattern in patterns {
            let first = sets.n_sets() as u32;
            for (class, set) in pattern.seekers {
                sets.set_of_class[class as usize] = first + set;
            }
            let mut end = sets.members.len();
            sets.starts.extend(pattern.sizes.into_iter().map(|size| {
                end += size;
                end
            }));
            sets.members.extend(pattern.members);
        }
        sets
    }

    /// Number of sets.
    pub(crate) fn n_sets(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of classes.
    pub(crate) fn n_classes(&self) -> usize {
        self.set_of_class.len()
    }

    /// Classes of a set.
    pub(crate) fn members(&self, set: usize) -> &[u32] {
        &self.members[self.starts[set]..self.starts[set + 1]]
    }

    /// Class of each record.
    pub(crate) fn class_of_record(&self) -> &[u32] {
        &self.class_of_record
    }

    /// Set of a record.
    pub(crate) fn set_of_record(&self, record: usize) -> usize {
        self.set_of_class[self.class_of_record[record] as usize] as usize
    }
}

impl KeyCounts {
    /// The sets of classes that show just the keys in `mask`: all classes that hold the same there.
    fn sets_of_pattern(&self, mask: u64, seekers: &[u32]) -> SetsOfPattern {
        const UNSOUGHT: u32 = u32::MAX;
        let holders: Vec<u32> = (0..self.sizes.len() as u32)
            .filter(|&class| self.present[class as usize] & mask == mask)
            .collect();
        let both: Vec<u32> = seekers.iter().chain(&holders).copied().collect();
        let (groups, n_groups) = self.groups_on(mask, &both);
        let (seeking, holding) = groups.split_at(seekers.len());
        let mut set_of_group = vec![UNSOUGHT; n_groups];
        let mut n_sets = 0;
        let mut sought = Vec::with_capacity(seekers.len());
        for (&class, &group) in seekers.iter().zip(seeking) {
            let set = &mut set_of_group[group as usize];
            if *set == UNSOUGHT {
                *set = n_sets;
                n_sets += 1;
            }
            sought.push((class, *set));
        }
        let in_sets = || {
            let sets = holding.iter().map(|&group| set_of_group[group as usize]);
            holders.iter().zip(sets).filter(|(_, set)| *set != UNSOUGHT)
        };
        let mut sizes = vec![0; n_sets as usize];
        in_sets().for_each(|(_, set)| sizes[set as usize] += 1);
        let mut next: Vec<usize> = sizes
            .iter()
            .scan(0, |end, &size| {
                let start = *end;
                *end += size;
                Some(start)
            })
            .collect();
        let mut members = vec![0; sizes.iter().sum()];
        for (&class, set) in in_sets() {
            members[next[set as usize]] = class;
            next[set as usize] += 1;
        }
        SetsOfPattern {
            seekers: sought,
            sizes,
            members,
        }
    }
}
