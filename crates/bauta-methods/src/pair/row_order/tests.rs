use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::{Attribute, Codes, Kind, Levels, Role};

use super::*;

/// Numbers that look drawn: uniform on [0, 1), the same in every run.
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> f64 {
        // SplitMix64 (Steele, Lea and Flood 2014).
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn order(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for last in (1..n).rev() {
            order.swap(last, (self.next() * (last + 1) as f64) as usize);
        }
        order
    }
}

fn file(columns: &[(&str, Vec<f64>)]) -> Table {
    let column = |(name, values): &(&str, Vec<f64>)| {
        let attribute = Arc::new(Attribute::new(*name, Role::Other, Kind::Continuous));
        Column::numeric(attribute, values.clone(), None, NumberText::default())
    };
    Table::new(columns.iter().map(column).collect(), columns[0].1.len())
}

fn categories(name: &str, texts: &[&str]) -> Column {
    let levels = Levels::from_texts(texts.iter().copied());
    let codes = texts.iter().map(|text| levels.code(text).unwrap());
    let attribute = Arc::new(Attribute::new(name, Role::Other, Kind::Unordered));
    Column::categorical(attribute, codes.collect::<Codes>(), Arc::new(levels), None)
}

/// People of five regions in the order of their regions, with an age and an income.
fn people(n: usize) -> Vec<(&'static str, Vec<f64>)> {
    let mut drawn = Drawn(3);
    vec![
        ("region", (0..n).map(|i| (5 * i / n) as f64).collect()),
        (
            "age",
            (0..n).map(|_| (80.0 * drawn.next()).floor()).collect(),
        ),
        (
            "income",
            (0..n).map(|_| (1e5 * drawn.next()).floor()).collect(),
        ),
    ]
}

type Columns = [(&'static str, Vec<f64>)];

fn reordered(columns: &Columns, order: &[usize]) -> Vec<(&'static str, Vec<f64>)> {
    let column = |(name, values): &(&'static str, Vec<f64>)| {
        (*name, order.iter().map(|&row| values[row]).collect())
    };
    columns.iter().map(column).collect()
}

fn with_noise(columns: &Columns, size: f64, drawn: &mut Drawn) -> Vec<(&'static str, Vec<f64>)> {
    let mut masked = columns.to_vec();
    for (_, values) in &mut masked {
        let range = values.iter().copied().fold(0.0, f64::max);
        for value in values {
            *value += size * range * (drawn.next() - 0.5);
        }
    }
    masked
}

fn verdict(original: &Columns, masked: &Columns) -> Verdict {
    judge(&file(original), &file(masked)).verdict
}

#[test]
fn a_copy_in_another_order_is_found_and_who_could_be_paired() {
    let original = people(200);
    let masked = reordered(&original, &Drawn(9).order(200));
    let found = judge(&file(&original), &file(&masked));
    assert_eq!(found.verdict, Verdict::Contradicted);
    let Ground::OtherOrder { variables, n_alone } = &found.ground else {
        panic!("{found:?}");
    };
    // Sorted by how many values they have; incomes of 100,000 are hardly ever alike among 200.
    assert_eq!(variables, &["income", "age", "region"]);
    assert_eq!(*n_alone, 200);
}

#[test]
fn a_file_sorted_within_its_regions_is_found_though_the_regions_stand_in_place() {
    let original = people(200);
    let mut order: Vec<usize> = (0..200).collect();
    order.sort_by_key(|&row| (original[0].1[row] as u64, original[1].1[row] as u64));
    let masked = reordered(&original, &order);
    assert_eq!(masked[0].1, original[0].1, "regions are in place");
    assert_eq!(verdict(&original, &masked), Verdict::Contradicted);
    // Nor do regions in place vouch for the rest where all else was masked.
    let mut masked = with_noise(&masked, 0.1, &mut Drawn(4));
    masked[0].1.clone_from(&original[0].1);
    assert_ne!(verdict(&original, &masked), Verdict::Plausible);
}

#[test]
fn swapping_one_variable_is_no_other_order() {
    let original = people(200);
    let mut masked = original.clone();
    masked[2].1.reverse();
    let found = judge(&file(&original), &file(&masked));
    assert_eq!(found.verdict, Verdict::Plausible);
    // The region is in place, too, but the file is sorted by it.
    let variables = vec!["age".to_owned()];
    assert_eq!(found.ground, Ground::InPlace { variables });
}

#[test]
fn swapping_all_variables_a_little_is_told_from_another_order() {
    // Values of neighbouring ranks change places, as rank swapping does, in each variable by itself.
    let original = people(2_000);
    let mut swapped = original.clone();
    for (_, values) in &mut swapped {
        let mut by_rank: Vec<usize> = (0..2_000).collect();
        by_rank.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        for start in (0..2_000 - 7).step_by(8) {
            for k in 0..4 {
                values.swap(by_rank[start + k], by_rank[start + k + 4]);
            }
        }
    }
    let found = judge(&file(&original[1..]), &file(&swapped[1..]));
    assert_eq!(found.verdict, Verdict::Plausible);
    assert!(matches!(found.ground, Ground::Nearness(_)), "{found:?}");
    let shuffled = reordered(&swapped[1..], &Drawn(2).order(2_000));
    assert_eq!(verdict(&original[1..], &shuffled), Verdict::Contradicted);
}

#[test]
fn noise_everywhere_is_told_from_noise_in_another_order() {
    let original = people(2_000);
    let masked = with_noise(&original, 0.3, &mut Drawn(5));
    assert_eq!(verdict(&original, &masked), Verdict::Plausible);
    let mut drawn = Drawn(6);
    let shuffled = reordered(&masked, &drawn.order(2_000));
    assert_eq!(verdict(&original, &shuffled), Verdict::Contradicted);
    // The second half alone is in another order.
    let mut order: Vec<usize> = (0..1_000).collect();
    order.extend(drawn.order(1_000).into_iter().map(|row| 1_000 + row));
    let found = judge(&file(&original), &file(&reordered(&masked, &order)));
    assert_eq!(found.verdict, Verdict::Undecided);
    assert!(
        found.in_words().contains("not in 2 of 4 parts"),
        "{}",
        found.in_words()
    );
    // Noise of a hundred times the range leaves nothing to tell rows by.
    let beyond = with_noise(&original, 100.0, &mut Drawn(7));
    assert_ne!(verdict(&original, &beyond), Verdict::Plausible);
}

#[test]
fn files_that_are_sorted_alike_are_not_taken_for_paired() {
    // Both are sorted by income, after noise: the order of the one is not that of the other.
    let by_income = |columns: Vec<(&'static str, Vec<f64>)>| {
        let mut order: Vec<usize> = (0..columns[2].1.len()).collect();
        order.sort_by(|&a, &b| columns[2].1[a].total_cmp(&columns[2].1[b]));
        reordered(&columns, &order)
    };
    let original = people(1_000);
    let masked = by_income(with_noise(&original, 0.3, &mut Drawn(8)));
    let original = by_income(original);
    assert_eq!(verdict(&original, &masked), Verdict::Contradicted);
    // Swapped incomes, sorted: they stand in place, and are those of other people.
    let mut swapped = original.clone();
    swapped[2].1.reverse();
    let swapped = by_income(swapped);
    assert_eq!(swapped[2].1, original[2].1);
    assert_eq!(verdict(&original, &swapped), Verdict::Contradicted);
}

#[test]
fn what_tells_nothing_is_undecided() {
    let nothing = |original: &Table, masked: &Table| {
        let found = judge(original, masked);
        assert_eq!(found.verdict, Verdict::Undecided, "{found:?}");
        found.ground
    };
    let n = 100;
    let constant = file(&[
        ("one", vec![1.0; n]),
        ("x", (0..n).map(|i| i as f64).collect()),
    ]);
    let other = file(&[("one", vec![1.0; n]), ("y", vec![0.0; n])]);
    // The constant is in place, and all that they share: the two are the same as far as they go.
    assert_eq!(judge(&constant, &other).verdict, Verdict::Plausible);
    let changed = file(&[("one", vec![2.0; n]), ("y", vec![0.0; n])]);
    assert_eq!(nothing(&constant, &changed), Ground::Nothing);
    let apart = file(&[("z", vec![0.0; n])]);
    assert_eq!(nothing(&constant, &apart), Ground::Nothing);
    // Recoded categories share no text.
    let ages = Table::new(vec![categories("age", &["1", "2", "3", "4"].repeat(25))], n);
    let recoded = Table::new(
        vec![categories("age", &["1-2", "1-2", "3-4", "3-4"].repeat(25))],
        n,
    );
    assert_eq!(nothing(&ages, &recoded), Ground::Nothing);
    // Of few rows nothing can be told, however near they are.
    let few = people(12);
    let masked = with_noise(&few, 0.01, &mut Drawn(1));
    let ground = nothing(&file(&few), &file(&masked));
    assert!(matches!(ground, Ground::Nearness(_)), "{ground:?}");
}

#[test]
fn combinations_that_chance_would_keep_prove_no_other_order() {
    // Rows 2 and 3 change places in a and in b. If each had been put in a random order by itself among the two,
    // both would have moved, or neither, with a chance of 1!·1!·1!·1! / (2!·1!·1!) = 1/2.
    let first_two: Vec<f64> = (0..60).map(|i| f64::from(i < 2)).collect();
    let x: Vec<f64> = (0..60).map(f64::from).collect();
    let mut drawn = Drawn(3);
    let masked_x = x.iter().map(|value| value + drawn.next()).collect();
    let original = [("x", x), ("a", first_two.clone()), ("b", first_two.clone())];
    let mut moved = first_two;
    moved.swap(1, 2);
    let masked = [("x", masked_x), ("a", moved.clone()), ("b", moved)];
    let found = judge(&file(&original), &file(&masked));
    assert!(matches!(found.ground, Ground::Nearness(_)), "{found:?}");
}

#[test]
fn rows_that_do_not_correspond_are_called_plausible_less_than_once_in_ten_thousand() {
    // The bound of Hoeffding is exp(-z²/2): of 4,000 random orders at most 0.4 are expected beyond it, and of
    // the two-sided normal distribution 4.55 % lie beyond 2.
    let mut drawn = Drawn(11);
    let original = people(60);
    let (mut n_plausible, mut n_beyond_two) = (0, 0);
    for _ in 0..4_000 {
        let order = drawn.order(60);
        let masked = with_noise(&reordered(&original, &order), 0.2, &mut drawn);
        let found = judge(&file(&original[1..]), &file(&masked[1..]));
        let Ground::Nearness(nearness) = found.ground else {
            panic!("{found:?}");
        };
        n_plausible += usize::from(found.verdict == Verdict::Plausible);
        n_beyond_two += usize::from(nearness.advantage.abs() > 2.0 * nearness.spread);
    }
    assert_eq!(n_plausible, 0);
    // 182 expected, standard deviation 13; thirty neighbours have slightly lighter tails.
    assert!((110..240).contains(&n_beyond_two), "{n_beyond_two}");
}

#[test]
fn nearness_is_the_cost_of_exchanging_neighbours() {
    // Ranks as shares: 1/8, 3/8, 5/8, 7/8. Masked, rows 3 and 4 change places.
    let original = [("x", vec![1.0, 2.0, 3.0, 4.0])];
    let masked = [("x", vec![10.0, 20.0, 40.0, 30.0])];
    let found = judge(&file(&original), &file(&masked));
    let Ground::Nearness(nearness) = found.ground else {
        panic!("{found:?}");
    };
    // Rows 1, 2: d = 0, 1/4, 1/4, 0, so Δ = 1/2. Rows 3, 4: d = 1/4, 0, 0, 1/4, so Δ = -1/2.
    assert_eq!(nearness.n_neighbours, 2);
    assert!(nearness.advantage.abs() < 1e-15);
    // √(1/4 + 1/4) / (1/2 + 0).
    assert!((nearness.spread - 2.0_f64.sqrt()).abs() < 1e-15);
}
