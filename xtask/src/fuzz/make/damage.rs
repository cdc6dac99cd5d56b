//! Damage: what a disk, a transfer or an editor does to a file.

use crate::fuzz::draws::Draws;

/// Bytes that mean something to some reader.
const TELLING: &[u8] = b"\"\n\r,;\t|'=[]{}#\\\0\xff\xfe\xef\x80-+.eE09 NA:*";

/// Numbers that lengths and offsets lie with.
const LIES: &[u64] = &[
    0,
    1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];

/// The file after some damage; `other` is one that it may be mixed with.
pub(crate) fn damaged(draws: &mut Draws, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..[1, 1, 1, 2, 3, 6][draws.below(6)] {
        damage(draws, &mut bytes, other);
    }
    bytes
}

fn damage(draws: &mut Draws, bytes: &mut Vec<u8>, other: &[u8]) {
    if bytes.is_empty() {
        bytes.extend(piece(draws, other));
        return;
    }
    let at = draws.below(bytes.len());
    let end = bytes.len().min(at + 1 + draws.below(40));
    match draws.below(13) {
        0 => bytes[at] ^= 1 << draws.below(8),
        1 => bytes[at] = draws.pick(TELLING),
        2 => bytes.insert(at, draws.pick(TELLING)),
        3 => drop(bytes.drain(at..end)),
        4 => bytes.truncate(at),
        5 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        6 => {
            let foreign = piece(draws, other);
            bytes.splice(at..end, foreign);
        }
        7 => {
            // The head of one and the tail of the other.
            bytes.truncate(at);
            bytes.extend(&other[draws.below(other.len() + 1)..]);
        }
        8 => swap_lines(draws, bytes),
        9 => {
            let byte = bytes[at];
            let n = draws.between(2, 3_000);
            bytes.splice(at..at, std::iter::repeat_n(byte, n));
        }
        10 => {
            let lie = draws.pick(LIES).to_le_bytes();
            let n = [1, 2, 4, 8][draws.below(4)].min(bytes.len() - at);
            bytes[at..at + n].copy_from_slice(&lie[..n]);
        }
        11 => {
            // Near the end, where footers and their lengths stand.
            let back = draws.below(bytes.len().min(64));
            let last = bytes.len() - 1 - back;
            bytes[last] = draws.bits() as u8;
        }
        _ => bytes[at] = draws.bits() as u8,
    }
}

/// The text after some edits that leave most of it readable: lines left out, repeated or moved, words and numbers
/// put in the place of others.
pub(crate) fn edited(draws: &mut Draws, text: &str, other: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let foreign: Vec<&str> = other.lines().chain(text.lines()).collect();
    for _ in 0..draws.between(1, 2) {
        if lines.is_empty() || foreign.is_empty() {
            break;
        }
        let at = draws.below(lines.len());
        match draws.below(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, draws.pick(&foreign).to_owned()),
            2 => {
                let to = draws.below(lines.len());
                lines.swap(at, to);
            }
            _ => {
                let other = draws.pick(&foreign);
                lines[at] = with_another_word(draws, &lines[at], other);
            }
        }
    }
    lines.join("\n") + "\n"
}

/// A line with one of its words in the place of which stands a word of another line, or a number.
fn with_another_word(draws: &mut Draws, line: &str, other: &str) -> String {
    let words = |line: &str| -> Vec<String> {
        let mut words = vec![String::new()];
        for letter in line.chars() {
            let joins = letter.is_alphanumeric() || "._-".contains(letter);
            match words.last_mut() {
                Some(word)
                    if joins
                        && word
                            .chars()
                            .all(|last| last.is_alphanumeric() || "._-".contains(last)) =>
                {
                    word.push(letter);
                }
                _ => words.push(letter.to_string()),
            }
        }
        words
    };
    let mut own = words(line);
    let numbers = [
        "0", "1", "-1", "2", "0.5", "1e300", "nan", "inf", "true", "[]", "\"\"", "{}",
    ];
    let word = if draws.one_in(2) {
        draws.pick(&words(other))
    } else {
        draws.pick(&numbers).to_owned()
    };
    let at = draws.below(own.len());
    own[at] = word;
    own.concat()
}

fn piece(draws: &mut Draws, of: &[u8]) -> Vec<u8> {
    let start = draws.below(of.len() + 1);
    let n = draws.below(60).min(of.len() - start);
    of[start..start + n].to_vec()
}

fn swap_lines(draws: &mut Draws, bytes: &mut Vec<u8>) {
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let (a, b) = (draws.below(lines.len()), draws.below(lines.len()));
    lines.swap(a, b);
    *bytes = lines.concat();
}
