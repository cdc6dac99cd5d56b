"""Difference between the eigenvalues of two correlation matrices."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")


def eigenvalue_distance():
    return np.mean(np.abs(np.linalg.eigvalsh(np.corrcoef(x)) - np.linalg.eigvalsh(np.corrcoef(z))))


timed("numpy", eigenvalue_distance, lambda value: value)
