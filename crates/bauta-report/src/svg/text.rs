//! How much room a text takes, without a font at hand.

/// Widths in thousandths of the font size, as in the widest of the usual sans-serif faces, so that
/// a text that fits by this estimate fits on every machine.
const fn width_of(symbol: char) -> u32 {
    match symbol {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '\'' | '!' | ' ' => 330,
        '\u{202f}' => 220,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' => 410,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 980,
        '0'..='9' | 'a'..='z' | '_' => 640,
        'A'..='Z' | '+' | '<' | '>' | '=' | '−' | '×' => 790,
        // Combining marks take no room, ideographs a full square.
        '\u{300}'..='\u{36f}' => 0,
        '\u{1100}'.. => 1000,
        _ => 700,
    }
}

/// Width of a text at a font size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    f64::from(text.chars().map(width_of).sum::<u32>()) / 1000.0 * size
}

/// The widest of several texts.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>, size: f64) -> f64 {
    texts
        .into_iter()
        .map(|text| width(text, size))
        .fold(0.0, f64::max)
}

/// The text, or its beginning and end around an ellipsis: names often differ in their end.
pub(crate) fn shortened(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let symbols: Vec<char> = text.chars().collect();
    let mut kept = symbols.len();
    while kept > 2 {
        kept -= 1;
        let (head, tail) = (kept - kept / 2, kept / 2);
        let candidate: String = symbols[..head]
            .iter()
            .chain(['…'].iter())
            .chain(&symbols[symbols.len() - tail..])
            .collect();
        if width(&candidate, size) <= room {
            return candidate;
        }
    }
    "…".to_owned()
}

/// The text in at most so many lines, broken between words; what does not fit is shortened.
pub(super) fn wrapped(text: &str, size: f64, room: f64, max_lines: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let joined = lines.last().map(|line| format!("{line} {word}"));
        match (joined, lines.last_mut()) {
            (Some(joined), Some(line)) if width(&joined, size) <= room => *line = joined,
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.len() > max_lines {
        let rest = lines.split_off(max_lines.saturating_sub(1)).join(" ");
        lines.push(rest);
    }
    let fits = |line: String| shortened(&line, size, room);
    lines.into_iter().map(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_labels_are_broken_between_words() {
        let lines = |text| wrapped(text, 10.0, 64.0, 2);
        assert_eq!(lines("abcdeghkno"), ["abcdeghkno"]);
        assert_eq!(lines("abcde ghkno"), ["abcde", "ghkno"]);
        let cut = lines("abcde ghkno abcde ghkno");
        assert_eq!(cut.len(), 2);
        assert!(cut[1].contains('…') && cut.iter().all(|line| width(line, 10.0) <= 64.0));
    }

    #[test]
    fn long_names_keep_both_ends() {
        // 0.64 em a letter: ten letters at 10 units are 64 wide.
        assert!((width("abcdeghkno", 10.0) - 64.0).abs() < 1e-9);
        assert_eq!(shortened("abcdeghkno", 10.0, 64.0), "abcdeghkno");
        let short = shortened("household_income_2015", 10.0, 80.0);
        assert!(
            short.starts_with("hou") && short.ends_with("15") && short.contains('…'),
            "{short}"
        );
        assert!(width(&short, 10.0) <= 80.0);
        assert_eq!(shortened("abcdef", 10.0, 1.0), "…");
    }
}
