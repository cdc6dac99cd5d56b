//! What the paper says, each sentence in our words with the rule by which it is judged.

use super::survey_figures::Survey;
use crate::{Compared, heading, row};

/// A sentence that was judged.
pub(super) struct Sentence {
    pub(super) section: &'static str,
    pub(super) text: &'static str,
    pub(super) holds: bool,
    pub(super) numbers: String,
}

impl Sentence {
    pub(super) fn new(
        section: &'static str,
        text: &'static str,
        holds: bool,
        numbers: String,
    ) -> Self {
        Self {
            section,
            text,
            holds,
            numbers,
        }
    }
}

/// The sentences as a table, and their line of the summary.
pub(super) fn told(sentences: &[Sentence]) -> (String, Compared) {
    let mut text = heading(&["§", "sentence", "holds", "numbers"]);
    for sentence in sentences {
        let holds = if sentence.holds {
            "holds"
        } else {
            "**does not**"
        };
        text += &row(&[
            sentence.section.to_owned(),
            sentence.text.to_owned(),
            holds.to_owned(),
            sentence.numbers.clone(),
        ]);
    }
    let n_hold = sentences.iter().filter(|sentence| sentence.holds).count();
    text += &format!("\n{n_hold} of {} sentences hold.\n", sentences.len());
    let why = "each by the rule that it is shown with: those of §2 to §4 on the nine records, those of §5 on the \
               demonstration survey";
    let counts = [n_hold, sentences.len()];
    (text, Compared::new("§2 to §5", "sentences", counts, why))
}

/// What section 5 says.
pub(super) fn of_section_5(survey: &Survey) -> Vec<Sentence> {
    let mut all = on_protection(survey);
    all.extend(on_rates(survey));
    all.extend(on_models(survey));
    all
}

fn on_protection(survey: &Survey) -> Vec<Sentence> {
    let [cells, records] = survey.suppressed;
    let [first, deleted] = survey.n_deleted;
    let by_key = survey.by_key;
    let [low, high] = survey.logit_range;
    vec![
        Sentence::new(
            "5.2",
            "household size, the cheapest key, loses most cells, and gender, the dearest, none",
            by_key[0] == 0 && by_key.iter().all(|&n| n <= by_key[6]),
            format!("{} and {}, of {cells} cells", by_key[6], by_key[0]),
        ),
        Sentence::new(
            "5.2",
            "the records that lose a cell are as many as those deleted (by the first look)",
            records == first,
            format!("{records} and {first}"),
        ),
        Sentence::new(
            "5.2",
            "to delete them once leaves a 3-anonymous file",
            first == deleted,
            format!(
                "{} of those left are at risk without them, since a missing income does not identify; the step goes on \
                 until none is",
                deleted - first
            ),
        ),
        Sentence::new(
            "5.2",
            "raking gives positive weights",
            survey.smallest_weight > 0.0,
            format!("the smallest is {:.0}", survey.smallest_weight),
        ),
        Sentence::new(
            "5.2",
            "logit stays between L = 0.25 and U = 3 (bins of the histogram)",
            low >= 0.2 - 1e-9 && high <= 3.0 + 1e-9,
            format!("bins from {low:.1} to {high:.1}"),
        ),
    ]
}

fn on_rates(survey: &Survey) -> Vec<Sentence> {
    let [blanked, calibrated] = survey.by_household_size;
    let [couple_blanked, couple_calibrated] = survey.by_couple;
    let [original, after, without] = survey.single_victims;
    let [income_after, income_without] = survey.by_income;
    vec![
        Sentence::new(
            "5.3",
            "calibration keeps the rates by household size, local suppression only nearly (largest difference, points)",
            calibrated < 1e-6 && blanked > calibrated,
            format!("{calibrated:.2} and {blanked:.2}"),
        ),
        Sentence::new(
            "5.3",
            "the rates by living in a couple are closer after local suppression (largest difference, points)",
            couple_blanked < couple_calibrated,
            format!("{couple_blanked:.2} against {couple_calibrated:.2}"),
        ),
        Sentence::new(
            "5.3",
            "calibration brings the victims among those in no couple closer to the original (percent)",
            (after - original).abs() < (without - original).abs(),
            format!("{original:.1}; calibrated {after:.1}, not calibrated {without:.1}"),
        ),
        Sentence::new(
            "5.3",
            "and so for the rates by income (mean difference, points)",
            income_after < income_without,
            format!("{income_after:.2}, not calibrated {income_without:.2}"),
        ),
    ]
}

fn on_models(survey: &Survey) -> Vec<Sentence> {
    let [blanked, calibrated] = survey.maps.each_ref().map(|map| map.distance);
    let [first, second] = survey.maps.each_ref().map(|map| map.congruence);
    let [of_blanked, of_calibrated] = survey.mean_overlaps;
    vec![
        Sentence::new(
            "5.3",
            "the first axis of the correspondence analysis is the same (Tucker's congruence above 0.95)",
            first > 0.95 && second > 0.95,
            format!("{first:.3} after local suppression, {second:.3} after subsampling"),
        ),
        Sentence::new(
            "5.3",
            "categories of the keys lie closer to their places after local suppression (distance on two axes)",
            blanked < calibrated,
            format!("{blanked:.4} against {calibrated:.4}"),
        ),
        Sentence::new(
            "5.3",
            "confidence intervals overlap more after local suppression (mean, percent)",
            of_blanked > of_calibrated,
            format!("{of_blanked:.1} against {of_calibrated:.1}"),
        ),
    ]
}
