"""Number of records that share their key with none, each record given the size of its class."""

import polars as pl

from inputs import keys, timed

codes = keys()
names = [f"key{position}" for position in range(len(codes))]
table = pl.DataFrame(dict(zip(names, codes)))


def frequencies():
    return table.select(f=pl.len().over(names))


timed("polars", frequencies, lambda found: (found["f"] == 1).sum())
