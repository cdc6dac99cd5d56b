//! What a first plan demands before a file goes: the gates, and the measures that they look at.

use bauta_data::inspect::{ColumnProfile, FileProfile, Flag};
use bauta_data::{Kind, Role};

use crate::check::MAX_LINKED;
use crate::draft::{GateDraft, MeasureDraft};

/// How much risk a first plan lets pass. Strict enough that a raw file does not; for a house to set.
pub(in crate::work) struct Rules {
    /// Records that must share a key at least.
    pub(in crate::work) k: i64,
    /// Largest probability of re-identification by the keys.
    pub(in crate::work) max_risk: f64,
    /// Largest share of records that distances lead back to.
    pub(in crate::work) max_linked: f64,
}

/// What those who get a file may learn at most, before it is known what the file is like.
pub(in crate::work) struct Bar {
    /// Records that must share a key at least, if each unit has one.
    pub(in crate::work) k: i64,
    /// Largest probability of re-identification in a sample with weights. In a file without, k alone gives 1/k.
    pub(in crate::work) max_risk: f64,
    /// Largest share of records that linkage leads back to.
    pub(in crate::work) max_linked: f64,
}

/// More records than this are linked on a sample.
const MANY_RECORDS: usize = 100_000;
/// Records of that sample.
const SAMPLED: i64 = 20_000;
/// The measure of linkage by probabilities, which takes all kinds of variables, and records with missing values.
const LINKAGE: &str = "pld";

/// More records than this are linked among the best candidates of each, which takes seconds where all pairs take
/// minutes.
const MANY_PAIRS: usize = 5_000;
/// More records than this are linked only where somebody asks for it.
const LONG_LINKED: usize = 20_000;

/// The linkage of records by some variables, all at once: an intruder with the same file has them all.
pub(in crate::work) fn linkage<'p>(
    profile: &FileProfile,
    names: impl IntoIterator<Item = &'p str>,
) -> MeasureDraft {
    let measure = MeasureDraft::of([LINKAGE]).on(names).with("links", "all");
    if profile.n_records > MANY_PAIRS {
        measure.with("assignment", "sparse")
    } else {
        measure
    }
}

/// The nearest records by some variables, all at once: an intruder with the same file has them all.
pub(in crate::work) fn distances<'p>(
    profile: &FileProfile,
    names: impl IntoIterator<Item = &'p str>,
) -> MeasureDraft {
    let measure = MeasureDraft::of(["dld"]).on(names).with("links", "all");
    if profile.n_records > MANY_RECORDS {
        measure.with("sample", SAMPLED)
    } else {
        measure
    }
}

/// Whether linkage by probabilities takes seconds; of more records it is for the author of a plan to ask for.
pub(in crate::work) fn is_soon_linked(profile: &FileProfile) -> bool {
    profile.n_records <= LONG_LINKED
}

impl Rules {
    /// A sample protects in part by itself, as long as nobody knows who is in it: what counts there is the
    /// population that a record stands for.
    pub(in crate::work) fn of(profile: &FileProfile) -> Self {
        let (k, max_risk) = if is_sample(profile) {
            (3, 0.1)
        } else {
            (5, 0.2)
        };
        Self::by_unit(profile, k, max_risk, MAX_LINKED)
    }

    /// The same for those who get the file.
    pub(in crate::work) fn by(profile: &FileProfile, bar: &Bar) -> Self {
        let max_risk = if is_sample(profile) {
            bar.max_risk
        } else {
            1.0 / bar.k as f64
        };
        Self::by_unit(profile, bar.k, max_risk, bar.max_linked)
    }

    /// Keys are counted by record, so that a unit of several records needs larger classes.
    fn by_unit(profile: &FileProfile, k: i64, max_risk: f64, max_linked: f64) -> Self {
        let n_each = records_of_a_unit(profile).map_or(1, |(_, n_each)| n_each);
        Self {
            k: k * n_each,
            max_risk: rounded_up(max_risk / n_each as f64),
            max_linked,
        }
    }

    /// What the figures must satisfy.
    pub(in crate::work) fn gates(&self, profile: &FileProfile) -> Vec<GateDraft> {
        let mut out = Vec::new();
        if !counted_keys(profile).is_empty() {
            out.push(self.k_gate());
            out.push(self.risk_gate());
        }
        if !linked(profile).is_empty() {
            out.push(self.distance_gate());
            out.extend(is_soon_linked(profile).then(|| self.linkage_gate()));
        }
        out
    }

    /// The condition on the smallest class of equal keys.
    pub(in crate::work) fn k_gate(&self) -> GateDraft {
        GateDraft::on("k-anonymity").at_least(self.k as f64)
    }

    /// The condition on the record whose keys lead to it most probably.
    pub(in crate::work) fn risk_gate(&self) -> GateDraft {
        let risk = GateDraft::on("individual-risk").part("max");
        risk.at_most(self.max_risk)
    }

    /// The condition on records that distances lead back to.
    pub(in crate::work) fn distance_gate(&self) -> GateDraft {
        GateDraft::on("dld").at_most(self.max_linked)
    }

    /// The condition on records that probabilities lead back to.
    pub(in crate::work) fn linkage_gate(&self) -> GateDraft {
        GateDraft::on(LINKAGE).at_most(self.max_linked)
    }
}

/// Whether records stand for others, so that their keys count in the population.
pub(in crate::work) fn is_sample(profile: &FileProfile) -> bool {
    let mut columns = profile.columns.iter();
    columns.any(|column| column.proposal.role == Role::Weight)
}

/// A probability with four digits, and no smaller than it is: a class of the smallest size that passes one gate must
/// pass the other.
fn rounded_up(probability: f64) -> f64 {
    let mut scale = 1.0;
    while probability * scale < 1000.0 {
        scale *= 10.0;
    }
    (probability * scale).ceil() / scale
}

/// The number of a unit that occurs in several records, and how many that are on average, rounded up. Keys are counted
/// by record, so that five visits of one patient would look like five patients.
pub(in crate::work) fn records_of_a_unit(profile: &FileProfile) -> Option<(&ColumnProfile, i64)> {
    // One record for each patient is one for each person, however many of them share a name.
    let names_each = |column: &ColumnProfile| {
        column.proposal.flag == Some(Flag::DirectIdentifier) && column.n_unique == profile.n_records
    };
    let one_each = profile.columns.iter().any(names_each);
    let repeats = |column: &&ColumnProfile| {
        let n_present = profile.n_records - column.n_missing;
        let is_number = match column.proposal.flag {
            Some(Flag::DirectIdentifier) => !one_each,
            flag => flag == Some(Flag::UnitNumber),
        };
        // Names that some share are no number of a unit, and fewer than two records each are a few doubles.
        is_number && column.n_distinct >= MANY_UNITS && n_present >= 2 * column.n_distinct
    };
    let column = profile.columns.iter().find(repeats)?;
    let n_present = profile.n_records - column.n_missing;
    let n_each = n_present.div_ceil(column.n_distinct);
    Some((column, i64::try_from(n_each).unwrap_or(1)))
}

/// At least so many different values number units.
const MANY_UNITS: usize = 20;

/// The measures that a first plan takes.
pub(in crate::work) fn measures(profile: &FileProfile) -> Vec<MeasureDraft> {
    let mut out = Vec::new();
    if !counted_keys(profile).is_empty() {
        out.push(MeasureDraft::of(["k-anonymity", "individual-risk"]));
    }
    let linked = linked(profile);
    if !linked.is_empty() {
        let names = || linked.iter().map(|column| column.name.as_str());
        out.push(distances(profile, names()));
        out.extend(is_soon_linked(profile).then(|| linkage(profile, names())));
    }
    let released = [Role::Key, Role::Sensitive, Role::Other];
    let mut columns = profile.columns.iter();
    if columns.any(|column| released.contains(&column.proposal.role)) {
        out.push(MeasureDraft::of(["univariate-summary"]));
    }
    out
}

/// Keys that equal values are counted of. Two exact numbers are hardly ever equal, so that continuous keys are
/// linked by distance instead.
pub(in crate::work) fn counted_keys(profile: &FileProfile) -> Vec<&ColumnProfile> {
    let columns = profile.columns.iter();
    columns
        .filter(|column| {
            column.proposal.role == Role::Key && column.proposal.kind != Kind::Continuous
        })
        .collect()
}

/// Numbers that an outside file may hold too, and whose distances can be taken: continuous keys, or the amounts of
/// a file that has no keys at all.
pub(in crate::work) fn linked(profile: &FileProfile) -> Vec<&ColumnProfile> {
    let continuous = |role: Role| -> Vec<&ColumnProfile> {
        let columns = profile.columns.iter();
        columns
            .filter(|column| {
                column.proposal.role == role
                    && column.proposal.kind == Kind::Continuous
                    && column.n_missing == 0
            })
            .collect()
    };
    let keys = continuous(Role::Key);
    if keys.is_empty() && counted_keys(profile).is_empty() {
        continuous(Role::Sensitive)
    } else {
        keys
    }
}

/// Continuous keys with missing values, which can be neither counted nor linked.
pub(in crate::work) fn unlinked(profile: &FileProfile) -> impl Iterator<Item = &ColumnProfile> {
    profile.columns.iter().filter(|column| {
        column.proposal.role == Role::Key
            && column.proposal.kind == Kind::Continuous
            && column.n_missing > 0
    })
}
