//! Amounts of memory as people write them.

/// Units of memory, of a thousand and of 1024 bytes, in the order in which their names are looked for.
const UNITS: [(&str, u64); 9] = [
    ("KIB", 1 << 10),
    ("MIB", 1 << 20),
    ("GIB", 1 << 30),
    ("TIB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// What an amount of memory must look like.
pub const EXPECTED: &str = "a number and a unit, such as 2GB, 500MB or 1.5GiB";

/// The bytes that a text such as `2GB` means.
pub fn parse(text: &str) -> Option<u64> {
    let upper = text.trim().to_ascii_uppercase();
    UNITS.iter().find_map(|&(unit, bytes)| {
        let number = upper.strip_suffix(unit)?.trim_end();
        let number: f64 = number.parse().ok()?;
        let bytes = (number * bytes as f64).floor();
        (bytes >= 1.0 && bytes < u64::MAX as f64).then_some(bytes as u64)
    })
}
