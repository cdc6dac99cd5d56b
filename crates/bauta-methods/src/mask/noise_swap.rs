#![doc = include_str!("noise_swap.md")]

use rayon::prelude::*;

use crate::card::{Card, ParamSpec, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::complete::complete_rows;
use crate::kernel::numbers::moments::{Moments, finite_moments};
use crate::kernel::numbers::ranks::{share_of, total_order_bits};
use crate::kernel::space::points::{Points, squared_distance};
use crate::kernel::space::shrinking_tree::ShrinkingTree;
use crate::mask::continuous::{CLAMP, OF_NUMBERS, ROUND};
use crate::mask::jointly::{JointNoise, JointVariable, LEVEL, joint_variables, with_values};
use crate::mask::strata::{SWAP_STRATA, strata};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::MISSING;
use crate::models::coloured::standard_normal;
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue};

/// Adds correlated noise, then swaps the records that can still be linked. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct NoiseSwap;

const SWAPPED: ParamSpec = ParamSpec::fraction(
    "swapped",
    "largest share of the records that are swapped because they can be linked",
)
.or_number(1.0);

/// Records from which the two halves are worked on at the same time.
const AT_ONCE: usize = 8192;

static CARD: Card = Card {
    id: "noise-swap",
    title: "Correlated noise and swapping",
    summary: "adds correlated noise, then swaps values between records that could still be linked",
    page: include_str!("noise_swap.md"),
    params: &[LEVEL, SWAPPED, SWAP_STRATA, ROUND, CLAMP, MISSING],
    randomness: Randomness::Seeded,
    references: &["kimwinkler1995", "yancey2002"],
    ..OF_NUMBERS
};

/// How much noise, and how many may be swapped with whom.
pub struct Settings {
    noise: JointNoise,
    swapped: f64,
    strata: Vec<String>,
}

impl MaskMethod for NoiseSwap {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            noise: JointNoise::asked(params),
            swapped: params.number(SWAPPED.name),
            strata: params.texts(SWAP_STRATA.name).to_vec(),
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        let has_no_noise = settings.noise.level == 0.0;
        StepFacts::JOINTLY.nothing_if(has_no_noise && settings.swapped == 0.0)
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let (noise, table) = (&settings.noise, task.table);
        let strata = strata(table, &settings.strata)?;
        let variables = joint_variables(task, noise.missing, context)?;
        let z = noise.values_with(&variables, table, context, &standard_normal)?;
        if variables.is_empty() || settings.swapped == 0.0 {
            return Ok(with_values(&variables, z));
        }
        let n_at_most = share_of(settings.swapped, table.n_records());
        let donors = donors(&variables, &z, &strata, n_at_most, context)?;
        let swapped = |z: Vec<f64>| donors.iter().map(|&donor| z[donor as usize]).collect();
        Ok(with_values(&variables, z.into_iter().map(swapped)))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("level", RawValue::Number(0.01))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![
            ("level", RawValue::Number(0.0)),
            ("swapped", RawValue::Number(0.0)),
        ])
    }
}

/// For each record, the record whose masked values it receives; at most so many are swapped because
/// they can be linked.
fn donors(
    variables: &[JointVariable<'_>],
    z: &[Vec<f64>],
    strata: &[Vec<u32>],
    n_at_most: usize,
    context: &RunContext<'_>,
) -> Result<Vec<u32>, MethodError> {
    let n = variables
        .first()
        .map_or(0, |variable| variable.x.whole().len());
    let by = variables
        .iter()
        .map(|variable| finite_moments(variable.name(), variable.x.whole()))
        .collect::<Result<Vec<Moments>, _>>()?;
    let x: Vec<&[f64]> = variables
        .iter()
        .map(|variable| variable.x.whole())
        .collect();
    let complete = complete_rows(n, &x);
    let z: Vec<&[f64]> = z.iter().map(Vec::as_slice).collect();
    let masked = points(&z, &complete, &by);
    let mut linked = linked(&points(&x, &complete, &by), &masked, context)?;
    let n_linked = linked.len();
    // Those that noise moved least come first; the sort is stable, so that ties go by row.
    linked.sort_by(|a, b| a.1.total_cmp(&b.1));
    linked.truncate(n_at_most);
    let mut is_chosen = vec![false; complete.len()];
    for &(at, _) in &linked {
        is_chosen[at as usize] = true;
    }
    // Where each record stands among the complete ones.
    let mut place = vec![u32::MAX; n];
    for (at, &record) in complete.iter().enumerate() {
        place[record as usize] = at as u32;
    }
    let mut donors: Vec<u32> = (0..n as u32).collect();
    let (mut n_swapped, mut n_alone) = (0, 0);
    for records in strata {
        context.go_on()?;
        let members: Vec<u32> = records
            .iter()
            .map(|&record| place[record as usize])
            .filter(|&at| at != u32::MAX)
            .collect();
        let cycles = cycles(&masked, &members, &is_chosen);
        if cycles.is_empty() {
            n_alone += members.iter().filter(|&&at| is_chosen[at as usize]).count();
        }
        for cycle in cycles {
            n_swapped += cycle.len();
            for (at, &receiver) in cycle.iter().enumerate() {
                let donor = cycle[(at + 1) % cycle.len()];
                donors[complete[receiver as usize] as usize] = complete[donor as usize];
            }
        }
    }
    context.note(linked_swapped(n_linked, n_swapped));
    if n_alone > 0 {
        context.note(without_partner(n_alone));
    }
    if complete.len() < n {
        context.note(not_looked_for(n - complete.len()));
    }
    Ok(donors)
}

/// Records that could be linked to their own original, and those that exchanged their values.
fn linked_swapped(n_linked: usize, n_swapped: usize) -> Note {
    let text = format!(
        "{n_linked} records were nearest to their own original; {n_swapped} exchanged their values"
    );
    Note::new("linked-swapped", text)
        .with("n_linked", n_linked)
        .with("n_swapped", n_swapped)
}

/// Records that could be linked and are the only ones of their stratum.
fn without_partner(n_records: usize) -> Note {
    let text = format!(
        "{n_records} records that were to be swapped have nobody to be swapped with in their stratum, and kept \
         their values with noise"
    );
    Note::new("records-without-partner", text).with("n_records", n_records)
}

/// Records with a gap, which may still be linked by the values that they have.
fn not_looked_for(n_records: usize) -> Note {
    let text = format!(
        "{n_records} records have a missing value: they got noise, and were neither linked nor swapped"
    );
    Note::new("records-not-swapped", text).with("n_records", n_records)
}

/// Some records as points, in units of the original's standard deviations.
fn points(columns: &[&[f64]], records: &[u32], by: &[Moments]) -> Points {
    if columns.iter().all(|column| column.len() == records.len()) {
        return Points::standardised(columns, by);
    }
    let taken: Vec<Vec<f64>> = columns
        .par_iter()
        .map(|column| records.iter().map(|&i| column[i as usize]).collect())
        .collect();
    let taken: Vec<&[f64]> = taken.iter().map(Vec::as_slice).collect();
    Points::standardised(&taken, by)
}

/// The masked points to which no original is nearer than their own, with the distance to it.
fn linked(
    originals: &Points,
    masked: &Points,
    context: &RunContext<'_>,
) -> Result<Vec<(u32, f64)>, MethodError> {
    let tree = ShrinkingTree::new(originals);
    let own = |at: usize| squared_distance(originals.point(at), masked.point(at));
    let has_nearer = tree.has_nearer(masked, own, || context.go_on())?;
    let found = has_nearer
        .iter()
        .enumerate()
        .filter(|(_, nearer)| !**nearer);
    Ok(found.map(|(at, _)| (at as u32, own(at))).collect())
}

/// The chosen members of a stratum in groups of two or three that exchange their values. One that
/// is alone takes the nearest of the others.
fn cycles(masked: &Points, members: &[u32], is_chosen: &[bool]) -> Vec<Vec<u32>> {
    let chosen_of = |wanted: bool| {
        let members = members.iter().copied();
        members.filter(move |&at| is_chosen[at as usize] == wanted)
    };
    let mut chosen: Vec<u32> = chosen_of(true).collect();
    match chosen.as_slice() {
        [] => Vec::new(),
        &[alone] => {
            let from = masked.point(alone as usize);
            let distance = |at: u32| squared_distance(masked.point(at as usize), from);
            let nearest = chosen_of(false).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            nearest
                .map(|other| vec![alone, other])
                .into_iter()
                .collect()
        }
        _ => {
            let mut groups = Vec::with_capacity(chosen.len() / 2);
            halve(masked, &mut chosen, &mut groups);
            groups
        }
    }
}

/// Splits records at the variable in which they differ most, until two or three are left.
fn halve(masked: &Points, records: &mut [u32], groups: &mut Vec<Vec<u32>>) {
    if records.len() <= 3 {
        // `select_nth_unstable` leaves no order that could be relied on.
        records.sort_unstable();
        groups.push(records.to_vec());
        return;
    }
    let mut low = vec![f64::INFINITY; masked.stride()];
    let mut high = vec![f64::NEG_INFINITY; masked.stride()];
    for &at in records.iter() {
        let point = masked.point(at as usize);
        for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(point) {
            *low = low.min(x);
            *high = high.max(x);
        }
    }
    let widths = high.iter().zip(&low).map(|(high, low)| high - low);
    let widest = widths
        .enumerate()
        .fold((0, -1.0), |best, it| if it.1 > best.1 { it } else { best })
        .0;
    // An even number on the left, so that at most one group of the whole file has three.
    let left = records.len() / 4 * 2;
    let coordinate = |at: u32| masked.point(at as usize)[widest];
    // Coordinates side by side: each is compared several times, and far apart each look would be a wait.
    let key = |&at: &u32| (total_order_bits(coordinate(at)), at);
    let mut keys: Vec<(u64, u32)> = records.iter().map(key).collect();
    keys.select_nth_unstable(left);
    for (record, key) in records.iter_mut().zip(keys) {
        *record = key.1;
    }
    let at_once = records.len() >= AT_ONCE;
    let (left, right) = records.split_at_mut(left);
    if at_once {
        let halved = |records: &mut [u32]| {
            let mut groups = Vec::with_capacity(records.len() / 2);
            halve(masked, records, &mut groups);
            groups
        };
        let (left, right) = rayon::join(|| halved(left), || halved(right));
        groups.extend(left.into_iter().chain(right));
    } else {
        halve(masked, left, groups);
        halve(masked, right, groups);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_records_are_grouped_in_pairs_and_one_three() {
        // On a line: 0 1 | 10 11 | 20 21 22. Seven records: two and five, then two and three.
        let x = [20.0, 0.0, 10.0, 21.0, 1.0, 11.0, 22.0];
        let points = Points::plain(&[&x]);
        let groups = cycles(&points, &[0, 1, 2, 3, 4, 5, 6], &[true; 7]);
        assert_eq!(groups, [vec![1, 4], vec![2, 5], vec![0, 3, 6]]);
    }

    #[test]
    fn one_alone_takes_the_nearest_of_the_others_in_its_stratum() {
        let x = [0.0, 5.0, 1.0, 2.0];
        let points = Points::plain(&[&x]);
        let chosen = [true, false, false, false];
        assert_eq!(cycles(&points, &[0, 1, 2, 3], &chosen), [[0, 2]]);
        assert_eq!(cycles(&points, &[0, 1, 3], &chosen), [[0, 3]]);
        assert!(cycles(&points, &[0], &chosen).is_empty());
        assert!(cycles(&points, &[1, 2, 3], &chosen).is_empty());
    }

    #[test]
    fn a_record_is_linked_if_no_other_original_is_nearer() {
        // Masked 0.4 is nearest to its own 0; masked 0.8 is nearer to 0.9 than to its own 5; masked
        // 0.9 is at its own place, which record 3 shares: both are equally near, and both link.
        let original = Points::plain(&[&[0.0, 5.0, 0.9, 0.9]]);
        let masked = Points::plain(&[&[0.4, 0.8, 0.9, 0.7]]);
        let context = RunContext::new(1, "step", &bauta_data::Unwatched);
        let found = linked(&original, &masked, &context).unwrap();
        let rows: Vec<u32> = found.iter().map(|(row, _)| *row).collect();
        assert_eq!(rows, [0, 2, 3]);
    }
}
