"""Two pools of shared machines: who held them by day, the jobs, and the months that follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import groupby

from tests.support.dashboard.days import RUN_EVERY, Row, at, days_between

D = Decimal
SINCE = date(2026, 8, 1)
TRN, GPU = ("hpc", "trn1.32xlarge"), ("eks-research", "p4d.24xlarge")
RATE = {TRN: D("1.34375"), GPU: D("2.744705")}
NODES = {TRN: 4 * 16 * 24, GPU: 2 * 8 * 24}
"""Accelerator-hours of a day: four trn1.32xlarge, two p4d.24xlarge."""
HELD = (("atlas-7b", 37, 6), ("orion-13b", 21, 5), ("vega-bert", 9, 7))
"""Workload, its percent of the Trainium pool, and by how much that moves within a week."""
DRAINED = (date(2026, 9, 14), date(2026, 9, 18))
LABEL_MISSING = (date(2026, 10, 5), date(2026, 10, 12))
LATE = date(2026, 10, 20)
"""A day whose bill is complete, and whose allocations are not delivered."""


def pool_use(starts: dict[str, date], settled: date, as_of: date) -> list[Row]:
    """Days of both pools; of the last day, and of `LATE`, no allocations are delivered."""
    rows: list[Row] = []
    for day in days_between(SINCE, as_of):
        told = day < as_of and day != LATE
        about = {
            "date": day,
            "settled": day <= settled and told,
            "delivered": told,
            "awaited": day <= settled and not told,
        }
        shares = list(_of_trainium(day, starts)) if told else [("idle", None, None, D(100))]
        rows += [about | _row(TRN, *share) for share in shares]
        if day.month == 9:
            rows += [about | _row(GPU, *share) for share in _of_gpu(day)]
    return rows


def _of_trainium(day: date, starts: dict[str, date]) -> Iterator[tuple[str, str | None, str, D]]:
    left = D(100)
    for name, part, moves in HELD:
        if name in starts:
            share = D(part + (day.toordinal() * moves) % (2 * moves + 1) - moves)
            run = f"{name}-t{(day - starts[name]).days // RUN_EVERY + 1}"
            left -= share
            yield "held", name, run, share
    for reason, span, share in (("drained", DRAINED, 25), ("unknown", LABEL_MISSING, 6)):
        if span[0] <= day <= span[1]:
            left -= share
            yield reason, None, None, D(share)
    yield "idle", None, None, left


def _of_gpu(day: date) -> list[tuple[str, str | None, str | None, D]]:
    return [("held", "lyra-vit", "lyra-vit-g1", D(88)), ("idle", None, None, D(12))]


def _row(
    pool: tuple[str, str], holding: str, workload: str | None, run: str | None, share: Decimal
) -> Row:
    hours = share * NODES[pool] / 100
    return {
        "cluster": pool[0],
        "instance_type": pool[1],
        "platform": pool[1].split(".")[0],
        "hardware": "trainium" if pool is TRN else "gpu",
        "holding": holding,
        "workload": workload,
        "run": run,
        "accelerator_hours": hours,
        "cost": hours * RATE[pool],
        "over_allocated": holding == "held" and workload == "vega-bert",
        "by_day": False,
    }


def run_jobs(use: Iterable[Row]) -> list[Row]:
    """Two jobs of each run; the second one waited, the more the longer its name."""
    runs: dict[tuple[str, str], list[Row]] = {}
    for row in use:
        if row["run"]:
            runs.setdefault((row["workload"], row["run"]), []).append(row)
    return [
        {
            "workload": workload,
            "run": run,
            "cluster": rows[0]["cluster"],
            "job": f"{4000 + number * 2 + attempt}",
            "instance_type": rows[0]["instance_type"],
            "platform": rows[0]["platform"],
            "hardware": rows[0]["hardware"],
            "queued_at": None if waited is None else at(first) - timedelta(hours=float(waited)),
            "began": at(first),
            "ended": at(rows[-1]["date"]) + timedelta(hours=8),
            "wait_hours": waited,
        }
        for number, ((workload, run), rows) in enumerate(sorted(runs.items()))
        for attempt, first, waited in (
            (0, rows[0]["date"], None if number % 5 == 0 else D("0.5")),
            (1, rows[len(rows) // 2]["date"], D(number % 7) + D("0.25")),
        )
    ]


def identify(runs: Iterable[Row], jobs: Iterable[Row]) -> None:
    """Says of each run what ties it to its machines, and how long its jobs waited."""
    waits: dict[tuple[str, str], Decimal] = {}
    for job in jobs:
        key = job["workload"], job["run"]
        waits[key] = waits.get(key, D(0)) + (job["wait_hours"] or D(0))
    for run in runs:
        waited = waits.get((run["workload"], run["run"]))
        run |= {"identified_by": "tag" if waited is None else "allocation", "wait_hours": waited}


def pools(use: Iterable[Row]) -> list[Row]:
    """The months of each pool."""
    return [
        {
            "month": month, "cluster": cluster, "instance_type": kind,
            "platform": rows[0]["platform"], "hardware": rows[0]["hardware"],
            "accelerator_hours": _sum(rows, "accelerator_hours"), "cost": _sum(rows, "cost"),
            "settled": all(row["settled"] for row in rows),
            **{f"{name}_hours": _sum(part, "accelerator_hours") for name, part in _parts(rows)},
            **{f"{name}_cost": _sum(part, "cost") for name, part in _parts(rows)},
        }
        for (month, cluster, kind), rows in _grouped(use, "cluster", "instance_type")
    ]  # fmt: skip


def coverage(use: Iterable[Row]) -> list[Row]:
    """The months of each cluster."""
    found = []
    for (month, cluster), rows in _grouped(use, "cluster"):
        parts = {name: _sum(part, "accelerator_hours") for name, part in _parts(rows)}
        every = _sum(rows, "accelerator_hours")
        found.append({
            "month": month, "cluster": cluster, "accelerator_hours": every,
            "known_hours": parts["held"], "unknown_hours": parts["unknown"],
            "idle_hours": parts["idle"], "daily_hours": D(0),
            "undelivered_hours": parts["undelivered"],
            "over_allocated_hours": _sum([r for r in rows if r["over_allocated"]],
                                         "accelerator_hours"),
            "coverage": round(parts["held"] / every, 9),
            "days": len({row["date"] for row in rows}),
            "undelivered_days": len({row["date"] for row in rows if not row["delivered"]}),
        })  # fmt: skip
    return found


def _grouped(use: Iterable[Row], *keys: str) -> Iterator[tuple[tuple[str, ...], list[Row]]]:
    def key(row: Row) -> tuple[str, ...]:
        return (f"{row['date']:%Y-%m}", *(row[name] for name in keys))

    for found, rows in groupby(sorted(use, key=key), key=key):
        yield found, list(rows)


def _parts(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    known = [row for row in rows if row["holding"] == "held"]
    unknown = [row for row in rows if row["holding"] == "unknown"]
    rest = [row for row in rows if row["holding"] not in ("held", "unknown")]
    idle = [row for row in rest if row["delivered"]]
    missing = [row for row in rest if not row["delivered"]]
    return [("held", known), ("unknown", unknown), ("idle", idle), ("undelivered", missing)]


def _sum(rows: Iterable[Row], name: str) -> Decimal:
    return sum((row[name] for row in rows), D(0))
