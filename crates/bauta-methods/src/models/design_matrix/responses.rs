//! Weights and responses of a model's rows, each of which may stand for many records.

/// Weights and responses of a model's rows. What a row's records add to sums of squares about any
/// value μ follows from their mean ȳ: Σ w (y - μ)² = Σ w (y - ȳ)² + (ȳ - μ)² Σ w, and alike with w².
#[derive(Default)]
pub(crate) struct Responses {
    /// Σ w.
    pub(crate) w: Vec<f64>,
    /// Mean response, weighted by w.
    pub(crate) mean: Vec<f64>,
    /// Σ w (y - mean)².
    within: Vec<f64>,
    /// Σ w².
    w2: Vec<f64>,
    /// Mean response, weighted by w².
    mean2: Vec<f64>,
    /// Σ w² (y - mean2)².
    within2: Vec<f64>,
}

impl Responses {
    /// One record per row.
    pub(super) fn of_records(y: Vec<f64>, weight: impl Fn(usize) -> f64, scale: f64) -> Self {
        let n = y.len();
        let w: Vec<f64> = (0..n).map(|i| weight(i) * scale).collect();
        Self {
            w2: w.iter().map(|w| w * w).collect(),
            w,
            mean2: y.clone(),
            mean: y,
            within: vec![0.0; n],
            within2: vec![0.0; n],
        }
    }

    /// The records of a class per row.
    pub(super) fn of_classes(
        class_of: &[u32],
        n_rows: usize,
        y: &[f64],
        weight: impl Fn(usize) -> f64,
        scale: f64,
    ) -> Self {
        let mut rows = vec![[0.0; 6]; n_rows];
        for (i, (&class, y)) in class_of.iter().zip(y).enumerate() {
            let [w, sum, _, w2, sum2, _] = &mut rows[class as usize];
            let weight = weight(i);
            *w += weight;
            *sum += weight * y;
            *w2 += weight * weight;
            *sum2 += weight * weight * y;
        }
        for [w, sum, _, w2, sum2, _] in &mut rows {
            *sum /= *w;
            // A weight may be so small that its square is 0, and then adds nothing.
            *sum2 = if *w2 > 0.0 { *sum2 / *w2 } else { *sum };
        }
        for (i, (&class, y)) in class_of.iter().zip(y).enumerate() {
            let [_, mean, within, _, mean2, within2] = &mut rows[class as usize];
            let weight = weight(i);
            *within += weight * (y - *mean) * (y - *mean);
            *within2 += weight * weight * (y - *mean2) * (y - *mean2);
        }
        let figure = |at: usize, scale: f64| rows.iter().map(|row| row[at] * scale).collect();
        Self {
            w: figure(0, scale),
            mean: figure(1, 1.0),
            within: figure(2, scale),
            w2: figure(3, scale * scale),
            mean2: figure(4, 1.0),
            within2: figure(5, scale * scale),
        }
    }

    /// Σ w (y - μ)² of a row.
    pub(crate) fn squares(&self, row: usize, mu: f64) -> f64 {
        let off = self.mean[row] - mu;
        self.within[row] + self.w[row] * off * off
    }

    /// Σ w² (y - μ)² of a row.
    pub(crate) fn squares2(&self, row: usize, mu: f64) -> f64 {
        let off = self.mean2[row] - mu;
        self.within2[row] + self.w2[row] * off * off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_several_records_add_up() {
        // Records (w, y): (1, 0), (3, 1) and (2, 5) alone; scale ½. About μ = ½:
        // ½ (1 · ¼ + 3 · ¼) = ½ and ¼ (1 · ¼ + 9 · ¼) = 0.625; alone 1 · 20.25 and 1 · 20.25.
        let (w, y) = ([1.0, 2.0, 3.0], [0.0, 5.0, 1.0]);
        let found = Responses::of_classes(&[0, 1, 0], 2, &y, |i| w[i], 0.5);
        assert_eq!(found.w, [2.0, 1.0]);
        assert_eq!(found.mean, [0.75, 5.0]);
        let squares = [found.squares(0, 0.5), found.squares(1, 0.5)];
        let squares2 = [found.squares2(0, 0.5), found.squares2(1, 0.5)];
        for (found, expected) in squares.into_iter().zip([0.5, 20.25]) {
            assert!((found - expected).abs() < 1e-15);
        }
        for (found, expected) in squares2.into_iter().zip([0.625, 20.25]) {
            assert!((found - expected).abs() < 1e-15);
        }
        let alone = Responses::of_records(vec![5.0], |_| 2.0, 0.5);
        assert!((alone.squares(0, 0.5) - 20.25).abs() < 1e-15);
    }
}
