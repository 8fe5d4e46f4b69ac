"""Generates the sample bill and progress files: `python data/sample/generate.py [FOLDER]`.

Simulated usage at real list prices. Nothing here depends on the clock or the machine: the same
code and the same pyarrow write the same bytes. README.md tells what is in it and why.
"""

import hashlib
import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
from generator import cluster, commitment, company, progress, training
from generator.charges import Charge
from generator.delivery import Delivery
from generator.focus import FOCUS_1_0, FOCUS_1_2
from generator.history import all_runs
from generator.timeline import COST_UNTIL, FOCUS_1_2_FROM, months

HERE = Path(__file__).parent
STATEMENT = "Simulated usage, real list prices. No real company, account or training run."
MADE = ("focus-1-0", "focus-1-2", "progress", "allocations")

LOWER_CASE = date(2025, 7, 1)
"""Some consumers see the partition key in lower case."""
EXECUTIONS_SINCE = date(2025, 9, 1)
"""For this month the export was set to keep every execution: two stand side by side."""
EARLIER, LATER = (
    "20251001T041522Z-8d0c9a52-3a37-4f58-9f50-0f4f5d0c7b11",
    "20251006T051640Z-c2b7b9be-7f8e-4c39-8a1d-5d8d1c6f2e74",
)
SEEN_EARLIER = date(2025, 9, 28)
CHUNKS = {date(2025, 5, 1): 2, date(2026, 8, 1): 3}


def bill() -> list[Charge]:
    """Returns all lines of the sample's simulated bill, in a fixed order."""
    usage = [*training.charges(all_runs()), *company.charges()]
    lines = list(commitment.applied(line for line in usage if line.start < COST_UNTIL))
    lines += company.support_and_tax(lines)
    return sorted(
        cluster.named(lines), key=lambda line: (line.month, line.account, line.start, key(line))
    )


def key(line: Charge) -> tuple[str, ...]:
    """Returns the sort key of a bill line within its account and hour."""
    parts = (line.category, line.usage_type, line.resource, line.plan_status, line.charge_class)
    return tuple(part or "" for part in parts)


def deliveries(lines: list[Charge]) -> Iterator[Delivery]:
    """Yields a simulated bill export per month; for one month two in separate folders."""
    by_month: defaultdict[date, list[Charge]] = defaultdict(list)
    for line in lines:
        by_month[line.month].append(line)
    for month in months():
        export = FOCUS_1_2 if month >= FOCUS_1_2_FROM else FOCUS_1_0
        delivery = Delivery(export, month, by_month[month], CHUNKS.get(month, 1))
        if month >= cluster.SINCE.date():
            delivery = replace(delivery, again="cluster tag activated")
        if month == LOWER_CASE:
            delivery = replace(delivery, partition="billing_period")
        if month == EXECUTIONS_SINCE:
            first = [line for line in delivery.lines if line.start.date() < SEEN_EARLIER]
            yield replace(delivery, lines=first, folder=EARLIER)
            delivery = replace(delivery, folder=LATER)
        yield delivery


def totals(lines: list[Charge]) -> dict[str, dict[str, dict[str, str]]]:
    """Returns billed and effective dollars per month and account."""
    sums: dict[str, dict[str, dict[str, Decimal]]] = {}
    for line in lines:
        account = sums.setdefault(f"{line.month:%Y-%m}", {}).setdefault(
            line.account, {"billed": Decimal(0), "effective": Decimal(0)}
        )
        account["billed"] += line.billed
        account["effective"] += line.effective
    return {
        month: {
            account: {basis: f"{amount:.9f}" for basis, amount in bases.items()}
            for account, bases in sorted(accounts.items())
        }
        for month, accounts in sums.items()
    }


def manifest(root: Path, lines: list[Charge]) -> dict[str, object]:
    """Returns a manifest: every written file with its SHA-256, and monthly dollar totals."""
    files = sorted(path for folder in MADE for path in (root / folder).rglob("*") if path.is_file())
    return {
        "statement": STATEMENT,
        "pyarrow": pa.__version__,
        "lines": len(lines),
        "totals": totals(lines),
        "files": {
            path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
        },
    }


def generate(root: Path) -> None:
    """Writes bill, progress, allocations and manifest into a folder, replacing earlier ones."""
    for folder in MADE:
        shutil.rmtree(root / folder, ignore_errors=True)
    lines = bill()
    for delivery in deliveries(lines):
        delivery.write(root)
    progress.write(root / "progress", all_runs())
    cluster.write(root / "allocations")
    text = json.dumps(manifest(root, lines), indent=2) + "\n"
    (root / "MANIFEST.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
