"""The nearest record of each query in the trees of scipy and, where it is there, scikit-learn; on
all cores, the making of the tree included."""

import numpy as np
from scipy.spatial import cKDTree

from inputs import read, timed

N_VARIABLES = 11


def nearest_of_all(queries):
    """Times both trees. The answer is the sum of the distances."""
    x, z = read("searched", N_VARIABLES), read(queries, N_VARIABLES)

    def points():
        mean, sd = x.mean(axis=1, keepdims=True), x.std(axis=1, ddof=1, keepdims=True)
        return [np.ascontiguousarray(((values - mean) / sd).T) for values in (x, z)]

    def by_scipy():
        searched, queried = points()
        return cKDTree(searched).query(queried, workers=-1)[0]

    timed("scipy", by_scipy, lambda distances: distances.sum())
    try:
        from sklearn.neighbors import NearestNeighbors
    except ImportError:
        return

    def by_sklearn():
        searched, queried = points()
        tree = NearestNeighbors(n_neighbors=1, algorithm="kd_tree", n_jobs=-1).fit(searched)
        return tree.kneighbors(queried)[0]

    timed("scikit-learn", by_sklearn, lambda distances: distances.sum())
