"""What each mart costs after the reduction: saying it in SQL, and running it.

Builds the month of `bill.py` once, then makes every mart again from the kept reduction.

    python -m benchmarks.marts
"""

from __future__ import annotations

import argparse
import inspect
import time
from pathlib import Path

from benchmarks import bill
from benchmarks.reduction import machine
from models.engine import build, mart_runner
from models.engine.context import BuildContext
from models.engine.sql import mart_sql, rendering
from models.engine.warehouse import connection
from models.marts import MARTS

GOAL = 1.0
MADE = {mart.__name__: mart for mart in MARTS}


def main() -> None:
    """Prints the marts, slowest first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--lines", type=int, default=bill.LINES)
    parser.add_argument("--folder", type=Path, default=bill.FOLDER)
    asked = parser.parse_args()
    bill.prepare(asked.folder, asked.lines)
    settings = bill.settings(asked.folder)
    build.build(settings)

    started = time.perf_counter()
    kept = {"spend_reduced", *build.INTERNAL}
    plan = {name: mart for name, mart in mart_sql.plan(settings).items() if name not in kept}
    planned = time.perf_counter() - started
    rows = []
    with connection.writer(settings.warehouse_file) as backend:
        connection.derive_in_memory(backend)
        mart_runner.store_progress(backend)
        steps = {step.fills[0]: step for step in mart_runner.STEPS}
        for name, mart in plan.items():
            for missing in steps.keys() & inspect.signature(MADE[name]).parameters.keys():
                steps.pop(missing).run(BuildContext.reading(settings, backend))
            asked_at = time.perf_counter()
            text = rendering.sql(mart)
            said = time.perf_counter()
            mart_runner.create_mart(backend, name, text)
            rows.append((time.perf_counter() - said, said - asked_at, name))
    print(f"{asked.lines:,} lines\n{machine()}\n\n{'':24}{'SQL s':>10}{'run s':>10}")
    for ran, said, name in sorted(rows, reverse=True):
        print(f"{name:24}{said:>10.3f}{ran:>10.3f}")
    print(f"\n{'expressions':24}{planned:>10.3f}")
    said, ran = sum(row[1] for row in rows), sum(row[0] for row in rows)
    print(f"{'all':24}{said:>10.3f}{ran:>10.3f}  goal: run in at most {GOAL:.0f} s")


if __name__ == "__main__":
    main()
