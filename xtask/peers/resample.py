"""Gives each value the mean of the values of its rank in three samples with replacement."""

import numpy as np

from inputs import amounts, timed

x = amounts()
random = np.random.default_rng(7)


def resample():
    masked = np.empty_like(x)
    for column, into in zip(x, masked):
        samples = np.sort(random.choice(column, (3, len(column))), axis=1)
        into[np.argsort(column, kind="stable")] = samples.mean(axis=0)
    return masked


timed("numpy", resample)
