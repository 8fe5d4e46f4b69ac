"""Checks that each GPU type on the bill has a recent on-demand price (METHOD §2.5).

Only GPUs need prices, because the GPU baseline is repriced; what Trainium costs is on the bill.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding
from models.contract import catalogue
from models.engine.context import BuildContext
from models.engine.fleet import HOSTED, Machine, fleet
from models.engine.reduction import delivered_files
from models.engine.warehouse import connection

NAME = "prices"
STALE = timedelta(days=45)
REMEDY = 'add [[sources]] kind = "price_list" (free) or "prices", then `breakeven ingest`'
SEEN = """
SELECT instance_type, region, max(observed_on) FROM prices
WHERE purchase_option = 'on_demand' GROUP BY ALL"""


def check_gpu_prices(exam: Examination) -> Iterator[Finding]:
    """Checks that each GPU type and region on the bill has a recently seen on-demand price."""
    gpus = {one.instance_type for one in catalogue.accelerators() if one.hardware == "gpu"}
    billed = [one for one in fleet(exam.settings) if one.instance_type.removeprefix(HOSTED) in gpus]
    if not billed:
        yield Finding(NAME, "GPUs", "skipped", "none on the bill yet")
        return
    seen = _seen(exam)
    stale = exam.settings.today - STALE
    fine = [seen[one] for one in billed if one in seen and seen[one] > stale]
    if fine:
        found = f"{len(fine)} of {len(billed)} types and regions priced, seen {min(fine)} or later"
        yield Finding(NAME, "GPUs", "ok", found)
    for one in billed:
        if one not in seen or seen[one] <= stale:
            yield _lacking(one, seen.get(one), exam.settings.today)


def _lacking(machine: Machine, seen: date | None, today: date) -> Finding:
    about = f"{machine.instance_type} in {machine.region}"
    if seen is None:
        found = "no on-demand price: its baseline cannot be repriced"
        return Finding(NAME, about, "warning", found, REMEDY)
    age = (today - seen).days
    found = f"the newest on-demand price of its sources is of {seen}, {age} days ago"
    return Finding(NAME, about, "warning", found, REMEDY)


def _seen(exam: Examination) -> dict[Machine, date]:
    """Returns when the on-demand price of each instance type and region was last seen."""
    deliveries = [d for d in exam.zone.live() if delivered_files.view_of(d) == "prices"]
    with connection.in_memory() as backend:
        delivered_files.create_view(
            BuildContext.reading(exam.settings, backend), "prices", deliveries
        )
        rows = backend.con.execute(SEEN).fetchall()
    return {Machine(str(kind), str(region)): day for kind, region, day in rows}
