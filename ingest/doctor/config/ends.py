"""Checks that no workload is trained after the day on which the config says that it `ends`.

Upkeep without an `until`, forecasts and `value_to_end` stop on that day (METHOD §6.1, §6.4). While
training goes on, savings are therefore too high by the upkeep. The check needs a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.doctor.examination import Examination
from ingest.doctor.finding import Finding

NAME = "ends"
TRAINED = """
SELECT workload, max(date) AS last FROM spend_daily
WHERE run IS NOT NULL AND hardware IN ('gpu', 'trainium') AND accelerator_hours > 0
GROUP BY workload ORDER BY workload"""


def check_ends(exam: Examination) -> Iterator[Finding]:
    """Warns of workloads whose runs have billed accelerator hours after the workload's `ends`."""
    ends = {entry.name: entry.ends for entry in exam.settings.workloads if entry.ends}
    for row in exam.snapshot_rows(TRAINED) or [] if ends else []:
        last = ends.get(row["workload"])
        if last and last < row["last"]:
            yield Finding(
                NAME,
                f"workload {row['workload']}",
                "warning",
                f"it trained on {row['last']}, but its ends is {last}: no upkeep without until is "
                "deducted after that day",
                "write the last day on which it will be trained as its ends in [[workloads]]",
            )
