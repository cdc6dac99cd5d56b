//! A partition of records into groups.

/// Groups of records, in the order in which they were made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Partition {
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Partition {
    /// No group yet, and room for so many records.
    pub fn with_capacity(n_records: usize) -> Self {
        Self {
            members: Vec::with_capacity(n_records),
            ends: Vec::new(),
        }
    }

    /// Groups of `k` along an order; the last takes the rest and has up to 2k - 1. None are made of
    /// fewer than `k` records.
    pub fn consecutive(order: Vec<u32>, k: usize) -> Self {
        let n_groups = order.len() / k;
        if n_groups == 0 {
            return Self::default();
        }
        let mut ends: Vec<u32> = (1..=n_groups).map(|group| (group * k) as u32).collect();
        if let Some(last) = ends.last_mut() {
            *last = order.len() as u32;
        }
        Self {
            members: order,
            ends,
        }
    }

    /// Adds a group.
    pub fn push(&mut self, members: impl IntoIterator<Item = u32>) {
        self.members.extend(members);
        self.ends.push(self.members.len() as u32);
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The members of a group.
    pub fn group(&self, number: usize) -> &[u32] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.members[start as usize..self.ends[number] as usize]
    }

    /// The members of each group.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len()).map(|number| self.group(number))
    }

    /// Records in groups.
    pub fn n_members(&self) -> usize {
        self.members.len()
    }

    /// The same groups of other numbers.
    #[must_use]
    pub fn map_members(mut self, number: impl Fn(u32) -> u32) -> Self {
        for member in &mut self.members {
            *member = number(*member);
        }
        self
    }

    /// The number of each record's group, from 0.
    pub fn labels(&self, n_records: usize) -> Vec<u32> {
        let mut labels = vec![0; n_records];
        for (number, members) in self.iter().enumerate() {
            for &record in members {
                labels[record as usize] = number as u32;
            }
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_group_takes_the_rest() {
        let partition = Partition::consecutive(vec![4, 2, 0, 1, 3], 2);
        let groups: Vec<&[u32]> = partition.iter().collect();
        assert_eq!(groups, [&[4, 2][..], &[0, 1, 3]]);
        assert_eq!(partition.labels(5), [1, 1, 0, 1, 0]);
        assert!(Partition::consecutive(vec![0, 1], 3).is_empty());
    }
}
