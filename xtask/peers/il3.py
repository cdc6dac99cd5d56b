"""Mean relative change of the variances and covariances."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")


def il3():
    lower = np.tril_indices(len(x))
    before, after = np.cov(x)[lower], np.cov(z)[lower]
    return np.mean(np.abs(before - after) / np.abs(before))


timed("numpy", il3, lambda value: value)
