//! Faulty quoting. The tokeniser forgives it and changes the field; a released file must not
//! differ from its source because of that, so it is reported instead.

/// What is wrong with the quotes of a text.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Faults {
    /// Where text follows a closing quote: (offset, position of the field in its record).
    pub(super) stray: Vec<(usize, usize)>,
    /// Where the quoted field starts that never ends.
    pub(super) open: Option<usize>,
}

enum State {
    FieldStart,
    Unquoted,
    Quoted,
    /// Behind a quote within a quoted field: the field ends, or the quote was doubled.
    QuoteSeen,
}

/// Looks through whole records, with the same rules as the tokeniser.
pub(super) fn faults(text: &[u8], delimiter: u8) -> Faults {
    let mut faults = Faults::default();
    if !text.contains(&b'"') {
        return faults;
    }
    let mut state = State::FieldStart;
    let mut opened = 0;
    let mut field = 0;
    for (offset, &byte) in text.iter().enumerate() {
        state = match (state, byte) {
            (State::Quoted, b'"') => State::QuoteSeen,
            (State::FieldStart, b'"') => {
                opened = offset;
                State::Quoted
            }
            (State::QuoteSeen, b'"') | (State::Quoted, _) => State::Quoted,
            (_, b'\n' | b'\r') => {
                field = 0;
                State::FieldStart
            }
            (_, other) if other == delimiter => {
                field += 1;
                State::FieldStart
            }
            (State::QuoteSeen, _) => {
                faults.stray.push((offset, field));
                State::Unquoted
            }
            (State::FieldStart | State::Unquoted, _) => State::Unquoted,
        };
    }
    if matches!(state, State::Quoted) {
        faults.open = Some(opened);
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sound_quotes_have_no_faults() {
        let text = b"a,\"b\"\"c\nd,\",e\r\n5\" pipe,\"\"\n\"last\"";
        assert_eq!(faults(text, b','), Faults::default());
    }

    #[test]
    fn faults_are_found_where_they_are() {
        let stray = faults(b"a,b\n1,\"x\" y\n\"z\",2\n", b',');
        assert_eq!(stray.stray, [(9, 1)]);
        assert_eq!(stray.open, None);
        assert_eq!(faults(b"1,\"abc\n2,d\n", b',').open, Some(2));
    }
}
