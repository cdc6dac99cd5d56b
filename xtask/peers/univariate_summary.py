"""Mean, standard deviation and mean of each tenth of every column."""

import numpy as np

from inputs import amounts, timed

x = amounts()


def univariate_summary():
    in_order = np.sort(x, axis=1)
    tenths = [part.mean(axis=1) for part in np.array_split(in_order, 10, axis=1)]
    return x.mean(axis=1), x.std(axis=1, ddof=1), tenths


timed("numpy", univariate_summary, lambda found: found[0].sum())
