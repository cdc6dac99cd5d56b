//! How wide what is printed may be, and where its lines break.

/// Columns where nobody says how many there are: those of a page, and of most terminals.
const USUAL_WIDTH: usize = 80;
/// What cannot be a screen.
const LEAST_WIDTH: usize = 20;

/// Columns of standard output: as `COLUMNS` says, those of the terminal, or 80.
pub(crate) fn width() -> usize {
    width_of(&mut comfy_table::Table::new())
}

/// Columns of standard error.
pub(crate) fn width_of_talk() -> usize {
    width_of(comfy_table::Table::new().use_stderr())
}

fn width_of(terminal: &mut comfy_table::Table) -> usize {
    let said = std::env::var("COLUMNS").ok();
    let said = said.and_then(|columns| columns.parse().ok());
    let found = said.or(terminal.width().map(usize::from));
    let found = found.filter(|&columns| columns >= LEAST_WIDTH);
    found.unwrap_or(USUAL_WIDTH)
}

/// A text whose lines break between words, and go on two columns farther right.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let lines = text.split('\n').map(|line| wrapped_line(line, width));
    let lines: Vec<String> = lines.collect();
    lines.join("\n")
}

fn wrapped_line(line: &str, width: usize) -> String {
    // Tables have their width already.
    if line.chars().count() <= width || line.starts_with('|') {
        return line.to_owned();
    }
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    let (mut out, mut column) = (" ".repeat(indent), indent);
    for (place, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if place > 0 && column + 1 + length > width {
            out.push('\n');
            out.push_str(&" ".repeat(indent + 2));
            column = indent + 2;
        } else if place > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words() {
        let text = "  released file read and counted again";
        assert_eq!(wrapped(text, 80), text);
        assert_eq!(
            wrapped(text, 20),
            "  released file read\n    and counted\n    again"
        );
        // A word that is too long stays whole, and so do tables.
        assert_eq!(wrapped("a aaaaaaaaaa", 5), "a\n  aaaaaaaaaa");
        assert_eq!(wrapped("| a | b |", 4), "| a | b |");
    }
}
