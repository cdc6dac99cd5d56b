"""Mean absolute change of the correlations."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")


def il5():
    below = np.tril_indices(len(x), -1)
    return np.mean(np.abs(np.corrcoef(x)[below] - np.corrcoef(z)[below]))


timed("numpy", il5, lambda value: value)
