"""The year that the dashboard is measured on: 200 workloads, 21,600 runs, on GPU and on Trainium.

Delivered as AWS does it, ingested and built the ordinary way, once; 8.4 M lines, some minutes.

    python -m benchmarks.serving.year
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import tomllib
from pathlib import Path

import duckdb

from benchmarks import bill
from ingest.pull import pull
from models.config.loading import validated_settings
from models.config.settings import Settings
from models.engine import build

FOLDER = Path(tempfile.gettempdir()) / "breakeven-year"
WORKLOADS, MONTHS, MOVED, LINES = 200, 12, 5, 700_000
HOURS, SPAN = 600, 3
"""Twenty-five days of every month, a run each three: 200 workloads x 9 x 12 months."""


def main() -> None:
    """Makes it; a second time finds it done."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--folder", type=Path, default=FOLDER)
    print(prepare(asked.parse_args().folder))


def prepare(folder: Path = FOLDER) -> Path:
    """The configuration of the company, its snapshot published beside it."""
    config = folder / "breakeven.toml"
    if config.is_file():
        return config
    shutil.rmtree(folder, ignore_errors=True)
    with duckdb.connect() as database:
        told = []
        for number in range(MONTHS):
            month = f"{2025 + (10 + number) // 12}-{(10 + number) % 12 + 1:02}"
            size = sizes(month, gpu=number < MOVED)
            at = folder / "focus" / "data" / f"BILLING_PERIOD={month}"
            bill.deliver(database, at / "focus-00001.snappy.parquet", size)
            told.append(f"FROM ({bill.EPOCHS.format_map(size)})")
        every = " UNION ALL ".join(told)
        database.execute(f"COPY ({every}) TO '{folder / 'epochs.csv'}' (HEADER)")
    settings = configured(folder)
    pull(settings).raise_failures()
    build.build(settings)
    config.write_text(document())
    return config


def sizes(month: str, *, gpu: bool) -> dict[str, object]:
    """What `bill` makes a month of."""
    return {
        "start": f"{month}-01",
        "label": f"{month}-",
        "span": SPAN,
        "lines": LINES,
        "hours": HOURS,
        "days": HOURS // 24,
        "workloads": WORKLOADS,
        "gpu_days": 31 if gpu else 0,
    }


def document() -> str:
    """The configuration as a file."""
    outlays = "".join(
        f'[[investments]]\nworkload = "workload-{number:02}"\ndate = 2026-03-15\n'
        'kind = "engineering"\ndays = 5\nday_rate = 1000\n'
        for number in range(WORKLOADS)
    )
    return f"""as_of = 2026-10-31
warehouse.path = "warehouse.duckdb"
tags.extra = ["team"]
[[sources]]
kind = "focus"
location = "focus"
[[sources]]
kind = "progress_file"
location = "epochs.csv"
{outlays}"""


def configured(folder: Path) -> Settings:
    """The settings that the document says."""
    return validated_settings(tomllib.loads(document()), home=folder)


if __name__ == "__main__":
    main()
