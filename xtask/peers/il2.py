"""Mean relative change of the means."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")


def il2():
    before, after = x.mean(axis=1), z.mean(axis=1)
    return np.mean(np.abs(before - after) / np.abs(before))


timed("numpy", il2, lambda value: value)
