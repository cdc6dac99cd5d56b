"""Mean over columns of the largest distance between two distribution functions, by scipy, which
also finds its probability."""

import numpy as np
from scipy.stats import ks_2samp

from inputs import amounts, timed

x, z = amounts(), amounts("changed")


def kolmogorov_smirnov():
    return np.mean([ks_2samp(a, b, method="asymp").statistic for a, b in zip(x, z)])


timed("scipy", kolmogorov_smirnov, lambda value: value)
