//! One case: a few files, by name. What a target does with them depends on nothing else, so that a case
//! can be kept, shrunk and run again.
//!
//! On the disk a case is one text file: lines that say what it is, then each file behind a line
//! `-- name --`; where its last line has no end, behind `-- name, no line end --`. Files that are not plain lines of
//! text stand in hexadecimal digits behind `-- name, hexadecimal --`.

use std::path::Path;

/// The files of a case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Case {
    files: Vec<(String, Vec<u8>)>,
}

const HEXADECIMAL: &str = ", hexadecimal";
const NO_LINE_END: &str = ", no line end";
const BYTES_PER_LINE: usize = 40;

impl Case {
    /// The same case with one more file, or with another content of one that it has.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.set(name, content.into());
        self
    }

    /// Gives a file another content.
    pub(crate) fn set(&mut self, name: &str, content: Vec<u8>) {
        match self.files.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = content,
            None => self.files.push((name.to_owned(), content)),
        }
    }

    /// The content of a file, if the case has it.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.files.iter().find(|(known, _)| known == name);
        found.map(|(_, content)| content.as_slice())
    }

    /// The text of a file; empty if the case has none or it is not text.
    pub(crate) fn text(&self, name: &str) -> &str {
        let content = self.get(name).unwrap_or_default();
        std::str::from_utf8(content).unwrap_or_default()
    }

    /// All files in order.
    pub(crate) fn files(&self) -> &[(String, Vec<u8>)] {
        &self.files
    }

    /// Bytes in all.
    pub(crate) fn n_bytes(&self) -> usize {
        self.files.iter().map(|(_, content)| content.len()).sum()
    }

    /// Puts the files into a folder.
    pub(crate) fn unpack(&self, folder: &Path) -> std::io::Result<()> {
        for (name, content) in &self.files {
            std::fs::write(folder.join(name), content)?;
        }
        Ok(())
    }

    /// The case as one file; `about` says what it is.
    pub(crate) fn packed(&self, about: &str) -> String {
        let mut text = String::new();
        for line in about.lines() {
            // A line of words must not be taken for the name of a file.
            text.push_str(line.trim_start_matches("-- "));
            text.push('\n');
        }
        for (name, content) in &self.files {
            match plain_lines(content) {
                Some(lines) if lines.is_empty() || lines.ends_with('\n') => {
                    text.push_str(&format!("-- {name} --\n{lines}"));
                }
                Some(lines) => text.push_str(&format!("-- {name}{NO_LINE_END} --\n{lines}\n")),
                None => {
                    text.push_str(&format!("-- {name}{HEXADECIMAL} --\n"));
                    for line in content.chunks(BYTES_PER_LINE) {
                        let digits: String =
                            line.iter().map(|byte| format!("{byte:02x}")).collect();
                        text.push_str(&digits);
                        text.push('\n');
                    }
                }
            }
        }
        text
    }

    /// Reads a case from one file, and what it says it is.
    pub(crate) fn unpacked(text: &str) -> Result<(Self, String), String> {
        let mut case = Self::default();
        let mut about = String::new();
        let mut current: Option<(String, Vec<u8>)> = None;
        for line in text.split_inclusive('\n') {
            if let Some(name) = file_name(line) {
                case.files.extend(current.take());
                current = Some((name.to_owned(), Vec::new()));
                continue;
            }
            match &mut current {
                None => about.push_str(line),
                Some((name, content)) if name.ends_with(HEXADECIMAL) => {
                    content.extend(of_digits(line.trim_end())?);
                }
                Some((_, content)) => content.extend(line.as_bytes()),
            }
        }
        case.files.extend(current);
        for (name, content) in &mut case.files {
            if let Some(plain) = name.strip_suffix(HEXADECIMAL) {
                *name = plain.to_owned();
            } else if let Some(plain) = name.strip_suffix(NO_LINE_END) {
                *name = plain.to_owned();
                content.pop();
            }
        }
        if case.files.is_empty() {
            return Err("the case has no file".to_owned());
        }
        Ok((case, about))
    }
}

/// The content as lines of plain text, if it is just that.
fn plain_lines(content: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(content).ok()?;
    let plain = text
        .chars()
        .all(|letter| letter == '\n' || !letter.is_control());
    let no_names = text
        .split_inclusive('\n')
        .all(|line| file_name(line).is_none());
    (plain && no_names).then_some(text)
}

fn file_name(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_prefix("-- ")?.strip_suffix(" --")
}

fn of_digits(digits: &str) -> Result<Vec<u8>, String> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).ok()?;
        u8::from_str_radix(text, 16).ok()
    };
    let bytes: Option<Vec<u8>> = pairs.map(byte).collect();
    bytes.ok_or_else(|| "the hexadecimal digits cannot be read".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_to_the_last_byte() {
        let case = Case::default()
            .with("plan.toml", "[data]\nfile = \"x.csv\"\n")
            .with("x.csv", b"a,b\r\n1,\"2\xff\"".to_vec())
            .with("tricky.csv", "a\n-- x.csv --\n")
            .with("unended.csv", "a\n1")
            .with("empty.csv", Vec::new());
        let packed = case.packed("A quote.\n-- not a file --\n");
        let (again, about) = Case::unpacked(&packed).unwrap();
        assert_eq!(again, case);
        assert_eq!(about, "A quote.\nnot a file --\n");
        assert!(packed.ends_with('\n') && packed.is_ascii());
    }

    #[test]
    fn damaged_cases_are_refused() {
        assert!(Case::unpacked("only words\n").is_err());
        assert!(Case::unpacked("-- x, hexadecimal --\n0g\n").is_err());
    }
}
