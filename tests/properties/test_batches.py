"""How a bill and its logs are cut into files, and how often one asks, changes no number."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

from ingest import pull
from models.config.loading import validated_settings
from models.engine import build
from tests.support.properties.drawn import Workload, at, line, workloads
from tests.support.properties.examples import examples
from tests.support.simulator import drive
from tests.support.world import Marts, write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("computed_anew"),
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),
]
Rows = list[dict[str, Any]]
Files = dict[str, Rows]


def billed(workload: Workload) -> Rows:
    """Its lines as a bill says them."""
    rows = [*workload.charges(), line(at(12, 31), Decimal(1))]
    for row in rows:
        owner = {"user:workload": row.pop("workload", None), "user:run": row.pop("run", None)}
        row["Tags"] = json.dumps({key: value for key, value in owner.items() if value})
    columns = dict.fromkeys(name for row in rows for name in row)
    return [columns | row for row in rows]


def one_file(workload: Workload) -> Files:
    """One table each."""
    return {
        "bill/all.csv": billed(workload),
        "logs/all.csv": [*workload.samples()],
        "prices.csv": [*workload.prices()],
    }


def many_files(workload: Workload, luck: Random, count: int) -> Files:
    """Months apart, rows in any order in any of some files; a sample may be in two of them."""
    found: defaultdict[str, Rows] = defaultdict(list)
    rows = billed(workload)
    luck.shuffle(rows)
    for row in rows:
        month = f"{row['BillingPeriodStart']:%Y-%m}"
        found[f"bill/BILLING_PERIOD={month}/{luck.randrange(count)}.csv"].append(row)
    for sample in workload.samples():
        for number in {luck.randrange(count), luck.randrange(count)}:
            found[f"logs/{number}.csv"].insert(0, sample)
    return {**found, "prices.csv": [*workload.prices()][::-1]}


def incomplete(files: Files, luck: Random) -> Files:
    """The same files when they held fewer rows, other amounts and no name of a run."""
    early: Files = {}
    for name, rows in files.items():
        kept = rows if name == "prices.csv" else luck.sample(rows, (len(rows) + 1) // 2)
        early[name] = [row | {"EffectiveCost": 7} if "Tags" in row else row for row in kept]
    return early


def built(folder: Path, *deliveries: Files) -> Marts:
    """Each delivery laid over the one before and ingested; reduced, and the last one built."""
    asked = validated_settings({"as_of": "2025-12-31", "sources": drive.SOURCES}, home=folder)
    for files in deliveries:
        for name, rows in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write(folder / name, rows)
        last = files is deliveries[-1]
        marts = drive.derived(asked, None if last else drive.reduced)
    return marts


def test_files_restatements_and_repeats_change_nothing(tmp_path: Path) -> None:
    _, (drawn, seed) = examples(st.tuples(workloads(), st.integers()), 2)  # not the simplest
    luck = Random(seed)
    whole = built(tmp_path / "whole", one_file(drawn))
    files = many_files(drawn, luck, 3)
    cut = built(tmp_path / "cut", incomplete(files, luck), files)
    ours, theirs = (marts.row("SELECT snapshot_id FROM snapshot") for marts in (whole, cut))
    assert ours == theirs
    pull.pull(cut.settings).raise_failures()
    again = build.build(cut.settings)
    assert ({"snapshot_id": again.snapshot_id}, again.reduced) == (theirs, 0)
