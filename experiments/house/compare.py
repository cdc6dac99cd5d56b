#!/usr/bin/env python3
"""Runs two builds of bauta on the same work and compares what they release and what they say.

    compare.py OLD NEW [--examples FOLDER] [--shared FOLDER] [--keep FOLDER] [--papers]

Released files are compared by hash. Figures are compared by the text they were written as, so that one bit
in the last place is a difference. Exit code 0 only if everything is equal, or is listed in EXCEPTIONS.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Names that changed: old figure name -> new one, as (measure, old) -> new. Measure "*" means any.
NAMES = {}

# Differences that are meant: a pattern of the place (see `Found.place`) -> why. All that occur are printed.
EXCEPTIONS = {
    r"synth-normal.* / variables / \d+ / n_changed ": "records that were drawn anew correspond to none, so that no cell of theirs changed",
    r" / gates / \d+ / (label|unit) ": "gates also say what people call their figure and how it is written",
}

# Fields that a run cannot repeat, or that name the build.
VOLATILE = {"times", "bauta_version", "format", "started", "seconds", "threads"}

KEYS = "gender,income,age,uu,qual,couple,hsize"
FEW = "gender,age,qual,hsize"
COSTS = "gender=70,income=60,age=50,uu=40,qual=30,couple=20,hsize=10"
MARGINS = "gender*ind,age*ind,uu*ind,qual*ind,hsize*ind"
HOUSEHOLD = "urbrur,roof,walls,water,electcon,relat,sex"
NUMBERS = "d_init,d_fin"

# One run of every mask on the demonstration survey; a mask that is not here makes the comparison fail.
MASKS = {
    "drop-identifiers": [["--on", "id"]],
    "recode": [["--on", "d_init", "--breaks", "1000,3000,9000"], ["--on", "hsize", "--map", "3=3+,4=3+"]],
    "suppress-local": [
        ["--on", KEYS, "--k", "3", "--semantics", "original", "--costs", COSTS],
        ["--on", KEYS, "--k", "3", "--semantics", "visible", "--default_cost", "entropy", "--reversal", "blank"],
        ["--on", KEYS, "--k", "3", "--search", "mu-argus"],
    ],
    "suppress-records": [
        ["--on", KEYS, "--k", "3"],
        ["--on", FEW, "--k", "2", "--diversity", "2", "--sensitive", "ind"],
    ],
    "recode-rare": [["--on", "uu", "--below", "3000", "--into", "other"]],
    "top-bottom": [["--on", NUMBERS, "--top_share", "0.05"]],
    "round": [["--on", NUMBERS, "--base", "100", "--method", "random"]],
    "sample": [["--share", "0.5", "--at_least", "0"]],
    "flip-rare": [["--on", "gender", "--share", "0.1", "--keys", FEW]],
    "rank-swap": [["--on", NUMBERS, "--window", "0.14"]],
    "noise-additive": [["--on", NUMBERS, "--share", "0.1"]],
    "noise-correlated": [["--on", NUMBERS, "--level", "0.1"]],
    "noise-mixture": [["--on", NUMBERS, "--level", "0.1"]],
    "scale-back": [["--on", NUMBERS, "--level", "0.1"]],
    "noise-multiplicative": [["--on", NUMBERS, "--share", "0.1"]],
    "noise-swap": [["--on", NUMBERS, "--level", "0.1"]],
    "resample": [["--on", NUMBERS, "--samples", "3"]],
    "jpeg": [["--on", NUMBERS, "--quality", "50"]],
    "mdav": [["--on", NUMBERS, "--k", "3"]],
    "max-distance": [["--on", NUMBERS, "--k", "3"]],
    "individual-ranking": [["--on", NUMBERS, "--k", "3"]],
    "projection": [["--on", NUMBERS, "--k", "3"]],
    "synth-normal": [["--on", NUMBERS]],
}

# Measures that no command below takes by itself, on the demonstration survey before and after a mask.
MORE_MEASURES = """
[plan]
title = "Every measure of keys and of estimates"
seed = 1

[data]
file = "survey.csv"
missing = [""]

[variables]
id = { role = "identifier" }
ind = { role = "sensitive", kind = "ordered" }
age = { role = "key", kind = "ordered", hierarchy = { intervals = [[3, 5]] } }
d_init = { role = "other", kind = "continuous" }
d_fin = { role = "weight" }

[[scenario]]
name = "few"
keys = ["gender", "age", "qual", "hsize"]

[[step]]
mask = "suppress-local"
on = ["gender", "age", "qual", "hsize"]
k = 3
semantics = "original"

[[step]]
mask = "noise-additive"
on = ["d_init"]
share = 0.1

[[measure]]
use = ["k-anonymity", "l-diversity", "t-closeness", "individual-risk", "reversal", "global-risk", "poisson-risk", "key-contribution"]

[[measure]]
use = ["dld", "interval-rank", "interval-sd", "il1", "il1-symmetric", "il1s", "il2", "il3", "il4", "il5", "s0", "s1", "s2", "il", "hellinger", "kolmogorov-smirnov", "eigenvalue-distance", "score"]
on = ["d_init"]

[[measure]]
use = ["univariate-summary", "weighted-estimates"]

[[measure]]
use = ["linear-regression"]
on = ["uu", "couple"]
response = ["d_init"]

[output]
file = "measured.csv"
report = "measured.html"
external_report = "measured-public.html"
"""


def survey_commands(folder):
    """(name, arguments, files to look at) on the survey that `demo` wrote into the folder."""
    (folder / "hsize.csv").write_text("1,1\n2,2\n3,3+\n4,3+\n")
    (folder / "totals.csv").write_text(
        "margin,target\ngender=1,24000000\ngender=2,27000000\nd_init,200000000000\n"
    )
    (folder / "more.toml").write_text(MORE_MEASURES)
    calibrate = ["calibrate", "survey.csv", "--keys", KEYS, "--k", "3", "--weight", "d_fin"]
    calibrate += ["--start", "d_init", "--margins", MARGINS]
    given = ["calibrate", "survey.csv", "--weight", "d_fin", "--totals", "totals.csv", "--continuous", "d_init"]
    risk = ["risk", "survey.csv", "--keys", FEW, "--weight", "d_fin", "--per-record", "risk.csv"]
    levels = ["--hierarchy", "age=intervals:3,5", "--hierarchy", "hsize=hsize.csv"]
    pair = ["--keys", FEW, "--weight", "d_fin", "--sensitive", "ind", "--skip-missing", "--by-variable"]
    runs = [
        ("run more.toml", ["run", "more.toml"], ["measured.csv", "measured.record.json", "measured-public.html"]),
        ("risk survey", risk + levels, ["risk.csv"]),
        ("risk survey, wild", ["risk", "survey.csv", "--keys", KEYS, "--weight", "d_fin", "--semantics", "wild"], []),
        ("explain-record", ["explain-record", "survey.csv", "--keys", FEW, "--row", "5204", "--weight", "d_fin"], []),
        ("inspect", ["inspect", "survey.csv"], []),
        ("init", ["init", "survey.csv", "-o", "init.toml"], ["init.toml"]),
    ]
    for label, more in {
        "subsample": [],
        "logit": ["--method", "logit", "--lower", "0.25", "--upper", "3", "--also", "linear"],
        "penalty": ["--method", "linear", "--penalty", "1e5", "--costs", "gender*ind=inf,age*ind=10"],
        "whole": ["--round_to", "1"],
    }.items():
        files = [f"{label}.csv", f"{label}.record.json"]
        out = ["-o", files[0], "--record", files[1], "--report", f"{label}.html"]
        runs.append((f"calibrate {label}", calibrate + more + out, files))
    runs.append(("calibrate totals", given + ["-o", "given.csv", "--record", "given.record.json"],
                 ["given.csv", "given.record.json"]))
    for mask, variants in MASKS.items():
        for at, arguments in enumerate(variants):
            out, record = f"{mask}-{at}.csv", f"{mask}-{at}.record.json"
            command = ["mask", mask, "survey.csv", *arguments, "--seed", "7", "-o", out, "--record", record]
            runs.append((f"mask {mask} {at}", command, [out, record]))
    for masked in ["suppress-local-0.csv", "individual-ranking-0.csv", "mdav-0.csv", "rank-swap-0.csv"]:
        runs.append((f"compare {masked}", ["compare", "survey.csv", masked, "--outliers", "0.05", *pair, "--id", "id"], []))
    return runs


def reference_commands(shared):
    """Commands on the field's files and the reference results, by absolute path; none if the folder is away."""
    data, golden = shared / "data", shared / "golden"
    census = str(data / "census.csv")
    runs = []
    for masked in sorted((golden / "census").glob("census_*.csv")):
        base = ["compare", census, str(masked), "--by-variable"]
        runs.append((f"compare {masked.name}", [*base, "--outliers", "0.05"], []))
        runs.append((f"compare {masked.name}, where", [*base, "--where", "AGI > 60000", "--correspondence", "nearest"], []))
        runs.append((f"compare {masked.name}, links", [*base, "--set", "links=all", "--sample", "200"], []))
    vvs = golden / "vvs"
    for masked in sorted(vvs.glob("localsupp_*.csv")):
        base = ["compare", str(vvs / "original.csv"), str(masked), "--keys", KEYS, "--skip-missing"]
        for semantics in ["own", "visible", "wild"]:
            runs.append((f"compare {masked.name}, {semantics}", [*base, "--semantics", semantics], []))
    household, example = data / "household-survey.csv", data / "francdat.csv"
    if household.exists():
        risk = ["risk", str(household), "--keys", HOUSEHOLD, "--weight", "sampling_weight"]
        runs.append(("risk household-survey", risk + ["--rate", "0.001"], []))
        runs.append(("risk household-survey, households", risk + ["--household", "ori_hid", "--sensitive", "hhcivil"], []))
    if example.exists():
        runs.append(("risk francdat", ["risk", str(example), "--keys", "Key1,Key2,Key3,Key4", "--weight", "w"], []))
    if (data / "eia.csv").exists():
        numbers = "RESREVENUE,RESSALES,COMREVENUE,COMSALES,INDREVENUE,INDSALES,OTHREVENUE,OTHRSALES,TOTREVENUE,TOTSALES"
        masked = ["mask", "mdav", str(data / "eia.csv"), "--on", numbers, "--k", "3", "-o", "eia-mdav.csv"]
        runs.append(("mask mdav eia", masked, ["eia-mdav.csv"]))
        runs.append(("compare eia", ["compare", str(data / "eia.csv"), "eia-mdav.csv", "--on", numbers], []))
    truta = golden / "truta" / "im1000.csv"
    if truta.exists():
        runs.append(("inspect truta", ["inspect", str(truta)], []))
    return runs


def paper_commands(shared):
    """`reproduce` with few seeds: the text on standard output, and the pictures."""
    data = ["--data", str(shared / "data"), "--seeds", "2"]
    runs = [("reproduce truta-2004", ["reproduce", "truta-2004", "--seeds", "2"], [])]
    runs.append(("reproduce bergeat-2015", ["reproduce", "bergeat-2015"], []))
    if (shared / "data").exists():
        for paper in ["yancey-2002", "mateo-sanz-2004"]:
            runs.append((f"reproduce {paper}", ["reproduce", paper, *data], []))
    return runs


class Found:
    """What one build said and wrote: place -> exact text. A place is a tuple that starts with the command."""

    def __init__(self):
        self.place = {}
        self.methods = set()

    def put(self, place, text):
        count = 1
        while (*place, count) in self.place:
            count += 1
        self.place[(*place, count)] = text

    def take_json(self, command, value):
        """Every leaf of a JSON answer, with the figures of measures under their own names."""
        self.leaves((command, "json"), value)
        if isinstance(value, dict):
            for measure in value.get("measures") or []:
                if isinstance(measure, dict) and "id" in measure:
                    self.methods.add(measure["id"])

    def leaves(self, place, value):
        if isinstance(value, dict):
            for name, inner in value.items():
                if name not in VOLATILE:
                    self.leaves((*place, name), inner)
        elif isinstance(value, list):
            for at, inner in enumerate(value):
                self.leaves((*place, at), inner)
        else:
            self.put(place, "null" if value is None else str(value))

    def take_record(self, command, record):
        """The figures of a record by (command, measure, scenario, file, variable, figure), in either format,
        and the facts beside them that both formats have."""
        for name in ["input", "variables", "scenarios", "claims", "released", "seed", "shuffled"]:
            if name in record:
                self.leaves((command, "record", name), record[name])
        self.leaves((command, "record", "steps"), [plain_step(step) for step in record["steps"]])
        self.leaves((command, "record", "gates"), [plain_gate(gate) for gate in record["gates"]])
        for measure in record.get("measures", []):
            self.methods.add(measure["id"])
            place = (command, "record", measure["id"], measure.get("scenario"))
            for side in ["before", "after"]:
                self.take_side((*place, side), measure["id"], measure.get(side))
            self.leaves((*place, "notes"), [plain_note(note) for note in measure.get("notes", [])])
            for name, inner in measure.items():
                if name in ("outliers", "rest", "where", "groups"):
                    self.leaves((*place, name), inner)

    def take_side(self, place, measure, side):
        if side is None:
            return
        self.put((*place, "value"), str(side.get("value")))
        for figure in [*side.get("parts", []), *side.get("figures", [])]:
            name = spelled_figure(figure) if "id" in figure else figure["name"]
            name = NAMES.get((measure, name), name)
            self.put((*place, "figure", name), str(figure["value"]))
        for name in ["by_variable", "listed"]:
            self.leaves((*place, name), side.get(name, []))
        self.leaves((*place, "series"), [plain_series(one) for one in side.get("series", [])])


def spelled_figure(figure):
    """The name of a figure of format 2 as format 1 has it, to the letter."""
    name = figure["id"]
    if figure.get("at") is not None:
        number = figure["at"]
        number = number[:-2] if number.endswith(".0") else number
        name = name.replace("{}", number)
    if figure.get("file"):
        return f"{name}, {figure['file']}"
    return f"{figure['variable']}.{name}" if figure.get("variable") else name


def plain_series(one):
    """A series of either format as format 1 has it: name, unit, points."""
    if "axis" not in one:
        return one
    name = one["name"]
    if one.get("variable"):
        name = f"{one['variable']}: {name}"
    if one.get("table"):
        name = f"{name} {one['table']['id']}"
    if one.get("file"):
        name = f"{name}, {one['file']}"
    return {"name": one.get("spelling", name), "unit": one["axis"], "points": one["points"]}


def plain_note(note):
    """A note of either format as format 1 has it: what sort, and its facts."""
    return {name: fact for name, fact in sorted(note.items()) if name not in ("text", "public", "rank")}


def plain_step(step):
    """A step of either format as format 1 has it."""
    step = dict(step)
    step.pop("rows", None)
    evidence = step.pop("evidence", None)
    if evidence is not None:
        step[evidence["id"]] = evidence["data"]
    step["notes"] = [plain_note(note) for note in step.get("notes", [])]
    return step


def plain_gate(gate):
    """A gate of either format as format 1 has it."""
    return {name: fact for name, fact in gate.items() if name not in ("label", "unit")}


def run(binary, arguments, folder):
    done = subprocess.run([binary, "--quiet", *arguments], cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def exact(text):
    return json.loads(text, parse_float=str, parse_int=str)


def take_file(found, name, path):
    if not path.exists():
        found.put((name, "file", path.name), "not written")
    elif path.name.endswith(".record.json"):
        found.take_record(name, exact(path.read_text()))
    else:
        found.put((name, "sha256", path.name), hashlib.sha256(path.read_bytes()).hexdigest())


def work(binary, folder, examples, shared, papers):
    """Runs everything with one build, in its own folder."""
    found = Found()
    if (shared / "data" / "census.csv").exists():
        shutil.copy(shared / "data" / "census.csv", folder / "census.csv")
    runs = [("demo", ["demo", "."], ["survey.csv", "survey-protected.csv", "plan.toml", "report-public.html",
                                     "survey-protected.record.json"])]
    for plan in sorted(examples.glob("*.toml")):
        shutil.copy(plan, folder / plan.name)
        text = plan.read_text()
        files = [n for n in re.findall(r'^(?:file|external_report) = "(.*)"', text.split("[output]")[1], re.M)]
        records = [f"{Path(n).stem}.record.json" for n in files if n.endswith(".csv")]
        if 'file = "census.csv"' in text and not (folder / "census.csv").exists():
            print(f"not run, no census.csv: {plan.name}")
            continue
        runs.append((f"run {plan.name}", ["run", plan.name], [*files, *records]))
    pair = ["survey-suppressed.record.json", "survey-subsample.record.json"]
    runs.append(("report side by side", ["report", *pair, "-o", "page.html"], []))
    runs += survey_commands(folder) + reference_commands(shared)
    for name, arguments, files in runs:
        code, out, error = run(binary, ["--json", *arguments], folder)
        found.put((name, "exit code"), str(code))
        if code not in (0, 1):
            found.put((name, "error"), error.decode() + out.decode())
        try:
            found.take_json(name, exact(out))
        except ValueError:
            found.put((name, "stdout"), hashlib.sha256(out).hexdigest())
        for file in files:
            take_file(found, name, folder / file)
    for name, arguments, _ in paper_commands(shared) if papers else []:
        code, out, error = run(binary, [*arguments], folder)
        found.put((name, "exit code"), str(code))
        found.put((name, "stdout"), hashlib.sha256(out).hexdigest())
        pictures = folder / name.split()[1]
        run(binary, [*arguments, "-o", pictures.name], folder)
        for file in sorted(pictures.glob("*")):
            take_file(found, name, file)
    return found


def methods_without_a_run(binary, found):
    """Methods of the new build that nothing above ran: the comparison would be silent on them."""
    listed = json.loads(run(binary, ["--json", "list"], ".")[1])["methods"]
    masks = {m["id"] for m in listed if m["family"] == "mask"} - set(MASKS)
    measures = {m["id"] for m in listed if m["family"] in ("risk", "loss", "score")} - found.methods
    return sorted(masks | measures)


def excepted(place):
    text = " / ".join(map(str, place))
    return next((why for pattern, why in EXCEPTIONS.items() if re.search(pattern, text)), None)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    here = Path(__file__).resolve().parents[2]
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--examples", type=Path, default=here / "examples")
    parser.add_argument("--shared", type=Path, default=here.parent / "shared")
    parser.add_argument("--papers", action="store_true", help="also `bauta reproduce`, with two seeds")
    parser.add_argument("--keep", type=Path, help="folder for what the builds write (default: one that is deleted)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        top = options.keep or Path(scratch)
        sides = []
        for label, binary in [("old", options.old), ("new", options.new)]:
            (top / label).mkdir(parents=True)
            binary = str(Path(binary).resolve())
            sides.append(work(binary, top / label, options.examples, options.shared, options.papers))
        silent = methods_without_a_run(str(Path(options.new).resolve()), sides[1])
    old, new = sides[0].place, sides[1].place
    wrong, meant = [], {}
    for place in [*old, *(p for p in new if p not in old)]:
        before, after = old.get(place, "(absent)"), new.get(place, "(absent)")
        if before != after:
            why = excepted(place)
            if why is None:
                wrong.append((place, before, after))
            else:
                meant.setdefault(why, []).append(place)
    for why, places in meant.items():
        print(f"excepted ({len(places)}): {why}")
        for place in places[:5]:
            print("   ", " / ".join(map(str, place)))
    for place, before, after in wrong[:200]:
        print("DIFFERS", " / ".join(map(str, place)), "\n    old:", before[:200], "\n    new:", after[:200])
    for method in silent:
        print(f"NOT RUN: no command here runs {method}")
    failed = [p for p, text in old.items() if p[1] == "error"]
    for place in failed:
        print("FAILED in the old build:", " / ".join(map(str, place)), old[place][:300])
    n_hashes = sum(1 for p in old if p[1] == "sha256")
    n_commands = len({p[0] for p in old})
    print(f"{n_commands} commands, {n_hashes} files by hash, {len(old)} facts and figures; {len(wrong)} differ, "
          f"{sum(map(len, meant.values()))} differ as listed")
    return 1 if wrong or silent or failed else 0


if __name__ == "__main__":
    sys.exit(main())
