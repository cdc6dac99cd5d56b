//! "Did you mean …?"

use crate::number::parse_label;

/// Nobody mistypes a name longer than this, in bytes; to compare two takes as long as the product of their lengths.
const LONGEST: usize = 500;

/// The candidate that a mistyped name most probably meant, if one is near enough.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > LONGEST {
        return None;
    }
    let folded = wanted.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| {
            (
                strsim::jaro_winkler(&folded, &candidate.to_lowercase()),
                candidate,
            )
        })
        // 0.8 accepts a dropped, doubled or swapped letter in a short name and rejects other words.
        .filter(|&(likeness, _)| likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, candidate)| candidate)
}

/// A hint for an unknown name: the near match, or the names there are.
pub fn hint<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(wanted, candidates.clone()) {
        return format!("did you mean `{near}`?");
    }
    let names: Vec<&str> = candidates.into_iter().collect();
    let shown = names
        .iter()
        .take(12)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len() {
        0 => "there are none".to_owned(),
        n if n > 12 => format!("there are: {shown}, and {} more", n - 12),
        _ => format!("there are: {shown}"),
    }
}

/// A hint for a variable that a file does not have. Names that look like values mean that the file
/// has no header, and then they *are* values and are not shown.
pub fn column_hint<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if names
        .clone()
        .into_iter()
        .any(|name| parse_label(name).is_some())
    {
        return "the first line looks like a record: put the names of the variables above it, \
                and no name that is a number"
            .to_owned();
    }
    hint(wanted, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_matches_are_found_and_far_ones_are_not() {
        let names = ["income", "age", "gender"];
        assert_eq!(nearest("incme", names), Some("income"));
        assert_eq!(nearest("AGE", names), Some("age"));
        assert_eq!(nearest("zip", names), None);
        assert_eq!(hint("zip", names), "there are: income, age, gender");
        assert_eq!(column_hint("incme", names), "did you mean `income`?");
        assert!(!column_hint("income", ["20", "incom"]).contains("incom"));
    }

    #[test]
    fn names_as_long_as_books_are_not_compared_letter_by_letter() {
        let (long, longer) = ("ab".repeat(250_000), "ba".repeat(250_000));
        assert_eq!(nearest(&long, [longer.as_str(), "age"]), None);
        assert_eq!(nearest("agee", [longer.as_str(), "age"]), Some("age"));
    }
}
