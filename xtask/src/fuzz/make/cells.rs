//! Cells: values that can be told from everything else in a message, and texts that readers stumble over.

use crate::fuzz::draws::Draws;

/// Letters that make no words.
const LETTERS: &[u8] = b"bcdfghjkmpqrstvwxz";

/// A text that occurs in no message by chance: a canary.
pub(crate) fn token(draws: &mut Draws) -> String {
    let mut token = String::new();
    for position in 0..draws.between(8, 10) {
        let letter = if position % 3 == 2 {
            b'0' + draws.below(10) as u8
        } else {
            draws.pick(LETTERS)
        };
        token.push(char::from(letter));
    }
    token
}

/// A number with so many digits that it occurs in no message by chance.
pub(crate) fn telling_number(draws: &mut Draws) -> String {
    let digits = 100_000_000 + draws.below(900_000_000);
    match draws.below(4) {
        0 => digits.to_string(),
        1 => format!("{}.{:03}", digits / 1000, digits % 1000),
        2 => format!("-{}.{}", digits / 10, digits % 10),
        _ => format!("{}.{:06}", digits / 1_000_000, digits % 1_000_000),
    }
}

/// Numbers at the ends of what a double can hold, and beside them. Everybody knows them, so that they tell nothing.
pub(crate) const EXTREME: &[&str] = &[
    "1.7976931348623157e308",
    "-1.7976931348623157e308",
    "8.98846567431158e307",
    "1e308",
    "5e-324",
    "-5e-324",
    "2.2250738585072014e-308",
    "2.2250738585072009e-308",
    "1e-300",
    "0",
    "-0",
    "0.0",
    "1",
    "-1",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "4503599627370496.5",
    "18446744073709551615",
    "9223372036854775807",
    "1e15",
    "1e16",
    "1e21",
    "1e22",
    "1e-7",
    "1e-8",
    "0.1",
    "0.30000000000000004",
    "0.3",
    "2147483648",
    "4294967296",
];

/// A number at an end of what a double can hold, or beside it.
pub(crate) fn extreme_number(draws: &mut Draws) -> String {
    if draws.one_in(4) {
        let value = f64::from_bits(draws.bits());
        if value.is_finite() {
            return format!("{value:e}");
        }
    }
    draws.pick(EXTREME).to_owned()
}

/// Spellings of numbers, and texts that are nearly numbers.
const ODD_NUMBERS: &[&str] = &[
    "+5",
    "5.",
    ".5",
    "-.5",
    "007",
    "1e3",
    "1E+03",
    "1e",
    "1e400",
    "-1e400",
    "1e-400",
    " 12 ",
    "12 ",
    "\u{a0}12",
    "1,5",
    "1.5,2",
    "3,201",
    "1.234.567",
    "1 234",
    "1'234",
    "0x10",
    "NaN",
    "nan",
    "-nan",
    "inf",
    "-Infinity",
    "NA",
    "N/A",
    "null",
    "-",
    "+",
    ".",
    "e",
    "1_000",
    "١٢",
    "½",
    "1e5000000000",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257827",
    "--5",
    "5-",
    "(5)",
    "5%",
];

/// A spelling of a number that is unusual, or none.
pub(crate) fn odd_number(draws: &mut Draws) -> String {
    match draws.below(6) {
        0 => "9".repeat(draws.between(1, 400)),
        1 => format!("0.{}1", "0".repeat(draws.between(1, 400))),
        2 => {
            let sign = draws.pick(&["", "-"]);
            format!("{}e{sign}{}", draws.below(1000), draws.below(350))
        }
        _ => draws.pick(ODD_NUMBERS).to_owned(),
    }
}

const ODD_PIECES: &[&str] = &[
    ",",
    ";",
    "\t",
    "|",
    "\"",
    "\"\"",
    "'",
    "\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "\u{a0}",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}",
    "\u{1b}[2J",
    "é",
    "e\u{301}",
    "ß",
    "İ",
    "日本",
    "🦀",
    "\u{fffd}",
    "=1+1",
    "@x",
    "-",
    "+",
    "#",
    "\\",
    "%",
    "`",
    "$",
    "{",
    "}",
    "[",
    "<b>",
    "&amp;",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "NA",
    "*",
    ".",
    "..",
];

/// A text full of what readers and writers stumble over.
pub(crate) fn odd_text(draws: &mut Draws) -> String {
    let mut text = String::new();
    for _ in 0..draws.between(1, 4) {
        match draws.below(4) {
            0 => text.push_str(&token(draws)),
            1 => text.push_str(&odd_number(draws)),
            _ => text.push_str(draws.pick(ODD_PIECES)),
        }
    }
    if draws.one_in(500) {
        text = text.repeat(draws.between(10, 400));
    }
    text
}

/// Texts that mean that there is no value, or nearly.
pub(crate) const MISSING: &[&str] = &["", "NA", "-9", "99", " ", "na", ".", "\"\""];

/// A name of a variable.
pub(crate) fn name(draws: &mut Draws) -> String {
    const PLAIN: &[&str] = &[
        "age", "sex", "income", "region", "weight", "w", "house", "id", "x", "y", "z", "AGI",
        "zip", "town", "job", "edu", "debt", "illness", "stratum", "hid",
    ];
    match draws.below(10) {
        0 => odd_text(draws),
        1 => format!("{} {}", draws.pick(PLAIN), draws.below(10)),
        2 => format!("{}.{}", draws.pick(PLAIN), draws.pick(PLAIN)),
        _ => format!("{}{}", draws.pick(PLAIN), draws.below(30)),
    }
}
