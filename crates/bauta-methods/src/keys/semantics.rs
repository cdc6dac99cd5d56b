//! How missing key values count.

use crate::params::choices;

choices! {
    /// How missing key values count. Frequencies never fall from one to the next.
    pub enum Semantics {
        Own = "own": "missing is a value of its own",
        Visible = "visible": "compare on the record's visible keys; another's missing value does not match",
        Original = "original": "as visible, counted in the file before suppression",
        Wild = "wild": "a missing value on either side matches every value",
    }
}

choices! {
    /// How missing key values count where the answers of those who match are looked at. Without
    /// `wild`: a blank record would lend its answer to every class and hide that all the others are
    /// the same.
    pub enum Matching {
        Own = "own": "missing is a value of its own",
        Visible = "visible": "compare on the record's visible keys; another's missing value does not match",
        Original = "original": "as visible, counted in the file before suppression",
    }
}

impl Semantics {
    /// The same for answers; none where blank records would lend theirs.
    pub const fn matching(self) -> Option<Matching> {
        match self {
            Self::Own => Some(Matching::Own),
            Self::Visible => Some(Matching::Visible),
            Self::Original => Some(Matching::Original),
            Self::Wild => None,
        }
    }
}

impl From<Matching> for Semantics {
    fn from(matching: Matching) -> Self {
        match matching {
            Matching::Own => Self::Own,
            Matching::Visible => Self::Visible,
            Matching::Original => Self::Original,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Choice;

    #[test]
    fn answers_are_counted_under_the_same_words_without_wild() {
        assert_eq!(Matching::CHOICES, &Semantics::CHOICES[..3]);
        for &semantics in Semantics::ALL {
            let back = semantics.matching().map(Semantics::from);
            assert_eq!(
                back,
                (semantics != Semantics::Wild).then_some(semantics),
                "blank keys may not lend their answers"
            );
        }
    }
}
