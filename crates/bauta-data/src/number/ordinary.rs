//! The shortest texts of most doubles: those of which one product of whole numbers has all digits.

/// Bytes that a text of [`put`] may write on, its own or not.
pub(crate) const ROOM: usize = 40;

/// From 2⁻¹² to 2⁴⁹: there 10ᵈ takes at most 64 bits, and at least one of sixteen digits is behind the mark.
const FIRST_EXPONENT: u64 = 1023 - 12;
const N_EXPONENTS: usize = 12 + 49;

const HIDDEN_BIT: u64 = 1 << 52;
/// Makes texts of digits.
const ZEROS: u128 = u128::from_le_bytes([b'0'; 16]);

/// What doubles of one exponent are multiplied with. A double is m·2ᵉ; d is the largest whole number with 10ᵈ < 2⁻ᵉ.
#[derive(Clone, Copy)]
struct Scale {
    /// 10ᵈ·2⁶⁴⁺ᵉ: the upper 64 bits of its product with m are the whole part of m·2ᵉ·10ᵈ, the lower ones the rest.
    factor: u64,
    /// d, the decimals in the whole part.
    decimals: u8,
}

const SCALES: [Scale; N_EXPONENTS] = scales();

const fn scales() -> [Scale; N_EXPONENTS] {
    let none = Scale {
        factor: 0,
        decimals: 0,
    };
    let mut scales = [none; N_EXPONENTS];
    let mut place = 0;
    while place < N_EXPONENTS {
        // -e, from 64 down to 4.
        let n_bits = 64 - place as u32;
        let mut power = 1_u128;
        let mut decimals = 0;
        while power * 10 < 1 << n_bits {
            power *= 10;
            decimals += 1;
        }
        scales[place] = Scale {
            factor: (power << (64 - n_bits)) as u64,
            decimals,
        };
        place += 1;
    }
    scales
}

/// The shortest digits of a double.
struct Shortest {
    /// Sixteen digits, the first of which may be 0.
    sixteen: u64,
    /// One more, 0 where none is needed.
    seventeenth: u8,
    /// Whether it is needed. A number, since it is as likely as not: a branch would be mistaken half of the time.
    n_more: usize,
    /// How many of the sixteen stand behind the mark; those that there are too few of are zeros.
    decimals: u8,
}

impl Shortest {
    /// `None` of other exponents, and where two texts are as short and as near.
    #[inline]
    fn of(bits: u64) -> Option<Self> {
        let exponent = (bits >> 52) & 0x7ff;
        let place = exponent.wrapping_sub(FIRST_EXPONENT) as usize;
        let scale = SCALES.get(place)?;
        let m = bits & (HIDDEN_BIT - 1) | HIDDEN_BIT;
        let product = u128::from(m) * u128::from(scale.factor);
        let (whole, rest) = ((product >> 64) as u64, product as u64);
        // What lies nearer to this double than to its neighbours, and at even m what lies half way, is read as this
        // double. One unit of `whole` is wider than that, a tenth of it is not: at most one whole number is read so, and
        // if there is none, the nearest tenth is. A power of two, whose lower neighbour is nearer, has no rest here.
        let half = scale.factor / 2 + (!m & 1);
        let goes_down = rest < half;
        let goes_up = !goes_down & (rest.wrapping_neg() < half);
        let is_between = !(goes_down | goes_up);
        // A quarter or three: two tenths are as near.
        if rest << 1 == 1 << 63 {
            return None;
        }
        let tenths = u128::from(rest) * 10 + (1 << 63);
        Some(Self {
            sixteen: whole + u64::from(goes_up),
            seventeenth: (tenths >> 64) as u8 * u8::from(is_between),
            n_more: usize::from(is_between),
            decimals: scale.decimals,
        })
    }
}

/// Writes the shortest text that reads back as `value`, with at least `min_decimals` decimals, behind the first byte of
/// `out`, which stays; gives where it ends. `None` of numbers that are not as most are.
#[inline]
pub(crate) fn put(out: &mut [u8; ROOM], value: f64, min_decimals: u8, mark: u8) -> Option<usize> {
    let before = out[0];
    let bits = value.to_bits();
    let shortest = Shortest::of(bits)?;
    let decimals = usize::from(shortest.decimals);
    let min_decimals = usize::from(min_decimals);
    if min_decimals > decimals {
        return None;
    }
    let plain = sixteen_bytes(shortest.sixteen);
    let n_zeros = (plain.leading_zeros() as usize / 8) * (1 - shortest.n_more);
    let n_decimals = (decimals + shortest.n_more).saturating_sub(n_zeros);
    let n_decimals = n_decimals.max(min_decimals);
    let last = b'0' + shortest.seventeenth;
    let digits = plain | ZEROS;
    let start = 1 + (bits >> 63) as usize;
    if decimals >= 16 {
        // 0.0001234: up to three zeros before the sixteen digits.
        out[start..start + 8].copy_from_slice(b"0.000000");
        out[start + 1] = mark;
        let first = start + decimals - 14;
        out[first..first + 16].copy_from_slice(&digits.to_le_bytes());
        out[first + 16] = last;
        out[start - 1] = b'-';
        out[0] = before;
        return Some(start + 2 + n_decimals);
    }
    // 123.4: the digits are written twice, from the first on and, behind the mark, from the first decimal on. A zero that
    // they begin with falls on what is written before them.
    let first = start - usize::from(plain as u8 == 0 && decimals < 15);
    out[first..first + 16].copy_from_slice(&digits.to_le_bytes());
    let n_whole = 16 - decimals;
    let place = first + n_whole;
    out[place + 1..place + 17].copy_from_slice(&(digits >> (8 * n_whole)).to_le_bytes());
    out[place] = mark;
    out[first + 17] = last;
    out[start - 1] = b'-';
    out[0] = before;
    Some(place + usize::from(n_decimals > 0) + n_decimals)
}

/// The digits of a number below 10¹⁶, one in a byte, the first in the lowest.
#[inline]
fn sixteen_bytes(number: u64) -> u128 {
    let (first, second) = (number / 100_000_000, number % 100_000_000);
    let four = |number: u64| FOUR_BYTES.get(number as usize).copied().unwrap_or(0);
    let two_fours =
        |number: u64| u64::from(four(number / 10_000)) | u64::from(four(number % 10_000)) << 32;
    u128::from(two_fours(first)) | u128::from(two_fours(second)) << 64
}

/// The digits of all numbers below 10⁴: four look-ups take half of the time of the divisions that they stand for.
static FOUR_BYTES: [u32; 10_000] = four_bytes();

#[expect(clippy::large_stack_arrays, reason = "it is made by the compiler")]
const fn four_bytes() -> [u32; 10_000] {
    let mut texts = [0; 10_000];
    let mut number = 0;
    while number < texts.len() {
        let n = number as u32;
        let digits = [n / 1000, n / 100 % 10, n / 10 % 10, n % 10];
        texts[number] = digits[0] | (digits[1] << 8) | (digits[2] << 16) | (digits[3] << 24);
        number += 1;
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::DecimalMark;
    use crate::number::shortest::put_number;
    use proptest::prelude::*;

    /// What is written, if anything.
    fn written(value: f64, min_decimals: u8, mark: u8) -> Option<String> {
        let mut out = [b'x'; ROOM];
        let end = put(&mut out, value, min_decimals, mark)?;
        assert_eq!(out[0], b'x', "the byte before stays");
        Some(String::from_utf8(out[1..end].to_vec()).unwrap())
    }

    fn check(value: f64, min_decimals: u8) -> Result<(), TestCaseError> {
        for mark in [DecimalMark::Point, DecimalMark::Comma] {
            if let Some(text) = written(value, min_decimals, mark.character() as u8) {
                let mut plainly = String::new();
                put_number(&mut plainly, value, min_decimals, mark);
                prop_assert_eq!(text, plainly);
            }
        }
        Ok(())
    }

    #[test]
    fn most_numbers_are_written_here() {
        for (value, text) in [
            (1.0, "1"),
            (-7.25, "-7.25"),
            (0.1 + 0.2, "0.30000000000000004"),
            (25_726.407_979_211_428, "25726.407979211428"),
            (-0.000_3, "-0.0003"),
            (1e14, "100000000000000"),
            (123_456_789_012_345.67, "123456789012345.67"),
        ] {
            assert_eq!(written(value, 0, b'.').as_deref(), Some(text));
        }
        assert_eq!(written(1.5, 4, b',').as_deref(), Some("1,5000"));
        assert_eq!(written(1.5, 16, b'.'), None);
        for value in [0.0, -0.0, 1e-4, 1e15, f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(written(value, 0, b'.'), None);
        }
        // 2⁵ + 2⁻¹⁶: times 10¹⁴ a quarter is left.
        assert_eq!(written(32.0 + libm::exp2(-16.0), 0, b'.'), None);
    }

    #[test]
    fn the_neighbours_of_powers_are_spelled_as_elsewhere() {
        let twos = (-14..=51).map(|power| libm::exp2(f64::from(power)));
        let tens = (-5..=16).map(|power| format!("1e{power}").parse().unwrap());
        for value in twos.chain(tens) {
            let bits = f64::to_bits(value);
            for near in bits - 100..=bits + 100 {
                for min_decimals in 0..20 {
                    check(f64::from_bits(near), min_decimals).unwrap();
                    check(-f64::from_bits(near), min_decimals).unwrap();
                }
            }
        }
    }

    #[test]
    fn digits_are_those_of_the_number() {
        for number in (0..10_000).map(|n| n * 1_000_000_000_037) {
            let text = String::from_utf8((sixteen_bytes(number) | ZEROS).to_le_bytes().to_vec());
            assert_eq!(text.unwrap(), format!("{number:016}"));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50_000))]

        #[test]
        fn any_double_is_spelled_as_elsewhere(
            bits: u64, exponent in 1000..1080_u64, n_zeros in 0..53_u32, min_decimals in 0..20_u8,
        ) {
            let mantissa = (bits & (HIDDEN_BIT - 1)) >> n_zeros << n_zeros;
            let value = f64::from_bits(bits & 1 << 63 | exponent << 52 | mantissa);
            check(value, 0)?;
            check(value, min_decimals)?;
        }

        #[test]
        fn numbers_as_files_have_them_are_spelled_as_elsewhere(
            whole: i64, shift in 0..64_u32, decimals in 0..20_i32, min_decimals in 0..8_u8,
        ) {
            let value = (whole >> shift) as f64 / libm::pow(10.0, f64::from(decimals));
            for near in [value, value.next_up(), value.next_down()] {
                check(near, min_decimals)?;
            }
            // Few binary digits behind the point: among these are those half way.
            check((whole >> shift) as f64 / libm::exp2(f64::from(decimals * 3)), min_decimals)?;
        }
    }
}
