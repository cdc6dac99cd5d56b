//! Which shares of a table are withheld, so that none tells of few records.

/// Whether a figure that rests on so many records may be told: on none it is 0 or is not defined, and
/// tells of nobody.
pub(super) fn tells(n_records: f64, min_records: f64) -> bool {
    n_records == 0.0 || n_records >= min_records
}

/// Which shares of one row may be told, by the records of its cells. `rare` says of each column whether
/// few records of the whole file have it: where these are not tells as much as where they are.
///
/// The shares of a row sum to 1, so that one withheld share would follow from the others. Those that are
/// withheld therefore rest on `min_records` records together, or on all of the row: further ones are
/// withheld, the smallest first.
pub(super) fn told_shares(cells: &[f64], rare: &[bool], min_records: f64) -> Vec<bool> {
    let mut told: Vec<bool> = (cells.iter().zip(rare))
        .map(|(&n_records, rare)| !rare && tells(n_records, min_records))
        .collect();
    if told.iter().all(|&told| told) {
        return told;
    }
    let withheld = cells.iter().zip(&told).filter(|(_, told)| !**told);
    let mut n_withheld: f64 = withheld.map(|(n_records, _)| n_records).sum();
    let mut others: Vec<usize> = (0..cells.len())
        .filter(|&column| told[column] && cells[column] > 0.0)
        .collect();
    others.sort_by(|&a, &b| cells[a].total_cmp(&cells[b]));
    for column in others {
        if n_withheld >= min_records {
            break;
        }
        told[column] = false;
        n_withheld += cells[column];
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(cells: &[f64], rare: &[usize]) -> Vec<bool> {
        let rare: Vec<bool> = (0..cells.len()).map(|at| rare.contains(&at)).collect();
        told_shares(cells, &rare, 10.0)
    }

    #[test]
    fn a_withheld_share_does_not_follow_from_the_others() {
        assert_eq!(told(&[10.0, 0.0, 90.0], &[]), [true, true, true]);
        // Of two, the other is what is left of 1.
        assert_eq!(told(&[1.0, 104.0], &[]), [false, false]);
        // Of more, the smallest of the others is withheld too, not the 0.
        assert_eq!(
            told(&[1.0, 60.0, 0.0, 40.0], &[]),
            [false, true, true, false]
        );
        // Four and six are ten together.
        assert_eq!(told(&[4.0, 6.0, 90.0], &[]), [false, false, true]);
        assert_eq!(told(&[4.0, 5.0, 90.0], &[]), [false, false, false]);
        // Where a rare outcome is not, its 0 does not follow either.
        assert_eq!(told(&[0.0, 50.0, 12.0], &[0]), [false, true, false]);
        assert_eq!(told_shares(&[1.0, 2.0], &[false; 2], 1.0), [true, true]);
    }
}
