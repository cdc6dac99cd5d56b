//! Figures of both files in one measurement: measures that compare two files name them
//! `…, original` and `…, masked`, or with a colon.

/// The file that a figure is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// The input.
    Original,
    /// The masked file.
    Masked,
}

/// What a name is about and the file that it says; nothing where it names none.
pub(crate) fn split(name: &str) -> Option<(&str, Side)> {
    [("original", Side::Original), ("masked", Side::Masked)]
        .into_iter()
        .find_map(|(word, side)| {
            let rest = name.strip_suffix(word)?;
            let about = rest
                .strip_suffix(": ")
                .or_else(|| rest.strip_suffix(", "))?;
            Some((about, side))
        })
}

/// What a name is about, whichever file it says.
pub(crate) fn about(name: &str) -> &str {
    split(name).map_or(name, |(about, _)| about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_stands_behind_a_comma_or_a_colon() {
        assert_eq!(split("mass, masked"), Some(("mass", Side::Masked)));
        assert_eq!(split("a: b: original"), Some(("a: b", Side::Original)));
        assert_eq!(split("original"), None);
        assert_eq!(split("records unmasked"), None);
        assert_eq!(about("records, original"), "records");
    }
}
