"""What a build costs, as multiples of a bare GROUP BY of the same ten million lines.

Every measurement is a process of its own on a warm page cache; the cases take turns, and a ratio
is one of medians. Registering the delivery is not timed: AWS's file is read once, when it arrives.

    python -m benchmarks.reduction                # 10 M lines; 1 GiB of disk, 10 GiB of memory
    python -m benchmarks.reduction --lines 1000000 --without pandas
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median

from benchmarks import bill

ROUNDS = 3
TAGS = ("workload", "run", "team")
COSTS = ("BilledCost", "EffectiveCost", "ListCost", "ContractedCost")
Work = Callable[[], object]


def bare(folder: Path) -> Work:
    """The least anyone could do: group the delivered file by day, account, usage type and tags."""
    import duckdb

    tags = ", ".join(f"Tags['user:{tag}'] AS {tag}" for tag in TAGS)
    sums = ", ".join(f"sum({cost}) AS {cost}" for cost in COSTS)
    query = (
        f"CREATE TABLE spend AS SELECT ChargePeriodStart::DATE AS day, SubAccountId, SkuMeter,"
        f" {tags}, {sums} FROM read_parquet('{folder / bill.BILL}') GROUP BY ALL"
    )
    database = duckdb.connect(config={"preserve_insertion_order": False})
    return lambda: database.execute(query)


def reduction(folder: Path) -> Work:
    """`spend_reduced` and what is kept beside it, into an empty warehouse."""
    from models.engine.build import reduce
    from models.engine.context import BuildContext
    from models.engine.cost_source import bills
    from models.engine.warehouse import connection
    from models.raw.zone import RawZone

    settings = bill.settings(folder)
    money = bills(RawZone(settings.data / "raw").live(), settings)

    def work() -> None:
        with connection.writer(settings.warehouse_file) as backend:
            reduce(BuildContext.reading(settings, backend, money))

    return work


def build(folder: Path) -> Work:
    """From the raw zone to a published snapshot, into an empty warehouse."""
    from models.engine.build import build as derive

    return partial(derive, bill.settings(folder))


def pandas(folder: Path) -> Work:
    """What the reduction does, in pandas: the same keys, tags and exact sums; no marts after it."""
    import pandas as pd
    import pyarrow.parquet as pq

    from models.formats.bill import focus

    file = pq.ParquetFile(folder / bill.BILL)
    held = [name for name in focus.READ_AS_DELIVERED if name in file.schema_arrow.names]
    maps = {"Tags": TAGS, "SkuPriceDetails": ("InstanceType",)}
    names = [*held, "ProviderName", "ChargePeriodStart", "ConsumedQuantity", *maps, *COSTS]

    def summed(lines: pd.DataFrame) -> pd.DataFrame:
        amounts = ["ConsumedQuantity", *COSTS]
        keys = [name for name in lines.columns if name not in amounts]
        return lines.groupby(keys, dropna=False, sort=False)[amounts].sum().reset_index()

    def condensed(number: int) -> pd.DataFrame:
        lines = file.read_row_group(number, columns=names).to_pandas()
        for name, wanted in maps.items():
            entries = lines.pop(name).map(dict, na_action="ignore")
            for key in wanted:
                lines[key] = entries.map(partial(entry, key=key), na_action="ignore")
        lines["ChargePeriodStart"] = lines["ChargePeriodStart"].dt.floor("D")
        for name in ("ConsumedQuantity", *COSTS):
            lines[name] = (lines[name] * 1e9).round().astype("Int64")
        return summed(lines)

    return lambda: summed(pd.concat(map(condensed, range(file.num_row_groups))))


def entry(entries: dict[str, str], key: str) -> str | None:
    """The value under a key, as AWS writes a user's tag or plainly."""
    return entries.get(f"user:{key}", entries.get(key))


CASES: dict[str, Callable[[Path], Work]] = {
    "bare GROUP BY": bare,
    "reduction": reduction,
    "whole build": build,
    "build, nothing new": build,
    "pandas": pandas,
}
GOALS = (
    ("whole build / bare GROUP BY", "whole build", "bare GROUP BY", "at most 3.5"),
    ("reduction / bare GROUP BY", "reduction", "bare GROUP BY", "at most 2.5"),
    ("pandas / whole build", "pandas", "whole build", "at least 10"),
)


def main() -> None:
    """Measures, or in a child is measured."""
    asked = arguments()
    if asked.case:
        print(json.dumps(timed(CASES[asked.case], asked.folder)))
        return
    here([sys.executable, "-m", "benchmarks.bill", str(asked.folder), str(asked.lines)])
    cases = [case for case in CASES if case not in asked.without]
    found: dict[str, list[dict[str, float]]] = {case: [] for case in cases}
    measured("bare GROUP BY", asked)  # warms the page cache
    for _ in range(ROUNDS):
        for case in cases:
            found[case].append(measured(case, asked))
    size = (asked.folder / bill.BILL).stat().st_size / 2**20
    print(f"{asked.lines:,} lines, {size:,.0f} MiB of Parquet; median of {ROUNDS}\n{machine()}\n")
    report(found)


def report(found: dict[str, list[dict[str, float]]]) -> None:
    """Medians, then their ratios."""
    seconds = {case: median(one["seconds"] for one in each) for case, each in found.items()}
    print(f"{'':30}{'seconds':>10}{'peak MiB':>10}")
    for case, each in found.items():
        peak = max(one["mib"] for one in each)
        print(f"{case:30}{seconds[case]:>10.2f}{peak:>10,.0f}")
    print(f"\n{'':30}{'ratio':>10}  goal")
    for name, over, under, goal in GOALS:
        if over in seconds and under in seconds:
            print(f"{name:30}{seconds[over] / seconds[under]:>10.2f}  {goal}")


def measured(case: str, asked: argparse.Namespace) -> dict[str, float]:
    """One case in a process of its own."""
    if case != "build, nothing new":
        for made in asked.folder.glob("warehouse.duckdb*"):
            made.unlink()
        shutil.rmtree(asked.folder / "snapshots", ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "benchmarks.reduction",
        "--folder",
        str(asked.folder),
        "--case",
        case,
    ]
    found: dict[str, float] = json.loads(here(command).splitlines()[-1])
    return found


def timed(case: Callable[[Path], Work], folder: Path) -> dict[str, float]:
    """Seconds without imports and set-up; peak MiB of the whole process."""
    import_module("pandas")  # DuckDB would at its first statement, in every case
    work = case(folder)
    started = time.perf_counter()
    work()
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "mib": getrusage(RUSAGE_SELF).ru_maxrss / 1024}


def here(command: list[str]) -> str:
    """The output of a child."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def machine() -> str:
    """Where this was measured."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    versions = ", ".join(
        f"{name} {version(name)}" for name in ("duckdb", "ibis-framework", "pandas")
    )
    return (
        f"{os.cpu_count()} x {names[0] if names else platform.processor()},"
        f" load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}, {versions}"
    )


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, default=bill.LINES)
    parser.add_argument("--folder", type=Path, default=bill.FOLDER)
    parser.add_argument("--without", nargs="*", default=[], choices=list(CASES))
    parser.add_argument("--case", choices=list(CASES), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
