//! Examples worked out by hand, and what a search promises.

mod by_record;

use bauta_data::{Table, Unwatched, Watch};

use super::*;
use crate::keys::frequencies;
use crate::mask::{Mask, MaskTask};
use crate::params::{Choice, Params, RawValue};
use crate::registry;
use by_record::{PlainFile, PlainKey};

fn context() -> RunContext<'static> {
    RunContext::new(1, "lattice", &Unwatched)
}

fn asked(k: u32, limit: u64, loss: Loss) -> LatticeAsked {
    LatticeAsked {
        k,
        limit: SuppressionLimit::Records(limit),
        answers: Vec::new(),
        loss,
    }
}

fn plain_key(values: &[Option<u32>], groups: &[&[u32]]) -> PlainKey {
    PlainKey {
        values: values.to_vec(),
        groups: groups.iter().map(|groups| groups.to_vec()).collect(),
    }
}

/// Ages 20, 21, 30, 31 and 45, in tens and together; sex, and together.
fn five_people() -> PlainFile {
    let ages = [0, 1, 2, 3, 4].map(Some);
    let sexes = [0, 0, 1, 1, 0].map(Some);
    PlainFile {
        keys: vec![
            plain_key(&ages, &[&[0, 0, 1, 1, 2], &[0; 5]]),
            plain_key(&sexes, &[&[0; 2]]),
        ],
        answers: vec![0, 1, 0, 0, 2],
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

#[test]
fn losses_of_five_people_are_those_worked_out_by_hand() {
    let lattice = five_people().lattice(&[], Semantics::Visible);
    // Tens of age and sex: (2*, F) twice, (3*, M) twice, (4*, F) once, who is deleted.
    let lost = |loss: Loss| {
        let node = lattice.evaluate(&[1, 0], &asked(2, 1, loss)).unwrap();
        assert_eq!((node.n_suppressed, node.n_classes), (1, 2));
        assert_eq!(node.smallest_class, 2);
        node.loss
    };
    let log2 = |x: f64| libm::log2(x);
    // Age: five values, once each: 5 log2 5 in all. Four records fell into pairs and lose log2 2 = 1
    // each; the fifth loses log2 5. Sex: three F and two M: 3 log2(5/3) + 2 log2(5/2) in all, of which
    // the deleted F loses log2(5/3).
    let age = (4.0 + log2(5.0)) / (5.0 * log2(5.0));
    let sex = log2(5.0 / 3.0) / (3.0 * log2(5.0 / 3.0) + 2.0 * log2(2.5));
    assert!(near(lost(Loss::Entropy), f64::midpoint(age, sex)));
    // Ten cells: four at height 1/2, four at 0, two at 1.
    assert!(near(lost(Loss::Precision), (4.0 * 0.5 + 2.0) / 10.0));
    // One level of the three that there are.
    assert!(near(lost(Loss::Levels), 1.0 / 3.0));
    // Two classes of two, and one record that is like all five.
    assert!(near(lost(Loss::Discernibility), (4.0 + 4.0 + 5.0) / 25.0));
    // Three classes, the deleted one among them.
    assert!(near(lost(Loss::ClassSize), 1.0 / 3.0));
    // Weights: age counts three times as much as sex.
    let keys = [3.0, 1.0]
        .iter()
        .enumerate()
        .map(|(at, &weight)| LatticeKey {
            weight,
            ..LatticeKey::new(at)
        });
    let keys: Vec<LatticeKey> = keys.collect();
    let weighted = five_people().weighted_lattice(&keys, &[], Semantics::Visible);
    let node = weighted.evaluate(&[1, 0], &asked(2, 1, Loss::Entropy));
    assert!(near(node.unwrap().loss, (3.0 * age + sex) / 4.0));
}

#[test]
fn the_best_node_of_five_people_depends_on_who_may_be_deleted() {
    let lattice = five_people().lattice(&[], Semantics::Visible);
    let effort = Effort {
        front: Front::Minimal,
        ..Effort::default()
    };
    let search = |limit: u64| {
        let asked = asked(2, limit, Loss::Entropy);
        lattice.search(&asked, effort, &context()).unwrap()
    };
    // Nobody: 45 stands alone in every node with tens of age, so that age goes; sexes are 3 and 2.
    let none = search(0);
    assert_eq!(none.best.unwrap().levels, [2, 0]);
    assert_eq!(none.front, Some(vec![vec![2, 0]]));
    assert_eq!(none.n_nodes, 6);
    // One: tens of age are enough for the other four.
    let one = search(1);
    assert_eq!(one.best.unwrap().levels, [1, 0]);
    assert_eq!(one.front, Some(vec![vec![1, 0]]));
    // All: every node is safe; deleting everyone loses as much as anything can.
    let all = search(5);
    assert_eq!(all.front, Some(vec![vec![0, 0]]));
    assert_eq!(all.best.unwrap().levels, [1, 0]);
    let bottom = lattice.evaluate(&[0, 0], &asked(2, 5, Loss::Entropy));
    let bottom = bottom.unwrap();
    assert!(bottom.safe && bottom.n_suppressed == 5 && near(bottom.loss, 1.0));
    // More than there are is as many as there are.
    assert_eq!(search(6).best.unwrap().levels, [1, 0]);
}

#[test]
fn with_k_of_one_the_file_is_released_as_it_is() {
    let lattice = five_people().lattice(&[], Semantics::Own);
    for &loss in Loss::ALL {
        let found = lattice.search(&asked(1, 0, loss), Effort::default(), &context());
        let found = found.unwrap();
        let best = found.best.unwrap();
        assert_eq!(
            (best.levels, best.n_suppressed),
            (vec![0, 0], 0),
            "{loss:?}"
        );
    }
}

#[test]
fn a_k_above_the_number_of_records_has_no_safe_node() {
    let lattice = five_people().lattice(&[], Semantics::Own);
    let effort = Effort {
        front: Front::Minimal,
        ..Effort::default()
    };
    let found = lattice.search(&asked(6, 4, Loss::Entropy), effort, &context());
    let found = found.unwrap();
    assert_eq!((found.best, found.front), (None, Some(Vec::new())));
    assert_eq!((found.n_checked, found.n_pruned_by_risk), (1, 5));
    assert_eq!(found.proof, Proof::Optimal);
}

#[test]
fn one_key_and_no_record_are_searched_and_no_key_is_refused() {
    let mut one = five_people();
    one.keys.pop();
    let lattice = one.lattice(&[], Semantics::Visible);
    let found = lattice.search(&asked(2, 1, Loss::Entropy), Effort::default(), &context());
    assert_eq!(found.unwrap().best.unwrap().levels, [1]);
    let nobody = PlainFile {
        keys: vec![plain_key(&[], &[&[0, 0], &[0, 0]])],
        answers: Vec::new(),
    };
    for &loss in Loss::ALL {
        let lattice = nobody.lattice(&[], Semantics::Visible);
        let found = lattice.search(&asked(3, 0, loss), Effort::default(), &context());
        let best = found.unwrap().best.unwrap();
        assert_eq!((best.levels, best.n_classes), (vec![0], 0));
    }
    let table = five_people().table();
    let none = Lattice::of(&table, &[], &[], Semantics::Own, &context());
    assert!(matches!(none, Err(MethodError::Request { .. })));
}

#[test]
fn a_missing_key_stays_missing_at_every_level() {
    // Under `own` the record without a sex is alone in every node; under `visible` its age is enough.
    let file = PlainFile {
        keys: vec![
            plain_key(&[0, 0, 0, 0, 0].map(Some), &[&[0]]),
            plain_key(&[Some(0), Some(0), Some(1), Some(1), None], &[&[0; 2]]),
        ],
        answers: vec![0; 5],
    };
    let best = |semantics: Semantics| {
        let lattice = file.lattice(&[], semantics);
        let asked = asked(2, 0, Loss::Entropy);
        lattice
            .search(&asked, Effort::default(), &context())
            .unwrap()
            .best
    };
    assert_eq!(best(Semantics::Own), None);
    assert_eq!(best(Semantics::Visible).unwrap().levels, [0, 0]);
}

#[test]
fn what_the_lattice_cannot_count_is_refused() {
    let mut file = five_people();
    file.keys[1].values[4] = None;
    let table = file.table();
    let keys = [LatticeKey::new(0), LatticeKey::new(1)];
    let refused = |keys: &[LatticeKey], sensitive: &[usize], semantics: Semantics| {
        let lattice = Lattice::of(&table, keys, sensitive, semantics, &context());
        matches!(lattice, Err(MethodError::Request { .. }))
    };
    assert!(refused(&keys, &[], Semantics::Wild));
    assert!(refused(&keys, &[], Semantics::Original));
    assert!(refused(&keys, &[2], Semantics::Visible));
    assert!(!refused(&keys, &[2], Semantics::Own));
    assert!(refused(
        &[keys[0].clone(), keys[0].clone()],
        &[],
        Semantics::Own
    ));
    assert!(refused(&keys, &[1], Semantics::Own));
    let above = LatticeKey {
        lowest: 3,
        ..LatticeKey::new(0)
    };
    assert!(refused(&[above], &[], Semantics::Own));
    let lattice = file.lattice(&[2], Semantics::Own);
    let unfit = |limit: SuppressionLimit, largest_share: f64| {
        let asked = LatticeAsked {
            limit,
            answers: vec![AnswerRule {
                attr_idx: 2,
                distinct: 1,
                largest_share,
            }],
            ..asked(2, 0, Loss::Entropy)
        };
        lattice
            .search(&asked, Effort::default(), &context())
            .is_err()
    };
    assert!(unfit(SuppressionLimit::Share(1.5), 1.0));
    assert!(unfit(SuppressionLimit::Share(0.1), 0.0));
    assert!(!unfit(SuppressionLimit::Share(0.1), 1.0));
    assert!(
        lattice
            .evaluate(&[9, 0], &asked(2, 0, Loss::Entropy))
            .is_err()
    );
    assert!(lattice.evaluate(&[0], &asked(2, 0, Loss::Entropy)).is_err());
}

#[test]
fn keys_keep_to_the_levels_that_they_may_take() {
    let file = five_people();
    let keys = [
        LatticeKey {
            lowest: 1,
            highest: Some(1),
            ..LatticeKey::new(0)
        },
        LatticeKey::new(1),
    ];
    let lattice = file.weighted_lattice(&keys, &[], Semantics::Own);
    assert_eq!(lattice.levels(), [&[1][..], &[0, 1]]);
    let search = |limit: u64| {
        let found = lattice.search(
            &asked(2, limit, Loss::Entropy),
            Effort::default(),
            &context(),
        );
        found.unwrap().best.map(|best| best.levels)
    };
    assert_eq!(search(0), None, "45 is alone at level 1");
    assert_eq!(search(1), Some(vec![1, 0]));
}

/// Keys that depend on each other, some with gaps.
fn many_people(n: usize, n_keys: usize) -> PlainFile {
    let scatter = |i: usize, salt: usize| {
        let mixed = ((i * n_keys + salt) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as u32
    };
    let key = |at: usize| {
        let value = |i: usize| {
            let shared = scatter(i, at / 3) % 8;
            let own = scatter(i, 100 + at) % 8;
            (scatter(i, 200 + at) % 50 > 0).then_some(shared.min(own))
        };
        let values: Vec<Option<u32>> = (0..n).map(value).collect();
        plain_key(
            &values,
            &[
                &[0, 0, 1, 1, 2, 2, 3, 3],
                &[0, 0, 0, 0, 1, 1, 1, 1],
                &[0; 8],
            ],
        )
    };
    PlainFile {
        keys: (0..n_keys).map(key).collect(),
        answers: (0..n).map(|i| scatter(i, 300) % 4).collect(),
    }
}

#[test]
fn any_number_of_threads_counts_the_same_nodes() {
    let lattice = many_people(2_000, 5).lattice(&[5], Semantics::Own);
    let asked = LatticeAsked {
        answers: vec![AnswerRule {
            attr_idx: 5,
            distinct: 2,
            largest_share: 0.7,
        }],
        ..asked(5, 60, Loss::Entropy)
    };
    let on = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads);
        let pool = pool.build().unwrap();
        pool.install(|| {
            lattice
                .search(&asked, Effort::default(), &context())
                .unwrap()
        })
    };
    let one = on(1);
    assert!(one.best.is_some() && one.n_checked < one.n_nodes);
    assert_eq!(on(4), one);
}

#[test]
fn a_lattice_that_is_too_large_gives_a_good_node_and_says_so() {
    let lattice = many_people(2_000, 15).lattice(&[], Semantics::Own);
    assert_eq!(lattice.n_nodes(), 1 << 30);
    let effort = Effort {
        max_checks: Some(150),
        ..Effort::default()
    };
    let asked = asked(3, 200, Loss::Entropy);
    let found = lattice.search(&asked, effort, &context()).unwrap();
    let best = found.best.unwrap();
    assert_eq!((found.proof, found.n_checked), (Proof::NotProven, 150));
    assert!(best.safe && best.loss < 1.0);
    let again = lattice.evaluate(&best.levels, &asked).unwrap();
    assert_eq!(again, best);
    let front = Effort {
        front: Front::Minimal,
        ..effort
    };
    assert!(lattice.search(&asked, front, &context()).is_err());
}

#[test]
fn a_clock_of_the_caller_ends_the_search_and_a_watcher_cancels_it() {
    struct Hurried;
    impl Watch for Hurried {
        fn progress(&self, _: u64, _: u64) {}
        fn cancelled(&self) -> bool {
            true
        }
    }
    let lattice = five_people().lattice(&[], Semantics::Own);
    let enough = || true;
    let effort = Effort {
        enough: Some(&enough),
        ..Effort::default()
    };
    let found = lattice.search(&asked(2, 0, Loss::Entropy), effort, &context());
    let found = found.unwrap();
    assert_eq!((found.proof, found.n_checked), (Proof::Stopped, 0));
    let hurried = RunContext::new(1, "lattice", &Hurried);
    let cancelled = lattice.search(&asked(2, 0, Loss::Entropy), Effort::default(), &hurried);
    assert!(matches!(cancelled, Err(MethodError::Cancelled)));
}

fn masked(table: &Table, id: &str, on: &[usize], param: (&str, i64)) -> Table {
    let mask: &dyn Mask = registry::mask(id).unwrap();
    let given = [(param.0.to_owned(), RawValue::Integer(param.1))];
    let params = Params::check(mask.card(), &given).unwrap();
    let change = mask.mask(&params, &MaskTask { table, on }, &context());
    change.unwrap().apply_to(table)
}

#[test]
fn recoding_and_deleting_as_the_node_says_gives_the_file_that_it_promised() {
    for semantics in [Semantics::Visible, Semantics::Own] {
        let file = many_people(1_500, 4);
        let lattice = file.lattice(&[], semantics);
        let asked = asked(4, 30, Loss::Entropy);
        let found = lattice
            .search(&asked, Effort::default(), &context())
            .unwrap();
        let best = found.best.unwrap();
        let mut table = file.table();
        for (attr_idx, level) in lattice.recodes(&best.levels) {
            table = masked(
                &table,
                "recode",
                &[attr_idx],
                ("level", i64::try_from(level).unwrap()),
            );
        }
        let keys = [0, 1, 2, 3];
        if semantics == Semantics::Visible {
            table = masked(&table, "suppress-records", &keys, ("k", 4));
            assert_eq!(table.n_records() as u64, 1_500 - best.n_suppressed);
        }
        let f = frequencies(&table, &keys, semantics).unwrap().f;
        let n_below = f.iter().filter(|&&f| f < 4).count() as u64;
        let expected = match semantics {
            Semantics::Own => best.n_suppressed,
            _ => 0,
        };
        assert_eq!(n_below, expected);
        assert!(best.n_suppressed > 0 && best.loss > 0.0);
        // A lattice of the recoded file starts where the other one ended.
        let keys: Vec<LatticeKey> = keys.map(LatticeKey::new).to_vec();
        let above = Lattice::of(&table, &keys, &[], semantics, &context()).unwrap();
        let firsts: Vec<usize> = above.levels().iter().map(|levels| levels[0]).collect();
        assert_eq!(firsts, best.levels);
    }
}
