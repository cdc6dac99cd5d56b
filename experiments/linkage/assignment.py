#!/usr/bin/env python3
"""Total weight of `bauta link` against scipy's linear_sum_assignment.

    python3 assignment.py BAUTA CENSUS.csv MASKED_FOLDER WORK_FOLDER

MASKED_FOLDER holds census_*.csv, masked copies of CENSUS.csv in the same order of rows.
WORK_FOLDER takes the random files. Prints Markdown tables; exit code 1 if a total differs by 1e-6 or more.
"""
import json
import pathlib
import subprocess
import sys
import time

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

BAUTA, CENSUS, MASKED, WORK = sys.argv[1:5]
TOLERANCE, FLOOR, LIMIT = 0.2, 0.1, 1e-6
worst = 0.0


def weights(a, b, metric):
    """w_ik = sum over variables of max(0, 1 - |a - b| / (t max(|a|, 0.1)))."""
    total = np.zeros((len(a), len(b)))
    for j in range(a.shape[1]):
        x, y = a[:, j], b[:, j]
        if metric == "l":
            x, y = np.log(np.maximum(x, 1.0)), np.log(np.maximum(y, 1.0))
        reach = TOLERANCE * np.maximum(np.abs(x), FLOOR)
        total += np.maximum(0.0, 1.0 - np.abs(x[:, None] - y[None, :]) / reach[:, None])
    return total


def best(w):
    began = time.perf_counter()
    rows, columns = linear_sum_assignment(w, maximize=True)
    return w[rows, columns].sum(), time.perf_counter() - began


def nearest(w, k):
    """The k largest of each row; other pairs weigh 0, which is not being linked."""
    kept = np.zeros_like(w)
    at = np.argpartition(-w, min(k, w.shape[1]) - 1, axis=1)[:, :k]
    np.put_along_axis(kept, at, np.take_along_axis(w, at, axis=1), axis=1)
    return kept


def link(original, masked, metric, *more):
    began = time.perf_counter()
    command = [BAUTA, "link", original, masked, "--metric", metric, "--parameters", "equal", "--json", "-q", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    took = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return json.loads(done.stdout), took


def compare(name, original, masked, metric, a, b, pairing):
    global worst
    w = weights(a, b, metric)
    full, took = best(w)
    n = len(b)
    graph, _ = best(nearest(w, 50))
    # Ties at the 50th place leave several graphs of 50 candidates: then there is no one figure to meet.
    falling = np.sort(-w, axis=1)
    tied = n > 50 and bool(((falling[:, 49] == falling[:, 50]) & (falling[:, 49] < 0)).any())
    some = ["--assignment", "sparse", "--candidates", "50"]
    ways = [
        ([], full),
        (["--assignment", "sparse", "--candidates", str(n)], full),
        ([*some, "--set", "extensions=1000"], full),
        (some, None),
        ([*some, "--set", "extensions=0"], graph),
    ]
    cells, gaps, times = [], [], []
    for more, target in ways:
        found, ours = link(original, masked, metric, *pairing, *more)
        total, certificate = found["total_weight"], found["certificate"]
        gaps.append(abs(certificate["gap"]))
        times.append(ours)
        beyond = certificate["beyond_candidates"] or 0.0
        # What is left to all pairs is at most what the certificate says of pairs outside the candidates.
        short = full - total
        if not -LIMIT < short <= beyond + LIMIT:
            worst = max(worst, abs(short), LIMIT)
        if target is None:
            cells.append(f"{short:.1e} ({beyond:.1e})")
        elif tied and "extensions=0" in more:
            cells.append(f"{total - graph:.1e}, tied ({beyond:.1e})")
        else:
            worst = max(worst, abs(total - target))
            cells.append(f"{total - target:.1e}" + (f" ({beyond:.1e})" if "extensions=0" in more else ""))
    print(
        f"| {name} | {metric} | {full:.6f} | {' | '.join(cells)} | {max(gaps):.1e} "
        f"| {times[0]:.2f} | {times[1]:.2f} | {times[3]:.2f} | {took:.2f} |",
        flush=True,
    )


def other_comparators(work):
    """Names, dates, places in an order, and given m and u with missing values, against the same in numpy."""
    global worst
    import duckdb

    rng = np.random.default_rng(2)
    n = 300
    words = "maria marie martha marta dwayne duane dixon dickson jon john johnathan jonathan ann anne anna hanna".split()
    names = [" ".join(rng.choice(words, 2)) for _ in range(n)]
    cut = rng.integers(0, 5, n)
    spelt = [text if rng.random() < 0.5 else text[:k] + text[k + 1 :] for text, k in zip(names, cut)]
    days = rng.integers(0, 2000, n)
    code = rng.integers(0, 50, n)
    first = pd.DataFrame({"name": names, "day": pd.Timestamp("2001-01-01") + pd.to_timedelta(days, "D"), "step": code})
    moved = days + rng.integers(-20, 21, n)
    second = pd.DataFrame({"name": spelt, "day": pd.Timestamp("2001-01-01") + pd.to_timedelta(moved, "D"), "step": np.clip(code + rng.integers(-3, 4, n), 0, 49)})
    first.to_csv(work / "original.csv", index=False)
    second.to_csv(work / "masked.csv", index=False)
    a, b = first.reset_index(), second.reset_index()
    pairs = duckdb.sql('select a."index" i, b."index" k, jaro_winkler_similarity(a.name, b.name) s from a, b').df()
    near = np.zeros((n, n))
    near[pairs["i"], pairs["k"]] = pairs["s"]
    levels = np.union1d(first["step"], second["step"])
    x, y = np.searchsorted(levels, first["step"]), np.searchsorted(levels, second["step"])
    checks = [
        ("Jaro-Winkler, similarity by DuckDB", np.maximum(0, 1 - (1 - near) / TOLERANCE), ["--on", "name", "--set", "compare=name=jaro-winkler"]),
        ("dates, 30 days", np.maximum(0, 1 - np.abs(days[:, None] - moved[None, :]) / 30), ["--on", "day", "--set", "compare=day=date"]),
        ("places in an order", np.maximum(0, 1 - np.abs(x[:, None] - y[None, :]) / (TOLERANCE * (len(levels) - 1))), ["--on", "step", "--ordered", "step"]),
    ]
    print("\n| compared | total of scipy | difference |\n|---|---|---|")
    for name, w, more in checks:
        total, _ = best(w)
        found, _ = link(work / "original.csv", work / "masked.csv", "d", "--by-row", *more)
        worst = max(worst, abs(found["total_weight"] - total))
        print(f"| {name} | {total:.6f} | {found['total_weight'] - total:.1e} |")
    m, u = {"p": 0.95, "q": 0.9, "r": 0.8}, {"p": 0.5, "q": 0.02, "r": 0.001}
    first = pd.DataFrame({"p": rng.integers(0, 2, n), "q": rng.integers(0, 50, n), "r": rng.integers(0, 900, n)}).astype(float)
    second = first.copy()
    for file in (first, second):
        for name in m:
            file.loc[rng.random(n) < 0.2, name] = np.nan
    first.to_csv(work / "original.csv", index=False)
    second.to_csv(work / "masked.csv", index=False)
    said = [",".join(f"{name}={share}" for name, share in shares.items()) for shares in (m, u)]
    for rule in ("neutral", "disagree"):
        w = np.zeros((n, n))
        lowest = 0.0
        for name in m:
            agree, differ = np.log(m[name] / u[name]), np.log((1 - m[name]) / (1 - u[name]))
            s, t = first[name].to_numpy()[:, None], second[name].to_numpy()[None, :]
            w += np.where(np.isnan(s) | np.isnan(t), 0.0 if rule == "neutral" else differ, np.where(s == t, agree, differ))
            lowest += differ
        total, _ = best(w)
        command = [
            BAUTA, "link", work / "original.csv", work / "masked.csv", "--by-row", "--categories", "p,q,r", "--json", "-q",
            "--parameters", "given", "--set", "m=" + said[0], "--set", "u=" + said[1], "--set", f"when_missing={rule}",
        ]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        # The certificate counts all pairs of the assignment; `total_weight` leaves out those of lowest weight.
        difference = found["certificate"]["total"] - total
        worst = max(worst, abs(difference))
        print(f"| given m and u, missing values {rule} | {total:.6f} | {difference:.1e} |")


def main():
    work = pathlib.Path(WORK)
    work.mkdir(parents=True, exist_ok=True)
    census = pd.read_csv(CENSUS)
    print("| files | metric | scipy, all pairs | dense | sparse, all | sparse 50, extended | sparse 50, default: short by (bound) | sparse 50, not extended, against scipy's graph (bound) | largest gap | s dense | s sparse all | s sparse 50 | s scipy |")
    print("|" + "---|" * 13)
    files = sorted(pathlib.Path(MASKED).glob("census_*.csv"))
    for path in files:
        masked = pd.read_csv(path)[census.columns]
        for metric in "dl":
            compare(path.stem, CENSUS, str(path), metric, census.to_numpy(float), masked.to_numpy(float), ["--by-row"])
    # 900 of the masked records in any order, told by a number.
    rng = np.random.default_rng(1)
    with_id = census.assign(number=np.arange(len(census)))
    with_id.to_csv(work / "original.csv", index=False)
    for path in files[:2]:
        masked = pd.read_csv(path)[census.columns].assign(number=np.arange(len(census)))
        masked = masked.iloc[rng.permutation(len(masked))[:900]]
        masked.to_csv(work / "masked.csv", index=False)
        for metric in "dl":
            compare(
                f"{path.stem}, 900 of 1,080", work / "original.csv", work / "masked.csv", metric,
                census.to_numpy(float), masked[census.columns].to_numpy(float), ["--id", "number"],
            )
    # Integers 1..9: many ties; the second kind has few different records.
    for n, highest, name in [(500, 9, "integers 1 to 9"), (2000, 9, "integers 1 to 9"), (2000, 3, "integers 1 to 3, at most 81 different")]:
        a = rng.integers(1, highest + 1, (n, 4))
        b = np.where(rng.random((n, 4)) < 0.3, rng.integers(1, highest + 1, (n, 4)), a)
        for values, file in [(a, "original.csv"), (b, "masked.csv")]:
            pd.DataFrame(values, columns=list("abcd")).to_csv(work / file, index=False)
        for metric in "dl":
            compare(f"{n:,} x 4, {name}", work / "original.csv", work / "masked.csv", metric, a.astype(float), b.astype(float), ["--by-row"])
    other_comparators(work)
    print(f"\nLargest difference where the totals must be one: {worst:.1e}")
    sys.exit(int(worst >= LIMIT))


main()
