"""Mean distance between original and masked values, in standard deviations of the original."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")


def il1s():
    sd = x.std(axis=1, ddof=1, keepdims=True)
    return (np.abs(x - z) / (np.sqrt(2.0) * sd)).mean()


timed("numpy", il1s, lambda value: value)
