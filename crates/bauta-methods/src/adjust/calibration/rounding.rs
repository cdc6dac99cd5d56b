//! Whole weights that keep the margins, as far as whole numbers can.
//!
//! Within a profile it does not matter to the margins which unit is rounded up. What is left of each
//! profile is a fraction, and fractions are rounded by the moves of the cube method (Deville and
//! Tillé 2004) without its draws: along directions that change no margin, until at most as many are
//! left as there are margins.

use crate::adjust::calibration::design::Design;

/// Fractions nearer to 0 or 1 than this are there.
const SETTLED: f64 = 1e-9;

/// Weights of units, rounded to multiples of `to`. `independent` are the margins to keep besides the
/// sum of all weights, which is kept to the nearest multiple.
pub fn rounded(design: &Design, independent: &[usize], w: &[f64], to: f64) -> Vec<f64> {
    let mut whole: Vec<f64> = w.iter().map(|w| (w / to).floor()).collect();
    let rest = |unit: usize| w[unit] / to - (w[unit] / to).floor();
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); design.n_profiles()];
    for (unit, &profile) in design.profile_of.iter().enumerate() {
        members[profile as usize].push(unit as u32);
    }
    // In each profile the largest rests are rounded up; one unit is next in line for the fraction.
    let (mut next_in_line, mut fractions) = (Vec::new(), Vec::new());
    for (profile, units) in members.iter_mut().enumerate() {
        units.sort_by(|&a, &b| {
            rest(b as usize)
                .total_cmp(&rest(a as usize))
                .then(a.cmp(&b))
        });
        let sum: f64 = units.iter().map(|&unit| rest(unit as usize)).sum();
        let up = ((sum + SETTLED).floor() as usize).min(units.len());
        for &unit in &units[..up] {
            whole[unit as usize] += 1.0;
        }
        let left = sum - up as f64;
        if left > SETTLED && up < units.len() {
            next_in_line.push((profile, units[up]));
            fractions.push(left);
        }
    }
    let mut flight = Flight::new(design, independent, &next_in_line, fractions);
    flight.fly();
    flight.land();
    for (&(_, unit), fraction) in next_in_line.iter().zip(&flight.fractions) {
        whole[unit as usize] += fraction.round();
    }
    whole.into_iter().map(|whole| whole * to).collect()
}

/// The fractions on their way to 0 or 1.
struct Flight<'d> {
    design: &'d Design,
    /// Row of each kept margin in the system; the last row is the sum of all.
    row_of: Vec<Option<usize>>,
    n_rows: usize,
    units: &'d [(usize, u32)],
    fractions: Vec<f64>,
    /// What a row's basic column is: a fraction, or none yet.
    basis: Vec<Option<usize>>,
    /// Inverse of the basic columns, row by row.
    inverse: Vec<f64>,
}

impl<'d> Flight<'d> {
    fn new(
        design: &'d Design,
        independent: &[usize],
        units: &'d [(usize, u32)],
        fractions: Vec<f64>,
    ) -> Self {
        let mut row_of = vec![None; design.n_margins()];
        for (row, &j) in independent.iter().enumerate() {
            row_of[j] = Some(row);
        }
        let n_rows = independent.len() + 1;
        let mut inverse = vec![0.0; n_rows * n_rows];
        for row in 0..n_rows {
            inverse[row * n_rows + row] = 1.0;
        }
        Self {
            design,
            row_of,
            n_rows,
            units,
            fractions,
            basis: vec![None; n_rows],
            inverse,
        }
    }

    /// The column of a fraction: what its unit adds to each row.
    fn column(&self, at: usize) -> Vec<(usize, f64)> {
        let (profile, _) = self.units[at];
        let kept = self.design.row(profile);
        kept.filter_map(|(j, x)| Some((self.row_of[j]?, x)))
            .chain([(self.n_rows - 1, 1.0)])
            .collect()
    }

    /// The combination of basic columns that equals a column.
    fn in_basis(&self, at: usize) -> Vec<f64> {
        let column = self.column(at);
        let row = |row: &[f64]| column.iter().map(|&(j, x)| row[j] * x).sum();
        self.inverse.chunks(self.n_rows).map(row).collect()
    }

    /// Takes the fractions one by one: either it finds a place in the basis, or it is moved, with the
    /// basic ones making up for it, until one of them is 0 or 1.
    fn fly(&mut self) {
        for at in 0..self.fractions.len() {
            let y = self.in_basis(at);
            let free = (0..self.n_rows)
                .filter(|&row| self.basis[row].is_none() && y[row].abs() > 1e-7)
                .max_by(|&a, &b| y[a].abs().total_cmp(&y[b].abs()));
            if let Some(row) = free {
                self.enter(at, row, &y);
                continue;
            }
            let (length, leaves) = self.shorter_move(at, &y);
            self.fractions[at] += length;
            for (row, basic) in self.basis.iter().enumerate() {
                if let Some(basic) = *basic {
                    self.fractions[basic] -= length * y[row];
                }
            }
            self.settle(at);
            // A move that ends at a basic fraction lets the entering one take its place.
            if let Some(row) = leaves {
                if let Some(basic) = self.basis[row] {
                    self.fractions[basic] = self.fractions[basic].round();
                }
                self.enter(at, row, &y);
            }
        }
    }

    fn settle(&mut self, at: usize) {
        let fraction = &mut self.fractions[at];
        if *fraction < SETTLED || *fraction > 1.0 - SETTLED {
            *fraction = fraction.round();
        }
    }

    /// The shorter of the two moves that end with a fraction at 0 or 1, and the row of the basic
    /// fraction that gets there first; none if it is the entering one.
    fn shorter_move(&self, entering: usize, y: &[f64]) -> (f64, Option<usize>) {
        let limit = |sign: f64| {
            let room = |fraction: f64, rate: f64| {
                if rate > 0.0 {
                    (1.0 - fraction) / rate
                } else {
                    fraction / -rate
                }
            };
            let mut best = (room(self.fractions[entering], sign), None);
            for (row, basic) in self.basis.iter().enumerate() {
                let rate = -sign * y[row];
                if let Some(basic) = *basic
                    && rate.abs() > 1e-9
                {
                    let room = room(self.fractions[basic], rate).max(0.0);
                    if room < best.0 {
                        best = (room, Some(row));
                    }
                }
            }
            best
        };
        let (up, down) = (limit(1.0), limit(-1.0));
        if up.0 <= down.0 {
            up
        } else {
            (-down.0, down.1)
        }
    }

    /// Puts a column in a row of the basis.
    fn enter(&mut self, entering: usize, row: usize, y: &[f64]) {
        let n = self.n_rows;
        let pivot: Vec<f64> = self.inverse[row * n..(row + 1) * n]
            .iter()
            .map(|entry| entry / y[row])
            .collect();
        for other in (0..n).filter(|&other| other != row) {
            let factor = y[other];
            if factor != 0.0 {
                let entries = &mut self.inverse[other * n..(other + 1) * n];
                for (entry, pivot) in entries.iter_mut().zip(&pivot) {
                    *entry -= factor * pivot;
                }
            }
        }
        self.inverse[row * n..(row + 1) * n].copy_from_slice(&pivot);
        self.basis[row] = Some(entering);
    }

    /// Rounds what is left: as many up as their sum says, then exchanges while margins gain.
    fn land(&mut self) {
        let mut left: Vec<usize> = (0..self.fractions.len())
            .filter(|&at| {
                let fraction = self.fractions[at];
                fraction > SETTLED && fraction < 1.0 - SETTLED
            })
            .collect();
        left.sort_by(|&a, &b| {
            let (fa, fb) = (self.fractions[a], self.fractions[b]);
            fb.total_cmp(&fa).then(a.cmp(&b))
        });
        let sum: f64 = left.iter().map(|&at| self.fractions[at]).sum();
        let n_up = sum.round() as usize;
        let mut off = vec![0.0; self.n_rows];
        let columns: Vec<Vec<(usize, f64)>> = left.iter().map(|&at| self.column(at)).collect();
        let mut up: Vec<bool> = (0..left.len()).map(|position| position < n_up).collect();
        for ((&at, column), &up) in left.iter().zip(&columns).zip(&up) {
            let change = f64::from(u8::from(up)) - self.fractions[at];
            for &(row, x) in column {
                off[row] += change * x;
            }
        }
        let square = |off: &[f64]| off.iter().map(|off| off * off).sum::<f64>();
        let mut best = square(&off);
        loop {
            let mut exchanged = false;
            for a in 0..left.len() {
                for b in 0..left.len() {
                    if !up[a] || up[b] {
                        continue;
                    }
                    let mut tried = off.clone();
                    columns[a].iter().for_each(|&(row, x)| tried[row] -= x);
                    columns[b].iter().for_each(|&(row, x)| tried[row] += x);
                    let found = square(&tried);
                    if found < best - 1e-9 {
                        (off, best) = (tried, found);
                        (up[a], up[b]) = (false, true);
                        exchanged = true;
                    }
                }
            }
            if !exchanged {
                break;
            }
        }
        for (&at, &up) in left.iter().zip(&up) {
            self.fractions[at] = f64::from(u8::from(up));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two crossed classifications of five each and random weights.
    fn design(n: usize) -> (Design, Vec<f64>) {
        let mut design = Design::new((0..10).map(|j| j.to_string()).collect(), vec![0.0; 10]);
        let mut w = Vec::new();
        let mut state = 7_u64;
        for a in 0..5_u32 {
            for b in 0..5_u32 {
                design.push([(a, 1.0), (5 + b, 1.0)], 1.0, 1.0);
            }
        }
        for _ in 0..n {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            design.profile_of.push((state >> 40) as u32 % 25);
            w.push((state >> 20) as f64 % 100_000.0 / 997.0);
        }
        (design, w)
    }

    #[test]
    fn whole_weights_keep_margins_within_one_and_the_sum() {
        let (design, w) = design(400);
        let independent: Vec<usize> = (0..9).collect();
        for to in [1.0, 10.0] {
            let found = rounded(&design, &independent, &w, to);
            let margins = |w: &[f64]| {
                let mut sums = vec![0.0; 10];
                for (unit, &w) in w.iter().enumerate() {
                    for (j, x) in design.row(design.profile_of[unit] as usize) {
                        sums[j] += w * x;
                    }
                }
                sums
            };
            for (before, after) in w.iter().zip(&found) {
                assert!((before - after).abs() < to * (1.0 + 1e-9));
                assert!((after / to - (after / to).round()).abs() < 1e-9);
            }
            let (before, after) = (margins(&w), margins(&found));
            for (before, after) in before.iter().zip(&after) {
                assert!((before - after).abs() <= 1.5 * to, "{before} {after}");
            }
            let (before, after): (f64, f64) = (w.iter().sum(), found.iter().sum());
            assert!(
                (before - after).abs() <= to / 2.0 + 1e-6,
                "{before} {after}"
            );
        }
    }

    #[test]
    fn whole_weights_stay() {
        let (design, _) = design(50);
        let w: Vec<f64> = (0..50).map(f64::from).collect();
        assert_eq!(rounded(&design, &[0, 1], &w, 1.0), w);
    }
}
