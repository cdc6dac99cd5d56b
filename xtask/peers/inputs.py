"""Inputs and timing for the peers: the same arrays that Bauta is timed on."""

import json
import sys
import time

import numpy as np

N_AMOUNTS = 13
ENOUGH_SECONDS = 0.5
MAX_RUNS = 200


def arguments():
    return sys.argv[1], int(sys.argv[2])


def read(name, n_columns):
    """Columns of numbers, one row of the array each."""
    folder, n = arguments()
    return np.fromfile(f"{folder}/{name}-{n}.f64", dtype="<f8").reshape(n_columns, n)


def amounts(name="amounts"):
    """The thirteen columns of amounts."""
    return read(name, N_AMOUNTS)


def keys(name="keys"):
    """Key codes, one row of the array for each key; 0 is missing."""
    folder, n = arguments()
    return np.fromfile(f"{folder}/{name}-{n}.u8", dtype=np.uint8).reshape(-1, n)


def timed(tool, job, answer=lambda result: None):
    """Runs a job until its time is known, and prints the best time and the answer."""
    best, total, runs = float("inf"), 0.0, 0
    while total < ENOUGH_SECONDS and runs < MAX_RUNS:
        start = time.perf_counter()
        result = job()
        seconds = time.perf_counter() - start
        best, total, runs = min(best, seconds), total + seconds, runs + 1
    found = answer(result)
    print(json.dumps({"tool": tool, "seconds": best, "answer": None if found is None else float(found)}))
