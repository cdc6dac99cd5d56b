//! The seed must not stand in what the public reads: who has it can undo the noise.

use bauta_data::spelling::folded;

use crate::plan::Plan;

/// Seeds of so few digits stand in any date or page number; they are no secret either.
const MAX_SHORT: usize = 3;

/// Whether a text shows a seed: in digits of any script or width, with signs or with what cannot be seen between
/// them, as dates are written, or in hexadecimal digits.
pub(crate) fn shows(text: &str, seed: u64) -> bool {
    let digits = seed.to_string();
    if digits.len() <= MAX_SHORT {
        return false;
    }
    let folded = folded(text);
    let joined: String = folded
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .collect();
    folded.contains(&digits) || joined.contains(&digits) || joined.contains(&format!("0x{seed:x}"))
}

/// The public texts of a plan that show a seed, by what they are.
pub(crate) fn public_texts_with(plan: &Plan, seed: u64) -> Vec<String> {
    let title = plan
        .title
        .iter()
        .map(|title| ("the title".to_owned(), title));
    let release = plan.release.iter();
    let of_release = release.flat_map(|release| {
        let purpose = release.purpose.iter().map(|text| ("the purpose", text));
        let review = release.review.iter();
        let review = review.map(|text| ("the day of the review", text));
        let recipients = release.recipients.iter().map(|text| ("a recipient", text));
        purpose.chain(review).chain(recipients)
    });
    let of_release = of_release.map(|(what, text)| (what.to_owned(), text));
    let labels = plan.labels.iter();
    let labels = labels.map(|(name, label)| (format!("the label of `{name}`"), label));
    let reasons = plan.steps.iter().filter_map(|step| {
        let why = step.why.as_ref()?;
        Some((format!("the reason of step `{}`", step.key), why))
    });
    let release = plan.output.release.iter().map(|release| &release.file);
    let files = release.chain(&plan.output.external_report);
    let files = files.map(|file| (format!("the name `{}`", file.given), &file.given));
    title
        .chain(of_release)
        .chain(labels)
        .chain(reasons)
        .chain(files)
        .filter(|(_, text)| shows(text, seed))
        .map(|(what, _)| what)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_found_however_its_digits_are_set_apart() {
        for text in ["seed 20150129", "2015-01-29", "20 150 129", "v20150129b"] {
            assert!(shows(text, 20_150_129), "{text}");
        }
        let unusual = [
            "2015\u{200b}0129",
            "２０１５０１２９",
            "2015–01–29",
            "0x1337771",
            "0X133 7771",
        ];
        for text in unusual {
            assert!(shows(text, 20_150_129), "{text}");
        }
        assert!(!shows("29 January 2015", 20_150_129));
        assert!(!shows("123", 123), "no secret");
    }
}
