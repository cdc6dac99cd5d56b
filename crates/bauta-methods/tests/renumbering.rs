//! What `renumber` keeps, what it hides, and when two files agree.

use std::collections::{HashMap, HashSet};

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::{Mask, MaskTask, RawValue, RunContext, registry};
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::support::{ALPHA, column, params, table, texts};

const LETTERS: &str = "0123456789abcdefghjkmnpqrstvwxyz";

fn households(name: &str, numbers: impl Iterator<Item = usize>) -> Table {
    let cells: Vec<String> = numbers.map(|number| number.to_string()).collect();
    let cells: Vec<Option<&str>> = cells.iter().map(|cell| Some(cell.as_str())).collect();
    table(vec![column(name, Role::Household, Kind::Unordered, &cells)])
}

fn renumbered(file: &Table, domain: Option<&str>, seed: u64, step: &str) -> Vec<String> {
    let mask: &dyn Mask = registry::mask("renumber").expect("a mask");
    let domain = domain.map(|domain| ("domain", RawValue::Text(domain.to_owned())));
    let given = params(mask.card(), domain.as_slice());
    let task = MaskTask {
        table: file,
        on: &[0],
    };
    let context = RunContext::new(seed, step, &Unwatched);
    let change = mask.mask(&given, &task, &context).expect("new numbers");
    let after: Table = change.apply_to(file);
    let column: &Column = after.column(0);
    texts(column).into_iter().flatten().collect()
}

#[test]
fn records_belong_together_as_before_and_to_nobody_else() {
    let numbers = || (0..3_000).map(|record| record * 7919 % 997);
    let codes = renumbered(&households("hid", numbers()), None, 5, "1");
    let mut code_of: HashMap<usize, &str> = HashMap::new();
    for (number, code) in numbers().zip(&codes) {
        assert_eq!(*code_of.entry(number).or_insert(code), code);
    }
    let distinct: HashSet<&&str> = code_of.values().collect();
    assert_eq!(distinct.len(), code_of.len());
}

#[test]
fn two_files_agree_by_seed_and_domain_alone() {
    let persons = households("hid", [3, 3, 1, 2].into_iter());
    let dwellings = households("household", [1, 2, 3].into_iter());
    let shared = Some("household");
    let (of_persons, of_dwellings) = (
        renumbered(&persons, shared, 11, "renumber"),
        renumbered(&dwellings, shared, 11, "another step"),
    );
    assert_eq!(of_persons[0], of_dwellings[2]);
    assert_eq!(of_persons[2..], of_dwellings[..2]);
    let alone = renumbered(&dwellings, None, 11, "renumber");
    // The name of the variable is its domain.
    assert_eq!(alone, of_dwellings);
    for other in [
        renumbered(&persons, None, 11, "renumber"),
        renumbered(&persons, shared, 12, "renumber"),
    ] {
        let known: HashSet<&String> = of_persons.iter().collect();
        assert!(other.iter().all(|code| !known.contains(code)));
    }
}

#[test]
fn every_letter_is_as_likely_at_every_place_and_order_is_gone() {
    let n = 20_000;
    let codes = renumbered(&households("hid", 0..n), None, 7, "1");
    for place in 0..13 {
        let mut counts = [0_f64; 32];
        for code in &codes {
            assert_eq!(code.len(), 13);
            let letter = code.as_bytes()[place] as char;
            counts[LETTERS.find(letter).expect("a letter of codes")] += 1.0;
        }
        let expected = n as f64 / 32.0;
        let statistic: f64 = counts
            .iter()
            .map(|count| (count - expected).powi(2) / expected)
            .sum();
        let p = ChiSquared::new(31.0).expect("31 degrees").sf(statistic);
        assert!(
            p > ALPHA,
            "place {place}: chi-square {statistic}, p = {p:e}"
        );
    }
    // Neighbours by number are in order by code half the time: a binomial with variance near n/4, in part
    // by runs of three, so that five standard deviations are ample.
    let in_order = codes.windows(2).filter(|pair| pair[0] < pair[1]).count() as f64;
    assert!((in_order - n as f64 / 2.0).abs() < 5.0 * (n as f64 / 4.0).sqrt());
}
