//! Pairs of records whose order a mask turned round.

use rayon::prelude::*;

/// Values below which two halves are counted on one thread.
const ON_ONE_THREAD: usize = 8192;
/// Values that are sorted by inserting.
const FEW: usize = 16;

/// Number of pairs with `x_i` < `x_j` and `z_i` > `z_j` (Truta 2004, eq. 2.3). Each element holds the
/// rank of x above that of z.
///
/// Sorted by x and, where x is equal, by z, so that ties in x are no inversions; then the
/// inversions of z alone are counted, for which ties are none either.
pub(crate) fn inversions(mut ranks: Vec<u64>) -> u64 {
    ranks.par_sort_unstable();
    let mut z: Vec<u32> = ranks.iter().map(|&both| both as u32).collect();
    drop(ranks);
    let mut room = vec![0; z.len()];
    count(&mut z, &mut room)
}

/// The rank of x and that of z as one number.
pub(crate) fn both(x: u32, z: u32) -> u64 {
    u64::from(x) << 32 | u64::from(z)
}

/// Sorts, and counts how many pairs stood in the wrong order.
fn count(z: &mut [u32], room: &mut [u32]) -> u64 {
    let n = z.len();
    if n <= FEW {
        return count_few(z);
    }
    let middle = n / 2;
    let (left, right) = z.split_at_mut(middle);
    let (left_room, right_room) = room.split_at_mut(middle);
    let (in_left, in_right) = if n > ON_ONE_THREAD {
        rayon::join(|| count(left, left_room), || count(right, right_room))
    } else {
        (count(left, left_room), count(right, right_room))
    };
    in_left + in_right + merge(z, middle, room)
}

fn count_few(z: &mut [u32]) -> u64 {
    let mut n_inversions = 0;
    for end in 1..z.len() {
        let mut at = end;
        while at > 0 && z[at - 1] > z[at] {
            z.swap(at - 1, at);
            at -= 1;
            n_inversions += 1;
        }
    }
    n_inversions
}

/// Merges two sorted halves; a value of the right half that goes before k of the left makes k
/// inversions.
fn merge(z: &mut [u32], middle: usize, room: &mut [u32]) -> u64 {
    if z[middle - 1] <= z[middle] {
        return 0;
    }
    let left = &mut room[..middle];
    left.copy_from_slice(&z[..middle]);
    let (mut of_left, mut of_right, mut n_inversions) = (0, middle, 0);
    for to in 0..z.len() {
        if of_left == middle {
            // What is left of the right half is where it belongs.
            break;
        }
        if of_right < z.len() && z[of_right] < left[of_left] {
            z[to] = z[of_right];
            of_right += 1;
            n_inversions += (middle - of_left) as u64;
        } else {
            z[to] = left[of_left];
            of_left += 1;
        }
    }
    n_inversions
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn five_records_by_hand() {
        // x = 1 2 3 3 4, z = 2 1 1 5 0: (1,2), (1,3), (1,5), (2,5), (3,5), (4,5); records 2 and 3
        // tie in z, records 3 and 4 in x.
        let ranks = [(1, 2), (2, 1), (3, 1), (3, 5), (4, 0)].map(|(x, z)| both(x, z));
        assert_eq!(inversions(ranks.to_vec()), 6);
        assert_eq!(inversions(Vec::new()), 0);
        assert_eq!(inversions(vec![both(1, 1)]), 0);
    }

    proptest! {
        #[test]
        fn all_pairs_compared_give_the_same(records in prop::collection::vec((0_u32..40, 0_u32..40), 0..300)) {
            let mut expected = 0;
            for a in &records {
                expected += records.iter().filter(|b| a.0 < b.0 && a.1 > b.1).count() as u64;
            }
            let ranks = records.iter().map(|&(x, z)| both(x, z)).collect();
            prop_assert_eq!(inversions(ranks), expected);
        }
    }

    #[test]
    fn a_file_turned_round_has_all_of_them() {
        let n = 50_000_u32;
        let ranks = (0..n).map(|x| both(x, n - x)).collect();
        assert_eq!(inversions(ranks), u64::from(n) * u64::from(n - 1) / 2);
    }
}
