//! Small numbers as Parquet stores them: runs of one number, and groups of eight in as few bits as the largest needs.

/// The most bits of a number that a byte holds.
pub(super) const MOST_BITS: u8 = 8;

/// Adds `n` numbers of so many bits each to `out`; none where there are fewer, or where numbers are wider than a byte.
pub(super) fn unpack(mut bytes: &[u8], n_bits: u8, n: usize, out: &mut Vec<u8>) -> Option<()> {
    if n_bits > MOST_BITS {
        return None;
    }
    let mut n_left = n;
    while n_left > 0 {
        let header = take_header(&mut bytes)?;
        let count = usize::try_from(header >> 1).ok()?;
        if header & 1 == 0 {
            let value = if n_bits == 0 {
                0
            } else {
                *bytes.split_off_first()?
            };
            let n_here = count.min(n_left);
            out.resize(out.len() + n_here, value);
            n_left -= n_here;
        } else {
            let n_here = count.saturating_mul(8).min(n_left);
            let n_bytes = count.saturating_mul(usize::from(n_bits));
            let (groups, rest) = bytes.split_at_checked(n_bytes).unwrap_or((bytes, &[]));
            unpack_groups(groups, n_bits, n_here, out)?;
            bytes = rest;
            n_left -= n_here;
        }
    }
    Some(())
}

/// Whether numbers of at most a byte begin with so many of one value in a single run, as they do where no cell is missing.
pub(super) fn is_run_of(mut bytes: &[u8], value: u8, n: usize) -> bool {
    let header = take_header(&mut bytes);
    let is_run = header.is_some_and(|header| {
        header & 1 == 0 && usize::try_from(header >> 1).is_ok_and(|count| count >= n)
    });
    is_run && bytes.first() == Some(&value)
}

/// The header of a run: twice the length, or twice the number of groups and one.
fn take_header(bytes: &mut &[u8]) -> Option<u64> {
    let mut header = 0;
    for shift in (0..35).step_by(7) {
        let byte = *bytes.split_off_first()?;
        header |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(header);
        }
    }
    None
}

fn unpack_groups(groups: &[u8], n_bits: u8, n: usize, out: &mut Vec<u8>) -> Option<()> {
    match n_bits {
        0 => {
            out.resize(out.len() + n, 0);
            Some(())
        }
        1 => unpack_width::<1>(groups, n, out),
        2 => unpack_width::<2>(groups, n, out),
        3 => unpack_width::<3>(groups, n, out),
        4 => unpack_width::<4>(groups, n, out),
        5 => unpack_width::<5>(groups, n, out),
        6 => unpack_width::<6>(groups, n, out),
        7 => unpack_width::<7>(groups, n, out),
        _ => {
            out.extend_from_slice(groups.get(..n)?);
            Some(())
        }
    }
}

/// Each group of eight numbers takes as many bytes as a number has bits.
fn unpack_width<const BITS: usize>(groups: &[u8], n: usize, out: &mut Vec<u8>) -> Option<()> {
    let start = out.len();
    let n_groups = n.div_ceil(8);
    let groups = groups.as_chunks::<BITS>().0.get(..n_groups)?;
    out.resize(start + n_groups * 8, 0);
    for (numbers, group) in out[start..].as_chunks_mut::<8>().0.iter_mut().zip(groups) {
        *numbers = spread::<BITS>(group).to_le_bytes();
    }
    out.truncate(start + n);
    Some(())
}

/// Eight numbers of so many bits, a byte each: halves, quarters and eighths of the bits are moved apart.
fn spread<const BITS: usize>(group: &[u8; BITS]) -> u64 {
    let mut padded = [0; 8];
    padded[..BITS].copy_from_slice(group);
    let packed = u64::from_le_bytes(padded);
    let ones = |n_bits: usize| (1_u64 << n_bits) - 1;
    let halves = packed & ones(4 * BITS) | (packed >> (4 * BITS) & ones(4 * BITS)) << 32;
    let low = ones(2 * BITS) * (1 | 1 << 32);
    let quarters = halves & low | (halves >> (2 * BITS) & low) << 16;
    let low = ones(BITS) * 0x0001_0001_0001_0001;
    quarters & low | (quarters >> BITS & low) << 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Numbers as a writer packs them: bit by bit, the lowest first, in groups of eight.
    fn packed(numbers: &[u8], n_bits: u8) -> Vec<u8> {
        let n_groups = numbers.len().div_ceil(8);
        let mut bytes = vec![0; n_groups * usize::from(n_bits)];
        for (at, &number) in numbers.iter().enumerate() {
            for bit in 0..usize::from(n_bits) {
                let place = at * usize::from(n_bits) + bit;
                bytes[place / 8] |= (number >> bit & 1) << (place % 8);
            }
        }
        bytes
    }

    fn header(number: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut left = number;
        while left >= 0x80 {
            bytes.push((left & 0x7f) as u8 | 0x80);
            left >>= 7;
        }
        bytes.push(left as u8);
        bytes
    }

    proptest! {
        #[test]
        fn numbers_are_those_that_were_packed(
            n_bits in 0_u8..=8,
            runs in prop::collection::vec((any::<bool>(), prop::collection::vec(any::<u8>(), 1..30)), 1..6),
            cut in 0_usize..20,
        ) {
            let mask = ((1_u16 << n_bits) - 1) as u8;
            let (mut bytes, mut expected) = (Vec::new(), Vec::new());
            for (is_packed, numbers) in &runs {
                let mut numbers: Vec<u8> = numbers.iter().map(|number| number & mask).collect();
                if *is_packed {
                    numbers.resize(numbers.len().div_ceil(8) * 8, 0);
                    bytes.extend(header(((numbers.len() / 8) << 1) | 1));
                    bytes.extend(packed(&numbers, n_bits));
                } else {
                    let first = numbers[0];
                    numbers.fill(first);
                    bytes.extend(header(numbers.len() << 1));
                    bytes.extend((n_bits > 0).then_some(numbers[0]));
                }
                expected.extend(numbers);
            }
            let n = expected.len() - cut.min(expected.len());
            let mut found = vec![77];
            prop_assert_eq!(unpack(&bytes, n_bits, n, &mut found), Some(()));
            prop_assert_eq!(&found[1..], &expected[..n]);
            prop_assert_eq!(found[0], 77, "what was there before stays");
            if n_bits > 0 && is_run_of(&bytes, expected[0], n) {
                prop_assert!(expected[..n].iter().all(|number| *number == expected[0]));
            }
            prop_assert_eq!(unpack(&bytes, n_bits, expected.len() + 1, &mut found), None);
        }

        #[test]
        fn any_bytes_give_numbers_or_none(bytes: Vec<u8>, n_bits in 0_u8..12, n in 0_usize..1000) {
            let mut found = Vec::new();
            match unpack(&bytes, n_bits, n, &mut found) {
                Some(()) => prop_assert_eq!(found.len(), n),
                None => prop_assert!(n > 0 || n_bits > MOST_BITS),
            }
        }
    }
}
