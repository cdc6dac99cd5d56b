"""Mean distance between original and masked values, in shares of the mean of both sizes."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")

timed("numpy", lambda: (2.0 * np.abs(x - z) / (np.abs(x) + np.abs(z))).mean(), lambda value: value)
