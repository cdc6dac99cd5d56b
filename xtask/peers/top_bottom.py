"""Codes the top 5 % of each column at their threshold."""

import numpy as np

from inputs import amounts, timed

x = amounts()


def top_bottom():
    return np.minimum(x, np.quantile(x, 0.95, axis=1, keepdims=True))


timed("numpy", top_bottom, lambda z: z.sum())
