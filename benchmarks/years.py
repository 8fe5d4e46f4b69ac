"""Eighteen months and five thousand runs: a full build, a restated month, and the memory of both.

Forty workloads train on GPU for nine months and on Trainium for nine. Every measurement is a
process of its own on a warm page cache; cases take turns, and a ratio is one of medians.

    python -m benchmarks.years                    # 50 M lines; 5 GiB of disk, some minutes
    python -m benchmarks.years --lines 5000000
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from statistics import median

import duckdb

from benchmarks import bill
from benchmarks.reduction import COSTS, TAGS, here, machine
from ingest.pull import pull
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.engine import build, cost_source
from models.engine.context import BuildContext
from models.engine.sql.sql_cache import SqlCache
from models.engine.warehouse import connection
from models.raw.delivery import Delivery
from models.raw.zone import RawZone

LINES, MONTHS, MOVED, WHOLE_YEAR = 50_000_000, 18, 9, 13
HOURS, SPAN = 672, 4
"""Four weeks of every month, seven runs each: 40 workloads x 7 x 18 months = 5,040 runs."""
FOLDER = Path(tempfile.gettempdir()) / "breakeven-years"
ROUNDS = 3
AFTER, MARTS = "marts after the reduction", 2
"""Seconds that all marts may take once the reduction is there."""
Case = Callable[[Path], float]


def main() -> None:
    """Measures, or in a child is measured."""
    asked = arguments()
    if asked.case:
        took = CASES[asked.case](asked.folder)
        print(json.dumps({"seconds": took, "mib": getrusage(RUSAGE_SELF).ru_maxrss / 1024}))
        return
    prepare(asked.folder, asked.lines)
    rounds = [{case: child(case, asked) for case in CASES} for _ in range(ROUNDS)]
    found = {case: [one[case] for one in rounds] for case in CASES}
    print(f"{asked.lines:,} lines, {MONTHS} months; median of {ROUNDS}\n{machine()}\n")
    seconds = {case: median(one["seconds"] for one in each) for case, each in found.items()}
    for case, each in found.items():
        print(f"{case:30}{seconds[case]:>10.2f} s{max(one['mib'] for one in each):>10,.0f} MiB")
    print(f"{AFTER:30}{seconds[AFTER]:>10.2f}  at most {MARTS} s")
    for name, over, under, goal in GOALS:
        print(f"{name:30}{seconds[over] / seconds[under]:>10.2f}  at most {goal}")


def bare(folder: Path) -> float:
    """The least anyone could do: `reduction.bare` over every month."""
    tags = ", ".join(f"Tags['user:{tag}'] AS {tag}" for tag in TAGS)
    sums = ", ".join(f"sum({cost}) AS {cost}" for cost in COSTS)
    with duckdb.connect(config={"preserve_insertion_order": False}) as database, clock() as took:
        database.execute(
            f"CREATE TABLE spend AS SELECT ChargePeriodStart::DATE AS day, SubAccountId, SkuMeter,"
            f" {tags}, {sums} FROM read_parquet('{folder}/focus/data/*/*.parquet') GROUP BY ALL"
        )
    return took[0]


def reduction(folder: Path, months: int = MONTHS) -> float:
    """Every delivery into an empty `spend_reduced`, and what is kept beside it."""
    settings = emptied(folder)
    with connection.writer(settings.warehouse_file) as backend, clock() as took:
        build.reduce(BuildContext.reading(settings, backend, delivered(settings)[-months:]))
    return took[0]


def restated(folder: Path) -> float:
    """One of thirteen months was delivered again, and differs."""
    settings = emptied(folder)
    money, again = delivered(settings)[-WHOLE_YEAR:], folder / "again"
    (other,) = delivered(configured(again))
    with connection.writer(settings.warehouse_file) as backend:
        context = BuildContext.reading(settings, backend, money)
        build.reduce(context)
        with clock() as took:
            build.reduce(replace(context, bills=[*money[:-1], other]))
    return took[0]


def marts(folder: Path) -> float:
    """Every mart and forecast over a reduction that is kept, up to what is published."""
    settings = configured(folder)
    if not settings.warehouse_file.exists():
        build.build(settings)
    live = RawZone(settings.data / "raw").live()
    compiled = SqlCache(settings.data)
    with connection.writer(settings.warehouse_file) as backend, clock() as took:
        build.derive_marts(BuildContext(settings, backend, compiled, live=live))
    return took[0]


def whole(folder: Path) -> float:
    """From the raw zone to a published snapshot."""
    settings = emptied(folder)
    with clock() as took:
        build.build(settings)
    return took[0]


CASES: dict[str, Case] = {
    "bare GROUP BY": bare,
    "reduction": reduction,
    "reduction of 13 months": lambda folder: reduction(folder, WHOLE_YEAR),
    "one of 13 restated": restated,
    "whole build": whole,
    AFTER: marts,
}
GOALS = (
    ("whole build / reduction", "whole build", "reduction", 3),
    ("whole build / bare GROUP BY", "whole build", "bare GROUP BY", 3),
    ("one of 13 restated / all 13", "one of 13 restated", "reduction of 13 months", 0.15),
)


@contextmanager
def clock() -> Iterator[list[float]]:
    """The seconds that the block took, once it has ended."""
    took: list[float] = []
    started = time.perf_counter()
    yield took
    took.append(time.perf_counter() - started)


def delivered(settings: Settings) -> list[Delivery]:
    """The live deliveries of charges, oldest month first."""
    live = RawZone(settings.data / "raw").live()
    return sorted(cost_source.bills(live, settings), key=lambda found: str(found.key))


def emptied(folder: Path) -> Settings:
    """The settings, without a warehouse and its snapshots; compiled texts stay."""
    for made in folder.glob("warehouse.duckdb*"):
        made.unlink()
    shutil.rmtree(folder / "snapshots", ignore_errors=True)
    return configured(folder)


def configured(folder: Path) -> Settings:
    """The configuration of the measured company."""
    table = bill.settings(folder).model_dump(include={"warehouse", "tags", "investments"})
    sources = [
        {"kind": "focus", "location": "focus"},
        {"kind": "progress_file", "location": "epochs.csv"},
    ]
    return validated_settings({**table, "as_of": "2026-10-31", "sources": sources}, home=folder)


def prepare(folder: Path, total: int) -> None:
    """Writes the months and a second version of the last, and registers them; once."""
    made = folder / bill.MADE
    if made.is_file() and json.loads(made.read_text()) == total:
        return
    shutil.rmtree(folder, ignore_errors=True)
    months = [f"{2025 + (3 + n) // 12}-{(3 + n) % 12 + 1:02}" for n in range(MONTHS)]
    with duckdb.connect() as database:
        for number, month in enumerate(months):
            size = sizes(month, total // MONTHS, gpu=number < MOVED)
            bill.deliver(database, place(folder, month), size)
        fewer = sizes(months[-1], total // MONTHS - 7, gpu=False)
        bill.deliver(database, place(folder / "again", months[-1]), fewer)
        told = " UNION ALL ".join(
            f"FROM ({bill.EPOCHS.format_map(sizes(month, 0, gpu=number < MOVED))})"
            for number, month in enumerate(months)
        )
        for at in (folder, folder / "again"):
            database.execute(f"COPY ({told}) TO '{at / 'epochs.csv'}' (HEADER)")
    for at in (folder, folder / "again"):
        pull(configured(at)).raise_failures()
    made.write_text(json.dumps(total))


def place(folder: Path, month: str) -> Path:
    """Where AWS would lay that month."""
    return folder / "focus" / "data" / f"BILLING_PERIOD={month}" / "focus-00001.snappy.parquet"


def sizes(month: str, count: int, *, gpu: bool) -> dict[str, object]:
    """What `bill` makes that month of."""
    return {
        "start": f"{month}-01",
        "label": f"{month}-",
        "span": SPAN,
        "lines": count,
        "hours": HOURS,
        "days": HOURS // 24,
        "workloads": bill.WORKLOADS,
        "gpu_days": 31 if gpu else 0,
    }


def child(case: str, asked: argparse.Namespace) -> dict[str, float]:
    """One case in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.years",
        "--folder",
        str(asked.folder),
        "--case",
        case,
    ]
    found: dict[str, float] = json.loads(here(command).splitlines()[-1])
    return found


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--case", choices=list(CASES), help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    main()
