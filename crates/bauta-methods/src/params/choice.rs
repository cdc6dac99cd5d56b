//! Choices as types: a word of a plan becomes a value that the compiler knows.

/// A parameter that is one of several words.
pub trait Choice: Copy + Eq + 'static {
    /// The words and what each means, in display order.
    const CHOICES: &'static [(&'static str, &'static str)];

    /// The values, in the order of [`Self::CHOICES`].
    const ALL: &'static [Self];

    /// The word.
    fn name(self) -> &'static str;

    /// The value with this word.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name)
    }
}

/// Declares a choice: an enum whose values have a word and a meaning. What the card offers, what a
/// plan may say and what the code matches on are then one list.
macro_rules! choices {
    (
        $(#[$outer:meta])*
        $vis:vis enum $name:ident {
            $( $variant:ident = $word:literal: $meaning:literal, )+
        }
    ) => {
        $(#[$outer])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        $vis enum $name {
            $( #[doc = $meaning] $variant, )+
        }

        impl $crate::params::Choice for $name {
            const CHOICES: &'static [(&'static str, &'static str)] = &[$( ($word, $meaning), )+];
            const ALL: &'static [Self] = &[$( Self::$variant, )+];

            fn name(self) -> &'static str {
                match self {
                    $( Self::$variant => $word, )+
                }
            }
        }
    };
}

pub(crate) use choices;
