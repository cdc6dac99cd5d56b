//! The tables as they are printed.

/// Table 1, losses on CENSUS: IL1, IL1s, IL2 to IL5, s0, s1, s2.
pub(super) const TABLE_1: &str = "\
rnkswp05 0.129 0.091 0.000 0.130 0.000 0.016 0.036 0.055 0.027
rnkswp10 0.219 0.155 0.000 0.195 0.000 0.036 0.058 0.090 0.048
rnkswp15 0.294 0.208 0.000 0.224 0.000 0.070 0.073 0.118 0.069
add01 0.194 0.137 0.001 0.036 0.014 0.002 0.013 0.038 0.039
add10 0.371 0.263 0.004 0.168 0.115 0.007 0.073 0.114 0.097
mixadd01 0.204 0.063 0.002 0.028 0.012 0.002 0.011 0.050 0.020
mixadd05 0.326 0.140 0.004 0.088 0.053 0.004 0.037 0.095 0.050
mixadd10 0.398 0.199 0.006 0.152 0.105 0.005 0.067 0.133 0.079
mixadd20 0.489 0.281 0.008 0.273 0.207 0.007 0.124 0.189 0.126
scalmixadd01 0.202 0.063 0.002 0.021 0.003 0.002 0.007 0.046 0.017
scalmixadd05 0.316 0.137 0.004 0.048 0.007 0.004 0.016 0.076 0.038
scalmixadd10 0.379 0.190 0.006 0.067 0.010 0.005 0.022 0.093 0.053
scalmixadd20 0.449 0.258 0.008 0.095 0.014 0.007 0.031 0.114 0.072";

/// Table 2, share re-identified on CENSUS: d metric, l metric. The paper prints `add05` for add01, which
/// Tables 1 and 3 have.
pub(super) const TABLE_2: &str = "\
rnkswp05 0.8861 0.9620
rnkswp10 0.2694 0.7287
rnkswp15 0.0491 0.3444
add01 0.7972 0.7500
add10 0.2296 0.3167
mixadd01 0.7667 0.7176
mixadd05 0.1482 0.3556
mixadd10 0.0574 0.2194
mixadd20 0.0139 0.1009
scalmixadd01 0.7704 0.7370
scalmixadd05 0.1602 0.3537
scalmixadd10 0.0648 0.2417
scalmixadd20 0.0269 0.1241";

/// Table 3, scores on CENSUS: Ascore, Dscore, Sscore with the d metric, then with the l metric.
pub(super) const TABLE_3: &str = "\
rnkswp05 46.11 47.06 46.66 49.90 50.85 49.45
rnkswp10 16.37 17.97 15.87 39.34 40.94 38.84
rnkswp15 6.11 8.36 5.91 20.87 23.12 30.67
add01 40.51 41.76 41.81 38.15 39.40 39.45
add10 15.13 17.18 16.33 19.49 21.54 20.69
mixadd01 38.88 40.81 39.31 36.42 38.36 36.86
mixadd05 9.27 12.16 9.93 19.64 22.53 20.30
mixadd10 6.22 9.53 6.80 14.32 17.63 14.90
mixadd20 6.88 10.13 6.98 11.23 14.48 11.33
scalmixadd01 38.95 40.90 39.46 37.21 39.16 37.72
scalmixadd05 8.94 11.94 10.06 18.47 21.47 19.59
scalmixadd10 4.43 8.00 5.97 13.19 16.75 14.73
scalmixadd20 2.89 7.06 4.94 7.75 11.92 9.80";

/// Table 4, losses on the income file, eleven variables; columns as in Table 1.
pub(super) const TABLE_4: &str = "\
mixadd01 1.165 0.060 0.002 0.014 0.010 0.000 0.007 0.238 0.018
mixadd05 1.308 0.135 0.005 0.056 0.051 0.001 0.028 0.284 0.048
mixadd10 1.381 0.191 0.007 0.106 0.101 0.001 0.054 0.319 0.075
mixadd20 1.457 0.270 0.010 0.201 0.201 0.002 0.104 0.374 0.121
scalmixadd01 1.163 0.060 0.002 0.008 0.001 0.000 0.003 0.235 0.016
scalmixadd05 1.302 0.132 0.005 0.018 0.002 0.001 0.006 0.265 0.035
scalmixadd10 1.370 0.183 0.007 0.025 0.002 0.001 0.009 0.281 0.048
scalmixadd20 1.438 0.249 0.010 0.033 0.003 0.002 0.012 0.297 0.066";

/// Table 5, losses on the income file, eight variables; columns as in Table 1.
pub(super) const TABLE_5: &str = "\
rnkswp05 0.174 0.123 0.000 0.525 0.000 0.197 0.180 0.179 0.080
rnkswp10 0.280 0.198 0.000 0.609 0.000 0.211 0.205 0.220 0.102
rnkswp15 0.362 0.256 0.000 0.605 0.000 0.214 0.205 0.236 0.118
add01 1.271 0.897 0.006 0.018 0.009 0.019 0.013 0.331 0.235
add01_sw 1.286 0.909 0.006 0.018 0.009 0.009 0.013 0.335 0.232
mixadd01 1.304 0.061 0.003 0.012 0.010 0.000 0.006 0.266 0.019
mixadd05 1.443 0.137 0.006 0.052 0.051 0.001 0.027 0.311 0.049
mixadd10 1.512 0.194 0.008 0.101 0.101 0.001 0.053 0.345 0.076
mixadd20 1.582 0.274 0.012 0.199 0.201 0.002 0.103 0.397 0.122
scalmixadd01 1.302 0.061 0.003 0.005 0.001 0.000 0.002 0.262 0.016
scalmixadd05 1.437 0.134 0.006 0.011 0.002 0.001 0.005 0.291 0.037
scalmixadd10 1.503 0.185 0.008 0.015 0.002 0.001 0.007 0.306 0.049
scalmixadd20 1.567 0.252 0.012 0.020 0.003 0.002 0.009 0.321 0.067";

/// Table 6, share re-identified on the income file with the l metric: in all, and in the 20 % zone.
pub(super) const TABLE_6: &str = "\
rnkswp05 0.8032 0.8032
rnkswp10 0.6072 0.6072
rnkswp15 0.4855 0.4855
add01 0.0590 0.0420
add01_sw 0.0010 0.0000
mixadd01 0.0841 0.0960
mixadd05 0.0346 0.0027
mixadd10 0.0240 0.0018
mixadd20 0.0149 0.0011
scalmixadd01 0.0844 0.0098
scalmixadd05 0.0355 0.0031
scalmixadd10 0.0249 0.0022
scalmixadd20 0.0174 0.0016";

/// Table 7, scores on the income file: Ascore, Dscore, Sscore of all, then of the 20 % zone.
pub(super) const TABLE_7: &str = "\
rnkswp05 98.35 98.21 88.32 98.35 98.21 88.32
rnkswp10 81.23 82.72 70.94 81.23 82.72 70.94
rnkswp15 69.03 72.17 60.81 69.03 72.17 60.81
add01 3.60 19.50 14.70 2.75 18.75 13.85
add01_sw 0.70 16.80 11.65 0.65 16.75 11.60
mixadd01 4.52 17.49 5.14 0.80 13.77 1.41
mixadd05 3.10 17.26 4.16 1.51 15.66 2.57
mixadd10 3.85 18.44 5.00 2.74 17.33 3.84
mixadd20 5.92 19.45 6.78 5.23 18.76 6.09
scalmixadd01 4.33 17.33 5.03 0.60 13.60 1.30
scalmixadd05 2.02 16.35 3.62 0.40 15.45 2.00
scalmixadd10 1.58 16.54 3.71 0.45 15.41 2.58
scalmixadd20 1.33 16.91 4.22 0.49 16.12 3.43";

/// Table 8, losses in return type S4, 5,885 records; columns as in Table 1.
pub(super) const TABLE_8: &str = "\
rnkswp05 0.114 0.081 1.407 39.020 158.950 0.123 48.875 39.923 40.141
rnkswp10 0.199 0.141 0.397 1.682 3.980 0.179 1.560 1.287 1.174
rnkswp15 0.277 0.196 0.151 0.918 0.799 0.174 0.511 0.464 0.330
add01 1.364 0.964 0.027 0.343 0.240 0.017 0.156 0.398 0.312
add01_sw 1.364 0.964 0.027 0.343 0.240 0.017 0.156 0.398 0.312
mixadd01 1.399 0.246 0.057 0.101 0.008 0.006 0.043 0.314 0.079
mixadd05 1.559 0.550 0.128 0.232 0.024 0.014 0.099 0.391 0.179
mixadd10 1.631 0.777 0.181 0.342 0.040 0.021 0.146 0.443 0.255
mixadd20 1.697 1.099 0.256 0.539 0.069 0.033 0.224 0.519 0.364
scalmixadd01 1.397 0.245 0.057 0.130 0.008 0.006 0.050 0.320 0.079
scalmixadd05 1.552 0.536 0.128 0.298 0.024 0.014 0.116 0.403 0.175
scalmixadd10 1.621 0.741 0.181 0.440 0.040 0.021 0.170 0.460 0.246
scalmixadd20 1.681 1.004 0.256 0.693 0.069 0.033 0.263 0.547 0.341";

/// Table 9, losses of those with a Schedule C, 7,819 records; columns as in Table 1.
pub(super) const TABLE_9: &str = "\
rnkswp05 0.207 0.146 0.082 0.711 0.523 0.250 0.391 0.355 0.250
rnkswp10 0.322 0.228 0.125 0.796 0.573 0.261 0.438 0.415 0.297
rnkswp15 0.410 0.290 0.126 0.765 0.473 0.266 0.408 0.408 0.299
add01 1.221 0.863 0.013 0.021 0.017 0.003 0.013 0.255 0.224
add01_sw 1.250 0.884 0.057 0.431 0.296 0.084 0.217 0.424 0.330
mixadd01 1.410 0.220 0.012 0.065 0.009 0.005 0.023 0.288 0.062
mixadd05 1.560 0.492 0.027 0.175 0.026 0.012 0.060 0.360 0.139
mixadd10 1.627 0.696 0.038 0.299 0.043 0.019 0.100 0.405 0.199
mixadd20 1.688 0.984 0.054 0.531 0.075 0.030 0.172 0.476 0.286
scalmixadd01 1.408 0.219 0.012 0.084 0.009 0.005 0.028 0.304 0.061
scalmixadd05 1.553 0.480 0.027 0.225 0.026 0.012 0.073 0.369 0.136
scalmixadd10 1.617 0.664 0.038 0.385 0.043 0.019 0.121 0.420 0.191
scalmixadd20 1.674 0.899 0.054 0.682 0.075 0.030 0.210 0.503 0.265";

/// The rows of a printed table: the masked file and its figures.
pub(super) fn rows<const N: usize>(table: &'static str) -> Vec<(&'static str, [f64; N])> {
    table.lines().map(row).collect()
}

/// The figures of one file in a printed table that has it.
pub(super) fn figures_of<const N: usize>(table: &'static str, file: &str) -> [f64; N] {
    let line = table
        .lines()
        .find(|line| line.split(' ').next() == Some(file));
    row(line.expect("a file of this table")).1
}

fn row<const N: usize>(line: &str) -> (&str, [f64; N]) {
    let mut cells = line.split(' ');
    let file = cells.next().unwrap_or_default();
    let figures: Vec<f64> = cells
        .map(|cell| cell.parse().expect("a printed figure is a number"))
        .collect();
    let figures = figures.try_into();
    (file, figures.expect("a row has a figure for each column"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_its_rows_and_columns() {
        let files = |table: &'static str| -> Vec<&str> {
            let names = table.lines().filter_map(|line| line.split(' ').next());
            names.collect()
        };
        assert_eq!(files(TABLE_2), files(TABLE_1));
        assert_eq!(files(TABLE_3), files(TABLE_1));
        for table in [TABLE_6, TABLE_7, TABLE_8, TABLE_9] {
            assert_eq!(files(table), files(TABLE_5));
        }
        for table in [TABLE_1, TABLE_5, TABLE_8, TABLE_9] {
            assert_eq!(rows::<9>(table).len(), 13);
        }
        // Mixtures at four levels, plain and scaled.
        assert_eq!(rows::<9>(TABLE_4).len(), 8);
        assert_eq!(rows::<2>(TABLE_2).len() + rows::<2>(TABLE_6).len(), 26);
        assert_eq!(rows::<6>(TABLE_3).len() + rows::<6>(TABLE_7).len(), 26);
        assert!((figures_of::<9>(TABLE_8, "rnkswp05")[4] - 158.95).abs() < 1e-9);
    }
}
