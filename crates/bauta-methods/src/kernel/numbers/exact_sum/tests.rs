use proptest::prelude::*;

use super::*;

/// The exact sum another way: how often each bit occurs, carried on, and rounded digit by digit.
fn by_bits(numbers: &[f64]) -> f64 {
    const LOWEST: i32 = -1074;
    let mut counts = vec![0_i64; 2_300];
    for &number in numbers {
        let (mut rest, mut power) = (number.abs(), libm::frexp(number).1);
        while rest > 0.0 {
            let bit = libm::ldexp(1.0, power);
            if rest >= bit {
                rest -= bit;
                counts[(power - LOWEST) as usize] += if number < 0.0 { -1 } else { 1 };
            }
            power -= 1;
        }
    }
    let carried = |counts: &[i64], sign: i64| -> (Vec<i64>, i64) {
        let mut carry = 0;
        let carried = counts.iter().map(|&count| {
            let here = sign * count + carry;
            carry = here.div_euclid(2);
            here.rem_euclid(2)
        });
        (carried.collect(), carry)
    };
    let (mut bits, carry) = carried(&counts, 1);
    let is_negative = carry < 0;
    if is_negative {
        bits = carried(&counts, -1).0;
    }
    let Some(top) = bits.iter().rposition(|&bit| bit == 1) else {
        return 0.0;
    };
    // 53 bits, of which the lowest may be the lowest there is.
    let low = top.saturating_sub(52);
    let mut mantissa = (low..=top)
        .rev()
        .fold(0_u64, |m, at| m << 1 | bits[at] as u64);
    let half = low > 0 && bits[low - 1] == 1;
    let more = low > 1 && bits[..low - 1].contains(&1);
    mantissa += u64::from(half && (more || mantissa % 2 == 1));
    let size = libm::ldexp(mantissa as f64, (low as u32).cast_signed() + LOWEST);
    if is_negative { -size } else { size }
}

fn scatter(i: usize, salt: u64) -> u64 {
    let mut z = (i as u64 + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(salt << 32);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z ^ (z >> 31)
}

/// The order of a shuffle.
fn shuffled(numbers: &[f64], salt: u64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_unstable_by_key(|&i| scatter(i, salt));
    order.into_iter().map(|i| numbers[i]).collect()
}

/// The numbers of one kind each: how wide their sums are, and n of them.
fn of_kind(kind: &str, n: usize) -> Vec<f64> {
    let number = |i: usize| {
        let share = (scatter(i, 3) >> 11) as f64 / (1_u64 << 53) as f64;
        match kind {
            "whole" => (scatter(i, 1) % 5_000) as f64,
            "halves" => (scatter(i, 1) % 999) as f64 / 2.0,
            "decimal" => (scatter(i, 1) % 100_000) as f64 / 137.0,
            "far apart" => share * libm::ldexp(1.0, (scatter(i, 2) % 120) as i32 - 60),
            "ends" => share * [1e-300, 1.0, 1e300][i % 3],
            "subnormal" => f64::from_bits(scatter(i, 4) >> 12),
            "smallest" => f64::from_bits(scatter(i, 4) % 3),
            "signs" => (share - 0.5) * libm::ldexp(1.0, (scatter(i, 2) % 90) as i32),
            "zeros" => [0.0, -0.0][i % 2],
            _ => unreachable!("{kind}"),
        }
    };
    (0..n).map(number).collect()
}

const KINDS: [(&str, Width); 9] = [
    ("whole", Width::Doubles),
    ("halves", Width::Doubles),
    ("decimal", Width::Two),
    ("far apart", Width::Four),
    ("ends", Width::All),
    ("subnormal", Width::Two),
    ("smallest", Width::Doubles),
    ("signs", Width::Four),
    ("zeros", Width::Doubles),
];

#[test]
fn every_sum_is_the_exact_one_rounded_once() {
    for (kind, width) in KINDS {
        for n in [1, 2, 3, 100, 4_001] {
            let numbers = of_kind(kind, n);
            let expected = by_bits(&numbers).to_bits();
            assert_eq!(exact_sum(&numbers).to_bits(), expected, "{kind} {n}");
            for salt in 0..3 {
                let found = exact_sum(&shuffled(&numbers, salt));
                assert_eq!(found.to_bits(), expected, "{kind} {n}");
            }
        }
        assert_eq!(Scale::of(&of_kind(kind, 4_001)).width(), width, "{kind}");
    }
}

#[test]
fn a_hundred_thousand_numbers_in_blocks_and_another_order() {
    for (kind, _) in KINDS {
        let numbers = of_kind(kind, 100_000);
        let expected = by_bits(&numbers).to_bits();
        assert_eq!(exact_sum(&numbers).to_bits(), expected, "{kind}");
        let backwards: Vec<f64> = numbers.into_iter().rev().collect();
        assert_eq!(exact_sum(&backwards).to_bits(), expected, "{kind}");
    }
}

#[test]
fn wider_numbers_give_what_narrower_ones_give() {
    for (kind, width) in KINDS {
        let numbers = of_kind(kind, 1_000);
        let unit = Scale::of(&numbers).unit();
        let expected = exact_sum(&numbers).to_bits();
        let in_all = sum_in::<Wide<WORDS_FOR_ALL>>(&numbers, unit);
        assert_eq!(in_all.to_bits(), expected, "{kind}");
        if width != Width::All {
            assert_eq!(sum_in::<Wide<4>>(&numbers, unit).to_bits(), expected);
        }
        if [Width::Doubles, Width::Two].contains(&width) {
            assert_eq!(sum_in::<i128>(&numbers, unit).to_bits(), expected, "{kind}");
        }
    }
}

#[test]
fn half_way_goes_to_the_even_neighbour() {
    // Doubles from 2^53 on are even: 2^53 + 1 lies half-way, and so does 2^53 + 3.
    let two_53 = 9_007_199_254_740_992.0;
    for (numbers, expected) in [
        (vec![two_53, 1.0], two_53),
        (vec![two_53, 3.0], two_53 + 4.0),
        (vec![two_53, 1.0, 1e-300], two_53 + 2.0),
        (vec![two_53, 1.0, 0.25], two_53 + 2.0),
        (vec![two_53, 0.75, 0.25], two_53),
        (vec![-two_53, -1.0, -1e-300], -two_53 - 2.0),
        (vec![1e300, 1e-300, -1e300], 1e-300),
        (vec![f64::MAX, f64::MAX, -f64::MAX], f64::MAX),
        (vec![f64::MAX, f64::MAX], f64::INFINITY),
        // A plain sum of these is 0.9999999999999999.
        (vec![0.1; 10], 1.0),
    ] {
        assert_eq!(exact_sum(&numbers).to_bits(), f64::to_bits(expected));
    }
}

#[test]
fn a_scale_gives_units_and_takes_them_back() {
    let weights = of_kind("decimal", 1_000);
    let scale = Scale::of(&weights);
    assert!(scale.fits_128());
    let units: Vec<i128> = weights.iter().filter_map(|&w| scale.units(w)).collect();
    assert_eq!(units.len(), weights.len());
    for (&weight, &units) in weights.iter().zip(&units) {
        assert_eq!(scale.nearest(units).to_bits(), weight.to_bits());
    }
    let total: i128 = units.iter().sum();
    assert_eq!(
        scale.nearest(total).to_bits(),
        exact_sum(&weights).to_bits()
    );
    let given = ExactSums::of_units(scale, &[total]).expect("in 128 bits");
    assert_eq!(given.nearest(0).to_bits(), exact_sum(&weights).to_bits());
    assert_eq!(scale.units(1e300), None, "larger than all of them");
    assert_eq!(scale.units(1e-300), None, "finer than all of them");
    assert_eq!(scale.units(f64::NAN), None);
    assert_eq!(ExactSums::of_units(scale, &[i128::MAX, i128::MAX]), None);
    let whole = Scale::of(&[1.0, 2.0]);
    assert_eq!(ExactSums::of_units(whole, &[1 << 63]), None);
    let apart = Scale::of(&[1e-300, 1e300]);
    assert!(!apart.fits_128() && apart.units(1e300).is_none());
    assert_eq!(ExactSums::of_units(apart, &[1]), None);
}

#[test]
fn sums_in_128_bits_have_room_in_38_digits() {
    // 53 bits, 2^20 numbers: highest and lowest bit may lie 126 - 20 = 106 bits apart, both included.
    let of = |high: i32| Scale {
        low: -52,
        high,
        n: 1 << 20,
        range: Range::Finite,
    };
    assert!(of(53).fits_128() && !of(54).fits_128());
    assert!(1_u128 << 126 < 10_u128.pow(38));
}

#[test]
fn what_is_no_number_stays_none() {
    let numbers = [1.5, f64::NAN, 2.5, f64::INFINITY];
    let sums = ExactSums::by_cell(&numbers, &[0, 1, 0, 2], 3);
    assert_eq!(sums.nearest(0).to_bits(), 4.0_f64.to_bits());
    assert!(sums.nearest(1).is_nan() && sums.nearest(2).is_infinite());
    let mut exact = ExactSums::by_cell(&[0.5], &[0], 1);
    exact.merge(&sums, 3, 0..3);
    assert_eq!(exact.nearest(0).to_bits(), 4.5_f64.to_bits());
    assert!(exact.nearest(1).is_nan());
    assert_eq!(exact.scale().n(), 5);
}

/// Any finite double, any bits.
fn any_number() -> impl Strategy<Value = f64> {
    let any_bits = any::<u64>().prop_map(f64::from_bits);
    let number = prop_oneof![
        any_bits.prop_filter("finite", |number| number.is_finite()
            && number.abs() < 1e306),
        (0_u32..1_000_000).prop_map(|n| f64::from(n) / 100.0),
        (0_u32..1_000).prop_map(f64::from),
        Just(0.0),
        Just(f64::from_bits(1)),
    ];
    number.boxed()
}

proptest! {
    #[test]
    fn parts_merge_to_the_whole(
        numbers in prop::collection::vec((any_number(), 0_u32..4), 1..60),
        cut in 0_usize..60,
        salt in 0_u64..1_000,
    ) {
        let cells: Vec<u32> = numbers.iter().map(|(_, cell)| *cell).collect();
        let numbers: Vec<f64> = numbers.iter().map(|(number, _)| *number).collect();
        let whole = ExactSums::by_cell(&numbers, &cells, 4);
        for cell in 0..4 {
            let here = (0..cells.len()).filter(|&i| cells[i] as usize == cell);
            let here: Vec<f64> = here.map(|i| numbers[i]).collect();
            prop_assert_eq!(whole.nearest(cell).to_bits(), by_bits(&here).to_bits());
        }
        // Parts: every record goes to one of two by chance; one part may be empty.
        let is_here = |i: usize| scatter(i, salt) % 60 < cut as u64;
        let part = |wanted: bool| {
            let some: Vec<usize> = (0..cells.len()).filter(|&i| is_here(i) == wanted).collect();
            let numbers: Vec<f64> = some.iter().map(|&i| numbers[i]).collect();
            let cells: Vec<u32> = some.iter().map(|&i| cells[i]).collect();
            ExactSums::by_cell(&numbers, &cells, 4)
        };
        for first in [true, false] {
            let mut merged = part(first);
            merged.merge(&part(!first), 4, 0..4);
            prop_assert_eq!(&merged, &whole);
        }
        prop_assert_eq!(exact_sum(&numbers).to_bits(), whole.nearest_to_sum_of(0..4).to_bits());
        let all = whole.grouped(1, (0..4).map(|cell| (0, cell)));
        prop_assert_eq!(all.nearest(0).to_bits(), by_bits(&numbers).to_bits());
        let terms = cells.iter().zip(&numbers).map(|(&cell, &number)| (cell as usize, number));
        prop_assert_eq!(&ExactSums::of_terms(4, terms), &whole);
        prop_assert_eq!(whole.selected([2, 0].into_iter()).all_nearest(), [whole.nearest(2), whole.nearest(0)]);
    }
}
