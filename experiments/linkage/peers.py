#!/usr/bin/env python3
"""`bauta link` beside recordlinkage and Splink on one pair of files, and EM against known m and u.

    python3 peers.py tools BAUTA HOUSEHOLD-SURVEY.csv WORK_FOLDER [RECORDS]
    python3 peers.py em BAUTA WORK_FOLDER

Each tool runs in a process of its own, which tells its time and its peak memory. Prints Markdown tables.
"""
import json
import pathlib
import resource
import subprocess
import sys
import time

if sys.argv[1] != "one-bauta":
    # A process that runs Bauta stays small: peak memory of a child begins with that of its parent.
    import numpy as np
    import pandas as pd

CATEGORIES = ["sex", "urbrur", "roof", "walls", "water", "electcon", "relat"]
NUMBERS = ["age", "income", "expend", "savings"]
NAMES = CATEGORIES + NUMBERS
SEED = 20260


def masked_pair(survey, work, n):
    """Categories exchanged with probability 0.1, numbers with 5 % of multiplicative noise; rows shuffled."""
    rng = np.random.default_rng(SEED)
    original = pd.read_csv(survey)[NAMES].iloc[:n].reset_index(drop=True)
    masked = original.copy()
    for name in CATEGORIES:
        at = np.flatnonzero(rng.random(len(masked)) < 0.1)
        masked.loc[at, name] = masked[name].to_numpy()[rng.permutation(at)]
    for name in NUMBERS:
        masked[name] = masked[name].astype(float) * (1 + 0.05 * rng.standard_normal(len(masked)))
    masked["age"] = masked["age"].round()
    original["number"] = masked["number"] = np.arange(len(masked))
    masked = masked.iloc[rng.permutation(len(masked))]
    original.to_csv(work / "original.csv", index=False)
    masked.to_csv(work / "masked.csv", index=False)


def read(work):
    return [pd.read_csv(work / f"{file}.csv").set_index("number", drop=False) for file in ("original", "masked")]


def greedy(scores):
    """One to one by falling score."""
    order = np.argsort(-scores, axis=None, kind="stable")
    links, rows, columns = [], set(), set()
    for at in order:
        i, k = divmod(int(at), scores.shape[1])
        if i not in rows and k not in columns:
            links.append((i, k))
            rows.add(i)
            columns.add(k)
            if len(links) == min(scores.shape):
                break
    return links


def assigned(scores):
    from scipy.optimize import linear_sum_assignment

    return list(zip(*linear_sum_assignment(scores, maximize=True)))


def found(links, original, masked):
    a, b = original["number"].to_numpy(), masked["number"].to_numpy()
    return sum(a[i] == b[k] for i, k in links) / len(b)


def shared_best(scores, original, masked):
    """Each masked record with the original of largest score; ties count by their share."""
    place = {number: i for i, number in enumerate(original["number"])}
    top = scores.max(axis=0)
    right = 0.0
    for k, number in enumerate(masked["number"]):
        column = scores[:, k]
        if column[place[number]] >= top[k] - 1e-12:
            right += 1.0 / np.count_nonzero(column >= top[k] - 1e-12)
    return right / len(masked)


def run_recordlinkage(work):
    import recordlinkage

    original, masked = read(work)
    compare = recordlinkage.Compare()
    for name in CATEGORIES:
        compare.exact(name, name, label=name)
    # Similarity by logarithms: its scale is absolute, so that a relative deviation needs them.
    for name in NUMBERS:
        for file in (original, masked):
            file["log_" + name] = np.log(file[name].clip(lower=1))
        compare.numeric("log_" + name, "log_" + name, method="linear", offset=0, scale=0.1, label=name)
    index = recordlinkage.Index()
    index.full()
    features = compare.compute(index.index(original, masked), original, masked)
    shape = (len(original), len(masked))
    sums = features.to_numpy().sum(axis=1).reshape(shape)
    rates = {
        "summed similarity, best of each": shared_best(sums, original, masked),
        "summed similarity, greedy one to one": found(greedy(sums), original, masked),
        "summed similarity, scipy assignment": found(assigned(sums), original, masked),
    }
    binary = (features >= 0.5).astype("int8")
    del features
    classifier = recordlinkage.ECMClassifier()
    classifier.fit(binary)
    m = np.array([classifier.log_m_probs[name][1] for name in NAMES])
    u = np.array([classifier.log_u_probs[name][1] for name in NAMES])
    m, u = (np.clip(np.exp(log), 1e-9, 1 - 1e-9) for log in (m, u))
    scores = binary.to_numpy() @ (np.log(m / u) - np.log((1 - m) / (1 - u)))
    scores = scores.reshape(shape)
    rates["EM weights, best of each"] = shared_best(scores, original, masked)
    rates["EM weights, greedy one to one"] = found(greedy(scores), original, masked)
    rates["EM weights, scipy assignment"] = found(assigned(scores), original, masked)
    return rates, f"{classifier.p:.5f}"


def run_splink(work):
    import splink.comparison_level_library as levels
    import splink.comparison_library as comparisons
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    original, masked = read(work)
    parts = [comparisons.ExactMatch(name) for name in CATEGORIES]
    for name in NUMBERS:
        parts.append(
            comparisons.CustomComparison(
                comparison_levels=[
                    levels.NullLevel(name),
                    levels.PercentageDifferenceLevel(name, 0.02),
                    levels.PercentageDifferenceLevel(name, 0.05),
                    levels.PercentageDifferenceLevel(name, 0.1),
                    levels.PercentageDifferenceLevel(name, 0.2),
                    levels.ElseLevel(),
                ],
                output_column_name=name,
            )
        )
    settings = SettingsCreator(
        link_type="link_only",
        unique_id_column_name="number",
        comparisons=parts,
        blocking_rules_to_generate_predictions=["1=1"],
        probability_two_random_records_match=1 / len(original),
        retain_intermediate_calculation_columns=False,
        retain_matching_columns=False,
    )
    api = DuckDBAPI()
    tables = [api.register(file.reset_index(drop=True), dataset_display_name=name) for file, name in ((original, "a_original"), (masked, "b_masked"))]
    linker = Linker(tables, settings)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e7, seed=1)
    # Two rules, so that every variable is estimated in one of them.
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("roof", "walls", "water", "sex", "urbrur", "electcon", "relat"))
    linker.training.estimate_parameters_using_expectation_maximisation("round(ln(l.income+1)*10)=round(ln(r.income+1)*10) and round(ln(l.expend+1)*10)=round(ln(r.expend+1)*10)")
    predicted = linker.inference.predict(threshold_match_weight=-40)
    frame = predicted.as_pandas_dataframe()
    scores = np.full((len(original), len(masked)), -1000.0)
    rows = {number: i for i, number in enumerate(original["number"])}
    columns = {number: k for k, number in enumerate(masked["number"])}
    scores[frame["number_l"].map(rows), frame["number_r"].map(columns)] = frame["match_weight"]
    rates = {
        "match weight, best of each": shared_best(scores, original, masked),
        "match weight, greedy one to one": found(greedy(scores), original, masked),
        "match weight, scipy assignment": found(assigned(scores), original, masked),
    }
    return rates, "given: 1/n"


def run_bauta(bauta, work, *more):
    command = [
        bauta, "link", str(work / "original.csv"), str(work / "masked.csv"), "--on", ",".join(NAMES),
        "--categories", ",".join(CATEGORIES), "--id", "number", "--json", "-q", *more,
    ]
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    took = time.perf_counter() - began
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout), took


def tools(bauta, survey, work, n):
    masked_pair(survey, work, n)
    print("| tool | way | rate found | seconds | peak MB | share of matches by EM |\n|---|---|---|---|---|---|")
    runs = [([name], way) for name in ["equal", "em", "refined", "truth"] for way in ["dense", "greedy"]]
    runs += [(["em", "--set", "overlap=1"], "dense"), (["em", "--set", "dependence=tree"], "dense")]
    runs += [(["em", "--set", "dependence=tree", "--set", "overlap=1"], "dense")]
    for metric in "dl":
        for parameters, way in runs:
            child = [sys.executable, __file__, "one-bauta", bauta, str(work), metric, way, *parameters]
            told = json.loads(subprocess.run(child, capture_output=True, text=True, check=True).stdout)
            how = "one to one, certified" if way == "dense" else "best of each"
            what = " ".join(parameters).replace(" --set", ",")
            print(
                f"| Bauta | metric {metric}, {what}, {how} | {told['rate']:.4f} | {told['seconds']:.1f} "
                f"| {told['peak']:.0f} | {told['share']} |", flush=True,
            )
    for tool in ["recordlinkage", "splink"]:
        child = [sys.executable, __file__, "one-" + tool, str(work)]
        done = subprocess.run(child, capture_output=True, text=True)
        if done.returncode:
            print(f"| {tool} | failed: {done.stderr.strip().splitlines()[-1]} | | | | |")
            continue
        told = json.loads(done.stdout.strip().splitlines()[-1])
        for way, rate in told["rates"].items():
            share = "" if way.startswith("summed") else told["share"]
            print(f"| {tool} | {way} | {rate:.4f} | {told['seconds']:.1f} | {told['peak']:.0f} | {share} |", flush=True)


def draw(rng, cardinality, n):
    frequencies = 1.0 / np.arange(1, cardinality + 1) ** 0.5
    frequencies /= frequencies.sum()
    return rng.choice(cardinality, n, p=frequencies), frequencies


def linked_em(bauta, work, original, masked, *more):
    for values, file in ((original, "original.csv"), (masked, "masked.csv")):
        pd.DataFrame(values).to_csv(work / file, index=False)
    names = ",".join(original)
    command = [bauta, "link", str(work / "original.csv"), str(work / "masked.csv"), "--categories", names, "--json", "--by-row", "-q", *more]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def em(bauta, work):
    n, sizes = 1000, [5, 10, 25, 50, 100, 200]
    setups = [
        [0.95, 0.9, 0.92, 0.98, 0.9, 0.95],
        [0.85, 0.8, 0.9, 0.75, 0.85, 0.8],
        [0.6, 0.7, 0.65, 0.98, 0.6, 0.75],
    ]
    print("| set-up | field | values | kept | m known | m in the files | m found | u known | u in the files | u found |\n|---|---|---|---|---|---|---|---|---|---|")
    lines = []
    for number, kept in enumerate(setups, 1):
        rng = np.random.default_rng(SEED + number)
        original, masked, known = {}, {}, {}
        for j, (size, keep) in enumerate(zip(sizes, kept), 1):
            values, frequencies = draw(rng, size, n)
            others = rng.choice(size, n, p=frequencies)
            original[f"f{j}"] = values
            masked[f"f{j}"] = np.where(rng.random(n) < keep, values, others)
            chance = (frequencies**2).sum()
            known[f"f{j}"] = (keep + (1 - keep) * chance, chance)
        found_all = linked_em(bauta, work, original, masked, "--parameters", "em")
        worst = [0.0, 0.0, 0.0]
        for j, (name, (m, u)) in enumerate(known.items()):
            one = found_all["parameters"][name]
            here_m = float((original[name] == masked[name]).mean())
            equal = original[name][:, None] == masked[name][None, :]
            here_u = float((equal.sum() - equal.diagonal().sum()) / (n * n - n))
            worst = [max(worst[0], abs(one["m"] - m)), max(worst[1], abs(one["m"] - here_m)), max(worst[2], abs(one["u"] - u))]
            print(f"| {number} | {name} | {sizes[j]} | {kept[j]} | {m:.4f} | {here_m:.4f} | {one['m']:.4f} | {u:.5f} | {here_u:.5f} | {one['u']:.5f} |")
        course = found_all["em"]
        lines.append(f"| {number} | {worst[0]:.4f} | {worst[1]:.4f} | {worst[2]:.5f} | {course['proportion']:.6f} | {course['rounds']} | {course['converged']} | {found_all['rate']:.4f} |")
    print("\n| set-up | largest difference of m from known | from the files | of u from known | share of matches found (true 0.001) | rounds | converged | rate found |\n|---|---|---|---|---|---|---|---|")
    print("\n".join(lines))
    dependent(bauta, work)
    orders(bauta, work)


def dependent(bauta, work):
    """District says the region, and the block of houses says the district."""
    n = 1000
    for label, keep in [("clear", 0.9), ("faint", 0.75)]:
        rng = np.random.default_rng(SEED)
        parts, masks = {}, {}
        for name, size in [("a", 8), ("b", 12), ("c", 20)]:
            values, frequencies = draw(rng, size, n)
            parts[name] = values
            masks[name] = np.where(rng.random(n) < keep, values, rng.choice(size, n, p=frequencies))
        district = rng.integers(0, 60, n)
        parts["region"], parts["district"], parts["house"] = district // 10, district, district // 2
        # Each place is exchanged by itself among matches: independent there, dependent among other pairs.
        for name in ("region", "district", "house"):
            other = rng.integers(0, 60, n)
            other = {"region": other // 10, "district": other, "house": other // 2}[name]
            masks[name] = np.where(rng.random(n) < keep, parts[name], other)
        known = {}
        for name in parts:
            equal = parts[name][:, None] == masks[name][None, :]
            known[name] = (float(equal.diagonal().mean()), float((equal.sum() - equal.diagonal().sum()) / (n * n - n)))
        print(f"\nDependent fields, {label} (kept with probability {keep}): m found")
        print("\n| way | " + " | ".join(parts) + " | largest difference of m | of u | share of matches (true 0.001) | rate found |\n|" + "---|" * (len(parts) + 5))
        print("| in the files | " + " | ".join(f"{m:.3f}" for m, _ in known.values()) + " | | | 0.001 | |")
        for way, more in [
            ("equal", ["--parameters", "equal"]),
            ("em", ["--parameters", "em"]),
            ("em, overlap given as 1", ["--parameters", "em", "--set", "overlap=1"]),
            ("em, tree", ["--parameters", "em", "--set", "dependence=tree"]),
            ("em, tree, overlap given as 1", ["--parameters", "em", "--set", "dependence=tree", "--set", "overlap=1"]),
            ("refined", ["--parameters", "refined"]),
            ("refined, tree", ["--parameters", "refined", "--set", "dependence=tree"]),
            ("truth", ["--parameters", "truth"]),
            ("truth, tree", ["--parameters", "truth", "--set", "dependence=tree"]),
        ]:
            told = linked_em(bauta, work, parts, masks, *more)
            ms = [told["parameters"][name]["m"] for name in parts]
            us = [told["parameters"][name]["u"] for name in parts]
            course = told["em"] or {}
            share = f"{course['proportion']:.5f}" if course else ""
            if ms[0] is None:
                print(f"| {way} | " + " | " * len(parts) + f" | | | {told['rate']:.4f} |")
                continue
            dm = max(abs(m - known[name][0]) for m, name in zip(ms, parts))
            du = max(abs(u - known[name][1]) for u, name in zip(us, parts))
            print(f"| {way} | " + " | ".join(f"{m:.3f}" for m in ms) + f" | {dm:.3f} | {du:.4f} | {share} | {told['rate']:.4f} |")


def orders(bauta, work):
    """The files of `dependent` once more: several best assignments, and Bauta's with rows in other orders."""
    original, masked = (pd.read_csv(work / f"{file}.csv") for file in ("original", "masked"))
    n = len(original)
    w = np.zeros((n, n))
    for name in original:
        equal = original[name].to_numpy()[:, None] == masked[name].to_numpy()[None, :]
        m, u = equal.diagonal().mean(), equal.mean()
        w += np.where(equal, np.log(m / u), np.log((1 - m) / (1 - u)))
    rng = np.random.default_rng(SEED)
    rates = []
    for _ in range(6):
        rows, columns = rng.permutation(n), rng.permutation(n)
        rates.append(np.mean([rows[i] == columns[k] for i, k in assigned(w[rows][:, columns])]))
    print(f"\nFaint, weights of the truth, scipy over six orders of rows: {min(rates):.4f} to {max(rates):.4f}")
    names = ",".join(original)
    rates = []
    for _ in range(4):
        for file, values in (("first", original), ("second", masked)):
            values.assign(number=np.arange(n)).iloc[rng.permutation(n)].to_csv(work / f"{file}.csv", index=False)
        command = [bauta, "link", work / "first.csv", work / "second.csv", "--id", "number", "--categories", names, "--parameters", "truth", "--json", "-q"]
        rates.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["rate"])
    print(f"Faint, Bauta, truth, over four orders of rows: {min(rates):.4f} to {max(rates):.4f}")


def main():
    what, rest = sys.argv[1], sys.argv[2:]
    if what == "tools":
        work = pathlib.Path(rest[2])
        work.mkdir(parents=True, exist_ok=True)
        tools(rest[0], rest[1], work, int(rest[3]) if len(rest) > 3 else None)
    elif what == "em":
        work = pathlib.Path(rest[1])
        work.mkdir(parents=True, exist_ok=True)
        em(rest[0], work)
    elif what == "one-bauta":
        told, took = run_bauta(rest[0], pathlib.Path(rest[1]), "--metric", rest[2], "--assignment", rest[3], "--parameters", *rest[4:])
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        share = f"{told['em']['proportion']:.5f}" if told["em"] else ""
        print(json.dumps({"rate": told["rate"], "seconds": took, "peak": peak, "share": share}))
    else:
        began = time.perf_counter()
        rates, share = {"one-recordlinkage": run_recordlinkage, "one-splink": run_splink}[what](pathlib.Path(rest[0]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"rates": rates, "seconds": time.perf_counter() - began, "peak": peak, "share": share}))


main()
