"""Mean relative change of the variances."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")


def il4():
    before, after = x.var(axis=1, ddof=1), z.var(axis=1, ddof=1)
    return np.mean(np.abs(before - after) / before)


timed("numpy", il4, lambda value: value)
