"""Mean distance between original and masked values, in shares of the original ones."""

import numpy as np

from inputs import amounts, timed

x, z = amounts(), amounts("changed")

timed("numpy", lambda: (np.abs(x - z) / np.abs(x)).mean(), lambda value: value)
