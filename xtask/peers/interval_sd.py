"""Share of original values within 1 to 10 % of a standard deviation of their masked value."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")


def interval_sd():
    sd = x.std(axis=1, ddof=1, keepdims=True)
    distance = np.abs(x - z)
    return np.mean([(distance <= width / 100 * sd).mean() for width in range(1, 11)])


timed("numpy", interval_sd, lambda value: value)
