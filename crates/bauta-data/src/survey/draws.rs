//! The uniform numbers of the survey: `SplitMix64` (Steele, Lea and Flood 2014).

/// Uniform numbers that one record uses, whatever its answers.
const PER_RECORD: u64 = 34;
/// Increment of the state: 2^64 divided by the golden ratio.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// The draws of one record. The state moves by a constant, so every record's place in the stream
/// is known without making the records before it.
pub(super) struct Draws {
    state: u64,
}

impl Draws {
    pub(super) fn of_record(seed: u64, record: usize) -> Self {
        let used = (record as u64).wrapping_mul(PER_RECORD);
        Self {
            state: seed.wrapping_add(used.wrapping_mul(GAMMA)),
        }
    }

    /// Numbers in [0, 1) on a grid of 2^-53.
    pub(super) fn uniforms(&self) -> [f64; PER_RECORD as usize] {
        let mut state = self.state;
        std::array::from_fn(|_| {
            state = state.wrapping_add(GAMMA);
            (mix(state) >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
        })
    }
}

fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The category into which `u` falls when the shares are laid end to end.
pub(super) fn pick(u: f64, shares: &[f64]) -> usize {
    let target = u * super::sum(shares);
    let mut reached = 0.0;
    for (category, share) in shares.iter().enumerate() {
        reached += share;
        if target < reached {
            return category;
        }
    }
    shares.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // First output for seed 1234567 in the published test vectors of `SplitMix64`.
        assert_eq!(
            mix(1_234_567_u64.wrapping_add(GAMMA)),
            6_457_827_717_110_365_317
        );
    }

    #[test]
    fn records_follow_one_another_in_one_stream() {
        let second = Draws::of_record(9, 1);
        let mut state = 9_u64;
        for _ in 0..PER_RECORD {
            state = state.wrapping_add(GAMMA);
        }
        assert_eq!(second.state, state);
    }

    #[test]
    fn shares_need_not_sum_to_one() {
        // Shares 1, 0, 3: u = 0.2 reaches 0.8 < 1; u = 0.25 reaches 1.0, which is past the first.
        assert_eq!(pick(0.2, &[1.0, 0.0, 3.0]), 0);
        assert_eq!(pick(0.25, &[1.0, 0.0, 3.0]), 2);
        assert_eq!(pick(1.0, &[1.0, 0.0, 3.0]), 2);
    }
}
