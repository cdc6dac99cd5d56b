//! Column names taken apart, and the patterns that they are compared with.

/// A column's name without case, accents and separators.
pub(super) struct Name {
    /// Everything in one word.
    compact: String,
    /// Where the parts end in it, so that a long name needs no more room than it has letters: `ori`, `hid`.
    ends: Vec<usize>,
}

impl Name {
    pub(super) fn of(name: &str) -> Self {
        let mut compact = String::new();
        let mut ends = Vec::new();
        for part in parts(name) {
            compact.push_str(&part);
            ends.push(compact.len());
        }
        Self { compact, ends }
    }

    /// Whether the name fits a pattern: `age` is a run of neighbouring parts; `age*` and `*age` are the
    /// start and the end of one; `*age*` is anywhere; `=age` is the whole name.
    pub(super) fn fits(&self, pattern: &str) -> bool {
        if let Some(whole) = pattern.strip_prefix('=') {
            return self.compact == whole;
        }
        let word = pattern.trim_matches('*');
        let begins_at = |start: usize| self.compact[start..].starts_with(word);
        match (pattern.starts_with('*'), pattern.ends_with('*')) {
            (true, true) => self.compact.contains(word),
            (true, false) => self
                .ends
                .iter()
                .any(|&end| self.compact[..end].ends_with(word)),
            (false, true) => self.starts().any(begins_at),
            (false, false) => self.starts().any(|start| {
                begins_at(start) && self.ends.binary_search(&(start + word.len())).is_ok()
            }),
        }
    }

    /// Where the parts start.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let after_others = self.ends.iter().copied();
        [0].into_iter().chain(after_others).take(self.ends.len())
    }

    /// Whether the name fits one of several patterns with blanks between them.
    pub(super) fn fits_any(&self, patterns: &str) -> bool {
        patterns
            .split_whitespace()
            .any(|pattern| self.fits(pattern))
    }
}

/// Splits at separators, between letters and digits, and where upper case starts a word.
fn parts(name: &str) -> Vec<String> {
    let signs: Vec<char> = name.chars().collect();
    let mut parts = vec![String::new()];
    for (position, &sign) in signs.iter().enumerate() {
        let before = position.checked_sub(1).map(|previous| signs[previous]);
        if before.is_some_and(|before| starts_part(before, sign, signs.get(position + 1))) {
            parts.push(String::new());
        }
        if sign.is_alphanumeric()
            && let Some(part) = parts.last_mut()
        {
            for lower in sign.to_lowercase() {
                push_without_accent(lower, part);
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn starts_part(before: char, sign: char, after: Option<&char>) -> bool {
    let new_word = sign.is_uppercase()
        && (before.is_lowercase() || after.is_some_and(|after| after.is_lowercase()));
    !before.is_alphanumeric() || new_word || before.is_numeric() != sign.is_numeric()
}

fn push_without_accent(sign: char, out: &mut String) {
    let plain = match sign {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => "o",
        'ù' | 'ú' | 'û' | 'ü' => "u",
        'ý' | 'ÿ' => "y",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        other => {
            out.push(other);
            return;
        }
    };
    out.push_str(plain);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_a_reader_would() {
        assert_eq!(parts("ori_hid"), ["ori", "hid"]);
        assert_eq!(parts("birthDate2"), ["birth", "date", "2"]);
        assert_eq!(parts("HHSize"), ["hh", "size"]);
        assert_eq!(parts("UTILNAME"), ["utilname"]);
        assert_eq!(parts("Âge (années)"), ["age", "annees"]);
        assert_eq!(parts("Größe"), ["grosse"]);
        assert!(parts("--").is_empty());
    }

    #[test]
    fn patterns_fit_parts_starts_ends_and_wholes() {
        let name = Name::of("household_weights");
        assert!(name.fits("weight*") && name.fits("householdweights") && name.fits("*hold"));
        assert!(!name.fits("weight") && !name.fits("=weights") && !name.fits("hold*"));
        assert!(name.fits("*seholdw*"));
        assert!(Name::of("wage").fits("*age") && !Name::of("wage").fits("age"));
        assert!(Name::of("D_FIN").fits("=dfin"));
        assert!(Name::of("ori_hid_2").fits("hid") && Name::of("ori_hid_2").fits("orihid"));
        assert!(!Name::of("--").fits("hid") && !Name::of("--").fits("hid*"));
    }

    #[test]
    fn a_name_as_long_as_a_book_is_looked_at_at_once() {
        // Every run of its 200,000 parts by itself would be more letters than any machine holds.
        let name = Name::of(&"a1".repeat(100_000));
        assert!(!name.fits("age") && name.fits("1a") && name.fits("*a1"));
    }
}
