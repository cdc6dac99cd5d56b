"""Cuts each column into four intervals."""

import numpy as np

from inputs import amounts, timed

x = amounts()


def recode():
    return np.digitize(x, [18, 25, 65])


timed("numpy", recode, lambda codes: codes.sum())
